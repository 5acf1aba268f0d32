"""The lanes: heavy tests, each run by `./ws test NAME` in an environment of its own; no I/O.

The quick suite (`./ws test`) needs nothing but the workspace. What needs heavy packages, other
Pythons or long runs is a lane. A lane's tests are in test/lanes/NAME, its pinned packages in
tools/requirements/lane-NAME.txt.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Lane:
    """One row of the table of lanes."""

    name: str
    summary: str
    needs: str
    minutes: int  # of the tests alone, on two quiet cores
    tests: tuple[str, ...]
    numeric_tests: tuple[str, ...] = ()  # those that need lane-NAME-numeric.txt too
    every_python: bool = False
    variable: str = ""  # of the environment, without which the lane cannot run
    files: tuple[str, ...] = ()  # below /, as patterns: of packages that only a distribution has

    @property
    def requirements(self) -> str:
        """File name of the pinned packages."""
        return f"lane-{self.name}.txt"

    @property
    def numeric_requirements(self) -> str:
        """File name of the pinned packages of `numeric_tests`."""
        return f"lane-{self.name}-numeric.txt"


LANES = (
    Lane(
        name="attack",
        summary="./ws attack: hostile input of every kind, floods, kills; nothing falls",
        needs="VDSIM_ATTACK=MINUTES, the workspace, a quiet machine",
        minutes=30,
        tests=("test/lanes/attack",),
        variable="VDSIM_ATTACK",
    ),
    Lane(
        name="autoware",
        summary="Autoware's own launch XML starts our car; its pedal maps are found from logs",
        needs="VDSIM_AUTOWARE=DIR with clones of autoware_launch (docs/autoware.md)",
        minutes=3,
        tests=("test/lanes/autoware",),
        variable="VDSIM_AUTOWARE",
    ),
    Lane(
        name="axe",
        summary="axe-core finds no fault of accessibility in the dashboard",
        needs="chromium, npm (for axe-core)",
        minutes=1,
        tests=("test/lanes/axe",),
    ),
    Lane(
        name="browser",
        summary="the car as WebAssembly in Chromium: the plant's bits, its time, a shared drive",
        needs="Zig's C compiler (PyPI), chromium, npm (for axe-core)",
        minutes=3,
        tests=("test/lanes/browser",),
    ),
    Lane(
        name="campaign",
        summary=(
            "fuzzing; mutation runs of wire, safety, acceleration loop and guard; "
            "a soak through a bad link"
        ),
        needs="atheris, mutmut, cosmic-ray",
        minutes=65,
        tests=("test/lanes/campaign",),
    ),
    Lane(
        name="can",
        summary=(
            "94 networks packed and protected as by opendbc; an hour of its controllers, "
            "bit for bit; panda's hook refuses nothing that is sent"
        ),
        needs="opendbc (Python 3.11 or 3.12), cantools, asammdf, gcc",
        minutes=12,
        tests=("test/lanes/can",),
    ),
    Lane(
        name="cluster",
        summary="sweeps and seeds on Dask: the same bits, through killed workers and schedulers",
        needs="dask[distributed], cryptography",
        minutes=2,
        tests=("test/lanes/cluster",),
    ),
    Lane(
        name="commonroad",
        summary="level l3 against CommonRoad's multi-body model of 29 states",
        needs="commonroad-vehicle-models",
        minutes=2,
        tests=("test/lanes/commonroad",),
    ),
    Lane(
        name="docs",
        summary="./ws docs builds the site without a warning; its search finds the right page",
        needs="Sphinx, furo, myst-parser (Python 3.11 or newer), chromium",
        minutes=2,
        tests=("test/lanes/docs",),
    ),
    Lane(
        name="fmu",
        summary="FMUs of cars: valid, and the same bits as the plant through another importer",
        needs="FMPy, a C compiler, make",
        minutes=3,
        tests=("test/lanes/fmu",),
    ),
    Lane(
        name="interfaces",
        summary=(
            "colcon builds a package with a message of one's own that contains vdsim_msgs, and "
            "the overlay of Autoware"
        ),
        needs="CMake",
        minutes=3,
        tests=("test/lanes/interfaces",),
    ),
    Lane(
        name="life",
        summary="memory and open files of every process stay as they are beside 30 viewers",
        needs="VDSIM_LIFE=HOURS, the workspace",
        minutes=360,
        tests=("test/lanes/life",),
        variable="VDSIM_LIFE",
    ),
    Lane(
        name="measured",
        summary="a real car's fast lap is predicted from its slow one (VDSIM_MEASURED: its folder)",
        needs="the two laps of docs/validation.md; without them it says that it did not run",
        minutes=3,
        tests=("test/lanes/measured",),
    ),
    Lane(
        name="mpc",
        summary="a nonlinear MPC drives VDSimPlant; the CasADi model is the plant's numeric core",
        needs="CasADi with IPOPT",
        minutes=2,
        tests=("test/lanes/mpc",),
    ),
    Lane(
        name="opencrg",
        summary="roads of OpenCRG files carry a car of level l3",
        needs="pyopencrg",
        minutes=1,
        tests=("test/lanes/opencrg",),
    ),
    Lane(
        name="pythons",
        summary="the tests of vdsim_protocol and vdsim_plant on every Python of this machine",
        needs="Python 3.10 to 3.14, those that are installed",
        minutes=8,
        tests=("src/vdsim_protocol/test",),
        numeric_tests=("src/vdsim_plant/test",),
        every_python=True,
    ),
    Lane(
        name="rl",
        summary="the driving tasks pass Gymnasium's and PettingZoo's checkers; policies learn",
        needs="Gymnasium, PettingZoo",
        minutes=4,
        tests=("test/lanes/rl",),
    ),
    Lane(
        name="secure",
        summary="Cyclone DDS with security enforces the keystore of ./ws secure",
        needs="Debian's Cyclone DDS (cyclonedds-dev, cyclonedds-tools), a C compiler",
        minutes=1,
        tests=("test/lanes/secure",),
        files=("usr/bin/idlc", "usr/bin/gcc", "usr/lib/*/libddsc*/libdds_security_auth.so"),
    ),
    Lane(
        name="slipx",
        summary="the plant against slipx's double-track model: a circle, a step of steering",
        needs="slipx (Python below 3.14)",
        minutes=1,
        tests=("test/lanes/slipx",),
    ),
    Lane(
        name="stl",
        summary="the fault campaign's monitors against an independent implementation",
        needs="rtamt (Python below 3.13)",
        minutes=1,
        tests=("test/lanes/stl",),
    ),
    Lane(
        name="upstream",
        summary="a fresh clone beside a sourced ROS 2 with upstream's launch, ros2, launch_testing",
        needs="VDSIM_UPSTREAM=DIR with their sources (branch jazzy), CMake, the workspace",
        minutes=45,
        tests=("test/lanes/upstream",),
        variable="VDSIM_UPSTREAM",
    ),
    Lane(
        name="vendors",
        summary=(
            "a peer on Cyclone DDS drives by topics, its services are named as unanswered; "
            "the guard during its requests"
        ),
        needs="Cyclone DDS (Python below 3.14), the workspace",
        minutes=2,
        tests=("test/lanes/vendors",),
    ),
    Lane(
        name="wheels",
        summary="wheels and source archives of all packages pass PyPI's checkers, and drive in a "
        "fresh environment of every Python here",
        needs="build, twine, check-wheel-contents, the network, further Pythons if there are any",
        minutes=6,
        tests=("test/lanes/wheels",),
    ),
)


def lane_named(name: str) -> Lane | None:
    """The lane of a name; None when there is none."""
    return next((lane for lane in LANES if lane.name == name), None)


def names() -> str:
    """All names, for messages."""
    return ", ".join(lane.name for lane in LANES)


def help_text() -> str:
    """The text of `./ws test --help`."""
    width = max(len(lane.name) for lane in LANES)
    rows = []
    for lane in LANES:
        rows.append(f"  {lane.name:<{width}}  {lane.summary}")
        rows.append(f"  {'':<{width}}  needs {lane.needs}; about {lane.minutes} min")
    return "\n".join(
        [
            "usage: ./ws test [PATH ... | LANE] [PYTEST-OPTION ...]",
            "",
            "  ./ws test             lint, types and the quick suite: half an hour on two cores",
            "  ./ws test --times     the same, and what each test file takes of the processor",
            "  ./ws test PATH ...    pytest on these files and folders",
            "  ./ws test LANE        a heavy run; the first use of a lane installs its packages",
            "",
            "Lanes (each in an environment of its own below .ros/lanes; ROS 2 is not needed):",
            *rows,
            "",
        ]
    )
