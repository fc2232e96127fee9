"""Replaces this process by the native program of this package."""

import os
import subprocess
import sys


def main():
    name = "deadgrad.exe" if os.name == "nt" else "deadgrad"
    binary = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    arguments = [binary] + sys.argv[1:]
    if os.name == "nt":
        sys.exit(subprocess.call(arguments))
    os.execv(binary, arguments)


if __name__ == "__main__":
    main()
