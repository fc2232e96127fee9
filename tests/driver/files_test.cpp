// File discovery on folders made for each test: what is taken, in which order, under which names.
#include "integrations/driver/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace deadgrad::driver {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "deadgrad_files_XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
    root_ = fs::canonical(root_);
    before_ = fs::current_path();
    fs::current_path(root_);
  }
  void TearDown() override {
    fs::current_path(before_);
    fs::remove_all(root_);
  }

  void write(const std::string& path, const std::string& text = "x = 1\n") {
    fs::create_directories(fs::path(path).parent_path().empty() ? "." : fs::path(path).parent_path());
    std::ofstream(path) << text;
  }
  // "display path (module path)" of each file, `!` marks vendored ones.
  std::vector<std::string> found(const std::vector<std::string>& paths) {
    auto inputs = find_inputs(paths);
    EXPECT_TRUE(inputs.has_value());
    std::vector<std::string> names;
    for (const InputFile& file : inputs->files)
      names.push_back((file.vendored ? "!" : "") + file.display_path + " (" + file.module_path + ")");
    return names;
  }
  using Names = std::vector<std::string>;

  fs::path root_, before_;
};

TEST_F(Files, WalksFoldersInByteOrder) {
  for (const char* path : {"p/b.py", "p/a/z.py", "p/a.py", "p/B.py", "p/readme.md", "p/c.cpp"}) write(path);
  EXPECT_EQ(found({"p"}),
            (Names{"p/B.py (B.py)", "p/a.py (a.py)", "p/a/z.py (a/z.py)", "p/b.py (b.py)", "p/c.cpp (c.cpp)"}));
}

TEST_F(Files, SkipsWhatToolsMake) {
  for (const char* path : {"p/a.py", "p/.git/x.py", "p/node_modules/x.py", "p/__pycache__/x.py", "p/.venv/x.py",
                           "p/env/pyvenv.cfg", "p/env/lib/x.py", "p/out/CMakeCache.txt", "p/out/x.py", "p/setup.py",
                           "p/build/lib/x.py", "p/sub/build/kept.py"})
    write(path);
  EXPECT_EQ(found({"p"}), (Names{"p/a.py (a.py)", "p/setup.py (setup.py)", "p/sub/build/kept.py (sub/build/kept.py)"}));
}

TEST_F(Files, MarksVendoredCodeUnlessItIsNamed) {
  for (const char* path : {"p/a.py", "p/third_party/x.py", "p/vendor.py"}) write(path);
  EXPECT_EQ(found({"p"}),
            (Names{"p/a.py (a.py)", "!p/third_party/x.py (third_party/x.py)", "p/vendor.py (vendor.py)"}));
  EXPECT_EQ(found({"p/third_party/x.py"}), (Names{"p/third_party/x.py (x.py)"}));
  EXPECT_EQ(found({"p/third_party"}), (Names{"p/third_party/x.py (x.py)"}));
}

TEST_F(Files, ResolvesImportsFromTheOutermostNonPackage) {
  for (const char* path : {"src/pkg/__init__.py", "src/pkg/sub/__init__.py", "src/pkg/sub/m.py"}) write(path);
  EXPECT_EQ(found({"src/pkg/sub/m.py"}), (Names{"src/pkg/sub/m.py (pkg/sub/m.py)"}));
  EXPECT_EQ(found({"src/pkg/sub"}).back(), "src/pkg/sub/m.py (pkg/sub/m.py)");
}

TEST_F(Files, TakesTheCommonParentOfSeveralPaths) {
  for (const char* path : {"p/one/a.py", "p/two/b.py"}) write(path);
  EXPECT_EQ(found({"p/two", "p/one/a.py"}), (Names{"p/one/a.py (one/a.py)", "p/two/b.py (two/b.py)"}));
}

TEST_F(Files, TakesNoFileTwice) {
  write("p/a.py");
  EXPECT_EQ(found({"p", "p/a.py", "./p/../p"}), (Names{"p/a.py (a.py)"}));
}

TEST_F(Files, FollowsLinksInsideTheTreeOnce) {
  write("p/real/a.py");
  write("outside/b.py");
  fs::create_directory_symlink("..", "p/real/up");         // a loop
  fs::create_directory_symlink("../outside", "p/leaves");  // out of the tree
  fs::create_symlink("real/a.py", "p/0_link.py");          // sorts before its target
  fs::create_symlink("nowhere.py", "p/broken.py");
  EXPECT_EQ(found({"p"}), (Names{"p/real/a.py (real/a.py)"}));
}

TEST_F(Files, NamesPathsOutsideTheCurrentDirectoryInFull) {
  write("p/a.py");
  write("q/b.py");
  fs::current_path("q");
  EXPECT_EQ(found({"../p"}), (Names{(root_ / "p/a.py").string() + " (a.py)"}));
  EXPECT_EQ(found({(root_ / "q").string()}), (Names{"b.py (b.py)"}));
}

TEST_F(Files, TakesNamedFilesWhateverTheirNames) {
  write("script");
  EXPECT_EQ(found({"script"}), (Names{"script (script)"}));
}

TEST_F(Files, RefusesWhatIsNeitherFileNorFolder) {
  EXPECT_FALSE(find_inputs({"nowhere"}).has_value());
  ::mkfifo("pipe.py", 0600);
  EXPECT_FALSE(find_inputs({"pipe.py"}).has_value());
  EXPECT_TRUE(found({"."}).empty());
}

TEST_F(Files, NeverBlocksAndNeverReadsHugeFiles) {
  ::mkfifo("pipe.py", 0600);
  EXPECT_EQ(read_file("pipe.py").error().message, "not a regular file");
  EXPECT_EQ(read_file("/dev/zero").error().message, "not a regular file");
  write("big.py", std::string(kMaxFileBytes + 1, '#'));
  EXPECT_EQ(read_file("big.py").error().message, "larger than 4 MB");
  write("full.py", std::string(kMaxFileBytes, '#'));
  EXPECT_EQ(read_file("full.py")->size(), kMaxFileBytes);
  write("empty.py", "");
  EXPECT_EQ(*read_file("empty.py"), "");
}

}  // namespace deadgrad::driver
