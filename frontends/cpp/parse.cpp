// Runs Clang over one unit and hands its syntax tree to Lowering.
#include <algorithm>
#include <cctype>
#include <memory>

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Basic/Version.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Lex/LexDiagnostic.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Parse/ParseDiagnostic.h"
#include "clang/Sema/SemaDiagnostic.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/xxhash.h"

#include "frontends/cpp/cpp.h"
#include "frontends/cpp/crash_guard.h"
#include "frontends/cpp/flags.h"
#include "frontends/cpp/lowering.h"
#include "frontends/cpp/missing_names.h"
#include "frontends/cpp/paths.h"
#include "frontends/cpp/recording_files.h"
#include "frontends/cpp/torch_install.h"
#include "frontends/cpp/virtual_files.h"

using namespace clang;

namespace deadgrad::cpp {

// What one unit may cost before it is given up. LibTorch's own headers are some two thousand files and four million
// tokens; a file that includes itself twice would never end.
static constexpr unsigned kMostFiles = 50'000, kMostMacros = 5'000'000, kMostTokens = 40'000'000;

namespace {

// Counts errors and keeps the first; the user never sees Clang's own output.
class Diagnostics : public DiagnosticConsumer {
 public:
  Diagnostics(LoweredUnit& result, MissingNames* missing) : result_(result), missing_(missing) {}
  void HandleDiagnostic(DiagnosticsEngine::Level level, const Diagnostic& info) override {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level < DiagnosticsEngine::Error) return;
    ++result_.errors;
    const unsigned id = info.getID();
    result_.missing_headers |= id == diag::err_pp_file_not_found;
    headers_clash_ |= id == diag::err_redefinition || id == diag::err_redefinition_different_kind ||
                      id == diag::err_redefinition_different_type;
    if (missing_ != nullptr && says_undeclared(id) && info.hasSourceManager())
      missing_->note(identifier_at(info.getLocation(), info.getSourceManager()));
    if (result_.first_errors.size() >= 3) return;
    llvm::SmallString<128> text;
    info.FormatDiagnostic(text);
    std::string line;
    if (info.hasSourceManager() && info.getLocation().isValid()) {
      const PresumedLoc at = info.getSourceManager().getPresumedLoc(info.getLocation());
      if (at.isValid())
        line = std::string(at.getFilename()) + ":" + std::to_string(at.getLine()) + ":" +
               std::to_string(at.getColumn()) + ": ";
    }
    result_.first_errors.push_back(line + text.c_str());
  }
  // Whether an error may come from what a precompiled header brought into a unit that does not include it.
  bool headers_clash() const { return headers_clash_; }

 private:
  static bool says_undeclared(unsigned id) {
    return id == diag::err_undeclared_var_use || id == diag::err_undeclared_use || id == diag::err_unknown_typename ||
           id == diag::err_expected_namespace_name || id == diag::err_no_template ||
           id == diag::err_expected_class_name;
  }
  static std::string_view identifier_at(SourceLocation location, const SourceManager& sources) {
    if (location.isInvalid()) return {};
    bool failed = false;
    const char* text = sources.getCharacterData(sources.getSpellingLoc(location), &failed);
    if (failed) return {};
    std::size_t size = 0;
    while (size < 200 && (std::isalnum(static_cast<unsigned char>(text[size])) || text[size] == '_')) ++size;
    return size > 0 && !std::isdigit(static_cast<unsigned char>(text[0])) ? std::string_view(text, size)
                                                                          : std::string_view();
  }

  LoweredUnit& result_;
  MissingNames* missing_;
  bool headers_clash_ = false;
};

// Ends a unit that grows without bound.
class Limits : public PPCallbacks {
 public:
  explicit Limits(std::string& given_up) : given_up_(given_up) {}
  void LexedFileChanged(FileID, LexedFileChangeReason reason, SrcMgr::CharacteristicKind, FileID,
                        SourceLocation) override {
    if (reason == LexedFileChangeReason::EnterFile) count(files_, kMostFiles, "too many includes");
  }
  void MacroExpands(const Token&, const MacroDefinition&, SourceRange, const MacroArgs*) override {
    count(macros_, kMostMacros, "its macros do not end");
  }
  void token() { count(tokens_, kMostTokens, "too much code"); }

