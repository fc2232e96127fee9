// What the analysis says: findings with their places, proof, witness path and the fix they ask for. Rules create them,
// integrations render them, frontends spell their fixes. Plain data, free of ids: it outlives the Program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/ir/ir.h"

namespace deadgrad {

enum class Severity : std::uint8_t { Note, Warning, Error };
enum class Confidence : std::uint8_t { Low, Medium, High };

// A place in a source file, bytes as in ir::Span.
struct Location {
  std::string path;
  ir::Span span;
  auto operator<=>(const Location&) const = default;
};

enum class Role : std::uint8_t {
  Site,       // another forward of the same missing declaration
  Guard,      // a guard that has no effect, or the place where one belongs
  Loop,       // the loop that makes memory grow
  Container,  // the list, attribute, … that keeps graphs alive
  Entry,      // where the path enters
  Other,
};
struct RelatedLocation {
  Role role = Role::Other;
  Location where;
  std::string text;
};
// One hop of the witness path, from the entry point to the forward.
struct PathStep {
  Location where;
  std::string text;
};

enum class FixKind : std::uint8_t {
  GuardFunction,  // declare `guard` on the function at `where` (its header span)
  GuardRegion,    // put the statements of `where` under `guard`
  DetachValue,    // cut the graph of the expression at `where`
  NameGuard,      // give the unnamed guard at `where` a scope
  DefineGuard,    // make the declaration at `where` an object
  EnterGuard,     // call and enter the guard at `where`
  MoveGuard,      // move the guard at `where` so that it covers the forward
  RemoveGuard,
};
enum class FixGuard : std::uint8_t { InferenceMode, NoGrad };
enum class FixSafety : std::uint8_t { Safe, Unsafe, DisplayOnly };

// Names no language: the frontend of `language` spells it.
struct FixRequest {
  FixKind kind = FixKind::GuardFunction;
  FixGuard guard = FixGuard::InferenceMode;
  FixSafety safety = FixSafety::Safe;
  ir::Language language = ir::Language::Python;
  Location where;
  std::string function;    // the user's name of the function that is guarded or holds the region
  bool or_member = false;  // MoveGuard: a guard that lives as long as its object would cover the forward as well
  std::optional<Location> replaces;  // GuardFunction: a guard that covers nothing of use, and then nothing at all
  std::optional<Location> onto;      // MoveGuard: the header of the function that gets it
  std::uint32_t until = 0;  // NameGuard, EnterGuard: the end of the last forward that it is meant for; 0: there is none
  // What needs autograd in the function that holds the region: no guard may cover it.
  std::vector<ir::Span> keep_out;
};

// Replaces the bytes of a span. The edits of one fix are sorted and do not overlap.
struct TextEdit {
  ir::Span span;
  std::string text;
  auto operator<=>(const TextEdit&) const = default;
};
using TextEdits = std::vector<TextEdit>;

struct Finding {
  std::string rule;  // "DG102"
  Severity severity = Severity::Warning;
  Confidence confidence = Confidence::High;
  std::string message;   // lower case, no full stop
  std::string why;       // the proof, e.g. "only `argmax` and `.item()` read it"
  Location where;        // the first forward site (or the guard without effect)
  std::string function;  // qualified name of the function that holds `where`, for people
  std::string callee;    // the call as written, e.g. "model.denoise"
  std::vector<RelatedLocation> related;
  std::vector<PathStep> path;  // from the entry point; the last step is `where`
  std::optional<FixRequest> fix;
  bool probe_can_confirm = false;
};

}  // namespace deadgrad
