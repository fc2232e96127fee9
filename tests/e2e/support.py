"""Shared by the end-to-end tests: the paths, and a way to run the program in a folder made for the test."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["DEADGRAD_SOURCE"])
BUILD = pathlib.Path(os.environ["DEADGRAD_BUILD"])
BINARY = os.environ["DEADGRAD"]
CPP = os.environ["DEADGRAD_CPP"] == "1"  # whether this build has the C++ frontend


class ProgramTest(unittest.TestCase):
    """Each test runs in an empty folder; write() adds files to it."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name).resolve()

    def write(self, path, content):
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())

    def run_program(self, *arguments, **options):
        options.setdefault("cwd", self.folder)
        options.setdefault("timeout", 300)
        return subprocess.run([BINARY, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, **options)

    def check(self, *arguments, code, **options):
        """The standard output of `deadgrad check`, whose exit code must be `code`."""
        done = self.run_program("check", *arguments, **options)
        self.assertEqual(done.returncode, code, done.stdout.decode() + done.stderr.decode())
        return done.stdout


def main():
    sys.exit(not unittest.main(exit=False).result.wasSuccessful())
