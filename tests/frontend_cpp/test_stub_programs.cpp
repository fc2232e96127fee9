// Programs that use LibTorch as people do must be read against the stubs without one error, in every C++ standard.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Tooling/Tooling.h"
#include "frontends/cpp/virtual_files.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/MemoryBuffer.h"

namespace deadgrad::cpp {
namespace {

class ErrorList : public clang::DiagnosticConsumer {
 public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& diagnostic) override {
    if (level < clang::DiagnosticsEngine::Error) return;
    llvm::SmallString<128> message;
    diagnostic.FormatDiagnostic(message);
    if (diagnostic.hasSourceManager())
      text += diagnostic.getLocation().printToString(diagnostic.getSourceManager()) + ": ";
    text += message.str().str() + "\n";
  }
  std::string text;
};

std::vector<std::string> programs() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(DEADGRAD_STUB_PROGRAMS))
    paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  return paths;
}

// All programs as one, each in a namespace, so that the stub is read once.
std::string all_programs() {
  std::string text =
      "#include <future>\n#include <memory>\n#include <torch/extension.h>\n#include <torch/torch.h>\n#include "
      "<torchvision/vision.h>\n";
  for (const std::string& path : programs()) {
    std::string name = std::filesystem::path(path).stem().string();
    if (name != "names") text += "namespace program_" + name + " {\n#include \"" + path + "\"\n}\n";
  }
  return text;
}

// Nothing of the installed Clang is used: its headers come from the embedded resource folder.
std::string errors_in(const std::string& text, const std::string& standard) {
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  memory->addFile("/program.cpp", 0, llvm::MemoryBuffer::getMemBuffer(text));
  auto both = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::createPhysicalFileSystem());
  both->pushOverlay(memory);
  auto manager =
      llvm::makeIntrusiveRefCnt<clang::FileManager>(clang::FileSystemOptions(), make_stub_file_system(both, true));
  std::vector<std::string> command = {"clang++",          "-fsyntax-only",
                                      "-std=" + standard, "-resource-dir=" + std::string(stub_resource_dir()),
                                      "-isystem",         std::string(stub_include_root()),
                                      "/program.cpp"};
  clang::tooling::ToolInvocation invocation(command, std::make_unique<clang::SyntaxOnlyAction>(), manager.get());
  ErrorList errors;
  invocation.setDiagnosticConsumer(&errors);
  bool done = invocation.run();
  return done || !errors.text.empty() ? errors.text : "Clang did not run";
}

class StubPrograms : public testing::TestWithParam<std::string> {};

TEST_P(StubPrograms, HaveNoError) {
  EXPECT_GE(programs().size(), 7U);
  EXPECT_EQ(errors_in(all_programs(), GetParam()), "");
}

// This program is about the global namespace, so nothing may be included before it.
TEST(StubNames, LeaveTheUsersFree) {
  EXPECT_EQ(errors_in("#include \"" DEADGRAD_STUB_PROGRAMS "/names.cpp\"\n", "c++17"), "");
}

TEST(StubNames, AnErrorIsSeen) {
  EXPECT_NE(errors_in("#include <ATen/any/path.h>\nat::NoSuchName x;\n", "c++17").find("NoSuchName"),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Standards, StubPrograms, testing::Values("c++14", "c++17", "c++20", "c++23"),
                         [](const auto& info) { return info.param.substr(3); });

}  // namespace
}  // namespace deadgrad::cpp
