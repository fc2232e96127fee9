// The rows of one TOML text, as read, before they become tables. `read_rows` is the closed vocabulary: what it does not
// know is an error with file and line. Called by ApiModel::load only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/api_model.h"

namespace deadgrad::model {

struct ClassRow {
  std::string symbol;
  std::vector<std::string> bases;
  std::optional<Shape> shape;  // absent: as the bases say
  std::optional<Parameters> parameters;
  std::optional<bool> has_parameters;
  bool is_bare = false, is_deployed = false, may_be_frozen = false;
  bool capitalised = false;  // a glob that matches only names whose last component starts with a capital
  bool not_a_class = false;  // takes names away from a wider glob
  Proof proof = Proof::Documentation;
};

struct AliasRow {
  std::string symbol,
      of;  // both end in "*": the rest of the name is kept; an inner "*" matches one lower-case component
};

struct RootRow {
  std::string name;
  bool data_only = false, torch = false;
};

struct NameRow {
  std::string name;
  double odds = 0;
};

struct Rows {
  std::vector<Effect> effects;
  std::vector<ClassRow> classes;
  std::vector<HookFacts> hooks;
  std::vector<AliasRow> aliases;
  std::vector<RootRow> roots;
  std::vector<NameRow> names;
  std::vector<std::string> model_names;
};

Result<Rows> read_rows(std::string_view name, std::string_view toml);

}  // namespace deadgrad::model
