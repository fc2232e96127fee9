"""`deadgrad check` on C++: hostile files cost themselves and nothing else, kept headers never change a result, and LibTorch's own headers
give what the stub gives."""

import json
import os
import pathlib
import random
import re
import sys
import unittest

sys.path.insert(0, __file__.rsplit("/", 1)[0])
import support

INCLUDE = "#include <torch/script.h>\n"
BAD = INCLUDE + "void run() { torch::NoGradGuard(); }\n"
NETWORK = """\
#include <torch/torch.h>

struct Net : torch::nn::Module {
  Net() { layer = register_module("layer", torch::nn::Linear(8, 8)); }
  torch::Tensor forward(torch::Tensor x) { return layer(x); }
  torch::nn::Linear layer{nullptr};
};

int main() {
  auto net = std::make_shared<Net>();
  auto x = torch::zeros({1, 8});
  for (int i = 0; i < 9; ++i)
    x = net->forward(x);
  return x.argmax().item<int>();
}
"""


def real_torch():
    """A place for --torch, or None."""
    place = pathlib.Path("/usr")
    return place if (place / "include/torch/csrc/api/include/torch/torch.h").exists() else None


def nested(opening, middle, closing, times):
    return opening * times + middle + closing * times


def hostile_files():
    """Text by file name; each of them can end or stall a compiler that is not prepared."""
    bytes_ = random.Random(1).randbytes(200_000)
    files = {
        "bytes.cpp": INCLUDE.encode() + bytes_,
        "zeros.cpp": INCLUDE.encode() + bytes(100_000),
        "not_utf8.cpp": INCLUDE.encode() + b'void f() { const char* s = "\xff\xfe\xc0"; int \xff = 1; }\n',
        "parentheses.cpp": "int f() { return " + nested("(", "1", ")", 100_000) + "; }",
        "braces.cpp": "void f()" + nested("{", "", "}", 50_000),
        "namespaces.cpp": "namespace a {" * 50_000,
        "casts.cpp": "long x = " + "(long)" * 100_000 + "1;",
        "minus.cpp": "int f(int a) { return " + "- " * 100_000 + "a; }",
        "sum.cpp": "int f(int a) { return " + "+".join(["a"] * 100_000) + "; }",
        "pointer.cpp": "int " + "*" * 100_000 + "p;",
        "labels.cpp": "void f() { " + "".join(f"l{i}:" for i in range(100_000)) + "; }",
        "lambdas.cpp": "auto f = " + nested("[]{ return ", "1", "; }()", 2_000) + ";",
        "else_if.cpp": "int f(int a) { " + " else ".join(f"if (a == {i}) return {i};" for i in range(3_000)) + " return 0; }",
        "long_function.cpp": "void f(torch::Tensor x) {\n" + "".join(f"  auto y{i} = x + {i};\n" for i in range(50_000)) + "}\n",
        "open_string.cpp": 'const char* s = "abc\nconst char* r = R"x(',
        "open_comment.cpp": "/* never ends",
        "open_if.cpp": "#if 1\n" * 50_000,
        "itself.cpp": '#include "itself.cpp"\n#include "itself.cpp"\nvoid f() {}\n',
        "folders.cpp": '#include "."\n#include "/"\n#include "folder.cpp"\n',
        "templates.cpp": "template <int N> struct S { static constexpr int v = S<N + 1>::v; };\nint x = S<0>::v;\n"
                         "template <class T> auto f(T t) { return f(&t); }\nauto y = f(1);\n",
        "endless.cpp": "constexpr int f(int n) { while (true) ++n; return n; }\nconstexpr int x = f(1);\n",
        "macro.cpp": "#define M " + "f(1); " * 100_000 + "\nvoid f(int);\nvoid g() { M }\n",
        "doubling.cpp": "#define A0 1 +\n" + "".join(f"#define A{i} A{i - 1} A{i - 1}\n" for i in range(1, 31)) + "int x = A30 1;\n",
    }
    return {name: text if isinstance(text, bytes) else INCLUDE + text for name, text in files.items()}


