"""`vdsim_replay events FILE`: check the chain of an event log, and export it.

Prints how many records of each kind there are and the hash of the last one, or each line that
breaks the chain.

Exit codes: 0 the chain is whole, 1 it is broken, 2 wrong options or no file.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from vdsim_protocol.checked_file import FileError, is_file, read_text

from vdsim_interface.extras.events.chain import Checked, as_csv, as_json, check
from vdsim_interface.extras.events.event_file import CONTROL, VEHICLE, part_of

PROGRAM = "vdsim_replay events"
LARGEST_BYTES = 1 << 30


def parser() -> argparse.ArgumentParser:
    """The command line."""
    line = argparse.ArgumentParser(
        prog="vdsim_replay",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    line.add_argument("events", choices=["events"])
    line.add_argument("file", type=Path, metavar="FILE", help="what event_log:= has written")
    line.add_argument("--csv", type=Path, metavar="OUT", help="write the records as a table")
    line.add_argument("--json", type=Path, metavar="OUT", help="write the records as JSON")
    return line


def checked(path: Path) -> Checked:
    """Read a log; raises FileError."""
    text = read_text(path, largest_bytes=LARGEST_BYTES)
    return check(text.removesuffix("\n").split("\n") if text else ())


def whole(path: Path) -> list[tuple[Path, Checked]]:
    """Read a log and its parts, each a chain of its own; raises FileError."""
    parts = [part_of(path, name) for name in (CONTROL, VEHICLE)]
    return [(each, checked(each)) for each in (path, *parts) if each is path or is_file(each)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Check and export."""
    options = parser().parse_args(arguments)
    path: Path = options.file
    try:
        found = whole(path)
        every = (record for _, part in found for record in part.records)
        records = sorted(every, key=lambda record: str(record["time"]))
        if options.csv is not None:
            options.csv.write_text(as_csv(records), encoding="utf-8")
        if options.json is not None:
            options.json.write_text(as_json(records), encoding="utf-8")
    except (FileError, OSError) as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return 2
    for file, part in found:
        _print(file, part)
    return int(any(part.problems for _, part in found))


def _print(path: Path, found: Checked) -> None:
    for at, problem in found.problems:
        print(f"{PROGRAM}: {path}: line {at}: {problem}", file=sys.stderr)
    kinds = Counter(record["kind"] for record in found.records)
    told = ", ".join(f"{name} {count}" for name, count in sorted(kinds.items()))
    cut = f", {found.cut_n} cut off by the end of a process" if found.cut_n else ""
    state = "the chain is broken" if found.problems else "the chain is whole"
    print(f"{PROGRAM}: {path}: {len(found.records)} records{cut}: {told or 'none'}; {state}")
    print(f"{PROGRAM}: last hash {found.last_hash}")


if __name__ == "__main__":
    sys.exit(main())
