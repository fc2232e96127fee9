// Internal to the frontend: what a C++ type or declaration is for the analysis. Only names and language facts; what an
// API means is the API model's business.
#pragma once

#include <string>
#include <string_view>

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

// The type behind references, pointers, arrays, smart pointers, `optional`, `reference_wrapper`: what a value of the
// type gives access to.
clang::QualType pointee_type(clang::QualType type);
// The class of that type, its definition if it has one in view; null for other types.
const clang::CXXRecordDecl* class_of(clang::QualType type);
// Is it `std::name` (any inline namespace)?
bool is_std(const clang::NamedDecl* decl, std::string_view name);
bool in_std(const clang::Decl* decl);
// A smart pointer, `optional`, `reference_wrapper`: something that stands for the object it holds.
bool is_transparent(const clang::CXXRecordDecl* record);
// std::vector, array, deque, list, set, map, initializer_list, span, …
bool is_container(const clang::CXXRecordDecl* record);
bool is_map(const clang::CXXRecordDecl* record);
bool is_tuple(const clang::CXXRecordDecl* record);
bool is_callable_wrapper(const clang::CXXRecordDecl* record);  // std::function, packaged_task
bool is_stream(clang::QualType type);

// The implementation class of a module holder (a class that derives from torch::nn::ModuleHolder<Impl>), else null.
const clang::CXXRecordDecl* held_class(const clang::CXXRecordDecl* record);
// Does a class own something that its destructor gives back, without being a value that is copied? Guards, locks,
// classes with a guard as member or base, and smart pointers and optionals of those.
bool is_raii(clang::QualType type);

}  // namespace deadgrad::cpp
