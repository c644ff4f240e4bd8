"""Runs the program: `python -m sandbox_agent`."""

import os
import sys

from sandbox_agent import find_binary

if __name__ == "__main__":
    program = find_binary()
    # The program replaces this process, so signals and the exit code need no forwarding.
    os.execv(program, [program, *sys.argv[1:]])
