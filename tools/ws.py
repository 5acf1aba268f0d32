"""Start of the workspace tool: `./ws` runs this file with a Python of 3.10 or newer."""

import sys

from workspace.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
