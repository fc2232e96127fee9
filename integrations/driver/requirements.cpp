#include "integrations/driver/requirements.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string>

namespace deadgrad::driver {

using model::parse_torch_version;
using model::TorchVersion;
using Bound = std::optional<TorchVersion>;

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

static Bound lowest(Bound a, Bound b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

// Calls `take` with each part of `text` between separators.
template <class Take>
static void split(std::string_view text, std::string_view separator, Take take) {
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = text.find(separator);
    take(trimmed(text.substr(0, end)));
    if (end != std::string_view::npos) text.remove_prefix(end + separator.size());
  }
}

// ---- one requirement

// The newest release before a version: of "2.0" the last 1.x, of "1.9.1" still 1.9.
static Bound before(std::string_view version) {
  const Bound named = parse_torch_version(version);
  const std::size_t minor = version.find('.');
  const std::size_t patch = minor == std::string_view::npos ? minor : version.find('.', minor + 1);
  const bool has_patch = patch != std::string_view::npos && patch + 1 < version.size() &&
                         is_digit(version[patch + 1]) && version[patch + 1] != '0';
  if (!named || has_patch) return named;
  constexpr int kLastMinor = 999;
  return named->minor > 0 ? TorchVersion{named->major, named->minor - 1} : TorchVersion{named->major - 1, kLastMinor};
}

// ">=1.8,<2", "^1.8", "1.13.1", "=1.8=py3_cuda": all of them hold.
static Bound bound_of_all(std::string_view specifiers) {
  Bound lower, upper;
  split(specifiers, ",", [&](std::string_view one) {
    const std::size_t size = std::min(one.find_first_not_of("<>=!~^ "), one.size());
    const std::string_view sign = trimmed(one.substr(0, size)), version = one.substr(size);
    if (sign.starts_with("!")) return;
    const Bound named = parse_torch_version(version);
    if (!named) return;
    if (!sign.starts_with('<')) {
      lower = lower ? std::max(*lower, *named) : *named;
    } else {
      upper = lowest(upper, sign == "<" ? before(version) : named);
    }
  });
  return lower ? lower : upper;
}

// One of several alternatives: "^1.8 || ^2.0".
static Bound bound_of(std::string_view specifiers) {
  Bound result;
  split(specifiers, "||", [&](std::string_view one) { result = lowest(result, bound_of_all(one)); });
  return result;
}

static bool is_torch(std::string_view name) {
  std::string lower;
  for (const char c : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower == "torch" || lower == "pytorch";
}

// "torch[opt-einsum]>=1.8; python_version > '3.6'", "torch @ https://…/torch-1.8.1%2Bcu111-….whl", "pytorch=1.8.1".
static Bound requirement(std::string_view text) {
  text = trimmed(text.substr(0, text.find(" #")));
  if (const std::size_t channel = text.find("::"); channel != std::string_view::npos) text.remove_prefix(channel + 2);
  const std::size_t size = std::min(text.find_first_of(" \t[(<>=!~^;@"), text.size());
  if (!is_torch(text.substr(0, size))) return std::nullopt;
  std::string_view rest = trimmed(text.substr(size));
  if (rest.starts_with('[')) rest = trimmed(rest.substr(std::min(rest.find(']'), rest.size() - 1) + 1));
  if (rest.starts_with('@')) {
    const std::size_t wheel = rest.find("torch-");
    return wheel == std::string_view::npos ? std::nullopt : parse_torch_version(rest.substr(wheel + 6));
  }
  rest = rest.substr(0, rest.find(';'));
  if (rest.starts_with('(')) rest = rest.substr(1, rest.find(')') - 1);
  return bound_of(rest);
}

// ---- files of lines

static Bound of_requirement_lines(std::string_view text) {
  Bound result;
  split(text, "\n", [&](std::string_view line) { result = lowest(result, requirement(line)); });
  return result;
}

// `install_requires = torch>=1.8`, or a line of the list below it.
static Bound of_setup_cfg(std::string_view text) {
  Bound result;
  split(text, "\n", [&](std::string_view line) {
    const std::size_t equals = line.find('=');
    const bool is_key =
        equals != std::string_view::npos && trimmed(line.substr(0, equals)).find_first_of("<>!~[(;") == line.npos;
    const Bound whole = requirement(line);
    result = lowest(result, whole || !is_key ? whole : requirement(line.substr(equals + 1)));
  });
  return result;
}

// The items of conda's lists and of the pip list inside them.
static Bound of_environment(std::string_view text) {
  Bound result;
  split(text, "\n", [&](std::string_view line) {
    if (!line.starts_with("- ")) return;
    line = trimmed(line.substr(2));
    if (line.size() > 1 && (line.front() == '"' || line.front() == '\'')) line = line.substr(1, line.size() - 2);
    result = lowest(result, requirement(line));
  });
  return result;
}

// `find_package(Torch 1.8 REQUIRED)`.
static Bound of_cmake(std::string_view text) {
  std::string code;
  split(text, "\n", [&](std::string_view line) { (code += line.substr(0, line.find('#'))) += '\n'; });
  Bound result;
  constexpr std::string_view kCommand = "find_package";
  for (std::size_t at = code.find(kCommand); at != std::string::npos; at = code.find(kCommand, at + 1)) {
    const std::string_view rest = trimmed(std::string_view(code).substr(at + kCommand.size()));
    if (!rest.starts_with('(')) continue;
    const std::string_view arguments = trimmed(rest.substr(1, rest.find(')') - 1));
    const std::size_t space = arguments.find_first_of(" \t\n");
    if (arguments.substr(0, space) != "Torch" || space == std::string_view::npos) continue;
    result = lowest(result, parse_torch_version(trimmed(arguments.substr(space))));
  }
  return result;
}

// ---- TOML and JSON

// A list of requirements, or a table of such lists.
static Bound of_lists(toml::node_view<toml::node> node) {
  Bound result;
  if (const toml::table* groups = node.as_table()) {
    for (const auto& [name, group] : *groups) {
      if (const toml::array* list = group.as_array())
        for (const toml::node& one : *list)
          if (const auto* text = one.as_string()) result = lowest(result, requirement(text->get()));
    }
  }
  if (const toml::array* list = node.as_array())
    for (const toml::node& one : *list)
      if (const auto* text = one.as_string()) result = lowest(result, requirement(text->get()));
  return result;
}

// `torch = "^1.8"`, `torch = { version = "1.8" }`, or an array of such tables.
static Bound of_dependency(toml::node_view<toml::node> node) {
  if (const auto* text = node.as_string()) return bound_of(text->get());
  if (node.is_table()) return of_dependency(node["version"]);
  Bound result;
  if (toml::array* list = node.as_array())
    for (toml::node& one : *list) result = lowest(result, of_dependency(toml::node_view<toml::node>(one)));
  return result;
}

static Bound of_pyproject(std::string_view text) {
  toml::parse_result parsed = toml::parse(text);
  if (!parsed) return std::nullopt;
  toml::table& root = parsed.table();
  Bound result;
  for (const char* list : {"project.dependencies", "project.optional-dependencies", "dependency-groups",
                           "build-system.requires", "tool.pdm.dev-dependencies"})
    result = lowest(result, of_lists(root.at_path(list)));
  toml::node_view<toml::node> poetry = root["tool"]["poetry"];
  for (const char* table : {"dependencies", "dev-dependencies"})
    result = lowest(result, of_dependency(poetry[table]["torch"]));
  if (const toml::table* groups = poetry["group"].as_table())
    for (const auto& [name, group] : *groups)
      result = lowest(result, of_dependency(poetry["group"][name]["dependencies"]["torch"]));
  return result;
}

static Bound of_pipfile(std::string_view text) {
  toml::parse_result parsed = toml::parse(text);
  if (!parsed) return std::nullopt;
  return lowest(of_dependency(parsed["packages"]["torch"]), of_dependency(parsed["dev-packages"]["torch"]));
}

// poetry.lock, uv.lock, pdm.lock.
static Bound of_lock(std::string_view text) {
  toml::parse_result parsed = toml::parse(text);
  if (!parsed) return std::nullopt;
  Bound result;
  if (const toml::array* packages = parsed["package"].as_array()) {
    for (const toml::node& node : *packages) {
      const toml::table* package = node.as_table();
      if (package == nullptr || !is_torch((*package)["name"].value_or(std::string_view()))) continue;
      result = lowest(result, parse_torch_version((*package)["version"].value_or(std::string_view())));
    }
  }
  return result;
}

static Bound of_pipfile_lock(std::string_view text) {
  const nlohmann::json parsed = nlohmann::json::parse(text, nullptr, false);
  if (!parsed.is_object()) return std::nullopt;
  Bound result;
  for (const char* group : {"default", "develop"}) {
    const auto packages = parsed.find(group);
    if (packages == parsed.end() || !packages->is_object()) continue;
    const auto torch = packages->find("torch");
    if (torch == packages->end() || !torch->is_object()) continue;
    const auto version = torch->find("version");
    if (version != torch->end() && version->is_string())
      result = lowest(result, bound_of(version->get_ref<const std::string&>()));
  }
  return result;
}

// ---- by name

using ReadBound = Bound (*)(std::string_view);

static ReadBound reader_of(std::string_view name) {
  static constexpr std::pair<std::string_view, ReadBound> kFiles[] = {{"pyproject.toml", of_pyproject},
                                                                      {"setup.cfg", of_setup_cfg},
                                                                      {"poetry.lock", of_lock},
                                                                      {"uv.lock", of_lock},
                                                                      {"pdm.lock", of_lock},
                                                                      {"Pipfile", of_pipfile},
                                                                      {"Pipfile.lock", of_pipfile_lock},
                                                                      {"CMakeLists.txt", of_cmake},
                                                                      {"environment.yml", of_environment},
                                                                      {"environment.yaml", of_environment}};
  for (const auto& [known, read] : kFiles)
    if (name == known) return read;
  return name.starts_with("requirements") && name.ends_with(".txt") ? of_requirement_lines : nullptr;
}

bool names_requirements(std::string_view file_name) {
  return reader_of(file_name) != nullptr;
}

Bound torch_required(std::string_view file_name, std::string_view text) {
  const ReadBound read = reader_of(file_name);
  return read == nullptr ? std::nullopt : read(text);
}

Bound torch_of_header(std::string_view text) {
  Bound major, minor;
  split(text, "\n", [&](std::string_view line) {
    for (auto [name, number] :
         {std::pair{"#define TORCH_VERSION_MAJOR ", &major}, {"#define TORCH_VERSION_MINOR ", &minor}})
      if (line.starts_with(name)) *number = parse_torch_version(trimmed(line.substr(std::string_view(name).size())));
  });
  if (!major || !minor) return std::nullopt;
  return TorchVersion{major->major, minor->major};
}

}  // namespace deadgrad::driver
