"""What is installed from PyPI, in sets: a first launch waits only for what it imports."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workspace import fingerprint
from workspace.distro import Distro
from workspace.layout import Layout
from workspace.wheel_route import script_imports

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
PLOTS = RequirementSet("plots", "plots, filters and fits", ("plots.txt",))
DEVELOP = RequirementSet(
    "develop", "tests, lint, benchmarks and colcon", ("develop.txt", "ros-{distro}-cmake.txt")
)
KEYS = RequirementSet("keys", "keys and certificates", ("secure.txt",))
CAN = RequirementSet("can", "CAN buses", ("can.txt",))
RECORD = RequirementSet("record", "recordings in MCAP", ("record.txt",))
FIRST = (ROS, PRODUCT)
EVERY = (ROS, PRODUCT, PLOTS, DEVELOP, KEYS, CAN, RECORD)
_WORDS = {
    PLOTS: (
        *("vdsim_plot", "vdsim_replay", "vdsim_calibrate", "vdsim_torque_map"),
        *("vdsim_sweep", "vdsim_identify", "vdsim_manoeuvre"),
        # A parameter may switch a filter on, a road may be an OpenCRG file: both import scipy.
        *("param", "--param", "-p", "ground:=", "--ground", "config:=", "--config", "--scene"),
        *("components:=", "platform_path:="),
    ),
    CAN: ("vdsim_can", "platform:=can"),
    RECORD: ("vdsim_record", "vdsim_replay", "record:="),
}
"""Beginnings of words of a command that uses a set."""
_RECORDING = ".mcap"
"""Ends the name of a file that only RECORD can read or write."""
_OF_DEVELOPERS = ("pytest", "mypy", "ruff", "colcon", "bench/", "test/", "tools/")
_OTHER_STACKS = ("autoware", "tier4", "ackermann")


def needed_by(name: str, rest: list[str]) -> tuple[RequirementSet, ...]:
    """The sets that a command needs beside the first ones.

    Programs of ours say it by their names, a script of Python by its imports; a command that is not
    ours may import anything.
    """
    words = [name, *rest]
    words += [word[word.index("params_file") :] for word in rest if "params_file" in word]
    named = tuple(
        each
        for each, begins in _WORDS.items()
        if any(word.startswith(begins) for word in words)
        or (each is RECORD and any(word.endswith(_RECORDING) for word in words))
    )
    if name == "build":
        return ()
    if name == "secure":
        return (KEYS,)
    is_theirs = not "".join(rest[1:2]).startswith("vdsim_")
    if name == "ros2" and rest[:1] in (["run"], ["launch"]) and is_theirs:
        return tuple(dict.fromkeys((PLOTS, *named)))
    if name == "ros2" or name.startswith("vdsim_"):
        return named
    if name == "python" and not any(word.startswith(_OF_DEVELOPERS) for word in rest):
        plots = () if script_imports.needs_first_sets_only(rest) else (PLOTS,)
        return tuple(dict.fromkeys((*plots, *named)))
    return (PLOTS, DEVELOP, KEYS, CAN, RECORD)


def speaks_to_other_stacks(name: str, rest: list[str]) -> bool:
    """Whether a command may use the messages of Autoware or Ackermann that the wheels lack.

    A `ros2` command, a program of ours or a script does that names one of them; any other command
    may. Compiling them takes a third of all messages' time.
    """
    if name in ("build", "secure", "lint"):
        return False
    if name == "python" and not any(word.startswith(_OF_DEVELOPERS) for word in rest):
        return script_imports.names_one_of(rest, _OTHER_STACKS)
    if name == "ros2" or name.startswith("vdsim_"):
        return any(stack in word for word in (name, *rest) for stack in _OTHER_STACKS)
    return True
