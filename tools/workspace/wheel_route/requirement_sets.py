"""What is installed from PyPI, in sets: a first launch waits only for what it imports."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workspace import fingerprint
from workspace.distro import Distro
from workspace.layout import Layout

_RECIPE = "5"  # raised when the steps of the set-up change, so that old environments are recreated


@dataclass(frozen=True)
class RequirementSet:
    """Requirement files that are installed together."""

    name: str
    purpose: str
    files: tuple[str, ...]  # {distro} stands for the name of the ROS 2 distribution

    def paths(self, layout: Layout, distro: Distro) -> list[Path]:
        """The requirement files."""
        return [layout.requirements / file.format(distro=distro.name) for file in self.files]

    def fingerprint(self, layout: Layout, distro: Distro) -> str:
        """Changes with the pins."""
        return fingerprint.of_files(self.paths(layout, distro), distro.name, _RECIPE)


ROS = RequirementSet("ros", "ROS 2", ("ros-{distro}.txt", "messages.txt"))
PRODUCT = RequirementSet("product", "what the car and its interface import", ("python.txt",))
PLOTS = RequirementSet("plots", "plots", ("plots.txt",))
DEVELOP = RequirementSet(
    "develop", "tests, lint, benchmarks and colcon", ("develop.txt", "ros-{distro}-cmake.txt")
)
KEYS = RequirementSet("keys", "keys and certificates", ("secure.txt",))
CAN = RequirementSet("can", "CAN buses", ("can.txt",))
RECORD = RequirementSet("record", "recordings in MCAP", ("record.txt",))
FIRST = (ROS, PRODUCT)
EVERY = (ROS, PRODUCT, PLOTS, DEVELOP, KEYS, CAN, RECORD)
_WORDS = {
    CAN: ("vdsim_can", "platform:=can"),
    RECORD: ("vdsim_record", "vdsim_replay", "record:="),
}
"""Beginnings of words of a `ros2` command that uses a set."""


def needed_by(name: str, rest: list[str]) -> tuple[RequirementSet, ...]:
    """The sets that a command needs beside the first ones.

    `ros2 run` starts the tools that plot; a command that is not ours may import anything.
    """
    if name == "build":
        return ()
    if name == "ros2":
        plots = (PLOTS,) if rest[:1] == ["run"] else ()
        named = (each for each, words in _WORDS.items() if any(w.startswith(words) for w in rest))
        return (*plots, *named)
    if name == "secure":
        return (KEYS,)
    return (PLOTS, DEVELOP, KEYS, CAN, RECORD)
