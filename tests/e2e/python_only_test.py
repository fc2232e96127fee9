"""The python-only preset configures on its own, looks for nothing of LLVM, and installs a program that runs."""

import re
import shutil
import subprocess
import sys

sys.path.insert(0, __file__.rsplit("/", 1)[0])
import support


class PythonOnly(support.ProgramTest):
    def call(self, *command):
        done = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, cwd=support.ROOT)
        self.assertEqual(done.returncode, 0, done.stdout[-4000:])
        return done.stdout

    def test_build_and_install(self):
        build = self.folder / "build"
        third_party = support.BUILD / "third_party"
        if third_party.is_dir():  # spares a download
            shutil.copytree(third_party, build / "third_party", symlinks=True)
        self.call("cmake", "--preset", "python-only", "-B", build)
        cache = (build / "CMakeCache.txt").read_text()
        self.assertRegex(cache, r"DEADGRAD_CPP_FRONTEND:\w+=OFF")
        self.assertNotRegex(cache, r"(?m)^(LLVM|Clang)_DIR")
        self.call("cmake", "--build", build, "-j2")
        self.call("cmake", "--install", build, "--prefix", self.folder / "installed")
        binary = self.folder / "installed" / "bin" / "deadgrad"
        self.assertTrue(re.match(r"deadgrad \d", self.call(binary, "--version")))
        self.assertNotRegex(self.call("ldd", binary).lower(), r"llvm|clang|torch")


if __name__ == "__main__":
    support.main()
