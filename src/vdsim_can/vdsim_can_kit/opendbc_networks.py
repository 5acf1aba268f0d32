"""The networks of the opendbc wheel, as text, and as opendbc reads them itself."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import opendbc
from opendbc.can.dbc import DBC

FOLDER = Path(opendbc.__file__).parent / "dbc"
FLAG = 1 << 31


@cache
def texts() -> dict[str, str]:
    """Every network by name: those in files, and those that opendbc makes of fragments."""
    files = {file.stem: file.read_text(encoding="utf-8") for file in sorted(FOLDER.glob("*.dbc"))}
    return {**files, **opendbc.get_generated_dbcs()}


NAMES = tuple(texts())


def as_opendbc(name: str) -> dict[int, Any]:
    """The messages of a network by id, as opendbc reads them."""
    return {address & ~FLAG: message for address, message in DBC(name).msgs.items()}
