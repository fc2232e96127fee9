#include "frontends/cpp/types.h"

#include <array>

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Index/USRGeneration.h"
#include "llvm/ADT/SmallString.h"

using namespace clang;

namespace deadgrad::cpp {

static constexpr int kMostBases = 64;

// A C struct may have its name from a typedef only.
static std::string plain_name(const NamedDecl* decl) {
  std::string name = decl->getDeclName().getAsString();
  if (!name.empty()) return name;
  if (const auto* tag = dyn_cast<TagDecl>(decl))
    if (const TypedefNameDecl* named = tag->getTypedefNameForAnonDecl()) return named->getNameAsString();
  return "(unnamed)";
}

std::string qualified_name(const NamedDecl* decl) {
  std::string name;
  llvm::SmallVector<std::string, 8> parts;
  parts.push_back(plain_name(decl));
  for (const DeclContext* context = decl->getDeclContext(); context != nullptr; context = context->getParent()) {
    if (const auto* space = dyn_cast<NamespaceDecl>(context)) {
      if (!space->isInline() && !space->isAnonymousNamespace()) parts.push_back(space->getNameAsString());
    } else if (const auto* record = dyn_cast<RecordDecl>(context)) {
      parts.push_back(plain_name(record));
    } else if (const auto* function = dyn_cast<FunctionDecl>(context)) {
      parts.push_back(function->getNameAsString());
    } else if (const auto* choices = dyn_cast<EnumDecl>(context); choices != nullptr && choices->isScoped()) {
      parts.push_back(choices->getNameAsString());
    }
  }
  for (std::size_t i = parts.size(); i-- > 0;) {
    name += parts[i];
    if (i > 0) name += "::";
  }
  return name;
}

std::string usr_of(const Decl* decl) {
  llvm::SmallString<128> usr;
  if (index::generateUSRForDecl(decl, usr)) return {};
  return std::string(usr);
}

bool in_std(const Decl* decl) {
  if (decl->isInStdNamespace()) return true;
  const DeclContext* context = decl->getDeclContext();
  while (context != nullptr && context->getParent() != nullptr && !context->getParent()->isTranslationUnit())
    context = context->getParent();
  const auto* outermost = dyn_cast_or_null<NamespaceDecl>(context);
  return outermost != nullptr && outermost->getName() == "__gnu_cxx";
}

bool is_std(const NamedDecl* decl, std::string_view name) {
  return decl->isInStdNamespace() && decl->getIdentifier() != nullptr && decl->getName() == llvm::StringRef(name);
}

template <std::size_t N>
static bool is_one_of(const CXXRecordDecl* record, const std::array<std::string_view, N>& names) {
  if (record == nullptr || !record->isInStdNamespace() || record->getIdentifier() == nullptr) return false;
  for (std::string_view name : names)
    if (record->getName() == llvm::StringRef(name)) return true;
  return false;
}

static bool is_std_handle(const CXXRecordDecl* record) {
  static constexpr std::array<std::string_view, 5> kNames{"shared_ptr", "unique_ptr", "weak_ptr", "optional",
                                                          "reference_wrapper"};
  return is_one_of(record, kNames);
}

bool is_container(const CXXRecordDecl* record) {
  static constexpr std::array<std::string_view, 17> kNames{
      "vector",           "array", "deque",    "list",          "forward_list", "set",   "multiset",
      "unordered_set",    "map",   "multimap", "unordered_map", "stack",        "queue", "priority_queue",
      "initializer_list", "span",  "valarray"};
  return is_one_of(record, kNames);
}

bool is_map(const CXXRecordDecl* record) {
  static constexpr std::array<std::string_view, 3> kNames{"map", "multimap", "unordered_map"};
  return is_one_of(record, kNames);
}

bool is_tuple(const CXXRecordDecl* record) {
  static constexpr std::array<std::string_view, 2> kNames{"tuple", "pair"};
  return is_one_of(record, kNames);
}

bool is_callable_wrapper(const CXXRecordDecl* record) {
  static constexpr std::array<std::string_view, 3> kNames{"function", "packaged_task", "move_only_function"};
  return is_one_of(record, kNames);
}

static const CXXRecordDecl* record_of(QualType type) {
  if (type.isNull()) return nullptr;
  type = type.getNonReferenceType().getCanonicalType();
  while (true) {
    if (type->isPointerType()) {
      type = type->getPointeeType().getCanonicalType();
    } else if (const auto* array = dyn_cast<ArrayType>(type.getTypePtr())) {
      type = array->getElementType().getCanonicalType();
    } else {
      break;
    }
  }
  const CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (record == nullptr) {
    // In a template: the pattern that a specialization or the current class is made from.
    if (const auto* injected = dyn_cast<InjectedClassNameType>(type.getTypePtr())) {
      record = injected->getDecl();
    } else if (const auto* special = dyn_cast<TemplateSpecializationType>(type.getTypePtr())) {
      if (const TemplateDecl* made_from = special->getTemplateName().getAsTemplateDecl())
        record = dyn_cast_or_null<CXXRecordDecl>(made_from->getTemplatedDecl());
    }
  }
  if (record == nullptr) return nullptr;
  return record->hasDefinition() ? record->getDefinition() : record;
}

static QualType first_argument(const CXXRecordDecl* record) {
  const auto* special = dyn_cast_or_null<ClassTemplateSpecializationDecl>(record);
  if (special == nullptr || special->getTemplateArgs().size() == 0) return {};
  const TemplateArgument& argument = special->getTemplateArgs()[0];
  return argument.getKind() == TemplateArgument::Type ? argument.getAsType() : QualType();
}

static std::string data_name_of(QualType type, int depth) {
  if (type.isNull() || depth > 6) return {};
  type = type.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  if (const auto* builtin = dyn_cast<BuiltinType>(type.getTypePtr())) {
    PrintingPolicy names{LangOptions()};
    names.Bool = true;
    if (builtin->isInteger() || builtin->isFloatingPoint()) return builtin->getName(names).str();
    return {};
  }
  if (type->isEnumeralType()) return "int";
  if (type->isPointerType()) {
    const QualType to = type->getPointeeType();
    return to->isVoidType() ? "void*" : data_name_of(to, depth + 1);
  }
  if (const auto* array = dyn_cast<ArrayType>(type.getTypePtr()))
    return data_name_of(array->getElementType(), depth + 1);
  const CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (record == nullptr) return {};
  if (is_std(record, "basic_string") || is_std(record, "basic_string_view")) return "std::string";
  // A library's template over such types: `vector<float>`, `ArrayRef<long>`, `TensorAccessor<float, 2>`.
  const auto* special = dyn_cast<ClassTemplateSpecializationDecl>(record);
  if (special == nullptr || is_callable_wrapper(record)) return {};
  std::string found;
  for (const TemplateArgument& argument : special->getTemplateArgs().asArray()) {
    if (argument.getKind() != TemplateArgument::Type) continue;
    const CXXRecordDecl* part = argument.getAsType()->getAsCXXRecordDecl();
    // What the standard library adds by itself says nothing: allocators, comparisons.
    if (part != nullptr && part->isInStdNamespace() && data_name_of(argument.getAsType(), depth + 1).empty() &&
        !is_container(part) && !is_std_handle(part) && !is_tuple(part))
      continue;
    const std::string name = data_name_of(argument.getAsType(), depth + 1);
    if (name.empty()) return {};
    found = name;
  }
  return found;
}

std::string data_name(QualType type) {
  return data_name_of(type, 0);
}

const CXXRecordDecl* Types::arrow_class(const CXXRecordDecl* record, int depth) {
  if (record == nullptr || !record->hasDefinition() || depth > kMostBases) return nullptr;
  record = record->getDefinition();
  if (auto known = arrows_.find(record); known != arrows_.end()) return known->second;
  arrows_[record] = nullptr;
  for (const CXXMethodDecl* method : record->methods()) {
    if (method->getOverloadedOperator() != OO_Arrow) continue;
    const QualType given = method->getReturnType();
    if (given->isPointerType())
      if (const CXXRecordDecl* held = record_of(given); held != nullptr && held != record)
        return arrows_[record] = held;
  }
  for (const CXXBaseSpecifier& base : record->bases())
    if (const CXXRecordDecl* held = arrow_class(base.getType()->getAsCXXRecordDecl(), depth + 1))
      return arrows_[record] = held;
  return nullptr;
}

const CXXRecordDecl* Types::held_class(const CXXRecordDecl* record) {
  if (record == nullptr || record->isInStdNamespace()) return nullptr;
  return arrow_class(record, 0);
}

bool Types::is_transparent(const CXXRecordDecl* record) {
  return record != nullptr && (is_std_handle(record) || held_class(record) != nullptr);
}

QualType Types::pointee_type(QualType type) {
  for (int depth = 0; depth < 16; ++depth) {
    if (type.isNull()) return type;
    type = type.getNonReferenceType();
    const CXXRecordDecl* record = record_of(type);
    if (is_std_handle(record)) {
      const QualType inner = first_argument(record);
      if (inner.isNull()) return type;
      type = inner;
      continue;
    }
    // `c10::intrusive_ptr<T>`, `ModuleHolder<Net>`: a specialization that stands for its argument. A class derived from
    // one has a name of its own, which says more.
    if (const auto* special = dyn_cast_or_null<ClassTemplateSpecializationDecl>(record);
        special != nullptr && !record->isInStdNamespace()) {
      const QualType inner = first_argument(record);
      const CXXRecordDecl* held = arrow_class(record, 0);
      if (held != nullptr && !inner.isNull() && record_of(inner) == held) {
        type = inner;
        continue;
      }
    }
    return type;
  }
  return type;
}

const CXXRecordDecl* Types::class_of(QualType type) {
  return record_of(pointee_type(type));
}

bool is_stream(QualType type) {
  const CXXRecordDecl* record = record_of(type);
  for (int depth = 0; record != nullptr && depth < kMostBases; ++depth) {
    if (is_std(record, "basic_ostream") || is_std(record, "basic_ios") || is_std(record, "ios_base")) return true;
    const CXXRecordDecl* next = nullptr;
    if (record->hasDefinition())
      for (const CXXBaseSpecifier& base : record->bases())
        if (next == nullptr) next = base.getType()->getAsCXXRecordDecl();
    record = next;
  }
  return false;
}

bool Types::is_raii_record(const CXXRecordDecl* record, int depth) {
  if (record == nullptr || !record->hasDefinition() || depth > kMostBases) return false;
  record = record->getDefinition();
  if (auto known = raii_.find(record); known != raii_.end()) return known->second;
  raii_[record] = false;
  bool owns = false;
  if (is_std_handle(record)) {
    const QualType held = first_argument(record);
    owns = !held.isNull() && is_raii_record(held->getAsCXXRecordDecl(), depth + 1);
  } else if (!record->isInStdNamespace() && !record->isLambda() && !record->isUnion()) {
    bool copies = false;
    for (const CXXConstructorDecl* constructor : record->ctors())
      copies |= constructor->isCopyConstructor() && constructor->isUserProvided();
    if (const CXXDestructorDecl* destructor = record->getDestructor(); !copies)
      owns = destructor != nullptr && destructor->isUserProvided() && !destructor->isVirtual();
    if (!copies && !owns) {
      for (const CXXBaseSpecifier& base : record->bases())
        owns = owns || is_raii_record(base.getType()->getAsCXXRecordDecl(), depth + 1);
      for (const FieldDecl* field : record->fields())
        owns = owns || is_raii_record(field->getType()->getAsCXXRecordDecl(), depth + 1);
    }
  }
  return raii_[record] = owns;
}

bool Types::is_raii(QualType type) {
  if (type.isNull() || type->isReferenceType() || type->isPointerType()) return false;
  return is_raii_record(type->getAsCXXRecordDecl(), 0);
}

}  // namespace deadgrad::cpp
