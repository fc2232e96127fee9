// What is to be parsed, and with which flags: projects in memory, from a compile database and without one.
#include "frontends/cpp/project.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/cpp/build_hints.h"
#include "frontends/cpp/directives.h"
#include "frontends/cpp/flags.h"
#include "frontends/cpp/paths.h"
#include "frontends/cpp/torch_install.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

namespace deadgrad::cpp {
namespace {

using Strings = std::vector<std::string>;

constexpr std::string_view kTorch = "#include <torch/torch.h>\n";

bool has(const Strings& all, std::string_view one) {
  return std::ranges::find(all, one) != all.end();
}

bool has_pair(const Strings& all, std::string_view flag, std::string_view value) {
  for (std::size_t i = 0; i + 1 < all.size(); ++i)
    if (all[i] == flag && all[i + 1] == value) return true;
  return false;
}

bool mentions(const Strings& all, std::string_view part) {
  return std::ranges::any_of(all, [&](const std::string& one) { return one.find(part) != std::string::npos; });
}

// A project below /r. Files of C++ are reported on; add_context() makes one that is only there.
class CppProject : public ::testing::Test {
 protected:
  void add_plain(const std::string& path, std::string_view text) {
    files_->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(text.data(), text.size())));
  }
  void add_context(const std::string& path, std::string_view text) {
    add_plain(path, text);
    options_.all_files.push_back(path);
  }
  void add(const std::string& path, std::string_view text) {
    add_context(path, text);
    options_.files.push_back(path);
  }
  void add_database(const std::string& path, const std::string& file, const std::string& command,
                    const std::string& directory = "/r") {
    llvm::json::Object entry{{"directory", directory}, {"file", file}, {"command", command}};
    add_plain(path, llvm::formatv("{0}", llvm::json::Value(llvm::json::Array{std::move(entry)})).str());
  }

  const Project& find() {
    Result<Project> result = find_units(options_, *files_);
    EXPECT_TRUE(result) << (result ? "" : result.error().message);
    project_ = result ? std::move(*result) : Project{};
    return project_;
  }
  // The unit of a file below /r, after find().
  const Unit& unit(const std::string& name) {
    for (const Unit& one : project_.units)
      if (one.path == "/r/" + name) return one;
    ADD_FAILURE() << "no unit " << name;
    static const Unit none;
    return none;
  }
  Strings names() {
    Strings all;
    for (const Unit& one : project_.units) all.push_back(one.path.substr(3));
    return all;
  }

  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> files_ =
      llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  ProjectOptions options_{.root = "/r", .files = {}, .all_files = {}, .database = {}, .torch = {}, .torch_places = {}};
  Project project_;
};

// Which files are units.

TEST_F(CppProject, SourcesWithTorchAreUnits) {
  add("/r/b.cpp", kTorch);
  add("/r/a.cc", kTorch);
  add("/r/plain.cpp", "int main() {}\n");
  find();
  EXPECT_EQ(names(), (Strings{"a.cc", "b.cpp"}));
  EXPECT_EQ(project_.without_torch, 1u);
  EXPECT_FALSE(unit("a.cc").is_header);
  EXPECT_EQ(unit("a.cc").directory, "/r");
  EXPECT_EQ(unit("a.cc").arguments, (Strings{"-std=gnu++17"}));
}

TEST_F(CppProject, TorchMayComeThroughProjectHeaders) {
  add("/r/src/main.cpp", "#include \"app.h\"\nint main() { App app; app.go(); }\n");
  add("/r/src/app.h", "#include \"base.h\"\nstruct App : Base {};\n");
  add("/r/include/base.h", kTorch);
  add("/r/src/other.cpp", "#include \"plain.h\"\n");
  add("/r/src/plain.h", "#include <vector>\n");
  find();
  EXPECT_EQ(names(), (Strings{"src/main.cpp"}));
  EXPECT_EQ(unit("src/main.cpp").covers, (Strings{"/r/include/base.h", "/r/src/app.h"}));
  EXPECT_TRUE(has(unit("src/main.cpp").arguments, "-I/r/include"));
  EXPECT_EQ(project_.without_torch, 2u);  // other.cpp and plain.h
}

TEST_F(CppProject, AnIncludeThatIsNowhereMayBringTorch) {
  add("/r/stays.cpp", "#include <vendor/model.h>\nvoid run(Model& m) { m.forward(1); }\n");
  add("/r/jit.cpp", "#include \"gone.h\"\nauto m = jit_load();\n");
  add("/r/goes.cpp", "#include <vendor/model.h>\nvoid run() {}\n");
  add("/r/resolved.cpp", "#include \"mine.h\"\n#include <vector>\nvoid run(Car& c) { c.forward(1); }\n");
  add_context("/r/mine.h", "struct Car { void forward(int); };\n");
  find();
  EXPECT_EQ(names(), (Strings{"jit.cpp", "stays.cpp"}));
}

TEST_F(CppProject, TorchNamesAreWordsOfTheirOwn) {
  add("/r/format.cpp", "auto s = format::all();\n");
  add("/r/at.cpp", "at::Tensor t;\n");
  add("/r/c10.cpp", "using c10::Device;\n");
  find();
  EXPECT_EQ(names(), (Strings{"at.cpp", "c10.cpp"}));
}

TEST_F(CppProject, HeadersThatNothingIncludesStandAlone) {
  add("/r/lonely.h", std::string(kTorch) + "#include \"inner.h\"\n");
  add("/r/inner.h", kTorch);
  add("/r/plain.hpp", "");
  find();
  EXPECT_EQ(names(), (Strings{"lonely.h"}));
  EXPECT_TRUE(unit("lonely.h").is_header);
  EXPECT_EQ(unit("lonely.h").covers, (Strings{"/r/inner.h"}));
  EXPECT_EQ(project_.without_torch, 1u);
}

