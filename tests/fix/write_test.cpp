// What happens to files on disk.
#include "integrations/fix/write.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace deadgrad::fix {

namespace fs = std::filesystem;

class Writing : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "deadgrad-write-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    put("a.py", "old\n");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void put(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  std::string text_of(const std::string& name) {
    std::ostringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }
  std::size_t entries() { return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {})); }
  FixedFile file(const std::string& name) { return {name, (folder_ / name).string(), "old\n", "new\n"}; }

  fs::path folder_;
};

TEST_F(Writing, KeepsThePermissions) {
  ::chmod((folder_ / "a.py").c_str(), 0755);
  ASSERT_TRUE(write(file("a.py")));
  EXPECT_EQ(text_of("a.py"), "new\n");
  EXPECT_EQ(fs::status(folder_ / "a.py").permissions(), fs::perms(0755));
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Writing, FollowsLinks) {
  fs::create_symlink("a.py", folder_ / "b.py");
  ASSERT_TRUE(write(file("b.py")));
  EXPECT_TRUE(fs::is_symlink(folder_ / "b.py"));
  EXPECT_EQ(text_of("a.py"), "new\n");
}

TEST_F(Writing, LeavesWhatSomebodyElseChanged) {
  put("a.py", "newer\n");
  const Result<bool> written = write(file("a.py"));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, "a.py: changed on disk since it was read; left as it is");
  EXPECT_EQ(text_of("a.py"), "newer\n");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Writing, LeavesWhatIsGone) {
  fs::remove(folder_ / "a.py");
  EXPECT_FALSE(write(file("a.py")));
  EXPECT_EQ(entries(), 0u);
}

}  // namespace deadgrad::fix
