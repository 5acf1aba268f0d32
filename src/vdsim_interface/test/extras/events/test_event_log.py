"""The event log: what is recorded, the chain of its lines, the file, and the command."""

from __future__ import annotations

import csv
import itertools
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from ament_index_python.packages import get_package_share_directory
from vdsim_interface.arbitration.interface_parameters import ArbitrationParameters
from vdsim_interface.extras.events import occurrences
from vdsim_interface.extras.events.attach import attach
from vdsim_interface.extras.events.chain import Chain, check
from vdsim_interface.extras.events.cli import events as command
from vdsim_interface.extras.events.event_file import EventFile, EventLogError
from vdsim_interface.extras.events.occurrences import Occurrence, kind_of
from vdsim_interface.extras.events.watch import QUIET_S, Watch
from vdsim_interface.extras.stages.safety_stage import SafetyStage
from vdsim_interface.guard import tape
from vdsim_interface.pipeline.desk import Desk, Ends
from vdsim_interface.pipeline.intake import Intake
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.pipeline.safety_side import SafetySide
from vdsim_interface.safety.modes import MODE_TABLE
from vdsim_interface.teleop.mapping_file import load_mapping
from vdsim_interface.values import (
    ControlLevel,
    Gear,
    HighLevelCommand,
    Mode,
    StateCommand,
    Stop,
    Until,
)
from vdsim_interface_kit.interface import CRUISE, Drive

STOP = Stop("emergency", 6.0, 20.0, Until.RELEASED)


class Logged:
    """A drive, and what its log holds."""

    def __init__(self) -> None:
        self.found: list[Occurrence] = []
        self.drive = Drive()
        self.watch = Watch(self.found.append)
        self.watch.of_pipeline(self.drive.pipeline)

    def new(self) -> list[Occurrence]:
        """What was written since the last call."""
        found = list(self.found)
        self.found.clear()
        return found

    def kinds(self) -> list[tuple[str, str, str]]:
        return [(each.kind, each.cause, each.phase) for each in self.new()]


@pytest.fixture
def logged() -> Logged:
    made = Logged()
    assert made.kinds() == [(occurrences.START, "", "")]
    return made


@pytest.fixture
def driving(logged: Logged) -> Logged:
    logged.drive.engaged()
    logged.drive.run(3.0, CRUISE)
    logged.new()
    return logged


def test_every_transition_of_the_mode_has_a_kind() -> None:
    kinds = {
        kind_of(before, event, after)
        for (before, event), after in MODE_TABLE.items()
        if before is not after
    }
    assert kinds == occurrences.OF_THE_MODE


def test_an_engagement_is_two_records_and_says_how_it_came(logged: Logged) -> None:
    logged.drive.engaged()
    begins, activation = (each for each in logged.new() if each.kind in occurrences.OF_THE_MODE)
    assert (begins.kind, begins.mode_before, begins.mode) == (
        occurrences.ENGAGEMENT_BEGINS,
        "MANUAL",
        "NOT_READY",
    )
    assert "auto_engage" in begins.text
    assert (activation.kind, activation.cause, activation.mode) == (
        occurrences.ACTIVATION,
        "ready",
        "AUTONOMOUS",
    )
    assert activation.parameters
    assert activation.clock_s is not None


def test_each_way_to_end_autonomy_is_told_apart(driving: Logged) -> None:
    pipeline, now = driving.drive.pipeline, driving.drive.now
    pipeline.safety_side.on_driver_override(True, now)
    [override] = driving.new()
    assert (override.kind, override.by, override.mode) == (
        occurrences.OVERRIDE,
        "on_driver_override",
        "DISENGAGED",
    )
    assert "switch" in override.text


def test_a_request_to_disengage_is_a_deactivation(driving: Logged) -> None:
    driving.drive.pipeline.safety_side.on_change_mode(False, driving.drive.now)
    [found] = driving.new()
    assert (found.kind, found.cause, found.by) == (
        occurrences.DEACTIVATION,
        "disengage",
        "on_change_mode",
    )