TEST_F(CppProject, HeadersThatIncludeEachOtherAreReadOnce) {
  add("/r/a.h", std::string(kTorch) + "#include \"b.h\"\n");
  add("/r/b.h", std::string(kTorch) + "#include \"a.h\"\n#include \"b.h\"\n");
  find();
  EXPECT_EQ(names(), (Strings{"a.h"}));
}

TEST_F(CppProject, AHeaderIsReadThroughASourceThatWasNotNamed) {
  add("/r/include/net.h", kTorch);
  add_context("/r/src/a/main.cpp", "#include \"net.h\"\n");
  add_context("/r/src/b.cpp", "#include \"other.h\"\n");
  find();
  EXPECT_EQ(names(), (Strings{"src/a/main.cpp"}));
  EXPECT_TRUE(unit("src/a/main.cpp").context);
  EXPECT_EQ(unit("src/a/main.cpp").covers, (Strings{"/r/include/net.h"}));
}

TEST_F(CppProject, CudaFilesAreUnits) {
  add("/r/k.cu", kTorch);
  add("/r/k.cuh", kTorch);
  add("/r/k.cpp", kTorch);
  find();
  EXPECT_EQ(names(), (Strings{"k.cpp", "k.cu", "k.cuh"}));
  EXPECT_TRUE(unit("k.cu").is_cuda);
  EXPECT_TRUE(has(unit("k.cu").arguments, "-D__global__="));
  EXPECT_TRUE(unit("k.cuh").is_cuda);
  EXPECT_TRUE(unit("k.cuh").is_header);
  EXPECT_FALSE(unit("k.cpp").is_cuda);
  EXPECT_FALSE(has(unit("k.cpp").arguments, "-D__global__="));
}

TEST_F(CppProject, FilesThatAreNotThereAreNoUnits) {
  options_.files = {"/r/gone.cpp"};
  add("/r/big.cpp", std::string(kTorch) + std::string(kMaxTextBytes, ' '));
  find();
  EXPECT_TRUE(project_.units.empty());
  EXPECT_EQ(project_.without_torch, 2u);
}

// Include folders, guessed.

TEST_F(CppProject, TheNearestFileGivesTheFolder) {
  add("/r/one/src/a.cpp", std::string(kTorch) + "#include \"net/model.h\"\n");
  add_context("/r/one/include/net/model.h", "");
  add_context("/r/two/include/net/model.h", "");
  add("/r/two/app/b.cpp", std::string(kTorch) + "#include <net/model.h>\n");
  find();
  EXPECT_EQ(unit("one/src/a.cpp").arguments, (Strings{"-std=gnu++17", "-I/r/one/include"}));
  EXPECT_EQ(unit("two/app/b.cpp").arguments, (Strings{"-std=gnu++17", "-I/r/two/include"}));
}

TEST_F(CppProject, WhatIsBesideTheIncluderNeedsNoFolder) {
  add("/r/src/a.cpp", std::string(kTorch) + "#include \"near.h\"\n#include \"../far.h\"\n#include \"sub/x.h\"\n");
  add_context("/r/src/near.h", "");
  add_context("/r/include/near.h", "");
  add_context("/r/far.h", "");
  add_context("/r/src/sub/x.h", "");
  find();
  EXPECT_EQ(unit("src/a.cpp").arguments, (Strings{"-std=gnu++17"}));
}

TEST_F(CppProject, FoldersOfHeadersIncludedByHeaders) {
  add("/r/app/a.cpp", "#include \"a.h\"\n");
  add_context("/r/inc/a.h", "#include <core/b.h>\n");
  add_context("/r/libs/core/b.h", std::string(kTorch) + "#include \"c.h\"\n");
  add_context("/r/deep/er/c.h", "");
  find();
  EXPECT_EQ(unit("app/a.cpp").arguments, (Strings{"-std=gnu++17", "-I/r/inc", "-I/r/libs", "-I/r/deep/er"}));
}

TEST_F(CppProject, OneFolderServesAllItCan) {
  add("/r/src/a.cpp", std::string(kTorch) + "#include \"x/one.h\"\n#include \"x/two.h\"\n");
  add_context("/r/include/x/one.h", "");
  add_context("/r/include/x/two.h", "");
  add_context("/r/src/old/x/two.h", "");  // nearer, but the compiler finds the other first
  find();
  EXPECT_EQ(unit("src/a.cpp").arguments, (Strings{"-std=gnu++17", "-I/r/include"}));
}

TEST_F(CppProject, ARelativePathUnderAnIncludeFolder) {
  add("/r/app/a.cpp", std::string(kTorch) + "#include \"../common/x.h\"\n");
  add_context("/r/lib/common/x.h", "");
  add_context("/r/lib/core/y.h", "");
  find();
  ASSERT_EQ(unit("app/a.cpp").arguments.size(), 2u);
  EXPECT_TRUE(unit("app/a.cpp").arguments[1].starts_with("-I/r/lib/"));
}

TEST_F(CppProject, FilesThatNoWalkListsAreFound) {
  add("/r/src/a.cpp", std::string(kTorch) + "#include \"impl/a.inl\"\n#include <Eigen/Dense>\n");
  add_plain("/r/src/detail/impl/a.inl", "");
  add_context("/r/src/detail/d.h", "");
  add_context("/r/src/detail/impl/d.h", "");
  add_plain("/r/third_party/eigen/Eigen/Dense", "");
  add_context("/r/third_party/eigen/Eigen/src/Core.h", "");
  find();
  EXPECT_EQ(unit("src/a.cpp").arguments, (Strings{"-std=gnu++17", "-I/r/src/detail", "-I/r/third_party/eigen"}));
}

TEST_F(CppProject, StandardHeadersStayTheCompilers) {
  add("/r/src/a.cpp", std::string(kTorch) + "#include <string.h>\n#include <vector>\n#include \"mine.h\"\n");
  add_context("/r/util/string.h", "");
  add_context("/r/util/mine.h", "");
  find();
  EXPECT_EQ(unit("src/a.cpp").arguments, (Strings{"-std=gnu++17", "-iquote", "/r/util"}));
}

