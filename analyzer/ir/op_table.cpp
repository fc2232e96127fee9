#include "analyzer/ir/op_table.h"

#include <array>

namespace deadgrad::ir {

static constexpr FlagWord kPlaceWords[] = {{"local", flag::kPlaceMask, flag::Local},
                                           {"captured", flag::kPlaceMask, flag::Captured},
                                           {"global", flag::kPlaceMask, flag::Global}};
static constexpr FlagWord kConstWords[] = {
    {"true", flag::kConstMask, flag::True},         {"false", flag::kConstMask, flag::False},
    {"int", flag::kConstMask, flag::Int},           {"float", flag::kConstMask, flag::Float},
    {"string", flag::kConstMask, flag::String},     {"bytes", flag::kConstMask, flag::Bytes},
    {"ellipsis", flag::kConstMask, flag::Ellipsis}, {"none", flag::kConstMask, flag::None}};
static constexpr FlagWord kLoopWords[] = {{"for", flag::kLoopMask, flag::For},
                                          {"while", flag::kLoopMask, flag::While},
                                          {"comprehension", flag::kLoopMask, flag::Comprehension},
                                          {"async", flag::Async, flag::Async},
                                          {"lazy", flag::Lazy, flag::Lazy}};
static constexpr FlagWord kScopeWords[] = {{"raii", flag::Raii, flag::Raii}, {"async", flag::Async, flag::Async}};
static constexpr FlagWord kBranchWords[] = {{"match", flag::Match, flag::Match}};
static constexpr FlagWord kImportWords[] = {{"top", flag::TopPackage, flag::TopPackage},
                                            {"relative", flag::Relative, flag::Relative}};
static constexpr FlagWord kBinaryWords[] = {{"in-place", flag::InPlace, flag::InPlace}};
static constexpr FlagWord kYieldWords[] = {{"from", flag::From, flag::From}};
static constexpr FlagWord kTypedWords[] = {{"certain", flag::Certain, flag::Certain}};
static constexpr FlagWord kUnpackWords[] = {{"starred", flag::Starred, flag::Starred},
                                            {"from-end", flag::FromEnd, flag::FromEnd}};

static constexpr std::array<OpInfo, kOpCount> kOps = {{
    // op, word, operands min and max, has value, has name, target, flags
    {Op::Loop, "loop", 0, 0, false, false, TargetKind::Partner, kLoopWords},
    {Op::Branch, "branch", 1, 1, false, false, TargetKind::Partner, kBranchWords},
    {Op::Arm, "arm", 0, 0, false, false, TargetKind::Partner, {}},
    {Op::Try, "try", 0, 0, false, false, TargetKind::Partner, {}},
    {Op::Handler, "handler", 0, 1, true, false, TargetKind::Partner, {}},
    {Op::Finally, "finally", 0, 0, false, false, TargetKind::Partner, {}},
    {Op::Scope, "scope", 1, 1, true, false, TargetKind::Partner, kScopeWords},
    {Op::End, "end", 0, 0, false, false, TargetKind::Partner, {}},
    {Op::Hold, "hold", 1, 1, false, false, TargetKind::None, {}},
    {Op::Release, "release", 1, 1, false, false, TargetKind::None, {}},
    {Op::Param, "param", 0, 0, true, true, TargetKind::Parameter, kPlaceWords},
    {Op::Load, "load", 0, 0, true, true, TargetKind::None, kPlaceWords},
    {Op::Store, "store", 1, 1, false, true, TargetKind::None, kPlaceWords},
    {Op::Delete, "delete", 0, 0, false, true, TargetKind::None, kPlaceWords},
    {Op::LoadAttribute, "load", 1, 1, true, true, TargetKind::None, {}},
    {Op::StoreAttribute, "store", 2, 2, false, true, TargetKind::None, {}},
    {Op::DeleteAttribute, "delete", 1, 1, false, true, TargetKind::None, {}},
    {Op::LoadItem, "load", 2, 2, true, false, TargetKind::None, {}},
    {Op::StoreItem, "store", 3, 3, false, false, TargetKind::None, {}},
    {Op::DeleteItem, "delete", 2, 2, false, false, TargetKind::None, {}},
    {Op::Const, "const", 0, 0, true, true, TargetKind::None, kConstWords},
    {Op::Symbol, "symbol", 0, 0, true, true, TargetKind::None, {}},
    {Op::Import, "import", 0, 0, true, true, TargetKind::None, kImportWords},
    {Op::ImportStar, "import-star", 1, 1, false, false, TargetKind::None, {}},
    {Op::MakeList, "list", 0, kAnyCount, true, false, TargetKind::None, {}},
    {Op::MakeTuple, "tuple", 0, kAnyCount, true, false, TargetKind::None, {}},
    {Op::MakeSet, "set", 0, kAnyCount, true, false, TargetKind::None, {}},
    {Op::MakeDict, "dict", 0, kAnyCount, true, false, TargetKind::None, {}},
    {Op::MakeSlice, "slice", 3, 3, true, false, TargetKind::None, {}},
    {Op::MakeFunction, "function", 0, kAnyCount, true, false, TargetKind::Function, {}},
    {Op::MakeClass, "class", 0, kAnyCount, true, false, TargetKind::Class, {}},
    {Op::Append, "append", 2, 2, false, false, TargetKind::None, {}},
    {Op::Binary, "binary", 2, 2, true, true, TargetKind::None, kBinaryWords},
    {Op::Unary, "unary", 1, 1, true, true, TargetKind::None, {}},
    {Op::Compare, "compare", 2, kAnyCount, true, true, TargetKind::None, {}},
    {Op::Bool, "bool", 1, kAnyCount, true, true, TargetKind::None, {}},
    {Op::Select, "select", 3, 3, true, false, TargetKind::None, {}},
    {Op::Format, "format", 0, kAnyCount, true, false, TargetKind::None, {}},
    {Op::Typed, "typed", 2, 2, true, false, TargetKind::None, kTypedWords},
    {Op::Call, "call", 1, kAnyCount, true, false, TargetKind::None, {}},
    {Op::Keyword, "keyword", 1, 1, true, true, TargetKind::None, {}},
    {Op::Star, "star", 1, 1, true, false, TargetKind::None, {}},
    {Op::DoubleStar, "double-star", 1, 1, true, false, TargetKind::None, {}},
    {Op::Decorator, "decorator", 1, 1, true, false, TargetKind::None, {}},
    {Op::Iterate, "iterate", 1, 1, true, false, TargetKind::None, {}},
    {Op::Await, "await", 1, 1, true, false, TargetKind::None, {}},
    {Op::Yield, "yield", 0, 1, true, false, TargetKind::None, kYieldWords},
    {Op::Unpack, "unpack", 1, 1, true, false, TargetKind::Element, kUnpackWords},
    {Op::Return, "return", 0, 1, false, false, TargetKind::None, {}},
    {Op::Raise, "raise", 0, kAnyCount, false, false, TargetKind::None, {}},
    {Op::Break, "break", 0, 0, false, false, TargetKind::None, {}},
    {Op::Continue, "continue", 0, 0, false, false, TargetKind::None, {}},
    {Op::Unknown, "unknown", 0, kAnyCount, true, true, TargetKind::None, {}},
}};

consteval bool rows_follow_the_enumerators() {
  for (std::size_t i = 0; i < kOps.size(); ++i) {
    if (kOps[i].op != static_cast<Op>(i)) return false;
  }
  return true;
}
static_assert(rows_follow_the_enumerators());

const OpInfo& op_info(Op op) {
  return kOps[static_cast<std::size_t>(op)];
}

std::uint8_t flag_mask(const OpInfo& info) {
  std::uint8_t mask = info.has_value ? flag::Discarded : 0;
  for (const FlagWord& word : info.flags) mask |= word.mask;
  return mask;
}

bool is_wrapper(Op op) {
  return op == Op::Keyword || op == Op::Star || op == Op::DoubleStar || op == Op::Decorator;
}

bool accepts_wrapper(Op user, Op wrapper, std::size_t position) {
  switch (user) {
    case Op::Call:
      return wrapper != Op::Decorator && position > 0;
    case Op::MakeList:
    case Op::MakeTuple:
    case Op::MakeSet:
      return wrapper == Op::Star;
    case Op::MakeDict:
      return wrapper == Op::DoubleStar;
    case Op::MakeFunction:
      return wrapper == Op::Keyword || wrapper == Op::Decorator;
    case Op::MakeClass:
    case Op::Unknown:
      return true;
    default:
      return false;
  }
}

}  // namespace deadgrad::ir
