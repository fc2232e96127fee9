// Keeps generated text in documents equal to its one home. A region starts with `<!-- head -->`, `<!-- rules -->` or
// `<!-- fixture: bad_x.py -->`, ends with `<!-- /head -->` and so on, and holds a rule's facts, the table of rules or a
// fixture's source.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "integrations/cli/commands.h"
#include "integrations/driver/files.h"

namespace deadgrad::cli {

namespace fs = std::filesystem;

static std::string rule_head(const rules::Rule& rule) {
  return "# " + std::string(rule.id) + " " + std::string(rule.name) + "\n\nReports where " + std::string(rule.summary) +
         ".\n\nSince " + std::string(rule.since) + (rule.opt_in ? " · only when selected" : "") + "\n";
}

static std::string rules_table() {
  std::string table = "| id | name | what it reports |\n|---|---|---|\n";
  for (const rules::Rule* rule : rules::all_rules())
    table += "| " + std::string(rule->id) + " | " + std::string(rule->name) + " | " + std::string(rule->summary) +
             (rule->opt_in ? " (only when selected)" : "") + " |\n";
  return table;
}

// `# expect: DG102@13 "grows"` is for the fixture runner; readers get `# DG102`. Comments about known gaps go.
static std::string for_readers(const std::string& line) {
  for (std::string_view marker : {"# ", "// "}) {
    if (std::size_t at = line.find(std::string(marker) + "known-"); at != std::string::npos)
      return line.substr(0, line.find_last_not_of(' ', at - 1) + 1);
    const std::string directive = std::string(marker) + "expect: ";
    std::size_t at = line.find(directive);
    if (at == std::string::npos) continue;
    std::size_t rule = at + directive.size();
    return line.substr(0, at) + std::string(marker) +
           line.substr(rule, line.find_first_not_of("DG0123456789", rule) - rule);
  }
  return line;
}

static Result<std::string> fixture_block(const fs::path& path) {
  auto text = driver::read_file(path.string());
  if (!text) return Error{path.string() + ": " + text.error().message};
  while (text->ends_with('\n')) text->pop_back();
  std::string block = std::string("```") + (path.extension() == ".py" ? "python" : "cpp") + "\n";
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) block += for_readers(line) + "\n";
  return block + "```\n";
}

struct Page {
  fs::path path;
  const rules::Rule* rule;  // null for the tables
};

// The page with every region filled.
static Result<std::string> filled(const Page& page, const fs::path& root, const std::string& text) {
  std::string out;
  std::size_t at = 0;
  for (;;) {
    std::size_t open = text.find("<!-- ", at);
    std::size_t end = open == std::string::npos ? open : text.find(" -->", open);
    if (end == std::string::npos) return out + text.substr(at);
    std::string inside = text.substr(open + 5, end - open - 5);
    std::size_t colon = inside.find(": ");
    std::string name = inside.substr(0, colon);
    std::size_t body = end + 4;
    out += text.substr(at, body - at);
    at = body;

    std::string content;
    if (name == "head" && page.rule != nullptr) {
      content = rule_head(*page.rule);
    } else if (name == "rules") {
      content = rules_table();
    } else if (name == "fixture" && colon != std::string::npos) {
      auto block = fixture_block(root / "fixtures" / page.path.stem() / inside.substr(colon + 2));
      if (!block) return block.error();
      content = *block;
    } else {
      continue;
    }
    out += "\n" + content + "<!-- /" + name + " -->";
    std::string closing = "<!-- /" + name + " -->";
    std::size_t close = text.find(closing, body);
    std::size_t next = text.find("<!-- " + name, body);
    if (close != std::string::npos && close < next) at = close + closing.size();
  }
}

static std::vector<Page> pages(const fs::path& root) {
  std::vector<Page> all = {{root / "README.md", nullptr}, {root / "rules" / "README.md", nullptr}};
  for (const rules::Rule* rule : rules::all_rules()) {
    std::string stem = "dg" + std::string(rule->id.substr(2)) + "_" + std::string(rule->name);
    for (char& c : stem)
      if (c == '-') c = '_';
    all.push_back({root / "rules" / (stem + ".md"), rule});
  }
  return all;
}

int run_docs(const std::string& root, bool write) {
  bool stale = false;
  for (const Page& page : pages(root)) {
    auto text = driver::read_file(page.path.string());
    if (!text) return fail(page.path.string() + ": " + text.error().message);
    auto wanted = filled(page, root, *text);
    if (!wanted) return fail(wanted.error().message);
    if (*wanted == *text) continue;
    if (!write) {
      stale = true;
      write_stdout(page.path.string() + ": out of date; run `deadgrad dev docs --write`\n");
      continue;
    }
    std::ofstream file(page.path, std::ios::binary | std::ios::trunc);
    file << *wanted;
    file.close();
    if (!file) return fail(page.path.string() + ": cannot be written");
    write_stdout(page.path.string() + ": updated\n");
  }
  return stale ? kFound : kClean;
}

}  // namespace deadgrad::cli