def test_a_lost_link_is_a_stop_then_a_transition_demand(driving: Logged) -> None:
    driving.drive.platform.muted = True
    driving.drive.run(1.5, CRUISE)
    kinds = driving.kinds()
    begins = (occurrences.MANOEUVRE, "link_timeout", occurrences.BEGIN)
    demand = (occurrences.TRANSITION_DEMAND, "link_lost", "")
    assert kinds.index(begins) < kinds.index(demand)
    assert (occurrences.FAULT, "link_timeout", "") in kinds
    driving.drive.platform.muted = False
    driving.drive.run(0.2, CRUISE)
    assert (occurrences.MANOEUVRE, "link_timeout", occurrences.END) in driving.kinds()


def test_an_emergency_stop_is_told_when_it_is_latched_and_released(driving: Logged) -> None:
    side = driving.drive.pipeline.safety_side
    side.on_emergency(STOP)
    assert driving.kinds() == [(occurrences.EMERGENCY, "emergency", occurrences.BEGIN)]
    side.on_emergency(STOP)
    driving.drive.run(0.1, CRUISE)
    assert not [each for each in driving.kinds() if each[0] == occurrences.EMERGENCY]
    side.on_emergency(None)
    assert driving.kinds()[0] == (occurrences.EMERGENCY, "emergency", occurrences.END)


def test_a_refused_request_is_written_with_its_reason(driving: Logged) -> None:
    driving.drive.pipeline.safety_side.on_state_command(
        StateCommand(gear=Gear.PARK), driving.drive.now
    )
    [found] = driving.new()
    assert (found.kind, found.cause) == (occurrences.REFUSED, "gear_park_moving")
    assert found.text


def test_what_is_refused_again_at_once_is_counted(driving: Logged) -> None:
    pipeline, drive = driving.drive.pipeline, driving.drive
    pipeline.safety_side.on_driver_override(True, drive.now)
    driving.new()
    for _ in range(4):
        pipeline.safety_side.on_change_mode(True, drive.now)
    assert driving.kinds() == [(occurrences.REFUSED, "engage_refused", "")]
    pipeline.safety_side.on_change_mode(True, drive.now + QUIET_S)
    [found] = driving.new()
    assert found.repeated == 3


def test_the_end_of_a_process_is_a_deactivation(driving: Logged) -> None:
    driving.drive.pipeline.stop(driving.drive.now)
    assert (occurrences.DEACTIVATION, "stop", "") in driving.kinds()
    assert driving.drive.pipeline.mode is Mode.MANUAL


# ---- the chain -----------------------------------------------------------------------------------


def lines_of(count: int) -> list[str]:
    chain = Chain("1.2.3")
    return [chain.line(Occurrence("start", "", f"number {n}"), 10**18 + n) for n in range(count)]


def test_a_record_has_time_version_and_cause() -> None:
    record = json.loads(lines_of(1)[0])
    assert record["time"] == "2001-09-09T01:46:40.000000000Z"
    assert record["version"] == "1.2.3"
    assert record["previous"] == "0" * 64


def test_a_whole_chain_has_no_problem() -> None:
    found = check(lines_of(5))
    assert found.problems == ()
    assert found.last_hash == found.records[-1]["hash"]


@pytest.mark.parametrize(
    ("change", "line", "problem"),
    [
        (lambda lines: [lines[0], lines[1].replace("number 1", "number 9"), *lines[2:]], 2, "hash"),
        (lambda lines: [lines[0], *lines[2:]], 2, "does not follow"),
        (lambda lines: [lines[1], lines[0], *lines[2:]], 1, "does not follow"),
        (lambda lines: [*lines[:2], lines[1], *lines[2:]], 3, "does not follow"),
        (lambda lines: [*lines[:2], "{}", *lines[2:]], 3, "is no record"),
        (lambda lines: [*lines[:2], " " + lines[2], *lines[3:]], 3, "is not written as"),
        (lambda lines: [*lines, lines[0][:40]], 5, "is no record"),
    ],
)
def test_a_chain_that_was_changed_is_told_by_line(change, line, problem) -> None:  # type: ignore[no-untyped-def]
    problems = check(change(lines_of(4))).problems
    assert problems[0][0] == line
    assert problem in problems[0][1]


