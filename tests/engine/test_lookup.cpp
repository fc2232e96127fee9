// Program::find_module: which of the project's modules an import means, for the layouts that projects have.
#include <gtest/gtest.h>

#include "analyzer/program/program.h"
#include "tests/engine/check.h"

namespace deadgrad::engine {

struct Import {
  std::string name;
  bool relative = false;  // resolved by the frontend: exact
};

// The path that `import` in the file `from` means, or "none", among files given by path.
static void check(std::vector<std::string> paths, std::string from, Import import, std::string expected) {
  std::vector<ir::Module> modules;
  for (std::string& path : paths) {
    ir::Module module;
    module.path = path;
    module.language = path.ends_with(".py") ? ir::Language::Python : ir::Language::Cpp;
    module.name = path.substr(0, path.rfind('.'));
    for (char& c : module.name) c = c == '/' ? '.' : c;
    if (module.name.ends_with(".__init__")) {
      module.name.resize(module.name.size() - 9);
      module.is_package = true;
    }
    module.functions.emplace_back();
    module.functions[0].kind = ir::FunctionKind::ModuleBody;
    module.functions[0].first_event = ir::EventId{0};
    modules.push_back(std::move(module));
  }
  const Program program(std::move(modules), embedded_model());
  ModuleId importer;
  for (std::uint32_t m = 0; m < program.modules().size(); ++m) {
    if (program.modules()[m].path == from) importer = ModuleId{m};
  }
  ASSERT_TRUE(importer.valid()) << from;
  const ModuleId found = program.find_module(import.name, importer, import.relative);
  EXPECT_EQ(found.valid() ? program.module(found).path : "none", expected) << from << " imports " << import.name;
}

TEST(Lookup, FromTheRoot) {
  check({"a.py", "pkg/__init__.py", "pkg/b.py"}, "a.py", {"pkg.b"}, "pkg/b.py");
  check({"a.py", "pkg/__init__.py", "pkg/b.py"}, "a.py", {"pkg"}, "pkg/__init__.py");
  check({"a.py", "pkg/__init__.py", "pkg/b.py"}, "pkg/b.py", {"a"}, "a.py");
}

TEST(Lookup, WithoutAnInitFile) {
  check({"a.py", "pkg/b.py"}, "a.py", {"pkg.b"}, "pkg/b.py");
  check({"a.py", "pkg/b.py"}, "a.py", {"pkg"}, "none");
}

TEST(Lookup, SrcLayout) {
  check({"src/pkg/__init__.py", "src/pkg/net.py", "src/pkg/run.py"}, "src/pkg/run.py", {"pkg.net"}, "src/pkg/net.py");
  check({"src/pkg/__init__.py", "src/pkg/net.py", "scripts/run.py"}, "scripts/run.py", {"pkg.net"}, "src/pkg/net.py");
}

TEST(Lookup, ScriptsNextToEachOther) {
  check({"tools/run.py", "tools/net.py", "net.py"}, "tools/run.py", {"net"}, "tools/net.py");
  check({"tools/run.py", "tools/net.py", "net.py"}, "net.py", {"tools.net"}, "tools/net.py");
}

TEST(Lookup, TheDeepestRootWins) {
  check({"a/utils.py", "a/b/utils.py", "a/b/c/run.py"}, "a/b/c/run.py", {"utils"}, "a/b/utils.py");
  check({"utils/io.py", "a/utils/io.py", "a/run.py"}, "a/run.py", {"utils.io"}, "a/utils/io.py");
}

TEST(Lookup, Relative) {
  check({"pkg/__init__.py", "pkg/net.py", "pkg/run.py", "net.py"}, "pkg/run.py", {"pkg.net", true}, "pkg/net.py");
  // Exact: nothing is searched for.
  check({"src/pkg/net.py", "src/pkg/run.py"}, "src/pkg/run.py", {"pkg.net", true}, "none");
}

TEST(Lookup, ElsewhereIfItIsTheOnlyOne) {
  check({"lib/deep/models/net.py", "run/main.py"}, "run/main.py", {"models.net"}, "lib/deep/models/net.py");
  check({"x/models/net.py", "y/models/net.py", "run/main.py"}, "run/main.py", {"models.net"}, "none");
  check({"x/models/net.py", "y/models/net.py", "y/run/main.py"}, "y/run/main.py", {"models.net"}, "y/models/net.py");
}

TEST(Lookup, OnlyWholeComponentsMatch) {
  check({"my_net.py", "main.py"}, "main.py", {"net"}, "none");
  check({"pkg/sub_a/net.py", "main.py"}, "main.py", {"a.net"}, "none");
  check({"pkg2/run.py", "pkg/net.py", "pkg/net/x.py"}, "pkg2/run.py", {"pkg.net"}, "pkg/net.py");
}

TEST(Lookup, AModuleIsNotItself) {
  // `import torch` in a file torch.py of its own folder means the library or another file.
  check({"scripts/queue.py", "main.py"}, "scripts/queue.py", {"queue"}, "none");
  check({"pkg/logging.py", "logging.py"}, "pkg/logging.py", {"logging"}, "logging.py");
}

TEST(Lookup, OtherLanguagesAreNotSearched) {
  check({"net.cpp", "run.py"}, "run.py", {"net"}, "none");
}

TEST(Lookup, NothingThere) {
  check({"main.py"}, "main.py", {""}, "none");
  check({"main.py"}, "main.py", {"torch"}, "none");
  check({"main.py"}, "main.py", {"main.x"}, "none");
}

TEST(Lookup, TheOrderOfTheFilesDoesNotMatter) {
  check({"y/models/net.py", "x/models/net.py", "x/run.py"}, "x/run.py", {"models.net"}, "x/models/net.py");
  check({"x/run.py", "x/models/net.py", "y/models/net.py"}, "x/run.py", {"models.net"}, "x/models/net.py");
}

}  // namespace deadgrad::engine
