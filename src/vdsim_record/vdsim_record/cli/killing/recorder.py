"""`recorder TARGET NOTE [SYNCS]`: a recorder that makes its messages itself, to be killed.

20 topics at 100 Hz. What it has received it notes in memory that outlives it.
"""

from __future__ import annotations

import mmap
import os
import signal
import struct
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from vdsim_record import recording as shipped
from vdsim_record.cli.killing import power
from vdsim_record.cli.killing.figures import NOTE
from vdsim_record.journal.writer import FLUSH_S
from vdsim_record.recording import Recording, RecordingError

TOPICS, PERIOD_S = 20, 0.01
_DATA = b"\0\1\0\0" + struct.pack("<I", 200) + bytes(200)
_TEXT = "uint8[] data\n"


def main(words: Sequence[str]) -> int:
    """Record until a signal, or a full disk, ends this process."""
    target, note, *syncs = map(Path, words)
    if syncs:
        os.environ[power.VARIABLE] = str(syncs[0])
        power.note_syncs(syncs[0])
        shipped.FINISHER_MODULE = power.__name__
    ended: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: ended.append(number))
    recording = Recording(target, {"vdsim.versions": {"of": "kills"}}, time.monotonic())
    kind = "vdsim_record/msg/Bytes"
    channels = [recording.channel(f"/t{n}", kind, _TEXT, {}) for n in range(TOPICS)]
    with note.open("r+b") as file, mmap.mmap(file.fileno(), NOTE.size) as noted:
        received, turned_s = 0, 0.0
        while not ended:
            now_ns = time.time_ns()
            for channel in channels:
                recording.message(channel, _DATA, now_ns, now_ns)
            received += len(channels)
            noted[:] = NOTE.pack(received, now_ns, recording.finisher_pid)
            now = time.monotonic()
            if now - turned_s >= FLUSH_S:
                try:
                    recording.turn(now)
                except RecordingError:
                    break
                turned_s = now
            time.sleep(PERIOD_S)
    recording.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
