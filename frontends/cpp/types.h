// Internal to the frontend: what a C++ type or declaration is for the analysis. Only names and language facts; what an
// API means is the API model's business.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

namespace clang {
class CXXRecordDecl;
class Decl;
class NamedDecl;
class QualType;
}  // namespace clang

namespace deadgrad::cpp {

// The qualified name without inline namespaces and template arguments: "torch::nn::Module", "std::make_shared".
std::string qualified_name(const clang::NamedDecl* decl);
// Clang's USR: the same text in each unit that sees the declaration.
std::string usr_of(const clang::Decl* decl);

// Is it `std::name` (any inline namespace)?
bool is_std(const clang::NamedDecl* decl, std::string_view name);
bool in_std(const clang::Decl* decl);
// std::vector, array, deque, list, set, map, initializer_list, span, …
bool is_container(const clang::CXXRecordDecl* record);
bool is_map(const clang::CXXRecordDecl* record);
bool is_tuple(const clang::CXXRecordDecl* record);
bool is_callable_wrapper(const clang::CXXRecordDecl* record);  // std::function, packaged_task
bool is_stream(clang::QualType type);

// The name of a type whose values hold numbers or text alone, and so no tensor: "int", "std::string"; that of the
// element for containers of such. Empty for all others.
std::string data_name(clang::QualType type);

// The questions that look through many classes, with their answers remembered for one translation unit.
class Types {
 public:
  // The type behind references, pointers, arrays, smart pointers, `optional`, `reference_wrapper`: what a value of the
  // type gives access to.
  clang::QualType pointee_type(clang::QualType type);
  // The class of that type, its definition if it has one in view; null for other types.
  const clang::CXXRecordDecl* class_of(clang::QualType type);
  // A smart pointer, `optional`, `reference_wrapper`: something that stands for the object it holds.
  bool is_transparent(const clang::CXXRecordDecl* record);
  // What a class that is not the standard library's hands out through `->`: it is a handle of such objects. Else null.
  const clang::CXXRecordDecl* held_class(const clang::CXXRecordDecl* record);
  // Does a class own something that its destructor gives back, without being a value that is copied? Guards, locks,
  // classes with a guard as member or base, and smart pointers and optionals of those.
  bool is_raii(clang::QualType type);

 private:
  const clang::CXXRecordDecl* arrow_class(const clang::CXXRecordDecl* record, int depth);
  bool is_raii_record(const clang::CXXRecordDecl* record, int depth);

  std::unordered_map<const clang::CXXRecordDecl*, const clang::CXXRecordDecl*> arrows_;
  std::unordered_map<const clang::CXXRecordDecl*, bool> raii_;
};

}  // namespace deadgrad::cpp
