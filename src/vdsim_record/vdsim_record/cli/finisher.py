"""`vdsim_record_finisher JOURNAL PIPE`: makes the MCAP file of a journal while it is recorded.

The recorder starts two and holds the other end of their pipe. One works; the other one waits for
its lock. At the end of the pipe, whatever ended the recorder, the file is completed.
"""

from __future__ import annotations

import argparse
import contextlib
import select
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from vdsim_record.journal.folder import FINISHER, RECORDER, JournalBusyError, JournalFolder
from vdsim_record.mcap_file.finishing import completed
from vdsim_record.mcap_file.growing_file import GrowingFile

PROGRAM = "vdsim_record_finisher"
LOOK_S = 0.2
_NO_SPACE_WAIT_S = 2.0


def parser() -> argparse.ArgumentParser:
    """The command line."""
    line = argparse.ArgumentParser(prog=PROGRAM, description=__doc__)
    line.add_argument("journal", type=Path, help="the folder of the journal")
    line.add_argument("pipe", type=int, help="a pipe that ends with the recorder")
    return line


def main(arguments: Sequence[str] | None = None) -> int:
    """Follow the recorder; complete the file when it has ended."""
    options = parser().parse_args(arguments)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # it ends with the recorder, when all is on the disk
    folder = JournalFolder(options.journal)
    try:
        with folder.locked(FINISHER, wait=True):
            if not folder.path.is_dir():
                return 0  # the one before has completed the file
            print(f"{PROGRAM}: {_follow(folder, options.pipe)}", flush=True)
    except (OSError, JournalBusyError) as error:
        say = f"{PROGRAM}: {error}; the journal stays: vdsim_replay finish {folder.path}"
        print(say, file=sys.stderr, flush=True)
        return 1
    return 0


def _follow(folder: JournalFolder, pipe: int) -> str:
    growing = GrowingFile(folder)
    wait_s = LOOK_S
    while not _has_ended(pipe, wait_s):
        wait_s = LOOK_S
        with contextlib.suppress(OSError):
            growing.take_segments(with_last=False)
            continue
        # The disk is full: the segments stay, and the recorder will find out as well.
        growing.close()
        growing, wait_s = GrowingFile(folder), _NO_SPACE_WAIT_S
    with folder.locked(RECORDER, wait=True):
        return str(completed(folder, growing))


def _has_ended(pipe: int, wait_s: float) -> bool:
    """Whether the recorder has ended; nothing else ever comes through the pipe."""
    ready, _, _ = select.select([pipe], [], [], wait_s)
    return bool(ready)


if __name__ == "__main__":
    sys.exit(main())
