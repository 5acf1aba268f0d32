"""Files that several packages need inside them: copies of one original.

A package is released and copied alone, so a link out of it would lead nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from generate.paths import ROOT

PACKAGES = tuple(sorted(path.parent.name for path in ROOT.glob("src/*/package.xml")))

_ORIGINALS: Mapping[str, str] = {
    **{f"src/{package}/LICENSE": "LICENSE" for package in PACKAGES},
    "portable/LICENSE": "LICENSE",
    "src/vdsim_plant/vdsim_plant/parameters/checked_file.py": (
        "src/vdsim_protocol/vdsim_protocol/checked_file.py"
    ),
    "src/vdsim_interface/config/fastdds.xml": "portable/fastdds.xml",
    "src/vdsim_protocol/vdsim_protocol/data/fastdds_loopback.xml": "portable/fastdds_loopback.xml",
}


def _text_of(original: str) -> str:
    return (ROOT / original).read_text(encoding="utf-8")


COPIES: Mapping[str, Callable[[], str]] = {
    copy: partial(_text_of, original) for copy, original in _ORIGINALS.items()
}
"""Path of each copy, and the function that gives its content."""
