// The file system that serves the embedded headers.
#include <gtest/gtest.h>

#include <string>

#include "frontends/cpp/virtual_files.h"
#include "llvm/Support/MemoryBuffer.h"

namespace deadgrad::cpp {
namespace {

using llvm::IntrusiveRefCntPtr;
namespace vfs = llvm::vfs;

IntrusiveRefCntPtr<vfs::FileSystem> stubs_over_memory(bool torch_stubs) {
  auto memory = llvm::makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  memory->addFile("/home/user/main.cpp", 0, llvm::MemoryBuffer::getMemBufferCopy("int main() {}\n"));
  memory->addFile("/usr/include/torch/torch.h", 0, llvm::MemoryBuffer::getMemBufferCopy("// the real header\n"));
  return make_stub_file_system(memory, torch_stubs);
}

std::string text_of(vfs::FileSystem& files, const std::string& path) {
  auto buffer = files.getBufferForFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "missing";
}

std::string below_root(const std::string& path) {
  return std::string(stub_include_root()) + "/" + path;
}
std::string builtin(const std::string& path) {
  return std::string(stub_resource_dir()) + "/include/" + path;
}

TEST(VirtualFiles, EveryTorchHeaderExists) {
  auto files = stubs_over_memory(true);
  for (const char* path : {"torch/torch.h", "torch/csrc/no/such/thing.h", "ATen/ATen.h", "ATen/cuda/Whatever.cuh",
                           "c10/x.h", "caffe2/core/y.hpp", "torch/csrc/api/include/torch/torch.h"}) {
    EXPECT_NE(text_of(*files, below_root(path)).find(stub_umbrella()), std::string::npos) << path;
    EXPECT_TRUE(files->exists(below_root(path))) << path;
  }
  EXPECT_NE(text_of(*files, below_root("torchvision/vision.h")).find("torchvision/_deadgrad_stub.h"),
            std::string::npos);
  EXPECT_NE(text_of(*files, below_root("pybind11/stl.h")).find("python.h"), std::string::npos);
  EXPECT_NE(text_of(*files, below_root("torch/extension.h")).find("namespace py"), std::string::npos);
}

TEST(VirtualFiles, OtherPathsBelowTheRootDoNotExist) {
  auto files = stubs_over_memory(true);
  for (const char* path : {"opencv2/core.hpp", "vector", "torch_utils/x.h", "deadgrad_stub/none.h", "../other/x.h"}) {
    EXPECT_FALSE(files->exists(below_root(path))) << path;
    EXPECT_FALSE(files->openFileForRead(below_root(path))) << path;
  }
  EXPECT_FALSE(files->exists("/deadgrad-stubs-of-the-user/torch/torch.h"));
}

TEST(VirtualFiles, FoldersCanBeEntered) {
  auto files = stubs_over_memory(true);
  for (const char* path : {"", "torch", "torch/csrc/jit", "ATen/cuda/", "deadgrad_stub"}) {
    auto status = files->status(below_root(path));
    ASSERT_TRUE(status) << path;
    EXPECT_TRUE(status->isDirectory()) << path;
  }
  EXPECT_FALSE(files->openFileForRead(below_root("torch")));
}

TEST(VirtualFiles, IdentityFollowsFromThePath) {
  auto files = stubs_over_memory(true);
  auto first = files->status(below_root("torch/torch.h")), again = files->status(below_root("torch/torch.h"));
  auto dotted = files->status(below_root("ATen/../torch/./torch.h")), other = files->status(below_root("torch/nn.h"));
  ASSERT_TRUE(first && again && dotted && other);
  EXPECT_EQ(first->getUniqueID(), again->getUniqueID());
  EXPECT_EQ(first->getUniqueID(), dotted->getUniqueID());
  EXPECT_NE(first->getUniqueID(), other->getUniqueID());
  EXPECT_EQ(first->getSize(), text_of(*files, below_root("torch/torch.h")).size());
}

TEST(VirtualFiles, WithoutStubsOnlyTheCompilersHeadersAreServed) {
  auto files = stubs_over_memory(false);
  EXPECT_FALSE(files->exists(std::string(stub_include_root())));
  EXPECT_FALSE(files->exists(below_root("torch/torch.h")));
  for (const char* name :
       {"stddef.h", "stdarg.h", "stdint.h", "limits.h", "float.h", "stdatomic.h", "__stddef_size_t.h"}) {
    EXPECT_TRUE(files->exists(builtin(name))) << name;
  }
  EXPECT_NE(text_of(*files, builtin("stddef.h")).find("size_t"), std::string::npos);
  EXPECT_FALSE(files->exists(builtin("vector")));
}

TEST(VirtualFiles, TheUsersFilesShowThrough) {
  auto files = stubs_over_memory(true);
  EXPECT_EQ(text_of(*files, "/home/user/main.cpp"), "int main() {}\n");
  EXPECT_EQ(text_of(*files, "/usr/include/torch/torch.h"), "// the real header\n");
  EXPECT_EQ(text_of(*files, "/home/user/none.cpp"), "missing");
}

TEST(VirtualFiles, TheHashIsStable) {
  EXPECT_EQ(stub_content_hash(), stub_content_hash());
  EXPECT_NE(stub_content_hash(), 0U);
}

}  // namespace
}  // namespace deadgrad::cpp