TEST_F(CppProject, TorchIncludesAreNeverSearchedInTheProject) {
  add("/r/src/a.cpp", std::string(kTorch) + "#include <nlohmann/json.hpp>\n");
  add_context("/r/libtorch/include/torch/csrc/api/include/torch/torch.h", "");
  add_context("/r/libtorch/include/nlohmann/json.hpp", "");
  find();
  EXPECT_EQ(unit("src/a.cpp").arguments, (Strings{"-std=gnu++17"}));
  EXPECT_FALSE(unit("src/a.cpp").real_torch);
}

TEST_F(CppProject, TheRepositoryAroundTheRoot) {
  options_.root = "/repo/src";
  add("/repo/src/a.cpp", std::string(kTorch) + "#include \"net/x.h\"\n");
  add_plain("/repo/include/net/x.h", "");
  add_plain("/repo/.git/HEAD", "");
  add_plain("/repo/CMakeLists.txt", "set(CMAKE_CXX_STANDARD 20)\n");
  find();
  ASSERT_EQ(project_.units.size(), 1u);
  EXPECT_EQ(project_.units[0].arguments, (Strings{"-std=gnu++20", "-I/repo/include"}));
}

TEST_F(CppProject, NotTheFoldersAroundWithoutARepository) {
  options_.root = "/home/src";
  add("/home/src/a.cpp", std::string(kTorch) + "#include \"net/x.h\"\n");
  add_plain("/home/include/net/x.h", "");
  find();
  ASSERT_EQ(project_.units.size(), 1u);
  EXPECT_EQ(project_.units[0].arguments, (Strings{"-std=gnu++17"}));
}

TEST_F(CppProject, GuessedFoldersAreBounded) {
  std::string text(kTorch);
  for (int i = 0; i < 200; ++i) {
    std::string name = "h" + std::to_string(i) + ".h";
    add_context("/r/d" + std::to_string(i) + "/" + name, "");
    text += "#include \"" + name + "\"\n";
  }
  add("/r/src/a.cpp", text);
  find();
  EXPECT_EQ(unit("src/a.cpp").arguments.size(), 65u);
}

TEST_F(CppProject, SpacesQuotesAndOtherLetters) {
  add("/r/my app/ä \"x\".cpp", std::string(kTorch) + "#include \"größe.h\"\n#include \"with space.h\"\n");
  add_context("/r/in clude/größe.h", "");
  add_context("/r/in clude/with space.h", "");
  find();
  EXPECT_EQ(unit("my app/ä \"x\".cpp").arguments, (Strings{"-std=gnu++17", "-I/r/in clude"}));
}

TEST_F(CppProject, TheOrderOfTheFilesDoesNotMatter) {
  add("/r/src/a.cpp", std::string(kTorch) + "#include \"x.h\"\n");
  add("/r/src/b.cpp", std::string(kTorch) + "#include \"x.h\"\n");
  add_context("/r/p/x.h", "");
  add_context("/r/q/x.h", "");
  Strings before = find().units[0].arguments;
  std::ranges::reverse(options_.files);
  std::ranges::reverse(options_.all_files);
  find();
  EXPECT_EQ(names(), (Strings{"src/a.cpp", "src/b.cpp"}));
  EXPECT_EQ(project_.units[0].arguments, before);
  EXPECT_EQ(before, (Strings{"-std=gnu++17", "-I/r/p"}));
}

// What build files say.

TEST_F(CppProject, CMakeGivesStandardAndDefinitions) {
  add("/r/src/a.cpp", kTorch);
  add_plain("/r/CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.20) # set(CMAKE_CXX_STANDARD 26)\n"
            "#[[ add_definitions(-DNO) ]]\n"
            "set(CMAKE_CXX_STANDARD 20)\n"
            "add_definitions(-DONE -DTWO=2 -DBAD=${X} -Wall)\n"
            "add_compile_definitions(THREE \"NAME=\\\"x y\\\"\" $<$<CONFIG:Debug>:DBG>)\n"
            "if(WIN32)\n  add_definitions(-DWINDOWS)\nelse()\n  add_definitions(-DNOT_WINDOWS)\nendif()\n"
            "if(TORCH_FOUND)\n  add_definitions(-DUSE_TORCH)\nelse()\n  add_definitions(-DNO_TORCH)\nendif()\n");
  add_plain("/r/src/CMakeLists.txt", "target_compile_definitions(app PRIVATE FOUR TWO=22)\n");
  find();
  EXPECT_EQ(unit("src/a.cpp").arguments,
            (Strings{"-std=gnu++20", "-DFOUR", "-DTWO=22", "-DNAME=\"x y\"", "-DONE", "-DTHREE", "-DUSE_TORCH"}));
  EXPECT_EQ(standards_to_try(unit("src/a.cpp")), (Strings{"gnu++20", "gnu++23"}));
}

TEST_F(CppProject, TheNearestBuildFileGivesTheStandard) {
  add("/r/new/a.cpp", kTorch);
  add("/r/old/b.cpp", kTorch);
  add_plain("/r/CMakeLists.txt", "set(CMAKE_CXX_STANDARD 14)\n");
  add_plain("/r/new/CMakeLists.txt", "target_compile_features(x PUBLIC cxx_std_23)\n");
  find();
  EXPECT_EQ(unit("new/a.cpp").arguments[0], "-std=gnu++23");
  EXPECT_EQ(unit("old/b.cpp").arguments[0], "-std=gnu++17");
  EXPECT_EQ(standards_to_try(unit("old/b.cpp")), (Strings{"gnu++17", "gnu++20"}));
}