 private:
  void count(unsigned& counter, unsigned most, const char* why) {
    if (++counter <= most) return;
    given_up_ = why;
    give_up();
  }
  std::string& given_up_;
  unsigned files_ = 0, macros_ = 0, tokens_ = 0;
};

bool is_system_body(CompilerInstance& compiler, Decl* decl) {
  const SourceManager& sources = compiler.getSourceManager();
  return sources.isInSystemHeader(sources.getExpansionLoc(decl->getLocation()));
}

class LoweringConsumer : public ASTConsumer {
 public:
  LoweringConsumer(CompilerInstance& compiler, const NameFile& name_file, LoweredUnit& result, MissingNames* missing)
      : compiler_(compiler), name_file_(name_file), result_(result), missing_(missing) {}
  bool shouldSkipFunctionBody(Decl* decl) override { return is_system_body(compiler_, decl); }
  void HandleTranslationUnit(ASTContext& context) override {
    Lowering lowering(context, name_file_);
    result_.modules = lowering.run();
    if (missing_ == nullptr || missing_->empty()) return;
    leave_out_standard_names(context);
    // Twice: an alias of a namespace may stand in a later file than its uses.
    for (int pass = 0; pass < 2; ++pass)
      for (std::string_view text : lowering.texts()) missing_->scan(text);
  }

 private:
  // `string` is not declared where `using namespace std` is missing: a declaration of ours would only be in the way.
  void leave_out_standard_names(ASTContext& context) {
    const DeclContextLookupResult found = context.getTranslationUnitDecl()->lookup(&context.Idents.get("std"));
    for (const NamedDecl* decl : found) {
      const auto* space = dyn_cast<NamespaceDecl>(decl);
      if (space == nullptr) continue;
      const std::set<std::string, std::less<>> names = missing_->names();
      for (const std::string& name : names)
        if (!space->lookup(&context.Idents.get(name)).empty()) missing_->forget(name);
    }
  }

  CompilerInstance& compiler_;
  const NameFile& name_file_;
  LoweredUnit& result_;
  MissingNames* missing_;
};

void go_on_after_errors(CompilerInstance& compiler) {
  compiler.getFrontendOpts().SkipFunctionBodies = true;
  compiler.getDiagnostics().setErrorLimit(0);
  compiler.getDiagnostics().setFatalsAsError(true);
  compiler.getDiagnostics().setIgnoreAllWarnings(true);
  compiler.getDiagnostics().setSuppressSystemWarnings(true);
}

class LowerAction : public ASTFrontendAction {
 public:
  LowerAction(const NameFile& name_file, LoweredUnit& result, MissingNames* missing)
      : name_file_(name_file), result_(result), missing_(missing) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance& compiler, llvm::StringRef) override {
    go_on_after_errors(compiler);
    auto limits = std::make_unique<Limits>(result_.given_up);
    compiler.getPreprocessor().setTokenWatcher([counter = limits.get()](const Token&) { counter->token(); });
    compiler.getPreprocessor().addPPCallbacks(std::move(limits));
    return std::make_unique<LoweringConsumer>(compiler, name_file_, result_, missing_);
  }

 private:
  const NameFile& name_file_;
  LoweredUnit& result_;
  MissingNames* missing_;
};

// A precompiled header without the bodies of its functions: they would be instantiated again in each unit.
class HeaderAction : public GeneratePCHAction {
 public:
  bool BeginSourceFileAction(CompilerInstance& compiler) override {
    go_on_after_errors(compiler);
    return GeneratePCHAction::BeginSourceFileAction(compiler);
  }
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance& compiler, llvm::StringRef file) override {
    struct SkippingConsumer : MultiplexConsumer {
      SkippingConsumer(CompilerInstance& own, std::vector<std::unique_ptr<ASTConsumer>> consumers)
          : MultiplexConsumer(std::move(consumers)), compiler(own) {}
      bool shouldSkipFunctionBody(Decl* decl) override { return is_system_body(compiler, decl); }
      CompilerInstance& compiler;
    };
    std::unique_ptr<ASTConsumer> writer = GeneratePCHAction::CreateASTConsumer(compiler, file);
    if (writer == nullptr) return nullptr;
    std::vector<std::unique_ptr<ASTConsumer>> consumers;
    consumers.push_back(std::move(writer));
    return std::make_unique<SkippingConsumer>(compiler, std::move(consumers));
  }
};

bool is_of_the_language(const std::string& argument) {
  return argument.starts_with("-std=") || argument == "-fopenmp" || argument == "-U_OPENMP" || argument == "-pthread" ||
         argument == "-fno-exceptions" || argument == "-fno-rtti";
}

// A unit's flags. Where they are guessed, OpenMP's pragmas are taken to be meant, and what needs its library is not.
std::vector<std::string> arguments_of(const Unit& unit) {
  std::vector<std::string> arguments = unit.arguments;
  if (!unit.from_database && std::find(arguments.begin(), arguments.end(), "-fopenmp") == arguments.end())
    arguments.insert(arguments.end(), {"-fopenmp", "-U_OPENMP"});
  return arguments;
}