# ---- the file ------------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "events.jsonl"


def event_file(path: Path) -> EventFile:
    times = itertools.count(10**18)
    return EventFile(path, "1.2.3", lambda: next(times))


def write(path: Path, count: int = 2) -> None:
    file = event_file(path)
    for _ in range(count):
        file.write(Occurrence("start", "", "begins"))
    file.close()


def test_what_is_written_is_there_at_once_and_the_next_process_goes_on(path: Path) -> None:
    file = event_file(path)
    file.write(Occurrence("start", "", "begins"))
    assert len(command.checked(path).records) == 1
    file.close()
    write(path)
    found = command.checked(path)
    assert [record["number"] for record in found.records] == [1, 2, 3]
    assert found.problems == ()
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("cut", [1, 30, 200])
def test_a_line_that_was_cut_off_is_noted_by_the_next_process(path: Path, cut: int) -> None:
    write(path)
    with path.open("r+b") as stream:
        stream.truncate(path.stat().st_size - cut)
    write(path, 1)
    found = command.checked(path)
    assert found.problems == ()
    # Of one byte less only the end of the line is missing.
    assert (len(found.records), found.cut_n) == ((3, 0) if cut == 1 else (2, 1))


def test_a_cut_that_nobody_noted_breaks_the_chain(path: Path) -> None:
    write(path, 3)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], lines[1][:50], lines[2]]) + "\n")
    assert command.checked(path).problems[0] == (2, "is no record")


def test_two_processes_cannot_write_one_log(path: Path) -> None:
    first = event_file(path)
    with pytest.raises(EventLogError, match="another process writes it"):
        event_file(path)
    first.close()


def test_a_file_of_another_kind_is_refused(path: Path, tmp_path: Path) -> None:
    path.write_text("my own notes\n")
    with pytest.raises(EventLogError, match="holds no record"):
        event_file(path)
    assert path.read_text() == "my own notes\n"
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(EventLogError):
        event_file(tmp_path / "fifo")
    with pytest.raises(EventLogError, match="No such file"):
        event_file(tmp_path / "nowhere" / "events.jsonl")


