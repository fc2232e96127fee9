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

std::string qualified_name(const NamedDecl* decl) {
  std::string name;
  llvm::SmallVector<std::string, 8> parts;
  parts.push_back(decl->getDeclName().getAsString());
  for (const DeclContext* context = decl->getDeclContext(); context != nullptr; context = context->getParent()) {
    if (const auto* space = dyn_cast<NamespaceDecl>(context)) {
      if (!space->isInline() && !space->isAnonymousNamespace()) parts.push_back(space->getNameAsString());
    } else if (const auto* record = dyn_cast<RecordDecl>(context)) {
      parts.push_back(record->getNameAsString());
    } else if (const auto* function = dyn_cast<FunctionDecl>(context)) {
      parts.push_back(function->getNameAsString());
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
  return decl->isInStdNamespace();
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
      "vector",       "array",         "deque",    "list",     "forward_list",  "set",           "multiset", "unordered_set", "map",
      "multimap",     "unordered_map", "stack",    "queue",    "priority_queue", "initializer_list", "span", "valarray"};
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

// A class that hands out the object it stands for through `->`: what that arrow gives.
static const CXXRecordDecl* arrow_class(const CXXRecordDecl* record, int depth = 0) {
  if (record == nullptr || !record->hasDefinition() || depth > kMostBases) return nullptr;
  record = record->getDefinition();
  for (const CXXMethodDecl* method : record->methods()) {
    if (method->getOverloadedOperator() != OO_Arrow) continue;
    const QualType result = method->getReturnType();
    if (result->isPointerType())
      if (const CXXRecordDecl* held = record_of(result); held != nullptr && held != record) return held;
  }
  for (const CXXBaseSpecifier& base : record->bases())
    if (const CXXRecordDecl* held = arrow_class(base.getType()->getAsCXXRecordDecl(), depth + 1)) return held;
  return nullptr;
}

const CXXRecordDecl* held_class(const CXXRecordDecl* record) {
  if (record == nullptr || record->isInStdNamespace()) return nullptr;
  return arrow_class(record);
}

bool is_transparent(const CXXRecordDecl* record) {
  return record != nullptr && (is_std_handle(record) || held_class(record) != nullptr);
}

QualType pointee_type(QualType type) {
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
      const CXXRecordDecl* held = arrow_class(record);
      if (held != nullptr && !inner.isNull() && record_of(inner) == held) {
        type = inner;
        continue;
      }
    }
    return type;
  }
  return type;
}

const CXXRecordDecl* class_of(QualType type) {
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

static bool is_raii_record(const CXXRecordDecl* record, int depth) {
  if (record == nullptr || !record->hasDefinition() || depth > 6) return false;
  record = record->getDefinition();
  if (is_std_handle(record)) {
    const QualType held = first_argument(record);
    return !held.isNull() && is_raii_record(held->getAsCXXRecordDecl(), depth + 1);
  }
  if (record->isInStdNamespace() || record->isLambda()) return false;
  bool copies = false;
  for (const CXXConstructorDecl* constructor : record->ctors())
    copies |= constructor->isCopyConstructor() && constructor->isUserProvided();
  if (copies) return false;
  if (const CXXDestructorDecl* destructor = record->getDestructor();
      destructor != nullptr && destructor->isUserProvided() && !destructor->isVirtual())
    return true;
  for (const CXXBaseSpecifier& base : record->bases())
    if (is_raii_record(base.getType()->getAsCXXRecordDecl(), depth + 1)) return true;
  for (const FieldDecl* field : record->fields())
    if (is_raii_record(field->getType()->getAsCXXRecordDecl(), depth + 1)) return true;
  return false;
}

bool is_raii(QualType type) {
  if (type.isNull() || type->isReferenceType() || type->isPointerType()) return false;
  return is_raii_record(type->getAsCXXRecordDecl(), 0);
}

}  // namespace deadgrad::cpp