// What of a unit's flags a precompiled header is made with. Only the language changes what our stub means. LibTorch's
// own headers also test macros, but those that were guessed from build files are the project's; of the folders only
// those matter in which LibTorch lies.
std::vector<std::string> header_arguments(const Unit& unit, llvm::vfs::FileSystem& files) {
  const bool with_macros = unit.real_torch && unit.from_database;
  std::vector<std::string> kept;
  for (const std::string& argument : arguments_of(unit))
    if (is_of_the_language(argument) || (with_macros && (argument.starts_with("-D") || argument.starts_with("-U"))))
      kept.push_back(argument);
  if (!unit.real_torch) return kept;
  for (const std::string& folder : include_folders(unit.arguments))
    if (holds_torch(files, folder)) kept.insert(kept.end(), {"-isystem", folder});
  return kept;
}

std::vector<std::string> command_line(const std::vector<std::string>& arguments, bool torch_stubs) {
  std::vector<std::string> line{"clang++", "-w", "-fno-caret-diagnostics", "-fno-spell-checking",
                                "-resource-dir=" + std::string(stub_resource_dir())};
  line.insert(line.end(), arguments.begin(), arguments.end());
  if (torch_stubs) {
    line.push_back("-isystem");
    line.push_back(std::string(stub_include_root()));
  }
  return line;
}

// Where the declarations of names that nothing declares are served; no such folder is on any disk.
constexpr const char* kMadeUp = "/deadgrad-made-up/missing_names.h";

struct Command {
  std::vector<std::string> line;
  std::string directory;
  bool torch_stubs = true;
  std::string precompiled_header;  // it speaks for the files that it was made from
  // Files that are read instead of what is on disk, by absolute path.
  std::vector<std::pair<std::string, std::string>> texts = {};
};

// What is read of the disk is added to `reads`.
bool run(Command command, std::unique_ptr<FrontendAction> action, DiagnosticConsumer& diagnostics, Reads& reads) {
  // A file system of its own: the working directory is changed in it, not in the process.
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> disk(llvm::vfs::createPhysicalFileSystem().release());
  disk->setCurrentWorkingDirectory(command.directory);
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files =
      make_stub_file_system(make_recording_file_system(disk, command.precompiled_header, reads), command.torch_stubs);
  if (!command.texts.empty()) {
    auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    for (const auto& [path, text] : command.texts) memory->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(text));
    auto overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(files);
    overlay->pushOverlay(memory);
    files = overlay;
  }
  auto manager = llvm::makeIntrusiveRefCnt<FileManager>(FileSystemOptions(), files);
  tooling::ToolInvocation invocation(std::move(command.line), std::move(action), manager.get(),
                                     std::make_shared<PCHContainerOperations>());
  invocation.setDiagnosticConsumer(&diagnostics);
  return invocation.run();
}

// How often a module's code names something of LibTorch.
unsigned count_torch_symbols(const ir::Module& module) {
  unsigned count = 0;
  for (const ir::Event& event : module.events) {
    if (event.op != ir::Op::Symbol) continue;
    const std::string_view name = module.text(event.name);
    count += name.starts_with("torch::") || name.starts_with("at::") || name.starts_with("c10::");
  }
  return count;
}

}  // namespace

// `missing`: what turns out not to be declared is noted there; `made_up`: declarations that come before the code.
static LoweredUnit lower_once(const Unit& unit, const NameFile& name_file, const std::string& precompiled_header,
                              MissingNames& missing, const std::string& made_up, Reads& reads) {
  LoweredUnit result;
  Diagnostics diagnostics(result, &missing);
  // Without these macros no torch code would be seen at all.
  std::vector<std::string> arguments = arguments_of(unit);
  arguments.insert(arguments.end(), unit.torch_definitions.begin(), unit.torch_definitions.end());
  std::vector<std::string> line = command_line(arguments, !unit.real_torch);
  if (!precompiled_header.empty()) {
    line.insert(line.end(), {"-include-pch", precompiled_header});
    // LibTorch's own are two thousand files: precompiled_header_fits() looks at them once per run.
    if (!unit.real_torch) line.insert(line.end(), {"-Xclang", "-fmodules-validate-system-headers"});
  }
  if (!made_up.empty()) line.insert(line.end(), {"-include", kMadeUp});
  line.insert(line.end(), {"-fsyntax-only", "-x", "c++", "--", unit.path});
  auto texts = unit.texts;
  if (!made_up.empty()) texts.emplace_back(kMadeUp, made_up);
  const bool finished = run_guarded([&] {
    run({std::move(line), unit.directory, !unit.real_torch, precompiled_header, std::move(texts)},
        std::make_unique<LowerAction>(name_file, result, &missing), diagnostics, reads);
  });
  if (!finished) {
    LoweredUnit nothing;
    nothing.crashed = result.given_up.empty();
    nothing.given_up = nothing.crashed ? "the compiler crashed" : result.given_up;
    return nothing;
  }
  if (!precompiled_header.empty() &&
      (result.modules.empty() || (unit.real_torch && !result.missing_headers && diagnostics.headers_clash()))) {
    LoweredUnit plain = lower_once(unit, name_file, {}, missing, made_up, reads);
    // With no modules at all the header is out of date, or made by another Clang.
    if (result.modules.empty()) plain.unusable_header = precompiled_header;
    if (result.modules.empty() || plain.errors < result.errors) return plain;
  }
  for (const ir::Module& module : result.modules) result.torch_symbols += count_torch_symbols(module);
  return result;
}

