// Runs Clang over one unit and hands its syntax tree to Lowering.
#include <algorithm>
#include <iterator>
#include <memory>

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/Version.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Lex/LexDiagnostic.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/xxhash.h"

#include "frontends/cpp/cpp.h"
#include "frontends/cpp/lowering.h"
#include "frontends/cpp/virtual_files.h"

using namespace clang;

namespace deadgrad::cpp {

namespace {

// Counts errors and keeps the first; the user never sees Clang's own output.
class Diagnostics : public DiagnosticConsumer {
 public:
  explicit Diagnostics(LoweredUnit& result) : result_(result) {}
  void HandleDiagnostic(DiagnosticsEngine::Level level, const Diagnostic& info) override {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level < DiagnosticsEngine::Error) return;
    ++result_.errors;
    result_.missing_headers |= info.getID() == diag::err_pp_file_not_found;
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

 private:
  LoweredUnit& result_;
};

bool is_system_body(CompilerInstance& compiler, Decl* decl) {
  const SourceManager& sources = compiler.getSourceManager();
  return sources.isInSystemHeader(sources.getExpansionLoc(decl->getLocation()));
}

class LoweringConsumer : public ASTConsumer {
 public:
  LoweringConsumer(CompilerInstance& compiler, const NameFile& name_file, LoweredUnit& result)
      : compiler_(compiler), name_file_(name_file), result_(result) {}
  bool shouldSkipFunctionBody(Decl* decl) override { return is_system_body(compiler_, decl); }
  void HandleTranslationUnit(ASTContext& context) override { result_.modules = Lowering(context, name_file_).run(); }

 private:
  CompilerInstance& compiler_;
  const NameFile& name_file_;
  LoweredUnit& result_;
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
  LowerAction(const NameFile& name_file, LoweredUnit& result) : name_file_(name_file), result_(result) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance& compiler, llvm::StringRef) override {
    go_on_after_errors(compiler);
    return std::make_unique<LoweringConsumer>(compiler, name_file_, result_);
  }

 private:
  const NameFile& name_file_;
  LoweredUnit& result_;
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

// Only these change what a header means; the project's macros and include folders do not reach LibTorch's.
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

std::vector<std::string> command_line(const std::vector<std::string>& arguments, bool torch_stubs) {
  std::vector<std::string> line{"clang++",
                                "-fsyntax-only",
                                "-w",
                                "-fno-caret-diagnostics",
                                "-fno-spell-checking",
                                "-resource-dir=" + std::string(stub_resource_dir())};
  line.insert(line.end(), arguments.begin(), arguments.end());
  if (torch_stubs) {
    line.push_back("-isystem");
    line.push_back(std::string(stub_include_root()));
  }
  return line;
}

bool run(const std::string& directory, bool torch_stubs, std::vector<std::string> line,
         std::unique_ptr<FrontendAction> action, DiagnosticConsumer& diagnostics) {
  // A file system of its own: the working directory is changed in it, not in the process.
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> disk(llvm::vfs::createPhysicalFileSystem().release());
  disk->setCurrentWorkingDirectory(directory);
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files = make_stub_file_system(disk, torch_stubs);
  auto manager = llvm::makeIntrusiveRefCnt<FileManager>(FileSystemOptions(), files);
  tooling::ToolInvocation invocation(std::move(line), std::move(action), manager.get(),
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

static LoweredUnit lower_once(const Unit& unit, const std::string& standard, const NameFile& name_file,
                              const std::string& precompiled_header) {
  LoweredUnit result;
  Diagnostics diagnostics(result);
  std::vector<std::string> arguments = arguments_of(unit);
  for (std::string& argument : arguments)
    if (argument.starts_with("-std=")) argument = "-std=" + standard;
  // Without these macros no torch code would be seen at all.
  arguments.insert(arguments.end(), unit.torch_definitions.begin(), unit.torch_definitions.end());
  std::vector<std::string> line = command_line(arguments, !unit.real_torch);
  if (!precompiled_header.empty()) {
    line.push_back("-include-pch");
    line.push_back(precompiled_header);
  }
  line.insert(line.end(), {"-x", "c++", "--", unit.path});
  run(unit.directory, !unit.real_torch, std::move(line), std::make_unique<LowerAction>(name_file, result), diagnostics);
  if (result.modules.empty() && !precompiled_header.empty()) {
    // The header is out of date, or made by another Clang.
    result = lower_once(unit, standard, name_file, {});
    result.precompiled_header_failed = true;
    return result;
  }
  for (const ir::Module& module : result.modules) result.torch_symbols += count_torch_symbols(module);
  return result;
}

LoweredUnit lower(const Unit& unit, const NameFile& name_file, const std::string& precompiled_header) {
  LoweredUnit best;
  const std::vector<std::string> standards = standards_to_try(unit);
  for (std::size_t i = 0; i < standards.size(); ++i) {
    LoweredUnit one = lower_once(unit, standards[i], name_file, i == 0 ? precompiled_header : std::string());
    if (i == 0 || one.errors < best.errors) best = std::move(one);
    // Where headers are missing the errors say nothing about the language.
    if (best.errors == 0 || best.missing_headers) break;
  }
  return best;
}

bool make_precompiled_header(const Unit& unit, const std::string& output) {
  LoweredUnit ignored;
  Diagnostics diagnostics(ignored);
  std::vector<std::string> language;
  std::ranges::copy_if(arguments_of(unit), std::back_inserter(language), is_of_the_language);
  std::vector<std::string> line = command_line(language, true);
  line.erase(line.begin() + 1);  // -fsyntax-only
  line.insert(line.end(), {"-x", "c++-header", "-o", output, "--", std::string(stub_umbrella())});
  return run("/", true, std::move(line), std::make_unique<HeaderAction>(), diagnostics) && ignored.errors == 0;
}

std::uint64_t precompiled_header_key(const Unit& unit) {
  if (unit.real_torch) return 0;
  std::string key = getClangFullVersion() + std::to_string(stub_content_hash());
  for (const std::string& argument : arguments_of(unit))
    if (is_of_the_language(argument)) key += '\0' + argument;
  return llvm::xxh3_64bits(key) | 1;
}

}  // namespace deadgrad::cpp
