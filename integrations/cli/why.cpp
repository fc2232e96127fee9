#include <charconv>
#include <filesystem>
#include <optional>

#include "analyzer/query/query.h"
#include "integrations/cli/commands.h"
#include "integrations/driver/models.h"
#include "integrations/report/report.h"
#include "integrations/report/source_text.h"

namespace deadgrad::cli {

namespace {

struct Asked {
  std::string file;
  std::size_t line = 0, column = 0;  // from 1; column 0: the whole line
};

std::optional<std::size_t> take_number(std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos || colon + 1 == text.size()) return std::nullopt;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + colon + 1, text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number == 0) return std::nullopt;
  text.resize(colon);
  return number;
}

std::optional<Asked> parse(std::string place) {
  Asked asked;
  std::optional<std::size_t> last = take_number(place);
  if (!last) return std::nullopt;
  const std::optional<std::size_t> first = take_number(place);
  asked.line = first.value_or(*last);
  asked.column = first ? *last : 0;
  asked.file = std::move(place);
  return asked;
}

// The program around a file: the current folder if the file is in it, else its own folder.
std::string folder_around(const driver::InputFile& file) {
  const std::filesystem::path shown = file.display_path;
  if (shown.is_relative() && !shown.empty() && *shown.begin() != "..") return ".";
  return std::filesystem::path(file.open_path).parent_path().string();
}

}  // namespace

int run_why(const std::string& place, CheckArguments arguments) {
  const std::optional<Asked> asked = parse(place);
  if (!asked) return fail("'" + place + "' is not FILE:LINE or FILE:LINE:COLUMN");
  const auto inputs = driver::find_inputs({asked->file});
  if (!inputs) return fail(inputs.error().message);
  if (inputs->files.size() != 1) return fail(asked->file + ": not a Python or C++ file");
  const driver::InputFile& file = inputs->files[0];
  if (arguments.paths.empty()) arguments.paths.push_back(folder_around(file));

  auto rules = choose_rules({}, {});
  if (!rules) return fail(rules.error().message);
  driver::CheckOptions options = options_of(arguments);
  options.rules = *rules;
  options.paths.push_back(asked->file);
  auto api = driver::load_models(arguments.models);
  if (!api) return fail(api.error().message);
  auto result = driver::check(options, *api);
  if (!result) return fail(result.error().message);

  const std::string* text = result->text_of(file.display_path);
  if (text == nullptr) return fail(file.display_path + ": could not be analysed");
  const report::SourceText source(*text);
  if (asked->line > source.line_count())
    return fail(file.display_path + ": there is no line " + std::to_string(asked->line));
  const auto begin = static_cast<std::uint32_t>(source.line_begin(asked->line));
  const auto end = begin + static_cast<std::uint32_t>(source.line(asked->line).size());
  std::vector<Explanation> answers = explain(*result->analysis, {file.display_path, {begin, end}});
  if (asked->column > 0) {
    const auto key = [](report::Position at) { return std::pair(at.line, at.column); };
    const report::Position at{asked->line, asked->column};
    std::erase_if(answers, [&](const Explanation& one) {
      const report::Range range = source.range(one.where.span, report::Columns::Characters);
      return key(at) < key(range.begin) || key(at) >= key(range.end);
    });
  }
  if (answers.empty())
    return write_stdout(file.display_path + ":" + std::to_string(asked->line) +
                        ": no forward of a model is known here\n")
               ? kClean
               : kFailed;
  return write_stdout(report::render_why(answers, *result, use_color(arguments))) ? kClean : kFailed;
}

}  // namespace deadgrad::cli