TEST(CppBuildFiles, OtherBuildSystems) {
  EXPECT_EQ(read_build_file("Makefile", "# -std=c++23\nCXXFLAGS = -O2 -std=c++2a\n").standard, 20u);
  EXPECT_EQ(read_build_file("setup.py", "extra_compile_args=['-O3', '-std=c++17', '/std:c++20']\n").standard, 20u);
  EXPECT_EQ(read_build_file("meson.build", "default_options: ['cpp_std=gnu++23']\n").standard, 23u);
  EXPECT_EQ(read_build_file(".bazelrc", "build --cxxopt=-std=c++20\n").standard, 20u);
  EXPECT_EQ(read_build_file("CMakeLists.txt", "set(CMAKE_CXX_FLAGS \"-Wall -std=c++20\")").standard, 20u);
  EXPECT_EQ(read_build_file("CMakeLists.txt", "set_target_properties(t PROPERTIES CXX_STANDARD 20)").standard, 20u);
  EXPECT_EQ(read_build_file("Makefile", "CFLAGS = -std=c11\n").standard, 0u);
  EXPECT_EQ(read_build_file("CMakeLists.txt", "set(CMAKE_CXX_STANDARD ${STD})").standard, 0u);
  EXPECT_EQ(read_build_file("CMakeLists.txt", "set(CMAKE_CXX_STANDARD").standard, 0u);
  EXPECT_EQ(read_build_file("CMakeLists.txt", "add_definitions(\"-DX").defines, (Strings{"-DX"}));
}

// Compile databases.

TEST_F(CppProject, ADatabaseGivesTheFlags) {
  add("/r/src/a.cpp", kTorch);
  add_database(
      "/r/build/compile_commands.json", "../src/a.cpp",
      "/usr/bin/c++ -Iinc -I../include -isystem /opt/x -DA=1 -D'B=\"two words\"' -U C -O3 -g -Wall -march=native "
      "-fPIC -MD -MF a.d -std=gnu++20 -include cfg.h -pthread -o a.o -c ../src/a.cpp",
      "/r/build");
  add_plain("/r/build/cfg.h", "");
  find();
  const Unit& a = unit("src/a.cpp");
  EXPECT_TRUE(a.from_database);
  EXPECT_EQ(a.directory, "/r/build");
  EXPECT_EQ(a.arguments, (Strings{"-std=gnu++20", "-I/r/build/inc", "-I/r/include", "-isystem", "/opt/x", "-DA=1",
                                  "-DB=\"two words\"", "-UC", "-include", "/r/build/cfg.h", "-pthread"}));
  EXPECT_TRUE(a.notes.empty());
  EXPECT_EQ(project_.database, "/r/build/compile_commands.json");
  EXPECT_EQ(standards_to_try(a), (Strings{"gnu++20"}));
}

TEST_F(CppProject, WhereDatabasesLie) {
  for (std::string folder :
       {"/r", "/r/build", "/r/build-x", "/r/build/Release", "/r/out/a", "/r/cmake-build-debug", "/"}) {
    files_ = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    options_.files.clear();
    options_.all_files.clear();
    add("/r/a.cpp", kTorch);
    add_database(join_path(folder, "compile_commands.json"), "/r/a.cpp", "g++ -DX -c a.cpp");
    find();
    EXPECT_TRUE(unit("a.cpp").from_database) << folder;
  }
}

TEST_F(CppProject, TheSearchEndsWithTheRepository) {
  add("/r/a.cpp", kTorch);
  add_plain("/r/.git/HEAD", "");
  add_database("/compile_commands.json", "/r/a.cpp", "g++ -DX -c a.cpp");
  add_database("/r/elsewhere/compile_commands.json", "/r/a.cpp", "g++ -DX -c a.cpp");
  find();
  EXPECT_FALSE(unit("a.cpp").from_database);
  options_.database = "/r/elsewhere";
  find();
  EXPECT_TRUE(unit("a.cpp").from_database);
  options_.database = "/r/nowhere";
  EXPECT_FALSE(find_units(options_, *files_));
}

TEST_F(CppProject, FilesWithoutAnEntryBorrow) {
  add("/r/src/net.cpp", kTorch);
  add("/r/src/net_test.cpp", kTorch);
  add("/r/include/net.h", kTorch);
  add("/r/tools/deep/tool.cpp", kTorch);
  add_plain("/r/src/zebra.cpp", "");
  add_plain("/r/compile_commands.json",
            R"([{"directory": "/r", "file": "src/net.cpp", "command": "g++ -DNET -c src/net.cpp"},
                {"directory": "/r", "file": "src/net.cpp", "command": "g++ -DSECOND -c src/net.cpp"},
                {"directory": "/r", "file": "src/zebra.cpp", "arguments": ["g++", "-DZEBRA", "-c", "src/zebra.cpp"]},
                {"directory": "/r", "file": "src/gone.cpp", "arguments": ["g++", "-DGONE"]},
                {"directory": "/r", "file": "/other/x.cpp", "arguments": ["g++", "-DOTHER"]}])");
  find();
  for (std::string name : {"src/net.cpp", "src/net_test.cpp", "include/net.h", "tools/deep/tool.cpp"}) {
    EXPECT_TRUE(unit(name).from_database) << name;
    EXPECT_TRUE(has(unit(name).arguments, "-DNET")) << name;
  }
  EXPECT_TRUE(unit("src/net.cpp").notes.empty());
  EXPECT_TRUE(mentions(unit("src/net_test.cpp").notes, "/r/src/net.cpp"));
  EXPECT_TRUE(mentions(project_.notes, "1 entries name files that do not exist"));
}

TEST_F(CppProject, GuessedFoldersFollowThoseOfTheDatabase) {
  add("/r/src/a.cpp", std::string(kTorch) + "#include \"x.h\"\n#include \"y.h\"\n");
  add_context("/r/one/x.h", "");
  add_context("/r/src/sub/x.h", "");
  add_context("/r/two/y.h", "");
  add_database("/r/compile_commands.json", "src/a.cpp", "g++ -Ione -c src/a.cpp");
  find();
  EXPECT_EQ(unit("src/a.cpp").arguments, (Strings{"-std=gnu++17", "-I/r/one", "-I/r/two"}));
  EXPECT_TRUE(mentions(unit("src/a.cpp").notes, "/r/two"));
}

