"""One addition for each row of "To add X, touch Y" in docs/architecture.md that a script can make.

An addition is what somebody would write: pieces of text, each put before what stands in a file.
`rows` reads the table; `applied` makes an addition in a copy of the repository.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/architecture.md"
INTERFACE = "src/vdsim_interface/vdsim_interface"
PACKAGES = tuple(sorted(path.parent.name for path in (ROOT / "src").glob("*/setup.py")))
_PATH = re.compile(r"\w[\w./*-]*(\.(py|md|js|json|yaml|c)|/)")
LEFT_OUT = shutil.ignore_patterns(".git", ".ros", ".*_cache", "__pycache__", "build", "dist")


class Put(NamedTuple):
    """`text` before what stands once in a file; a file that is not there is begun."""

    file: str
    place: str
    text: str


class Addition(NamedTuple):
    """What is added. `row`: its row of the table; `put`: what is written.

    `makes`: the generated files that change with it. `tests`: what must pass, those that the row
    names and those that would notice a file that it does not name. `spared`: files that the row
    names for another case than this one.
    """

    row: str
    put: tuple[Put, ...]
    makes: tuple[str, ...]
    tests: tuple[str, ...]
    spared: tuple[str, ...] = ()


_SPEEDS = f"{INTERFACE}/values/speeds.py"
_SAFETY = f"{INTERFACE}/safety"
_SAFETY_TESTS = "src/vdsim_interface/test/safety"
_CAR = "src/vdsim_can/vdsim_can/car/checks.py"
_CAR_TESTS = "src/vdsim_can/test/test_car_file.py"
_WHY = "src/vdsim_protocol/vdsim_protocol/why/causes.py"
_WHY_TESTS = "src/vdsim_protocol/test/test_why.py"
_TASKS = "src/vdsim_plant/vdsim_plant/study/tasks/catalogue.py"
_REPORTS = "src/vdsim_interface/test/pipeline/test_reports.py"
_LIVE = "src/vdsim_interface/test/pipeline/test_live_parameters.py"


def _gentle(most: str) -> tuple[Put, ...]:
    """A rule and its row."""
    return (
        Put(
            f"{_SAFETY}/rules.py",
            "def hand_brake_set(\n",
            "def gentle_reverse(\n"
            "    motion: MotionCommand, context: RuleContext, limits: SafetyLimits\n"
            ") -> MotionCommand:\n"
            '    """Drive backwards with a small acceleration."""\n'
            f"    most = {most}\n"
            "    gentle = context.gear is not Gear.REVERSE or motion.drive_mps2 <= most\n"
            "    return motion if gentle else motion._replace(drive_mps2=most)\n\n\n",
        ),
        Put(
            f"{_SAFETY}/rules.py",
            '    Rule(\n        NoticeKind("hand_brake_set"',
            '    Rule(\n        NoticeKind("gentle_reverse", _INFO, "backwards it is limited"),\n'
            '        gentle_reverse,\n        off="backwards the car gains speed as forwards",\n'
            "    ),\n",
        ),
    )


ADDITIONS = (
    Addition(
        "a safety rule",
        (
            *_gentle("0.5 * limits.accel_max_mps2"),
            Put(
                f"{_SAFETY_TESTS}/test_safety_rules.py",
                '        "hand_brake_set",\n        "gear_no_drive",\n',
                '        "gentle_reverse",\n',
            ),
            Put(
                f"{_SAFETY_TESTS}/test_switches.py",
                "SCENES: dict[str",
                "def backwards(bench: Bench) -> None:\n"
                "    bench.request(gear=Gear.REVERSE)\n"
                "    bench.step(VehicleCommand(0.0, 0.0), 100)\n"
                "    bench.step(VehicleCommand(0.0, -3.0), 100)\n\n\n",
            ),
            Put(
                f"{_SAFETY_TESTS}/test_switches.py",
                '    "hand_brake_set": hand_brake,\n',
                '    "gentle_reverse": backwards,\n',
            ),
            Put(
                _REPORTS,
                "def hand_brake_set() -> Drive:\n",
                "def backwards() -> Drive:\n"
                '    drive = Drive("vehicle").engaged()\n'
                "    request(drive, gear=Gear.REVERSE)\n"
                "    drive.run(1.0, VehicleCommand(0.0, 0.0, 0.0, 0.0))\n"
                "    drive.run(1.0, VehicleCommand(0.0, -3.0, 0.0, 0.0))\n"
                "    return drive\n\n\n",
            ),
            Put(
                _REPORTS,
                '    "hand_brake_set": hand_brake_set,\n',
                '    "gentle_reverse": backwards,\n',
            ),
        ),
        ("docs/safety.md",),
        (
            f"{_SAFETY_TESTS}/test_safety_rules.py",
            f"{_SAFETY_TESTS}/test_switches.py",
            f"{_REPORTS}::test_there_is_a_scene_for_every_kind",
            f"{_REPORTS}::test_every_kind_is_issued",
        ),
    ),
    Addition(
        "a limit for it",
        (
            Put(
                f"{_SAFETY}/limits.py",
                "    gear_change_speed_mps: float = real(\n",
                "    reverse_accel_max_mps2: float = real(\n"
                '        1.5, "acceleration backwards [m/s2]", above=0, at_most=10\n    )\n',
            ),
            *_gentle("limits.reverse_accel_max_mps2"),
            Put(
                _LIVE,
                "DRIVES: dict[str",
                "def backwards(drive: Drive) -> None:\n"
                '    """Ask for more than is allowed, backwards."""\n'
                "    push(drive, 1.0, 0.0)\n"
                "    drive.pipeline.on_state_command(StateCommand(gear=Gear.REVERSE), drive.now)\n"
                "    push(drive, 1.0, 0.0)\n    push(drive, 3.0, -9.0)\n\n\n",
            ),
            Put(_LIVE, '    "safety.oscillation": shaken,\n', '    "safety.reverse": backwards,\n'),
            Put(
                "tools/generate/safety_case/parameters.py",
                '    Row(\n        "safety.standstill_hold_mps2",\n',
                '    Row(\n        "safety.reverse_accel_max_mps2",\n        "too large",\n'
                '        "the car is fast backwards",\n        left="nobody looks back",\n'
                "    ),\n",
            ),
        ),
        ("src/vdsim_interface/config/vehicle_interface.yaml", "docs/safety-case.md"),
        (
            "test/test_safety_case.py::test_nothing_is_left_out",
            "test/test_parameter_fields.py",
            f"{_LIVE} -k reverse_accel",
        ),
    ),
    Addition(
        "a speed that means stands, creeps or moves",
        (
            Put(
                _SPEEDS,
                "STARTED_MPS = _row(",
                'HUMS_MPS = _row("HUMS_MPS", 0.4, _C, "the motor hums", "sensors/standard")\n',
            ),
            Put(
                f"{INTERFACE}/sensors/standard.py",
                "from vdsim_interface.values",
                "from vdsim_interface.values.speeds import HUMS_MPS as HUMS_MPS\n",
            ),
        ),
        ("docs/safety.md",),
        ("test/test_speed_table.py",),
        (f"{INTERFACE}/sensors/standard.py",),
    ),
    Addition(
        "a check of a car file",
        (
            Put(
                _CAR,
                "CHECKS: tuple[",
                "def the_car_has_a_horn(car: CarFile) -> Iterator[Problem]:\n"
                '    """Nobody should drive without one."""\n'
                '    if all(row.field != "horn" for row in car.reports):\n'
                '        yield Problem(1, "reports: horn is missing")\n\n\n',
            ),
            Put(_CAR, "    known_fields,\n    handshake_problems,\n", "    the_car_has_a_horn,\n"),
            Put(
                _CAR_TESTS,
                '    ("for_ms: 50}", "for_ms: 5}"',
                '    ("  horn: {signal: DBW_BODY.HORN}\\n", "", "", "reports: horn is missing"),\n',
            ),
        ),
        (),
        (f"{_CAR_TESTS}::test_rows_that_contradict_each_other_are_named",),
    ),
    Addition(
        'a cause of "why does it not do what I asked"',
        (
            Put(
                _WHY,
                "CAUSES: tuple[",
                "def in_reverse(evidence: Evidence) -> Answer | None:\n"
                '    """The gear drives the other way."""\n'
                '    if evidence.gear != "REVERSE":\n        return None\n'
                "    return Answer(\n"
                '        cause="in_reverse",\n        level=Level.NOTE,\n        title="Reverse",\n'
                '        sentence="the car drives backwards",\n        evidence="its gear",\n'
                '        action="Ask for DRIVE",\n    )\n\n\n',
            ),
            Put(_WHY, "    asks_for_rest,\n    drives,\n", "    in_reverse,\n"),
            Put(
                _WHY_TESTS,
                '    "drives": HEALTHY,\n',
                '    "in_reverse": replace(HEALTHY, gear="REVERSE", speed_mps=-1.0),\n',
            ),
        ),
        (),
        (_WHY_TESTS,),
        ("src/vdsim_protocol/vdsim_protocol/why/evidence.py",),
    ),
    Addition(
        "a driving task to learn",
        (
            Put(
                _TASKS,
                "TASKS: dict[str",
                "def slow_lane() -> Task:\n"
                '    """Return the straight lane, slowly."""\n'
                "    return Task(\n"
                '        name="SlowLane",\n'
                '        about="keep to the middle of a straight lane at 5 m/s",\n'
                "        line=StraightLine(),\n        speed_mps=5.0,\n    )\n\n\n",
            ),
            Put(_TASKS, '    "LaneKeeping": lane_keeping,\n', '    "SlowLane": slow_lane,\n'),
        ),
        (),
        ("src/vdsim_plant/test/study/tasks/test_tasks.py::test_what_is_seen_is_what_the_cars_do",),
        ("src/vdsim_plant/vdsim_plant/study/tasks/task.py",),
    ),
    Addition(
        "a page",
        (
            Put("docs/weather.md", "", "# Weather\n\nIt rains on nobody: the road is dry.\n"),
            Put(
                "docs/README.md",
                "| the plant beside a measured car |",
                "| weather | [weather.md](weather.md) |\n",
            ),
            Put("tools/site_build/plan.py", '"changelog", "history",', '"weather", '),
            Put(
                "tools/site_build/page_words.json",
                '"who-may-command":',
                '"weather": "rain snow ice wind fog sun storm cloud",\n  ',
            ),
        ),
        (),
        (
            "test/workspace/test_site_plan.py",
            "test/test_docs.py::test_links_between_pages_lead_somewhere",
            "test/test_english.py",
        ),
        ("test/test_docs.py",),
    ),
    Addition(
        "a fault or an oracle of the simulator",
        (
            Put(
                "simulate/vdsim_simulate/faults.py",
                '@fault("somebody asks to disengage")\n',
                '@fault("a door opens for a moment")\n'
                "def door_rattles(world: World) -> None:\n"
                '    """A door opens, and closes at once."""\n'
                "    world.people.door(is_open=True)\n"
                "    world.agenda.after(0.2, lambda: world.people.door(is_open=False))\n\n\n",
            ),
        ),
        ("docs/simulate.md",),
        ("simulate/test/test_world_faults.py -k door_rattles",),
        ("simulate/vdsim_simulate/oracles",),
    ),
    Addition(
        "a way in: a port, a topic, a service, a page, a library",
        (
            Put(
                "tools/generate/threats/rows.py",
                '    Entry(\n        "recordings and captures",\n',
                '    Entry(\n        "a key on a stick",\n        "a file that the user names",\n'
                '        "its writer",\n        "its length",\n        "who has the stick",\n'
                '        (),\n        ("lane:cluster",),\n    ),\n',
            ),
        ),
        ("docs/threats.md",),
        ("test/test_threats.py",),
    ),
    Addition(
        "a time-out",
        (
            Put(
                f"{INTERFACE}/arbitration/parameters.py",
                "    needs_give_back: bool = flag(\n",
                '    spare_timeout_s: float = real(0.5, "age that nothing needs [s]", above=0)\n',
            ),
            Put(
                "tools/generate/timeout_table.py",
                '    Timeout(\n        Vds1Parameters(),\n        "silence_s",\n',
                '    Timeout(\n        DEFAULT_SOURCES["autonomy"],\n        "spare_timeout_s",\n'
                '        "SOURCE.spare_timeout_s",\n        "`arbitration/sources.py`",\n'
                '        "nothing",\n    ),\n',
            ),
        ),
        ("docs/architecture.md",),
        (),
        (f"{INTERFACE}/arbitration/parameters.py",),
    ),
)


class Row(NamedTuple):
    """A row of the table: what is to be touched, and what follows."""

    name: str
    touch: str
    then: str

    @property
    def words(self) -> tuple[str, ...]:
        """What stands in backticks."""
        return tuple(re.findall(r"`([^`]+)`", self.touch))

    @property
    def paths(self) -> dict[str, Path | None]:
        """The file or folder of each word that names one; None: there is no such file."""
        paths: dict[str, Path | None] = {}
        near = ROOT
        for word in (*self.words, *re.findall(r"docs/[\w.-]*", self.touch)):
            if _PATH.fullmatch(word):
                paths[word] = found = _found(word, near)
                near = near if found is None else found.parent
        return paths


def rows() -> dict[str, Row]:
    """The table, by name."""
    text = PAGE.read_text(encoding="utf-8")
    part = text.split("## To add X, touch Y", 1)[1].split("\n## ", 1)[0]
    lines = [line.strip("| ").split(" | ") for line in part.splitlines() if line.startswith("| ")]
    found = [Row(*(cell.strip(" |") for cell in (*cells, "")[:3])) for cells in lines[1:]]
    return {row.name: row for row in found}


def _found(word: str, near: Path) -> Path | None:
    package = word.partition("/")[0]
    places = [ROOT / word, ROOT / INTERFACE / word, near / word, near.parent / word]
    if package in PACKAGES:
        places.append(ROOT / "src" / package / word)
    places += [ROOT / "src" / name / name / word for name in PACKAGES]
    for place in places:
        if "*" in word and list(place.parent.glob(place.name)):
            return place
        if place.exists():
            return place
    tests = [path for path in _tests() if path.name == word]
    kits = [ROOT / "src" / name / word for name in PACKAGES]
    return next((path for path in (*tests, *kits) if path.exists()), None)


def _tests() -> Iterator[Path]:
    for folder in ("src", "test", "simulate", "campaign"):
        yield from (ROOT / folder).rglob("test_*.py")


def copied(folder: Path) -> Path:
    """A copy of the repository that may be changed."""
    copy = folder / "copy"
    shutil.copytree(ROOT, copy, symlinks=True, ignore=LEFT_OUT)
    return copy


@contextmanager
def applied(addition: Addition, copy: Path) -> Iterator[None]:
    """Make an addition in the copy; afterwards each file is as it was."""
    files = {put.file for put in addition.put} | set(addition.makes)
    before = {
        name: (copy / name).read_bytes() if (copy / name).exists() else None for name in files
    }
    try:
        for put in addition.put:
            file = copy / put.file
            text = file.read_text(encoding="utf-8") if file.exists() else ""
            assert text.count(put.place) == 1 or not text, (put.file, put.place)
            file.write_text(text.replace(put.place, put.text + put.place, 1), encoding="utf-8")
        yield
    finally:
        for name, content in before.items():
            if content is None:
                (copy / name).unlink(missing_ok=True)
            else:
                (copy / name).write_bytes(content)
