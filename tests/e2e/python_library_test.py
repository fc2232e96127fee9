"""The system's Python library, up to 10,000 files: no crash, no hang, the same bytes twice whatever the number of threads."""

import glob
import os
import sys
import unittest

sys.path.insert(0, __file__.rsplit("/", 1)[0])
import support

MOST, LEAST = 10_000, 500


def library_files():
    folders = sorted(glob.glob("/usr/lib/python3*") + glob.glob("/usr/local/lib/python3*"))
    folders.append(os.path.dirname(os.__file__))
    seen = set()
    for folder in folders:
        for where, inner, names in os.walk(folder):
            inner.sort()
            for name in sorted(names):
                path = os.path.realpath(os.path.join(where, name))
                if name.endswith(".py") and path not in seen and os.path.isfile(path):
                    seen.add(path)
                    yield path
                    if len(seen) == MOST:
                        return


class PythonLibrary(support.ProgramTest):
    def test_no_crash_and_the_same_bytes_twice(self):
        # A tree of links: one folder on the command line, whatever the number of files.
        files = list(library_files())
        self.assertGreaterEqual(len(files), LEAST)
        for path in files:
            link = self.folder / path.lstrip("/")
            link.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(path, link)
            except OSError:  # another file system
                link.write_bytes(open(path, "rb").read())
        first = self.run_program("check", ".", "--output-format", "json", "-j", "2", timeout=800)
        self.assertIn(first.returncode, (0, 1), first.stderr[-2000:])
        second = self.run_program("check", ".", "--output-format", "json", "-j", "1", timeout=800)
        self.assertEqual(first.stdout, second.stdout)
        self.assertEqual(first.stderr, b"")
        print(f"{len(files)} files")


if __name__ == "__main__":
    support.main()