TEST_F(CppProject, ABrokenEntryCostsNoOther) {
  add("/r/a.cpp", kTorch);
  add("/r/b.cpp", kTorch);
  add_plain("/r/compile_commands.json",
            "\xEF\xBB\xBF[{\"directory\": \"/r\", \"file\": \"x.cpp\", \"command\": \"oh no},\n 5, {\"file\": 3},\n"
            "{\"directory\": \"/r\", \"file\": \"a.cpp\", \"command\": \"g++ -DA\"},\n"
            "{\"directory\": \"/r\", \"file\": \"b.cpp\", \"comm");
  find();
  EXPECT_TRUE(has(unit("a.cpp").arguments, "-DA"));
  EXPECT_TRUE(mentions(project_.notes, "broken parts"));
}

TEST_F(CppProject, AUselessDatabaseIsSaidAndTheFlagsAreGuessed) {
  for (std::string text : {"", "{", "null", "[[[[[[", "[]", "\xff\xfe binary \x01", "{\"a\":\"\\", "[{}]"}) {
    files_ = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    options_.files.clear();
    options_.all_files.clear();
    add("/r/a.cpp", kTorch);
    add_plain("/r/compile_commands.json", text);
    find();
    EXPECT_FALSE(unit("a.cpp").from_database) << text;
    EXPECT_TRUE(mentions(project_.notes, "guessed")) << text;
  }
}

