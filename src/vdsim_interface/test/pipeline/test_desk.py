"""The desk: what the intake returns reaches the stages and the safety side."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from vdsim_interface.arbitration import mux_notices
from vdsim_interface.arbitration.interface_parameters import ArbitrationParameters
from vdsim_interface.pipeline.desk import Desk, Ends
from vdsim_interface.pipeline.intake import Intake
from vdsim_interface.teleop.mapping import Action
from vdsim_interface.teleop.mapping_file import load_mapping
from vdsim_interface.values import (
    LEVEL_OF,
    Blinker,
    ChangeModeResult,
    Command,
    ControlLevel,
    Gear,
    Headlight,
    HighLevelCommand,
    Mode,
    Notice,
    Odometry,
    RawCommand,
    RequestContext,
    StateCommand,
    StateReport,
    Stop,
    VehicleCommand,
    Wiper,
)
from vdsim_interface.values.state_message import StateMessage
from vdsim_interface_kit.teleop import GAMEPADS, PlayedPad

MAPPING = load_mapping(GAMEPADS / "game_controller.yaml")
NOW = 100.0
MANUAL = StateReport(
    0, Blinker.OFF, Headlight.OFF, Wiper.OFF, Gear.DRIVE, Mode.MANUAL, hand_brake=False, horn=False
)


class Counter:
    """Both ends of a desk: what it asks, and what it gives."""

    def __init__(self, *, is_enabled: bool = True) -> None:
        self.delivered: list[Command] = []
        self.overrides: list[VehicleCommand] = []
        self.emergencies: list[Stop | None] = []
        self.requests: list[StateCommand] = []
        self.engaged: list[bool] = []
        self.notices: list[Notice] = []
        self.late = self.fixed = ""
        self.velocity_mps, self.seen_s = 5.0, NOW
        self.state: StateReport | None = None
        self.level = ControlLevel.HIGH_LEVEL
        self.request_context: RequestContext | None = None
        intake = Intake(ArbitrationParameters(), MAPPING, level=self.level, wheelbase_m=2.97)
        ends = Ends(
            side=lambda: self,
            level=lambda: self.level,
            motion=lambda: (Odometry(self.seen_s, self.velocity_mps), self.state),
            deliver=lambda command, now: self.delivered.append(command),
            override=lambda command, now: self.overrides.append(command),
            follow=self.follow,
            fixed=lambda: self.fixed,
            report=lambda notices, now: self.notices.extend(notices),
            late_engage=lambda now: self.late,
        )
        self.desk = Desk(intake, ends, is_enabled=is_enabled)

    def follow(self, command: Command, now: float) -> None:
        if not self.fixed:
            self.level = LEVEL_OF[type(command)]

    def on_change_mode(
        self, engage: bool, now: float
    ) -> tuple[ChangeModeResult, tuple[Notice, ...]]:
        self.engaged.append(engage)
        return ChangeModeResult(True, "", Mode.AUTONOMOUS), ()

    def on_state_command(self, request: StateCommand, now: float) -> tuple[Notice, ...]:
        self.requests.append(request)
        return ()

    def on_emergency(self, stop: Stop | None) -> None:
        self.emergencies.append(stop)


def press(desk: Desk, action: Action, now: float = NOW) -> None:
    """A button of the page's pad is pressed, and one period passes."""
    pad = PlayedPad(MAPPING)
    for n, is_pressed in enumerate((False, True)):
        pad.hold(action, is_pressed)
        desk.on_joy(*pad.joy(), now + 0.05 * n)
        desk.tick(now + 0.05 * n)


def drive(now: float) -> HighLevelCommand:
    return HighLevelCommand(now, 5.0)


def test_an_emergency_stop_passes_the_controller_by_and_is_latched_at_the_side() -> None:
    counter = Counter()
    counter.desk.intake.latest = drive(NOW)
    counter.desk.emergency_stop("a person", NOW)
    for n in range(1, 4):
        counter.desk.on_stack(drive(NOW + 0.01 * n), NOW + 0.01 * n)
        counter.desk.tick(NOW + 0.01 * n)
    assert counter.overrides
    assert not counter.delivered
    assert all(command.long_accel_mps2 <= 0.0 for command in counter.overrides)
    [stop] = counter.emergencies
    assert stop is not None
    assert stop.decel_mps2 == 6.0


def test_giving_back_releases_what_the_side_alone_still_knows() -> None:
    counter = Counter()
    done, text = counter.desk.give_back("a person", NOW)
    assert done, text
    assert counter.emergencies == [None]


def test_the_page_releases_what_the_side_alone_still_knows() -> None:
    counter = Counter()
    press(counter.desk, Action.GIVE_BACK)
    assert counter.emergencies == [None]


def test_a_request_of_the_page_that_waited_for_a_stalled_process_does_not_engage() -> None:
    counter = Counter()
    counter.late = "this process did not run for 1.00 s; ask again"
    press(counter.desk, Action.ENGAGE)
    assert counter.engaged == []
    counter.late = ""
    press(counter.desk, Action.ENGAGE, NOW + 1.0)
    assert counter.engaged == [True]


