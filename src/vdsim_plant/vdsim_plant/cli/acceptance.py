"""`vdsim_acceptance`: the five acceptance points of the plant's contract, measured here and now.

Prints a Markdown table and ends with 0 when all five are met, else with 1.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from vdsim_plant.study.accuracy.acceptance import results, table

_ELSEWHERE = "from vdsim_plant.study.accuracy.acceptance import fingerprint; print(fingerprint())"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    argparse.ArgumentParser(prog="vdsim_acceptance", description=__doc__).parse_args(arguments)
    found = results(_in_another_process, seconds_of)
    print(table(found))
    return 0 if all(result.passed for result in found) else 1


def _in_another_process() -> str:
    run = subprocess.run(
        [sys.executable, "-c", _ELSEWHERE], capture_output=True, text=True, check=True
    )
    return run.stdout.strip()


def seconds_of(drive: Callable[[], None]) -> float:
    """CPU time of a drive that is warm: what else the machine does is not counted."""
    drive()
    started = time.thread_time()
    drive()
    return time.thread_time() - started


if __name__ == "__main__":
    sys.exit(main())