@unittest.skipUnless(support.CPP, "this build has no C++ frontend")
class Cpp(support.ProgramTest):
    def setUp(self):
        super().setUp()
        self.cache = self.folder / "cache"
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(self.cache)}
        (self.folder / "project").mkdir()

    def check_cpp(self, *arguments, code=1):
        return self.check(*arguments, code=code, cwd=self.folder / "project", env=self.environment).decode()

    def findings(self, *arguments):
        report = json.loads(self.check_cpp("--output-format", "json", *arguments))
        return [(f["rule"], f["where"]["path"], f["where"]["start"]["line"]) for f in report["findings"]]

    def kept_headers(self):
        return sorted((self.cache / "deadgrad").glob("*.pch"))

    def test_hostile_files(self):
        files = hostile_files()
        for name, text in files.items():
            self.write("project/" + name, text)
        (self.folder / "project" / "folder.cpp").mkdir()
        self.write("project/bad.cpp", BAD)
        text = self.check_cpp(".")
        self.assertIn("bad.cpp:2:", text)
        self.assertIn("Found 1 warning in ", text)
        self.assertIn("doubling.cpp: skipped: its macros do not end", text)
        self.check_cpp("folder.cpp", code=0)

    def parsed(self, *arguments, code=1):
        """How many units were parsed; the others' results were kept."""
        text = self.check_cpp(".", "--statistics", *arguments, code=code)
        return int(re.search(r"^  C\+\+ files parsed +(\d+)$", text, re.MULTILINE).group(1))

    def write_two_units(self):
        self.write("project/net.h", NETWORK[:NETWORK.index("int main()")].replace("#include", "#pragma once\n#include", 1))
        self.write("project/leak.cpp", '#include "net.h"\n' + NETWORK[NETWORK.index("int main()"):])
        self.write("project/clean.cpp", '#include "net.h"\nvoid use(torch::Tensor x) { torch::NoGradGuard guard; Net().forward(x); }\n')

    def test_kept_results(self):
        self.write_two_units()
        formats = ("text", "json", "sarif")
        plain = [self.check_cpp(".", "--no-cache", "--output-format", one) for one in formats]
        self.assertEqual(self.parsed("--no-cache"), 2)
        self.assertEqual(self.parsed(), 2)
        self.assertEqual(self.parsed(), 0)
        self.assertEqual([self.check_cpp(".", "--output-format", one) for one in formats], plain)
        self.write("project/clean.cpp", (self.folder / "project/clean.cpp").read_text() + "// changed\n")
        self.assertEqual(self.parsed(), 1)

    def test_kept_results_end_with_what_they_rest_on(self):
        self.write_two_units()
        self.assertEqual(self.parsed(), 2)
        # A header changes: the loop is guarded now.
        header = (self.folder / "project/net.h").read_text()
        self.write("project/net.h", header.replace("return layer(x);", "torch::NoGradGuard guard; return layer(x);"))
        self.assertEqual(self.parsed(code=0), 2)
        # A header that comes earlier in the search path appears.
        self.write("project/leak.cpp", '#include <net.h>\n' + NETWORK[NETWORK.index("int main()"):])
        commands = [{"directory": str(self.folder / "project"), "file": name,
                     "command": f"c++ -Ifirst -I. -c {name}"} for name in ("leak.cpp", "clean.cpp")]
        self.write("project/compile_commands.json", json.dumps(commands))
        self.write("project/first/other.h", "")
        self.check_cpp(".", code=0)
        self.assertEqual(self.parsed(code=0), 0)
        self.write("project/first/net.h", header)
        self.assertEqual(self.parsed(), 1)
        # A flag changes.
        commands[1]["command"] += " -DOTHER"
        self.write("project/compile_commands.json", json.dumps(commands))
        self.assertEqual(self.parsed(), 1)

    def test_kept_results_that_are_damaged(self):
        self.write_two_units()
        first = self.check_cpp(".")
        kept = [path for path in (self.cache / "deadgrad").rglob("*") if path.is_file() and path.suffix != ".pch"]
        self.assertEqual(len([path for path in kept if path.suffix == ".unit"]), 2, kept)
        for damage in (lambda data: b"", lambda data: data[:len(data) // 2], lambda data: data[:-40] + bytes(40),
                       lambda data: random.Random(2).randbytes(len(data)), lambda data: data + data):
            for path in kept:
                path.write_bytes(damage(path.read_bytes()))
            self.assertEqual(self.check_cpp("."), first)
        (self.cache / "deadgrad").chmod(0o500)
        self.addCleanup((self.cache / "deadgrad").chmod, 0o700)
        self.assertEqual(self.check_cpp("."), first)

    def test_kept_headers(self):
        def again(number):
            # A file that has changed is read again, with the header that was kept.
            self.write("project/net.cpp", NETWORK + f"// {number}\n")
            return self.check_cpp(".")

        first = again(0)
        self.assertIn("DG102", first)
        kept = self.kept_headers()
        self.assertEqual(len(kept), 1)
        self.assertEqual(again(1), first)
        kept[0].write_bytes(b"no precompiled header")
        self.assertEqual(again(2), first)
        self.assertEqual(again(3), first)
        self.assertGreater(self.kept_headers()[0].stat().st_size, 1000, "it is made again")
        kept[0].write_bytes(kept[0].read_bytes()[:100_000])
        self.assertEqual(again(4), first)
        self.environment["XDG_CACHE_HOME"] = "/dev/null"
        self.environment["HOME"] = "/dev/null"
        self.assertEqual(self.check_cpp("."), first)

    @unittest.skipUnless(real_torch(), "no LibTorch headers here")
    def test_own_headers_of_libtorch(self):
        for name in ["net.cpp", "other.cpp"]:
            self.write("project/" + name, NETWORK)
        self.write("project/bad.cpp", BAD)
        stub = self.findings(".")
        self.assertEqual([rule for rule, _, _ in stub], ["DG201", "DG102", "DG102"])
        self.assertEqual(self.findings("--torch", real_torch(), "."), stub)
        text = self.check_cpp("--torch", real_torch(), ".")
        self.assertIn("C++ was read with LibTorch's own headers.", text)
        self.assertEqual(len(self.kept_headers()), 2, "one of the stub, one of LibTorch's own for all three")
        for kept in self.kept_headers():
            kept.write_bytes(b"no precompiled header")
        self.assertEqual(self.check_cpp("--torch", real_torch(), "."), text)

    @unittest.skipUnless(real_torch(), "no LibTorch headers here")
    def test_the_release_of_the_headers_counts_before_what_the_project_requires(self):
        self.write("project/net.cpp", NETWORK)
        self.write("project/CMakeLists.txt", "find_package(Torch 1.8 REQUIRED)\n")
        old, new = "make `torch::NoGradGuard guard;`", "make `c10::InferenceMode guard;`"
        self.assertIn(old, self.check_cpp("."))
        self.assertIn(new, self.check_cpp("--torch", real_torch(), "."))
        self.assertIn(old, self.check_cpp("--torch", real_torch(), "--target-torch", "1.8", "."))

    @unittest.skipUnless(real_torch(), "no LibTorch headers here")
    def test_compile_database_that_names_libtorch(self):
        self.write("project/net.cpp", "#ifdef WITH_TORCH\n" + NETWORK + "#endif\n")
        include = real_torch() / "include"
        self.write("project/build/compile_commands.json", json.dumps([{
            "directory": str(self.folder / "project"), "file": "net.cpp",
            "command": f"g++ -std=c++17 -O2 -DWITH_TORCH -isystem {include}/torch/csrc/api/include -c net.cpp"}]))
        text = self.check_cpp("-p", "build", "net.cpp")
        self.assertIn("DG102", text)
        self.assertIn("C++ was read with LibTorch's own headers.", text)
        self.check_cpp("-p", "nowhere", "net.cpp", code=2)
        self.check_cpp("--torch", "nowhere", "net.cpp", code=2)


if __name__ == "__main__":
    support.main()
