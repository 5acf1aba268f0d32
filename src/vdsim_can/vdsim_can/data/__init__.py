"""Cars that people can copy: a DBC file and a car file each."""

from __future__ import annotations

from pathlib import Path

EXAMPLES = ("vdsim_dbw", "safety_island")
"""`vdsim_dbw`: a drive-by-wire kit of our own. `safety_island`: the frames that the documentation
of the Autoware Safety Island describes, and a way back."""


def example(name: str) -> Path:
    """Return the car file of an example; its DBC file stands beside it."""
    return Path(__file__).with_name(f"{name}.yaml")


def car_path(name: str) -> Path:
    """Return the car file that a user names: that of an example, or a path."""
    return example(name) if name in EXAMPLES else Path(name)
