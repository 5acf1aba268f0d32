"""`python -m vdsim_plant.cli.dossier`: how true the plant is, in figures.

Each is measured here and now, against a law or a second implementation; ends with 1 when one is out
of the bound that docs/truth.md states.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from vdsim_plant.study.accuracy.claim import table
from vdsim_plant.study.accuracy.dossier import claims


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    argparse.ArgumentParser(prog="vdsim_dossier", description=__doc__).parse_args(arguments)
    found = claims()
    print(table(found))
    return 0 if all(claim.passed for claim in found) else 1


if __name__ == "__main__":
    sys.exit(main())