def test_a_full_disk_ends_the_log_and_not_the_drive(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = event_file(path)

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        file.write(Occurrence("start", "", "begins"))
    file.write(Occurrence("start", "", "begins"))
    assert path.read_bytes() == b""
    said = capsys.readouterr().err
    assert said.count("the log ends, the drive goes on") == 1
    file.close()


# ---- the process ---------------------------------------------------------------------------------


@pytest.fixture
def environment(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(tape.EVENT_LOG, str(path))
    monkeypatch.delenv(tape.VARIABLE, raising=False)
    return None


@pytest.mark.usefixtures("environment")
def test_a_process_that_is_told_of_a_log_writes_it(path: Path) -> None:
    drive = Drive()
    assert tape.on_tape(drive.pipeline) is drive.pipeline
    drive.engaged()
    kinds = [record["kind"] for record in command.checked(path).records]
    assert kinds[0] == occurrences.START
    assert occurrences.ACTIVATION in kinds


def test_the_next_activation_of_a_process_goes_on_in_its_log(path: Path) -> None:
    first, second = Drive(), Drive()
    made: list[Pipeline] = [first.pipeline, second.pipeline]
    for pipeline in made:
        attach(str(path), pipeline)
    second.engaged()
    found = command.checked(path)
    assert [record["kind"] for record in found.records][:2] == [occurrences.START] * 2
    assert found.problems == ()


def test_the_command_checks_and_exports(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(path, 3)
    table, records = tmp_path / "events.csv", tmp_path / "events.json"
    assert command.main(["events", str(path), "--csv", str(table), "--json", str(records)]) == 0
    assert "3 records: start 3; the chain is whole" in capsys.readouterr().out
    with table.open(newline="") as stream:
        assert [row["number"] for row in csv.DictReader(stream)] == ["1", "2", "3"]
    assert len(json.loads(records.read_text())) == 3
    path.write_text(path.read_text().replace("begins", "began", 1))
    assert command.main(["events", str(path)]) == 1
    said = capsys.readouterr()
    assert f"{path}: line 1: its content does not fit its hash" in said.err
    assert "the chain is broken" in said.out
    assert command.main(["events", str(tmp_path / "nothing")]) == 2


# ---- who commands --------------------------------------------------------------------------------

COMMAND = HighLevelCommand(0.0, 1.0, 0.0)


def desk_of(level: ControlLevel = ControlLevel.HIGH_LEVEL) -> Desk:
    """A desk before a safety side that takes everything."""
    parameters = ArbitrationParameters()
    share = Path(get_package_share_directory("vdsim_interface"))
    mapping = load_mapping(share / "config" / "gamepads" / "game_controller.yaml")
    intake = Intake(parameters, mapping, level=level, wheelbase_m=2.7)
    side = SafetySide(InterfaceParameters(), rear_steering=False)
    ends = Ends(
        side=lambda: side,
        level=lambda: level,
        motion=lambda: (None, None),
        deliver=lambda command, now: None,
        override=lambda command, now: None,
        follow=lambda command, now: None,
        fixed=lambda: "",
        report=lambda notices, now: None,
        late_engage=lambda now: "",
    )
    return Desk(intake, ends)


def test_each_change_of_who_commands_is_one_record() -> None:
    written: list[occurrences.Occurrence] = []
    desk = desk_of()
    Watch(written.append).of_desk(desk)
    for n in range(3):
        desk.on_stack(COMMAND._replace(stamp_s=0.1 * n), 0.1 * n)
        desk.intake.latest = COMMAND._replace(stamp_s=0.1 * n)
    for n in range(3, 6):
        desk.on_source("gamepad", COMMAND._replace(stamp_s=0.1 * n), 0.1 * n)
    desk.emergency_stop("a person", 0.7)
    who = [(each.cause, each.clock_s) for each in written if each.kind == occurrences.CONTROL]
    assert who == [("autonomy", 0.0), ("gamepad", pytest.approx(0.3)), ("safe_stop", 0.7)]
    assert "gamepad took over from autonomy" in written[2].text
    assert desk.give_back("a person", 0.8)[0]


@pytest.mark.usefixtures("environment")
def test_a_desk_without_a_side_in_its_process_has_a_part_of_its_own(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in the guard's shell: neither process waits for the other."""
    desk = tape.on_tape(desk_of())
    desk.on_stack(COMMAND, 0.0)
    attach(str(path), Drive().pipeline)
    part = path.with_name("events.control.jsonl")
    assert [each["kind"] for each in command.checked(part).records] == ["start", "control"]
    assert command.main(["events", str(path)]) == 0
    said = capsys.readouterr().out
    assert f"{path}: 1 records" in said
    assert f"{part}: 2 records: control 1, start 1; the chain is whole" in said


def test_the_stages_write_their_parts(path: Path) -> None:
    parameters = InterfaceParameters()
    stage = SafetyStage(parameters, rear_steering=False)
    attach(str(path), stage)
    stage.activate(parameters)
    attach(str(path), desk_of())
    assert stage.side.on_change_mode(True, 1.0)[0].success is False
    kinds = [each["kind"] for each in command.checked(path).records]
    assert kinds == ["start", "start", "refused_request"]
    attach(str(path), Drive().pipeline.vehicle_side)
    vehicle = command.checked(path.with_name("events.vehicle.jsonl"))
    assert [each["kind"] for each in vehicle.records] == ["start"]