TEST_F(CppProject, DeepAndHugeDatabasesAreSurvived) {
  add("/r/a.cpp", kTorch);
  std::string deep = "[{\"a\":" + std::string(2'000'000, '[') + std::string(2'000'000, ']') + "},\n{\"a\":";
  for (int i = 0; i < 200'000; ++i) deep += "{\"a\":";
  deep += "1" + std::string(200'001, '}');
  deep += ",{\"directory\":\"/r\",\"file\":\"a.cpp\",\"arguments\":[\"g++\",\"-DA\"]}]";
  add_plain("/r/compile_commands.json", deep);
  find();
  EXPECT_TRUE(has(unit("a.cpp").arguments, "-DA"));
}

TEST_F(CppProject, HugeCommandsAreCut) {
  add("/r/a.cpp", kTorch);
  std::string command = "g++ -DFIRST -D" + std::string(1u << 20, 'X');
  for (int i = 0; i < 30'000; ++i) command += " -DN" + std::to_string(i);
  add_database("/r/compile_commands.json", "a.cpp", command);
  find();
  EXPECT_TRUE(has(unit("a.cpp").arguments, "-DFIRST"));
  EXPECT_LT(unit("a.cpp").arguments.size(), 20'010u);
  EXPECT_TRUE(mentions(unit("a.cpp").notes, "arguments"));
  EXPECT_TRUE(mentions(unit("a.cpp").notes, "1048578 bytes"));
}

// Flags.

class CppFlags : public CppProject {
 protected:
  Flags flags(const std::string& command) { return sanitise({"/r/build", split_command(command)}, "/r", *files_); }
};

TEST_F(CppFlags, NothingThatLoadsOrRunsIsKept) {
  for (std::string flag : {"-fplugin=evil.so", "-fplugin-arg-x-y", "-Xclang -load", "-load evil.so",
                           "-fpass-plugin=evil.so", "-mllvm -x", "-specs=evil", "--specs=evil", "-B/evil",
                           "-wrapper gdb", "-ivfsoverlay o.yaml", "-fmodule-file=x", "-fmodules-cache-path=/x",
                           "-resource-dir /x", "--config x.cfg", "-cc1", "-Xanalyzer x", "-working-directory /x"}) {
    Flags result = flags("g++ -DBEFORE " + flag + " -DAFTER -c a.cpp");
    EXPECT_EQ(result.arguments, (Strings{"-DBEFORE", "-DAFTER"})) << flag;
    ASSERT_EQ(result.notes.size(), 1u) << flag;
    EXPECT_NE(result.notes[0].find(flag), std::string::npos) << result.notes[0];
  }
}

TEST_F(CppFlags, HarmlessNoiseIsDroppedSilently) {
  Flags result = flags(
      "g++ -O2 -g3 -Wall -Wno-x -Wl,-rpath,x -march=native -mavx2 -fPIC -MMD -MF d -MT t -MQ q -fno-gnu-unique "
      "-fconcepts -fabi-version=2 "
      "-fvar-tracking -L/x -lfoo -x c++ -T x.ld -z now --param a=b -fmax-errors=1 -pipe -shared -include-pch x.pch -- "
      "-DNO");
  EXPECT_TRUE(result.arguments.empty()) << result.arguments[0];
  EXPECT_EQ(result.standard, "gnu++17");
}

TEST_F(CppFlags, LaunchersAndCompilers) {
  EXPECT_EQ(flags("ccache distcc g++ -DX").arguments, (Strings{"-DX"}));
  EXPECT_EQ(flags("env CC=gcc PATH=x /usr/bin/g++-10 -DX").standard, "gnu++14");
  EXPECT_EQ(flags("g++-9 a.cpp").standard, "gnu++14");
  EXPECT_EQ(flags("g++-11 a.cpp").standard, "gnu++17");
  EXPECT_EQ(flags("clang++-15 a.cpp").standard, "gnu++14");
  EXPECT_EQ(flags("clang++-16 a.cpp").standard, "gnu++17");
  EXPECT_EQ(flags("x86_64-linux-gnu-g++ a.cpp").standard, "gnu++17");
  EXPECT_EQ(flags("g++-9 -std=c++20 a.cpp").standard, "c++20");
  EXPECT_EQ(flags("g++ -std=c11 a.cpp").standard, "gnu++17");
  EXPECT_EQ(flags("").standard, "gnu++17");
  EXPECT_TRUE(flags("ccache").arguments.empty());
}

TEST_F(CppFlags, PathsOfAllSpellings) {
  EXPECT_EQ(flags("g++ -I a -Ib -I../c -isystem d -isysteme -iquote f -idirafter g --sysroot=/s -I- -I").arguments,
            (Strings{"-I/r/build/a", "-I/r/build/b", "-I/r/c", "-isystem", "/r/build/d", "-isystem", "/r/build/e",
                     "-iquote", "/r/build/f", "-idirafter", "/r/build/g", "-isysroot", "/s"}));
  EXPECT_EQ(flags("g++ -I\"with space\" '-DX=a b' -D \"Y=\\\"q\\\"\" -DF(x)=x -D1X -D=").arguments,
            (Strings{"-I/r/build/with space", "-DX=a b", "-DY=\"q\"", "-DF(x)=x"}));
  EXPECT_EQ(flags("g++ -include known.h").arguments, (Strings{"-include", "known.h"}));
}

TEST_F(CppFlags, Nvcc) {
  Flags result = flags(
      "/usr/local/cuda/bin/nvcc -forward-unknown-to-host-compiler -ccbin g++ --expt-relaxed-constexpr -gencode "
      "arch=compute_80,code=sm_80 "
      "--generate-code=arch=compute_90 -Xcompiler=-fPIC,-DINNER -Xcompiler \"-fopenmp -Ix\" -Xptxas -v "
      "-isystem=/c/include "
      "--define-macro=LONG --include-path /inc -std=c++17 -x cu -rdc=true -dc a.cu -o a.o");
  EXPECT_EQ(result.arguments,
            (Strings{"-DINNER", "-fopenmp", "-I/r/build/x", "-isystem", "/c/include", "-DLONG", "-I/inc"}));
  EXPECT_EQ(result.standard, "c++17");
  EXPECT_TRUE(result.is_cuda);
}

TEST_F(CppFlags, VisualStudio) {
  Flags result = flags(
      "C:\\VS\\cl.exe /nologo /TP /IC:\\inc /I ..\\x /DA=1 /D B -DC /EHsc /std:c++20 /FIpre.h /external:I ext /Wall "
      "/Fo:a.obj "
      "/clang:-fplugin=x /c a.cpp");
  EXPECT_EQ(result.arguments,
            (Strings{"-IC:/inc", "-I/r/x", "-DA=1", "-DB", "-DC", "-include", "pre.h", "-isystem", "/r/build/ext"}));
  EXPECT_EQ(result.standard, "gnu++20");
  EXPECT_TRUE(mentions(result.notes, "/clang:-fplugin=x"));
  EXPECT_TRUE(flags("g++ /Ino /DNO").arguments.empty());
}

TEST_F(CppFlags, CMakesPrecompiledHeader) {
  add_plain("/r/build/pch.hxx", "");
  EXPECT_EQ(
      flags("clang++ -Xclang -include-pch -Xclang /r/build/pch.hxx.pch -Xclang -include -Xclang pch.hxx -DX").arguments,
      (Strings{"-include", "/r/build/pch.hxx", "-DX"}));
}

TEST_F(CppFlags, ResponseFiles) {
  add_plain("/r/build/a.rsp", "-DA @more.rsp\n\"-DB=x y\"");
  add_plain("/r/build/more.rsp", "-DMORE");
  add_plain("/etc/secret.rsp", "-DSECRET");
  EXPECT_EQ(flags("g++ @a.rsp -DC").arguments, (Strings{"-DA", "-DMORE", "-DB=x y", "-DC"}));
  Flags outside = flags("g++ @/etc/secret.rsp @../../etc/secret.rsp -DC");
  EXPECT_EQ(outside.arguments, (Strings{"-DC"}));
  EXPECT_EQ(outside.notes.size(), 2u);
  EXPECT_TRUE(mentions(flags("g++ @gone.rsp").notes, "gone.rsp"));
}

TEST_F(CppFlags, ResponseFilesThatIncludeThemselves) {
  add_plain("/r/build/loop.rsp", "-DX @loop.rsp @loop.rsp @loop.rsp");
  Flags result = flags("g++ @loop.rsp -DEND");
  EXPECT_TRUE(has(result.arguments, "-DEND"));
  EXPECT_LT(result.arguments.size(), 100u);
  EXPECT_TRUE(mentions(result.notes, "too many"));
}

// LibTorch's own headers.

constexpr const char* kWheel = "/opt/py/lib/python3.11/site-packages/torch/include";

class CppTorch : public CppProject {
 protected:
  void SetUp() override { add("/r/a.cpp", kTorch); }
  void install(const std::string& include) {
    add_plain(include + "/torch/csrc/api/include/torch/torch.h", "");
    add_plain(include + "/ATen/ATen.h", "");
  }
};

TEST_F(CppTorch, StubsByDefault) {
  install("/usr/include");
  install("/r/libtorch/include");
  find();
  EXPECT_FALSE(unit("a.cpp").real_torch);
}

TEST_F(CppTorch, TheDatabaseMayNameThem) {
  install("/opt/libtorch/include");
  add_database("/r/compile_commands.json", "a.cpp", "g++ -isystem /opt/libtorch/include -std=c++14 -c a.cpp");
  find();
  EXPECT_TRUE(unit("a.cpp").real_torch);
  EXPECT_EQ(unit("a.cpp").arguments[0], "-std=c++14");
}

TEST_F(CppTorch, ADatabaseMayNameWhatIsNotThere) {
  add_database("/r/compile_commands.json", "a.cpp", "g++ -isystem /opt/libtorch/include -std=c++14 -c a.cpp");
  find();
  EXPECT_FALSE(unit("a.cpp").real_torch);
  EXPECT_EQ(unit("a.cpp").arguments[0], "-std=gnu++17");  // the stubs need it
  EXPECT_TRUE(mentions(unit("a.cpp").notes, "c++14"));
}

TEST_F(CppTorch, APathInAllItsForms) {
  install("/opt/libtorch/include");
  install("/usr/include");
  install(kWheel);
  struct {
    std::string path;
    Strings folders;
  } cases[] = {
      {"/opt/libtorch", {"/opt/libtorch/include", "/opt/libtorch/include/torch/csrc/api/include"}},
      {"/opt/libtorch/include", {"/opt/libtorch/include", "/opt/libtorch/include/torch/csrc/api/include"}},
      {"/opt/libtorch/share/cmake/Torch", {"/opt/libtorch/include", "/opt/libtorch/include/torch/csrc/api/include"}},
      {"/opt/libtorch/include/torch/csrc/api/include/",
       {"/opt/libtorch/include", "/opt/libtorch/include/torch/csrc/api/include"}},
      {"/usr", {"/usr/include/torch/csrc/api/include"}},
      {"/opt/py", {kWheel, std::string(kWheel) + "/torch/csrc/api/include"}},
      {"/opt/py/lib/python3.11/site-packages/torch", {kWheel, std::string(kWheel) + "/torch/csrc/api/include"}},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(torch_include_folders(*files_, one.path), one.folders) << one.path;
    options_.torch = one.path;
    find();
    EXPECT_TRUE(unit("a.cpp").real_torch);
    EXPECT_TRUE(has_pair(unit("a.cpp").arguments, "-isystem", one.folders[0])) << one.path;
  }
}

TEST_F(CppTorch, APathWithoutIt) {
  options_.torch = "/nowhere";
  Result<Project> result = find_units(options_, *files_);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("/nowhere"), std::string::npos);
}

TEST_F(CppTorch, ThePathReplacesTheDatabases) {
  install("/opt/old/include");
  install("/opt/new/include");
  add_database("/r/compile_commands.json", "a.cpp",
               "g++ -I/opt/old/include -isystem /opt/old/include/torch/csrc/api/include -Ikeep -c a.cpp");
  add_plain("/opt/old/include/torch/csrc/api/include/torch/nn/module.h", "");
  options_.torch = "/opt/new";
  find();
  EXPECT_EQ(unit("a.cpp").arguments, (Strings{"-std=gnu++17", "-I/r/keep", "-isystem", "/opt/new/include", "-isystem",
                                              "/opt/new/include/torch/csrc/api/include"}));
  options_.torch = "auto";
  options_.torch_places = {"/opt/new"};
  find();
  EXPECT_TRUE(has(unit("a.cpp").arguments, "-I/opt/old/include"));
  EXPECT_FALSE(mentions(unit("a.cpp").arguments, "/opt/new"));
}

TEST_F(CppTorch, AutoSearches) {
  options_.torch = "auto";
  find();
  EXPECT_FALSE(unit("a.cpp").real_torch);
  EXPECT_TRUE(mentions(project_.notes, "no LibTorch"));
  install("/opt/libtorch/include");
  find();
  EXPECT_TRUE(has_pair(unit("a.cpp").arguments, "-isystem", "/opt/libtorch/include"));
  install("/r/.venv/lib/python3.12/site-packages/torch/include");
  find();
  EXPECT_TRUE(mentions(unit("a.cpp").arguments, "/r/.venv/"));
  install("/hint/include");
  options_.torch_places = {"/gone", "/hint/share/cmake/Torch"};
  find();
  EXPECT_TRUE(has_pair(unit("a.cpp").arguments, "-isystem", "/hint/include"));
}

// Directives.

TEST(CppDirectives, OnlyLinesThatThePreprocessorSees) {
  std::vector<std::string> seen;
  for (const Directive& directive :
       scan_directives("// #include <no>\n"
                       "/* #include <no>\n#include <no> */ # /* x */ include /* y */ <a//b.h> // c\n"
                       "const char* s = \"\\\n#include <no>\";\n"
                       "auto r = R\"x(\n#include <no>\n)\" )x\"; int n = 1'000'000;\n"
                       "#inc\\\nlude \"b.h\"\n"
                       "char c = '\"';\n"
                       "#define X \\\r\n#include <no>\r\n"
                       "// continued \\\n#include <no>\n"
                       "#error don't\n"
                       "  #  include\t<c.h>"))
    seen.push_back(std::to_string(directive.line) + " " + directive.name + " " + directive.text);
  EXPECT_EQ(seen, (Strings{"3 include <a//b.h>", "9 include \"b.h\"", "12 define X #include <no>", "16 error don't",
                           "17 include <c.h>"}));
}

TEST(CppDirectives, HostileTextEnds) {
  for (std::string text : {"#", "#include", "#include \"", "#include <", "/*", "\"", "R\"(", "R\"0123456789012345678(",
                           "'", "\\", "#if", "#else\n#endif\n#elif", "\xEF\xBB\xBF#"})
    scan_directives(text);
  std::string deep = "#if ";
  for (int i = 0; i < 100'000; ++i) deep += "!(";
  EXPECT_TRUE(inactive_torch_macros(deep + "\n#include <torch/torch.h>\n#endif").empty());
  std::string nots = "#if ";
  for (int i = 0; i < 100'000; ++i) nots += "not ";
  EXPECT_TRUE(inactive_torch_macros(nots + "X\n#include <torch/torch.h>\n#endif").empty());
  std::string nested;
  for (int i = 0; i < 2'000; ++i) nested += "#ifdef A" + std::to_string(i) + "\n";
  EXPECT_TRUE(inactive_torch_macros(nested + kTorch.data()).empty());
  std::string chain = "#define A0 1\n";
  for (int i = 1; i < 50; ++i) {
    std::string before = "A" + std::to_string(i - 1);
    chain += "#define A" + std::to_string(i) + " (" + before + "+" + before + "+" + before + ")\n";
  }
  inactive_torch_macros(chain + "#if A49\n#include <torch/torch.h>\n#endif");
}

Strings macros(const std::string& condition, const Strings& arguments = {}) {
  return inactive_torch_macros(condition + "\n#include <torch/script.h>\n#endif\n", arguments);
}

TEST(CppHiddenTorch, SimpleConditions) {
  EXPECT_EQ(macros("#ifdef USE_TORCH"), (Strings{"-DUSE_TORCH"}));
  EXPECT_EQ(macros("#if defined(USE_TORCH)"), (Strings{"-DUSE_TORCH"}));
  EXPECT_EQ(macros("#if defined USE_TORCH && !defined(NO_GPU)"), (Strings{"-DUSE_TORCH"}));
  EXPECT_EQ(macros("#if USE_TORCH"), (Strings{"-DUSE_TORCH"}));
  EXPECT_EQ(macros("#if A && (B || C)"), (Strings{"-DA", "-DB"}));
  EXPECT_EQ(macros("#if BACKEND == 2"), (Strings{"-DBACKEND=2"}));
  EXPECT_EQ(macros("#if BACKEND > 2"), (Strings{"-DBACKEND=3"}));
  EXPECT_EQ(macros("#if 0x10 <= LEVEL"), (Strings{"-DLEVEL=16"}));
  EXPECT_EQ(macros("#ifdef X\n#else\n#if defined(Y) /* Z */"), (Strings{"-DY"}));
  EXPECT_EQ(macros("#ifdef ONNX\n#include <onnx.h>\n#elif defined(TORCH)"), (Strings{"-DTORCH"}));
  EXPECT_EQ(macros("#ifdef A\n#ifdef B"), (Strings{"-DA", "-DB"}));
}

TEST(CppHiddenTorch, NothingToDefine) {
  EXPECT_TRUE(macros("#ifndef NO_TORCH").empty());                     // it is seen
  EXPECT_TRUE(macros("#if __has_include(<torch/script.h>)").empty());  // so is this
  EXPECT_TRUE(macros("#if defined(__linux__) && __cplusplus >= 201703L").empty());
  EXPECT_TRUE(macros("#if !defined(USE_TORCH)\n#else", {"-DUSE_TORCH"}).empty());
  EXPECT_TRUE(macros("#if 0").empty());  // this cannot be helped
  EXPECT_TRUE(macros("#ifdef _WIN32").empty());
  EXPECT_TRUE(macros("#ifdef A\n#ifndef A").empty());
  EXPECT_TRUE(macros("#if VERSION_AT_LEAST(2, 1)").empty());
  EXPECT_TRUE(macros("#define USE_TORCH 0\n#if USE_TORCH").empty());
  EXPECT_TRUE(macros("#if ) garbage (").empty());
  EXPECT_TRUE(inactive_torch_macros("#ifdef A\n#include <vector>\n#endif\n").empty());
  EXPECT_TRUE(
      inactive_torch_macros("#include <torch/torch.h>\n#ifdef CUDA\n#include <c10/cuda/x.h>\n#endif\n").empty());
}

TEST(CppHiddenTorch, TheFewestDefinitionsWin) {
  EXPECT_EQ(inactive_torch_macros("#if defined(A) && defined(B)\n#include <torch/torch.h>\n#endif\n"
                                  "#ifdef C\n#include <torch/script.h>\n#endif\n"),
            (Strings{"-DC"}));
  EXPECT_EQ(macros("#define WITH_NET 1\n#if WITH_NET && defined(USE_TORCH)"), (Strings{"-DUSE_TORCH"}));
  EXPECT_EQ(macros("#if defined(A) && defined(B)", {"-DA"}), (Strings{"-DB"}));
}

TEST_F(CppProject, HiddenTorchIsFoundAcrossFiles) {
  add("/r/a.cpp", "#include \"config.h\"\n#ifdef VISION\n#include \"net.h\"\n#endif\n");
  add_context("/r/net.h", "#ifdef LEARNED\n#include <torch/script.h>\n#endif\n");
  add("/r/b.cpp", "#include \"config.h\"\n#ifdef GPU\n#include \"seen.h\"\n#endif\n");
  add_context("/r/config.h", "#define GPU\n");
  add_context("/r/seen.h", "#ifdef GPU\n#include <torch/script.h>\n#endif\n");
  add("/r/c.cpp", std::string(kTorch));
  find();
  EXPECT_EQ(unit("a.cpp").torch_definitions, (Strings{"-DLEARNED", "-DVISION"}));
  EXPECT_TRUE(unit("a.cpp").without_torch_include);
  EXPECT_FALSE(unit("b.cpp").without_torch_include);
  EXPECT_FALSE(unit("c.cpp").without_torch_include);
  EXPECT_TRUE(unit("b.cpp").torch_definitions.empty());
}

TEST(CppPaths, Parts) {
  EXPECT_EQ(normal_path("/a/./b/../c//d/"), "/a/c/d");
  EXPECT_EQ(normal_path("/.."), "/");
  EXPECT_EQ(parent_path("/a"), "/");
  EXPECT_EQ(parent_path("/"), "/");
  EXPECT_EQ(file_extension("/a.b/.hidden"), "");
  EXPECT_EQ(file_stem("/x/net.tar.h"), "net.tar");
  EXPECT_TRUE(is_below("/a/b", "/a"));
  EXPECT_TRUE(is_below("/a", "/"));
  EXPECT_FALSE(is_below("/ab", "/a"));
  EXPECT_EQ(common_depth("/a/b", "/a/c"), 2u);
  EXPECT_EQ(common_depth("/a/b", "/a/bc"), 2u);
  EXPECT_EQ(common_depth("/a/b", "/a/b/c"), 3u);
}

}  // namespace
}  // namespace deadgrad::cpp
