// Joins the findings of a SARIF log with what a run measured at their lines.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "integrations/probe/measurement.h"

namespace deadgrad::probing {

enum class Verdict {
  Confirmed,           // a graph was built there, and no backward read it
  Refuted,             // a backward read what was saved there
  RanWithoutAutograd,  // the lines ran, and nothing was saved
  NotReached,          // the run did not come there
  CannotTell,          // not the kind of finding that a run can show
};

struct Finding {
  std::string rule, message, level;
  std::vector<Watch> lines;  // where its forwards are; the first is the finding's own place
  bool confirmable = false;
};

struct Judged {
  Verdict verdict = Verdict::NotReached;
  std::int64_t wasted = 0, used = 0;
  Bytes wasted_only;
  std::int64_t visits = 0;       // of the finding's lines
  bool visits_inferred = false;  // told from how often each stack came back, as in native code
  Bytes per_visit;               // wasted, where it divides evenly
  Bytes growth_per_visit;        // what each visit finds more than the one before; absent where it cannot be told
};

// The findings of a log that deadgrad wrote, in its order. `root` is where deadgrad ran.
Result<std::vector<Finding>> findings_of(const nlohmann::ordered_json& sarif, const std::string& root);
bool is_python(const Watch& lines);
std::vector<Judged> judge(const std::vector<Finding>& findings, const Measurement& measurement);

std::string_view name_of(Verdict verdict);
// "6,815,808 bytes saved and never used, 851,968 more at every visit"
std::string sentence_of(const Judged& judged);
nlohmann::ordered_json json_of(const Judged& judged);
// Puts the verdicts into the log: a property and a rank for each result, and a sentence behind its message.
void annotate(nlohmann::ordered_json& sarif, const std::vector<Judged>& judged);

// 6815808 as "6,815,808".
std::string grouped(std::int64_t number);

}  // namespace deadgrad::probing
