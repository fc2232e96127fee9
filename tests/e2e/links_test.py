"""A build without the C++ frontend links nothing of LLVM, and none links anything of Torch."""

import re
import subprocess
import sys
import unittest

sys.path.insert(0, __file__.rsplit("/", 1)[0])
import support


class Links(unittest.TestCase):
    def test_no_torch(self):
        libraries = subprocess.run(["ldd", support.BINARY], capture_output=True, text=True, check=True).stdout
        self.assertIn("libc.so", libraries)
        self.assertNotRegex(libraries.lower(), r"torch|libc10")

    @unittest.skipIf(support.CPP, "this build has the C++ frontend")
    def test_no_llvm(self):
        libraries = subprocess.run(["ldd", support.BINARY], capture_output=True, text=True, check=True).stdout
        self.assertIn("libc.so", libraries)
        self.assertNotRegex(libraries.lower(), r"llvm|clang|torch")
        commands = (support.BUILD / "build.ninja").read_text() if (support.BUILD / "build.ninja").exists() else ""
        self.assertNotRegex(commands, r"libLLVM|libclang|/llvm-\d+/(include|lib)")


if __name__ == "__main__":
    support.main()
