"""Fuzzed and hostile files at every reader (test/vdsim_kit/file_readers.py has the table)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from vdsim_kit.file_readers import HOSTILE, READERS, attack

from vdsim_campaign.attack.row import Row


def files(seed: int, count: int, is_over: Callable[[], bool]) -> Row:
    """`count` fuzzed files a reader and seed until the time is over; every reader at least once."""
    row = Row(f"files, {len(READERS)} readers")
    rounds = 0
    while not rounds or not is_over():
        for reader in READERS:
            if rounds and is_over():
                break
            with tempfile.TemporaryDirectory(prefix="vdsim-attack-") as folder:
                row.fell += attack(reader, Path(folder), seed + rounds, count)
            row.tried += count + len(HOSTILE)
        rounds += 1
    row.notes.append(f"seeds {seed} to {seed + rounds - 1}")
    return row