def test_giving_back_a_moving_car_releases_nothing() -> None:
    counter = Counter()
    counter.desk.emergency_stop("a person", NOW)
    done, text = counter.desk.give_back("a person", NOW + 0.1)
    assert not done
    assert text
    assert None not in counter.emergencies


def test_a_command_of_another_level_passes_to_be_rejected_while_the_stack_rests() -> None:
    counter = Counter()
    raw = RawCommand(NOW, 0.1, 0.0, 0.0)
    assert counter.desk.on_stack(raw, NOW) is raw
    counter.desk.emergency_stop("a person", NOW)
    assert counter.desk.on_stack(raw, NOW + 0.01) is None


def test_an_emergency_stop_is_reset_at_a_level_that_was_set_after_the_start() -> None:
    counter = Counter()
    counter.level, counter.velocity_mps = ControlLevel.VEHICLE, 0.0
    counter.fixed = "disengage first"
    for n in range(10):
        counter.desk.on_stack(VehicleCommand(NOW + 0.1 * n, 1.0), NOW + 0.1 * n)
        counter.desk.emergency_stop("a person", NOW + 0.1 * n)
    assert counter.desk.give_back("a person", NOW + 1.0)[0]
    done, text = counter.desk.give_back("a person", NOW + 1.0)
    assert done, text


def test_a_level_that_is_set_is_the_stack_s_at_once() -> None:
    counter = Counter()
    counter.desk.on_source("gamepad", drive(NOW), NOW)
    counter.level = ControlLevel.VEHICLE
    counter.desk.on_stack(VehicleCommand(NOW, 1.0), NOW)
    done, text = counter.desk.give_back("a person", NOW)
    assert done, text
    assert counter.desk.on_stack(VehicleCommand(NOW + 0.1, 1.0), NOW + 0.1) is not None


def test_a_level_that_a_source_brought_is_not_the_stack_s() -> None:
    counter = Counter()
    counter.desk.on_source("gamepad", VehicleCommand(NOW, 1.0), NOW)
    assert counter.level is ControlLevel.VEHICLE
    assert counter.desk.home is ControlLevel.HIGH_LEVEL


def test_the_stack_s_level_returns_with_its_first_command() -> None:
    counter = Counter()
    counter.velocity_mps = 0.0
    counter.state = MANUAL
    for n in range(80):
        counter.seen_s = NOW + 0.1 * n
        if n < 40:
            command = VehicleCommand(counter.seen_s, 1.0)
            counter.desk.on_source("gamepad", command, counter.seen_s)
        counter.desk.tick(counter.seen_s)
    done, text = counter.desk.give_back("a person", counter.seen_s)
    assert done, text
    for n in range(80, 140):
        counter.seen_s = NOW + 0.1 * n
        if counter.desk.intake.watches:
            counter.desk.tick(counter.seen_s)
    counter.desk.on_stack(drive(counter.seen_s), counter.seen_s)
    assert counter.level is ControlLevel.HIGH_LEVEL


def by_service(desk: Desk) -> None:
    desk.give_back("service give_back", NOW + 0.1)


def by_page(desk: Desk) -> None:
    press(desk, Action.GIVE_BACK, NOW + 0.1)


@pytest.mark.parametrize("gives_back", [by_service, by_page])
def test_nobody_gives_back_to_a_level_that_cannot_be_set(
    gives_back: Callable[[Desk], None],
) -> None:
    counter = Counter()
    counter.desk.on_source("gamepad", VehicleCommand(NOW, 1.0), NOW)
    counter.fixed = "disengage first"
    counter.desk.on_stack(drive(NOW + 0.1), NOW + 0.1)
    gives_back(counter.desk)
    [refusal] = [one for one in counter.notices if one.kind is mux_notices.GIVE_BACK_REFUSED]
    assert "the stack commands high_level, but control_command is vehicle" in refusal.text


def test_an_emergency_stop_is_reset_whatever_the_level() -> None:
    counter = Counter()
    counter.velocity_mps = 0.0
    counter.desk.on_source("gamepad", VehicleCommand(NOW, 1.0), NOW)
    counter.fixed = "disengage first"
    counter.desk.emergency_stop("a person", NOW)
    done, text = counter.desk.give_back("a person", NOW + 0.1)
    assert done, text
    assert not counter.desk.give_back("a person", NOW + 0.1)[0]


def test_a_desk_without_other_sources_reads_state_messages_itself() -> None:
    counter = Counter(is_enabled=False)
    counter.desk.on_stack_state(StateMessage(), NOW)
    assert not counter.requests  # nothing is known of the side yet
    counter.request_context = RequestContext()
    counter.desk.on_stack_state(StateMessage(), NOW)
    assert len(counter.requests) == 1
