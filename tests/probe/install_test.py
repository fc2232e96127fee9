"""What `cmake --install` puts down is enough to compile a program with a probe of its own and to link it statically."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
import support

# Of programs/session.cpp: the input of each step, and the last result.
TENSOR = 16 * 64 * 4


class Install(support.ProgramTest):
    def setUp(self):
        super().setUp()
        subprocess.run(["cmake", "--install", support.BUILD, "--prefix", self.folder / "prefix"], check=True, stdout=subprocess.DEVNULL)
        archive, = (self.folder / "prefix").rglob("libdeadgrad_probe.a")
        header, = (self.folder / "prefix").rglob("deadgrad/probe.h")
        libraries = os.environ["DEADGRAD_TORCH_LIBRARIES"].split(":")
        includes = ["-I" + str(header.parent.parent), "-w", *("-I" + path for path in os.environ["DEADGRAD_TORCH_INCLUDES"].split(":"))]
        subprocess.run([os.environ["DEADGRAD_CXX"], "-std=c++" + os.environ["DEADGRAD_TORCH_CXX_STANDARD"], *includes,
                        pathlib.Path(__file__).parent / "programs/session.cpp", archive, *libraries,
                        *("-Wl,-rpath," + str(pathlib.Path(library).parent) for library in libraries), "-ldl", "-lpthread", "-o", "session"],
                       cwd=self.folder, check=True)

    def test_a_program_with_a_probe_of_its_own(self):
        subprocess.run(["./session"], cwd=self.folder, check=True)
        report = json.loads((self.folder / "report.json").read_text())
        self.assertEqual(report["retained"]["wasted"], 5 * TENSOR)
        self.assertEqual(report["scopes"][0]["saved_only"]["points"], [TENSOR * step for step in range(5)])
        # Started by `probe run`, where nothing can be preloaded, it reports there.
        (self.folder / "out").mkdir()
        (self.folder / "report.json").unlink()
        subprocess.run(["./session"], cwd=self.folder, check=True, env=dict(os.environ, DEADGRAD_PROBE_OUT="out"))
        report, = (self.folder / "out").iterdir()
        self.assertEqual(json.loads(report.read_text())["retained"]["wasted"], 5 * TENSOR)
        self.assertFalse((self.folder / "report.json").exists())
        done = self.run_program("probe", "run", "--output-format", "json", "-o", "run.json", "--", "./session")
        self.assertEqual(done.returncode, 1, done.stderr.decode())
        process, = json.loads((self.folder / "run.json").read_text())["processes"]
        self.assertEqual(process["retained"]["wasted"], 5 * TENSOR)


if __name__ == "__main__":
    support.main()
