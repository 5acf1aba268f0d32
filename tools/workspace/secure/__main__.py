"""`python -m workspace.secure DIR`, in the environment that has `cryptography`."""

import sys

from workspace.secure.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
