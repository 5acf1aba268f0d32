"""`python -m generate [--check]`, which `./ws generate` runs inside the workspace."""

import sys

from generate.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
