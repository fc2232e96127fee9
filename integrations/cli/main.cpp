// The command line: what each subcommand takes. The work is in the other files of this folder.
#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "analyzer/base/nearest.h"
#include "integrations/cli/commands.h"

namespace deadgrad::cli {

static const std::map<std::string, Format> kFormats = {
    {"text", Format::Text}, {"json", Format::Json}, {"sarif", Format::Sarif}};
static const std::map<std::string, ColorMode> kColorModes = {
    {"auto", ColorMode::Auto}, {"always", ColorMode::Always}, {"never", ColorMode::Never}};

template <class Value>
static CLI::Option* add_choice(CLI::App* app, const std::string& name, Value& value,
                               const std::map<std::string, Value>& choices, const std::string& description) {
  std::string names;
  for (const auto& [text, ignored] : choices) names += (names.empty() ? "" : "|") + text;
  return app
      ->add_option_function<std::string>(
          name,
          [&value, &choices, name, names](const std::string& text) {
            auto found = choices.find(text);
            if (found == choices.end()) throw CLI::ValidationError(name, "'" + text + "' is none of " + names);
            value = found->second;
          },
          description)
      ->type_name(names);
}

// How the program is read, for all commands that analyse one.
static void add_analysis_options(CLI::App* command, CheckArguments& arguments) {
  command->add_flag("--include-tests", arguments.include_tests, "Report in test code too");
  command
      ->add_option("-p,--compile-database", arguments.compile_database,
                   "A compile_commands.json, or its folder, for C++ (default: looked for)")
      ->type_name("PATH");
  command
      ->add_option("--torch", arguments.torch,
                   "Read C++ with LibTorch's own headers: where it is installed, or `auto` (default: stub headers)")
      ->type_name("PATH");
  command
      ->add_option("--target-torch", arguments.target_torch,
                   "The oldest PyTorch that the code is for, such as 2.1 (default: what its project requires)")
      ->type_name("VERSION");
  command->add_option("--models", arguments.models, "Read more API models from this file (docs/models.md)")
      ->expected(1)
      ->take_all()
      ->type_name("FILE");
  command->add_flag("--no-cache", arguments.no_cache, "Read all C++ again and keep nothing of it for later runs");
  command->add_option("-j,--jobs", arguments.jobs, "Threads (default: one per core)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
}

static void add_check(CLI::App& app, CheckArguments& arguments) {
  CLI::App* check =
      app.add_subcommand("check", "Report forward passes that run with autograd on and never reach backward");
  check->add_option("PATH", arguments.paths, "Files and folders; folders are read recursively")->required();
  add_choice(check, "--output-format", arguments.format, kFormats, "How findings are printed (default: text)");
  check->add_option("-o,--output", arguments.output, "Write the report to this file")->type_name("FILE");
  check->add_option("--select", arguments.select, "Run these rules only: ids, names, prefixes such as DG1, or ALL")
      ->delimiter(',')
      ->expected(1)
      ->take_all()
      ->type_name("RULES");
  check->add_option("--ignore", arguments.ignore, "Leave these rules out")
      ->delimiter(',')
      ->expected(1)
      ->take_all()
      ->type_name("RULES");
  check->add_flag("--fix", arguments.fix, "Change the files as findings ask for, where that is safe");
  check->add_flag("--unsafe-fixes", arguments.unsafe_fixes, "With --fix or --diff: also where it may change results");
  check->add_flag("--diff", arguments.diff, "Print what --fix would change; 1 is the exit code if that is anything");
  check->add_flag("--fix-only", arguments.fix_only, "The same as --fix, and report nothing of what is left");
  add_analysis_options(check, arguments);
  add_choice(check, "--color", arguments.color, kColorModes, "Colours in text (default: auto, only on a terminal)");
  check->add_flag("--statistics", arguments.statistics, "Print what was analysed and how long it took");
  check->add_flag("--explain", arguments.explain, "Print the facts that prove each finding");
  check->add_flag("--exit-zero", arguments.exit_zero, "Exit with 0 even if something was found");
}

static const std::map<std::string, Format> kProbeFormats = {
    {"text", Format::Text}, {"json", Format::Json}, {"html", Format::Html}};

static const std::map<std::string, Format> kRunFormats = {
    {"text", Format::Text}, {"json", Format::Json}, {"html", Format::Html}, {"sarif", Format::Sarif}};

static void add_command(CLI::App* app, std::vector<std::string>& command) {
  app->add_option("CMD", command, "The program to measure and its arguments, behind `--`")->required()->expected(1, -1);
}

// What `confirm` and `probe run` share.
static void add_run_options(CLI::App* run, ProbeRunArguments& arguments) {
  add_choice(run, "--output-format", arguments.format, kRunFormats, "How the result is printed (default: text)");
  run->add_option("-o,--output", arguments.output,
                  "Write the report to this file; the program keeps its standard output")
      ->type_name("FILE");
  run->add_option("--root", arguments.root, "What the log's paths are relative to (default: here)")->type_name("DIR");
  run->add_option("--before", arguments.before,
                  "An earlier report in JSON, without the fix for example, to be shown beside this run")
      ->type_name("FILE");
  run->add_flag("--python-engine", arguments.python_engine, "Measure from Python, without a compiled core");
  add_command(run, arguments.command);
}

static CLI::App* add_confirm(CLI::App& app, ProbeRunArguments& arguments) {
  CLI::App* confirm =
      app.add_subcommand("confirm", "Run a program and say which findings of a SARIF log are true of that run");
  confirm->add_option("LOG", arguments.log, "What `check --output-format sarif` wrote")->required();
  add_run_options(confirm, arguments);
  return confirm;
}

static CLI::App* add_probe_check(CLI::App* probe, ProbeCheckArguments& arguments) {
  CLI::App* check = probe->add_subcommand("check", "Measure a TorchScript module with autograd on and off");
  check->add_option("MODULE", arguments.module, "What torch.jit.save wrote")->required();
  check->add_option("--input", arguments.inputs, "An input: 1x3x224x224:f32, or a number; once for each")
      ->required()
      ->expected(1)
      ->take_all();
  check->add_option("--loop", arguments.steps, "How many steps to run (default: 1)")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N");
  check->add_option("--carry", arguments.carry, "Replace this input with the result of each step, counted from 0")
      ->check(CLI::Range(0, 1000))
      ->type_name("N");
  check->add_option("--device", arguments.device, "cpu, cuda, mps, or meta: predict without computing (default: cpu)")
      ->check(CLI::IsMember({"cpu", "cuda", "mps", "meta"}));
  check->add_option("--python", arguments.python, "A Python with torch (default: python3)")->type_name("PROGRAM");
  add_choice(check, "--output-format", arguments.format, kProbeFormats, "How the result is printed (default: text)");
  check->add_option("-o,--output", arguments.output, "Write the result to this file")->type_name("FILE");
  return check;
}

static CLI::App* add_probe_account(CLI::App* probe, ProbeAccountArguments& arguments) {
  CLI::App* account = probe->add_subcommand("account", "Compute a model's memory for inference and training");
  account->add_option("MODULE", arguments.module, "What torch.jit.save wrote");
  account
      ->add_option("--input", arguments.inputs,
                   "An input of MODULE, by which its activations are predicted: 1x3x224x224:f32; once for each")
      ->expected(1)
      ->take_all();
  account->add_option("--config", arguments.config, "Instead: a decoder's Hugging Face config.json")->type_name("FILE");
  account->add_option("--safetensors", arguments.safetensors, "Instead: a file of weights; only its header is read")
      ->type_name("FILE");
  account->add_option("--batch", arguments.batch, "Sequences (default: 1)")
      ->check(CLI::Range(1, 1 << 20))
      ->type_name("N");
  account->add_option("--length", arguments.length, "Tokens in each (default: 1024, or the model's positions)")
      ->check(CLI::Range(1, 1 << 24))
      ->type_name("N");
  account->add_option("--dtype", arguments.dtype, "Of the weights (default: the configuration's)")
      ->check(CLI::IsMember({"f32", "bf16", "f16"}));
  account->add_flag("--mixed", arguments.mixed, "Train 16-bit weights with 32-bit master weights and moments");
  account->add_option("--lora-rank", arguments.lora_rank, "Of the adapters (default: 16)")
      ->check(CLI::Range(1, 1 << 16))
      ->type_name("N");
  account->add_option("--budget", arguments.budget, "Say what fits: 16GiB")->type_name("SIZE");
  account->add_flag("--measure", arguments.measure, "Measure MODULE, or the decoder, on CPU too");
  account->add_option("--python", arguments.python, "A Python with torch (default: python3)")->type_name("PROGRAM");
  add_choice(account, "--output-format", arguments.format, kProbeFormats, "How the result is printed (default: text)");
  account->add_option("-o,--output", arguments.output, "Write the result to this file")->type_name("FILE");
  return account;
}

struct ProbeArguments {
  ProbeRunArguments run;
  ProbeBuildArguments build;
  ProbeCheckArguments check;
  ProbeAccountArguments account;
};

struct ProbeCommands {
  CLI::App *run, *build, *doctor, *check, *account;
};

static ProbeCommands add_probe(CLI::App& app, ProbeArguments& arguments) {
  auto& [run, build, check, account] = arguments;
  CLI::App* probe = app.add_subcommand("probe", "Measure what autograd keeps while a program runs");
  probe->require_subcommand(1);
  ProbeCommands commands = {
      probe->add_subcommand("run",
                            "Run a Python or native program and report bytes kept for a backward that never came"),
      probe->add_subcommand("build", "Compile the probe for a LibTorch and print where it is"),
      probe->add_subcommand("doctor", "Say what the probe finds on this machine"), add_probe_check(probe, check),
      add_probe_account(probe, account)};
  commands.run->add_option("--sarif", run.log, "Judge the findings of this log, as `confirm` does")->type_name("FILE");
  add_run_options(commands.run, run);
  for (CLI::App* command : {commands.build, commands.doctor}) {
    command->add_option("--python", build.python, "The Python whose torch is meant (default: python3)")
        ->type_name("PROGRAM");
    command->add_option("--torch", build.torch, "A LibTorch: a libtorch_cpu or its folder")->type_name("PATH");
  }
  return commands;
}

static int unknown_command(const std::string& written, const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return fail("unknown command '" + written + "'" + did_you_mean(written, names) + "\nTry --help.");
}

static int run(int argc, char** argv) {
  CLI::App app("Finds PyTorch forward passes that run with autograd on and never reach backward.", "deadgrad");
  app.set_version_flag("--version", "deadgrad " DEADGRAD_VERSION);
  app.require_subcommand(1);
  app.footer("Exit codes: 0 nothing at warning or above, 1 findings, 2 could not run.");

  CheckArguments check_arguments;
  add_check(app, check_arguments);

  std::string place;
  CheckArguments why_arguments;
  CLI::App* why = app.add_subcommand("why", "Say of the forwards on a line why they are reported or quiet");
  why->add_option("FILE:LINE", place, "The line; FILE:LINE:COLUMN for one call of it")->required();
  why->add_option("PATH", why_arguments.paths, "The program (default: the current folder, or the file's)");
  add_analysis_options(why, why_arguments);
  add_choice(why, "--color", why_arguments.color, kColorModes, "Colours (default: auto, only on a terminal)");
  ProbeRunArguments confirm_arguments;
  CLI::App* confirm = add_confirm(app, confirm_arguments);
  ProbeArguments probe_arguments;
  ProbeCommands probe = add_probe(app, probe_arguments);

  std::string rule_name;
  bool all_rules = false;
  CLI::App* rule = app.add_subcommand("rule", "Print the page of a rule");
  rule->add_option("RULE", rule_name, "Its id or name");
  rule->add_flag("--all", all_rules, "List every rule");

  CLI::App* dev = app.add_subcommand("dev", "Tools for working on deadgrad itself");
  dev->require_subcommand(1);
  std::string dump_path, dump_format = "text", dump_torch;
  CLI::App* dump = dev->add_subcommand("dump-ir", "Print the intermediate representation of a file");
  dump->add_option("FILE", dump_path, "A .py or C++ file")->required();
  dump->add_option("--format", dump_format, "text or binary")->check(CLI::IsMember({"text", "binary"}));
  dump->add_option("--torch", dump_torch, "Read C++ with LibTorch's own headers")->type_name("PATH");
  std::vector<std::string> guard_paths;
  CLI::App* guards = dev->add_subcommand("guards", "List the guards that cover forwards, as JSON lines");
  guards->add_option("PATH", guard_paths, "Files and folders")->required();
  std::vector<std::string> graph_paths;
  std::string graph_format = "pycg", package;
  CLI::App* callgraph = dev->add_subcommand("callgraph", "Print which function calls which, of Python files");
  callgraph->add_option("PATH", graph_paths, "Files and folders")->required();
  callgraph->add_option("--format", graph_format, "pycg: JSON, a list of callees per caller")
      ->check(CLI::IsMember({"pycg"}));
  callgraph->add_option("--package", package, "The folder that modules are named from (default: found)")
      ->type_name("DIR");
  std::string fixture_folder;
  bool count_only = false;
  CLI::App* fixtures = dev->add_subcommand("fixtures", "Run fixtures against the expectations on their lines");
  fixtures->add_option("DIR", fixture_folder, "A folder of fixture folders, or one of them")->required();
  fixtures->add_flag("--count", count_only, "Also list every known miss and known false alarm");
  std::string root = ".";
  bool write = false, check_only = false;
  CLI::App* docs = dev->add_subcommand("docs", "Fill the generated regions of README.md and the rule pages");
  docs->add_option("--root", root, "The source tree");
  CLI::Option* write_flag = docs->add_flag("--write", write, "Update the files");
  docs->add_flag("--check", check_only, "Fail if a file is out of date (default)")->excludes(write_flag);

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& done) {  // --help and --version
    return write_stdout(dynamic_cast<const CLI::CallForVersion*>(&done) ? std::string(done.what()) + "\n"
                                                                        : app.help("", CLI::AppFormatMode::Normal))
               ? kClean
               : kFailed;
  } catch (const CLI::ParseError& error) {
    if (argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty()) return unknown_command(argv[1], app);
    return fail(std::string(error.what()) + "\nTry --help.");
  }
  if (app.got_subcommand("check")) return run_check(check_arguments);
  if (*why) return run_why(place, std::move(why_arguments));
  if (*confirm) return run_confirm(confirm_arguments);
  if (*probe.run) return run_probe_run(probe_arguments.run);
  if (*probe.build) return run_probe_build(probe_arguments.build);
  if (*probe.doctor) return run_probe_doctor(probe_arguments.build);
  if (*probe.check) return run_probe_check(probe_arguments.check);
  if (*probe.account) return run_probe_account(probe_arguments.account);
  if (*rule) return run_rule(rule_name, all_rules);
  if (*dump) return run_dump_ir(dump_path, dump_format == "binary", dump_torch);
  if (*guards) return run_guards(guard_paths);
  if (*callgraph) return run_callgraph(graph_paths, package);
  if (*fixtures) return run_fixtures(fixture_folder, count_only);
  return run_docs(root, write);
}

}  // namespace deadgrad::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away is seen as a failed write
  try {
    return deadgrad::cli::run(argc, argv);
  } catch (const std::exception& error) {
    return deadgrad::cli::fail(std::string("internal error: ") + error.what());
  }
}