LoweredUnit lower(const Unit& unit, const NameFile& name_file, const HeaderFor& header_for) {
  LoweredUnit best;
  std::string unusable_header;
  bool crashed = false;
  Reads reads;
  Unit attempt = unit, taken = unit;
  MissingNames missing;
  bool is_first = true;
  for (const std::string& standard : standards_to_try(unit)) {
    for (std::string& argument : attempt.arguments)
      if (argument.starts_with("-std=")) argument = "-std=" + standard;
    MissingNames found;
    LoweredUnit one = lower_once(attempt, name_file, header_for(attempt), found, {}, reads);
    crashed |= one.crashed;
    if (!one.unusable_header.empty()) unusable_header = one.unusable_header;
    if (is_first || (one.given_up.empty() && one.errors < best.errors)) {
      best = std::move(one);
      missing = std::move(found);
      taken = attempt;
    }
    is_first = false;
    // Where headers are missing the errors say nothing about the language.
    if (best.errors == 0 || best.missing_headers) break;
  }
  // Names of missing libraries are made up. What then turns out to be missing too is found in a second round.
  std::size_t known = 0;
  for (int round = 0; round < 2 && best.missing_headers && missing.names().size() > known; ++round) {
    known = missing.names().size();
    LoweredUnit one = lower_once(taken, name_file, header_for(taken), missing, missing.declarations(), reads);
    crashed |= one.crashed;
    if (!one.given_up.empty() || one.errors >= best.errors || one.torch_symbols < best.torch_symbols) break;
    one.first_errors = best.first_errors;  // those of the code as it is
    best = std::move(one);
  }
  best.unusable_header = std::move(unusable_header);
  best.crashed = crashed;
  settle(reads);
  best.reads = std::move(reads);
  return best;
}

// Runs `action` on the header that includes all of the LibTorch that the unit reads. True without any error.
static bool run_on_umbrella(const Unit& unit, const std::vector<std::string>& arguments,
                            std::unique_ptr<FrontendAction> action, Reads& reads) {
  LoweredUnit counted;
  Diagnostics diagnostics(counted, nullptr);
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> disk(llvm::vfs::createPhysicalFileSystem().release());
  std::vector<std::string> line = command_line(header_arguments(unit, *disk), !unit.real_torch);
  line.insert(line.end(), arguments.begin(), arguments.end());
  line.insert(line.end(), {"--", std::string(unit.real_torch ? torch_umbrella() : stub_umbrella())});
  bool done = false;
  const bool finished = run_guarded(
      [&] { done = run({std::move(line), "/", !unit.real_torch, {}}, std::move(action), diagnostics, reads); });
  return finished && done && counted.errors == 0;
}

bool make_precompiled_header(const Unit& unit, const std::string& output, Reads& reads) {
  const bool made = run_on_umbrella(unit, {"-x", "c++-header", "-o", output}, std::make_unique<HeaderAction>(), reads);
  settle(reads);
  return made;
}

bool precompiled_header_fits(const Unit& unit, const std::string& precompiled_header) {
  Reads reads;
  return run_on_umbrella(unit,
                         {"-include-pch", precompiled_header, "-Xclang", "-fmodules-validate-system-headers",
                          "-fsyntax-only", "-x", "c++"},
                         std::make_unique<SyntaxOnlyAction>(), reads);
}

std::string compiler_identity() {
  return getClangFullVersion() + " " + std::to_string(stub_content_hash());
}

std::uint64_t precompiled_header_key(const Unit& unit) {
  // Without a torch include, one header more is no gain.
  if (unit.real_torch && unit.without_torch_include && unit.torch_definitions.empty()) return 0;
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> disk(llvm::vfs::createPhysicalFileSystem().release());
  std::string key = compiler_identity() + (unit.real_torch ? "real" : "stub");
  for (const std::string& argument : header_arguments(unit, *disk)) {
    key += '\0' + argument;
    if (!unit.real_torch || argument.starts_with("-")) continue;
    if (auto version = disk->status(join_path(argument, "torch/version.h")))
      key += '\0' + std::to_string(version->getSize()) + '\0' +
             std::to_string(version->getLastModificationTime().time_since_epoch().count());
  }
  return llvm::xxh3_64bits(key) | 1;
}

}  // namespace deadgrad::cpp
