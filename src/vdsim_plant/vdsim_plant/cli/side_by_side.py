"""`python -m vdsim_plant.cli.side_by_side`: where this plant and VDSim differ, in figures.

Ours are measured here and now; ends with 1 when one is not as docs/side-by-side.md claims.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from vdsim_plant.cli.acceptance import seconds_of
from vdsim_plant.study.accuracy.side_by_side import rows, table


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    argparse.ArgumentParser(prog="vdsim_side_by_side", description=__doc__).parse_args(arguments)
    found = rows(seconds_of)
    print(table(found))
    return 0 if all(row.passed for row in found) else 1


if __name__ == "__main__":
    sys.exit(main())
