// What a project's files say of PyTorch.
#include "integrations/driver/requirements.h"

#include <gtest/gtest.h>

#include <string>

namespace deadgrad::driver {
namespace {

std::string shown(std::optional<model::TorchVersion> version) {
  return version ? std::to_string(version->major) + "." + std::to_string(version->minor) : "none";
}
std::string required(std::string_view file, std::string_view text) {
  return shown(torch_required(file, text));
}
std::string line(std::string_view text) {
  return required("requirements.txt", text);
}

TEST(Requirements, SpecifiersOfOneLine) {
  EXPECT_EQ(line("torch==1.13.1"), "1.13");
  EXPECT_EQ(line("torch==1.7.1+cu110"), "1.7");
  EXPECT_EQ(line("torch >= 1.8 , < 2"), "1.8");
  EXPECT_EQ(line("torch<2.0.0,>=1.8"), "1.8");
  EXPECT_EQ(line("Torch~=1.10.0"), "1.10");
  EXPECT_EQ(line("torch>2"), "2.0");
  EXPECT_EQ(line("torch==1.8.*"), "1.8");
  EXPECT_EQ(line("torch (>=1.6)"), "1.6");
  EXPECT_EQ(line("torch[opt-einsum]>=2.0"), "2.0");
  EXPECT_EQ(line("torch>=1.7,!=1.9.0"), "1.7");
  EXPECT_EQ(line("torch===1.9"), "1.9");
  EXPECT_EQ(line("torch>=1.5; python_version < '3.8'"), "1.5");
  EXPECT_EQ(line("torch==1.8.0 --hash=sha256:0123"), "1.8");
  EXPECT_EQ(line("torch @ https://example.org/whl/cu111/torch-1.8.1%2Bcu111-cp38-cp38-linux_x86_64.whl"), "1.8");
}

TEST(Requirements, AnUpperBoundLeavesWhatIsBelow) {
  EXPECT_EQ(line("torch<=1.8.1"), "1.8");
  EXPECT_EQ(line("torch<1.9"), "1.8");
  EXPECT_EQ(line("torch<1.9.1"), "1.9");
  EXPECT_EQ(line("torch<1.9.0"), "1.8");
  EXPECT_EQ(line("torch<2"), "1.999");
}

TEST(Requirements, LinesThatSayNothing) {
  for (std::string_view text :
       {"torch", "torch # any", "# torch==1.8", "torchvision==0.9", "torch-geometric>=2", "pytorch-lightning==1.4", "",
        "-r base.txt", "--find-links https://example.org/torch-1.8.1.whl", "torch @ git+https://example.org/pytorch",
        "torch==x", "torch!=1.8", "torch>=", "torch[", "torch(", "torch@", "torch;", "torch ==", "\xff\xfe"}) {
    EXPECT_EQ(line(text), "none") << text;
  }
}

TEST(Requirements, TheLowestOfSeveralLines) {
  EXPECT_EQ(line("numpy\ntorch>=2.0; python_version >= '3.11'\r\ntorch>=1.12; python_version < '3.11'\n"), "1.12");
  EXPECT_EQ(required("requirements-gpu.txt", "torch==1.9"), "1.9");
}

TEST(Requirements, Pyproject) {
  const std::string_view file = "pyproject.toml";
  EXPECT_EQ(required(file, "[project]\ndependencies = [\"numpy\", \"torch>=1.8\"]\n"), "1.8");
  EXPECT_EQ(required(file, "[project.optional-dependencies]\ngpu = [\"torch>=1.9\"]\nall = []\n"), "1.9");
  EXPECT_EQ(required(file, "[dependency-groups]\ndev = [\"torch==2.1\", {include-group = \"x\"}]\n"), "2.1");
  EXPECT_EQ(required(file, "[tool.poetry.dependencies]\ntorch = \"^1.10\"\n"), "1.10");
  EXPECT_EQ(required(file, "[tool.poetry.dependencies]\ntorch = {version = \"~1.11\", source = \"x\"}\n"), "1.11");
  EXPECT_EQ(required(file, "[tool.poetry.dependencies]\ntorch = [{version = \">=2\"}, {version = \"1.12.1\"}]\n"),
            "1.12");
  EXPECT_EQ(required(file, "[tool.poetry.group.gpu.dependencies]\ntorch = \"^1.9 || ^2.0\"\n"), "1.9");
  EXPECT_EQ(required(file, "[tool.poetry.dependencies]\ntorch = \"*\"\n"), "none");
  EXPECT_EQ(required(file, "[project]\nname = \"torch\"\nversion = \"1.8\"\n"), "none");
  EXPECT_EQ(required(file, "[project\n"), "none");
}

TEST(Requirements, LockFiles) {
  const std::string_view locked =
      "[[package]]\nname = \"numpy\"\nversion = \"1.2\"\n[[package]]\nname = \"torch\"\nversion = \"1.13.1\"\n";
  for (std::string_view file : {"poetry.lock", "uv.lock", "pdm.lock"}) EXPECT_EQ(required(file, locked), "1.13");
  EXPECT_EQ(required("uv.lock", "package = 3"), "none");
  EXPECT_EQ(required("Pipfile.lock", R"({"default": {"torch": {"version": "==1.8.1"}}})"), "1.8");
  EXPECT_EQ(required("Pipfile.lock", R"({"default": {"torch": 1}, "develop": []})"), "none");
  EXPECT_EQ(required("Pipfile.lock", "{"), "none");
  EXPECT_EQ(required("Pipfile", "[packages]\ntorch = \"==1.7\"\n"), "1.7");
}

TEST(Requirements, SetupCfg) {
  EXPECT_EQ(required("setup.cfg", "[options]\ninstall_requires =\n    numpy\n    torch>=1.8\n"), "1.8");
  EXPECT_EQ(required("setup.cfg", "[options]\ninstall_requires = torch==1.9\n"), "1.9");
  EXPECT_EQ(required("setup.cfg", "[options.extras_require]\ntorch = torch>=1.10\n"), "1.10");
  EXPECT_EQ(required("setup.cfg", "[tool:isort]\nknown_third_party = numpy,torch\n"), "none");
}

TEST(Requirements, CondaEnvironments) {
  EXPECT_EQ(required("environment.yml", "dependencies:\n  - pytorch=1.8.1=py3.8_cuda11.1\n"), "1.8");
  EXPECT_EQ(required("environment.yaml", "dependencies:\n- pytorch::pytorch>=1.9\n"), "1.9");
  EXPECT_EQ(required("environment.yml", "dependencies:\n  - pip:\n    - \"torch==2.0.1\"\n"), "2.0");
  EXPECT_EQ(required("environment.yml", "dependencies:\n  - pytorch 1.10.*\n"), "1.10");
  EXPECT_EQ(required("environment.yml", "name: torch==1.8\ndependencies:\n  - pytorch\n"), "none");
}

TEST(Requirements, CMake) {
  EXPECT_EQ(required("CMakeLists.txt", "find_package(Torch 1.8 REQUIRED)\n"), "1.8");
  EXPECT_EQ(required("CMakeLists.txt", "find_package( Torch\n  1.9.0 EXACT )\n"), "1.9");
  EXPECT_EQ(required("CMakeLists.txt", "find_package(OpenCV 4.5)\nfind_package(Torch 1.10...2.0)\n"), "1.10");
  for (std::string_view text :
       {"find_package(Torch REQUIRED)", "# find_package(Torch 1.8)", "find_package(TorchVision 1.8)",
        "find_package(Torch", "find_package", "set(Torch 1.8)"}) {
    EXPECT_EQ(required("CMakeLists.txt", text), "none") << text;
  }
}

TEST(Requirements, OtherFilesAreNotAsked) {
  for (std::string_view file : {"requirements.in", "my-requirements.txt", "setup.py", "Cargo.lock", ""}) {
    EXPECT_FALSE(names_requirements(file)) << file;
    EXPECT_EQ(required(file, "torch==1.8"), "none") << file;
  }
}

TEST(Requirements, VersionHeaderOfLibTorch) {
  EXPECT_EQ(shown(torch_of_header("#pragma once\n\n#define TORCH_VERSION_MAJOR 1\n#define TORCH_VERSION_MINOR 8\n")),
            "1.8");
  EXPECT_EQ(shown(torch_of_header("#define TORCH_VERSION_MAJOR 1\n")), "none");
}

}  // namespace
}  // namespace deadgrad::driver
