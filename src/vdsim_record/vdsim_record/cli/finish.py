"""`vdsim_replay finish DIR`: complete the recordings whose processes have all ended.

DIR: a journal (drive.mcap.journal), or a folder with journals in it.
Exit codes: 0 all are complete, 1 one cannot be completed now, 2 there is no journal.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from vdsim_protocol.checked_file import FileError

from vdsim_record.journal.folder import SUFFIX, JournalBusyError, JournalFolder, journals_in
from vdsim_record.mcap_file.finishing import finish

PROGRAM = "vdsim_replay finish"


def parser() -> argparse.ArgumentParser:
    """The command line."""
    line = argparse.ArgumentParser(
        prog="vdsim_replay",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    line.add_argument("finish", choices=["finish"])
    line.add_argument("folder", type=Path, metavar="DIR", help="a journal, or a folder with some")
    return line


def main(arguments: Sequence[str] | None = None) -> int:
    """Complete them."""
    path: Path = parser().parse_args(arguments).folder
    journals = [JournalFolder(path)] if path.name.endswith(SUFFIX) else journals_in(path)
    if not journals or not journals[0].path.is_dir():
        print(f"{PROGRAM}: {path}: there is no journal ({SUFFIX})", file=sys.stderr)
        return 2
    code = 0
    for journal in journals:
        try:
            print(f"{PROGRAM}: {finish(journal)}")
        except (OSError, FileError, JournalBusyError) as error:
            print(f"{PROGRAM}: {error}", file=sys.stderr)
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())
