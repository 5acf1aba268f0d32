"""Who drives: priorities, time-outs, locks, stops, on virtual time with a toy car."""

import itertools
import math
from dataclasses import replace

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from vdsim_interface.arbitration.mux import CommandMux, ControlState
from vdsim_interface.arbitration.parameters import (
    LockParameters,
    LockSpec,
    MuxParameters,
    SourceParameters,
    SourceSpec,
    check_names,
    named_part,
)
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.values import (
    Blinker,
    Command,
    Gear,
    HighLevelCommand,
    Mode,
    NoticeKind,
    Odometry,
    RawCommand,
    VehicleCommand,
)
from vdsim_interface.values.notices import Severity
from vdsim_interface.values.state_message import StateMessage
from vdsim_interface_kit.teleop import STATE, ToyCar

DT_S = 0.02
SOURCES = (
    SourceSpec("autonomy", SourceParameters(10, 0.3, "next")),
    SourceSpec("remote", SourceParameters(20, 0.3, "next")),
    SourceSpec("gamepad", SourceParameters(50, 0.3, "stop")),
)
LOCKS = (
    LockSpec("stop_all", LockParameters(255, 0.0)),
    LockSpec("hold_autonomy", LockParameters(10, 0.0)),
    LockSpec("watchman", LockParameters(255, 0.5)),
)


class Road:
    """A mux, a car, and sources that publish at 50 Hz while they are switched on."""

    def __init__(self, locks: tuple[LockSpec, ...] = LOCKS[:2]) -> None:
        self.mux = CommandMux(SOURCES, locks, MuxParameters())
        self.car = ToyCar()
        self.now = 0.0
        self.publishing: dict[str, Command] = {}
        self.sent: list[Command] = []
        self.quiet_s = 0.0
        self.longest_quiet_s = 0.0
        self.kinds: list[NoticeKind] = []

    def run(self, duration_s: float) -> None:
        for _ in range(round(duration_s / DT_S)):
            self.now += DT_S
            self.mux.on_odometry(self.car.odometry(), self.now)
            self.mux.on_state_report(self.car.state)
            outputs = [
                self.mux.on_command(name, command, self.now)
                for name, command in self.publishing.items()
            ]
            outputs.append(self.mux.tick(self.now))
            commands = [output.command for output in outputs if output.command is not None]
            self.sent += commands
            self.kinds += [report.kind for output in outputs for report in output.notices]
            self.quiet_s = 0.0 if commands else self.quiet_s + DT_S
            self.longest_quiet_s = max(self.longest_quiet_s, self.quiet_s)
            self.car.step(self.sent[-1] if self.sent else None, DT_S)

    @property
    def in_control(self) -> str:
        return self.mux.in_control.name if self.mux.in_control else self.mux.state.value


def cruise(speed: float) -> HighLevelCommand:
    return HighLevelCommand(0.0, speed, 0.0)


def test_without_a_command_nothing_is_sent() -> None:
    road = Road()
    road.run(1.0)
    assert road.sent == []
    assert road.in_control == "none"


def test_the_only_source_drives_and_its_commands_pass_unchanged_after_the_blend() -> None:
    road = Road()
    road.publishing["autonomy"] = cruise(5.0)
    road.run(8.0)
    assert road.in_control == "autonomy"
    assert road.sent[-1]._replace(stamp_s=0.0) == cruise(5.0)
    assert road.car.velocity_mps == pytest.approx(5.0, abs=0.1)


def test_a_higher_source_takes_over_at_once_and_without_a_bump() -> None:
    road = Road()
    road.publishing["autonomy"] = cruise(8.0)
    road.run(10.0)
    road.publishing["gamepad"] = cruise(2.0)
    road.run(DT_S)
    assert road.in_control == "gamepad"
    road.run(4.0)
    speeds = [c.velocity_mps for c in road.sent if isinstance(c, HighLevelCommand)]
    assert max(abs(b - a) for a, b in itertools.pairwise(speeds)) <= 3.0 * DT_S + 1e-9
    assert speeds[-1] == 2.0


def test_a_lower_source_waits() -> None:
    road = Road()
    road.publishing = {"gamepad": cruise(3.0), "autonomy": cruise(9.0)}
    road.run(5.0)
    assert road.in_control == "gamepad"
    assert max(c.velocity_mps for c in road.sent if isinstance(c, HighLevelCommand)) == 3.0


def test_when_a_source_dies_that_may_be_followed_the_next_one_drives_on() -> None:
    road = Road()
    road.publishing = {"autonomy": cruise(5.0), "remote": cruise(6.0)}
    road.run(8.0)
    del road.publishing["remote"]
    road.run(0.5)
    assert road.in_control == "autonomy"
    assert "safe_stop" not in road.kinds


def test_when_the_last_source_dies_the_mux_stops_the_car_and_holds_it() -> None:
    road = Road()
    road.publishing["autonomy"] = cruise(10.0)
    road.run(12.0)
    road.publishing.clear()
    start_m = road.car.distance_m
    road.longest_quiet_s = 0.0
    road.run(20.0)
    assert road.in_control == "safe_stop"
    assert road.mux.reason == "autonomy timed out"
    assert road.car.motion().standing
    assert road.longest_quiet_s <= DT_S, "a stop is a stream, never silence"
    stated_m = MuxParameters().safe_stop.stopping_distance_m(10.0, 0.3 + road.car.lag_s + 0.3)
    assert road.car.distance_m - start_m <= stated_m
    assert road.sent[-1]._replace(stamp_s=0.0) == cruise(0.0)


def test_when_a_person_is_lost_at_speed_a_lower_source_waits_until_the_car_has_stood() -> None:
    road = Road()
    road.publishing = {"gamepad": cruise(8.0), "autonomy": cruise(8.0)}
    road.run(8.0)
    del road.publishing["gamepad"]
    road.run(1.0)
    assert road.in_control == "safe_stop"
    while not road.car.motion().standing:
        road.run(DT_S)
        assert road.in_control == "safe_stop"
        assert road.now < 60.0
    road.run(0.9)
    assert road.in_control == "safe_stop"
    road.run(0.5)
    assert road.in_control == "autonomy"


def test_a_person_who_leaves_the_standing_car_hands_over_at_once() -> None:
    road = Road()
    road.publishing = {"gamepad": cruise(0.0), "autonomy": cruise(3.0)}
    road.run(2.0)
    del road.publishing["gamepad"]
    road.run(0.4)
    assert road.in_control == "autonomy"


def test_a_higher_source_takes_the_car_out_of_a_stop_at_once() -> None:
    road = Road()
    road.publishing["remote"] = cruise(8.0)
    road.run(8.0)
    road.publishing.clear()
    road.run(1.0)
    assert road.in_control == "safe_stop"
    road.publishing["gamepad"] = cruise(4.0)
    road.run(DT_S)
    assert road.in_control == "gamepad"


def test_a_source_that_lost_in_motion_must_be_steady_before_it_drives_again() -> None:
    road = Road()
    road.publishing["gamepad"] = cruise(8.0)
    road.run(8.0)
    gamepad = road.publishing.pop("gamepad")
    road.run(0.5)
    road.publishing["gamepad"] = gamepad
    road.run(0.4)
    assert road.in_control == "safe_stop"
    road.run(0.2)
    assert road.in_control == "gamepad"


def test_a_flapping_source_never_gets_the_car_back() -> None:
    road = Road()
    road.publishing["gamepad"] = cruise(8.0)
    road.run(8.0)
    gamepad = road.publishing.pop("gamepad")
    for _ in range(6):
        road.run(0.4)
        road.publishing["gamepad"] = gamepad
        road.run(0.2)
        del road.publishing["gamepad"]
    assert road.kinds.count("took_over") == 1
    assert road.in_control == "safe_stop"


def test_a_lock_stops_everyone_and_its_release_gives_control_back() -> None:
    road = Road()
    road.publishing["gamepad"] = cruise(6.0)
    road.run(6.0)
    road.mux.on_lock("stop_all", True, road.now)
    assert road.mux.active_locks(road.now) == ("stop_all",)
    road.run(6.0)
    assert road.in_control == "safe_stop"
    assert road.mux.reason == "gamepad is locked"
    assert road.car.motion().standing
    road.mux.on_lock("stop_all", False, road.now)
    road.run(DT_S)
    assert road.in_control == "gamepad"


def test_a_lock_of_a_low_priority_leaves_higher_sources_alone() -> None:
    road = Road()
    road.publishing = {"autonomy": cruise(4.0), "remote": cruise(5.0)}
    road.mux.on_lock("hold_autonomy", True, 0.0)
    road.run(1.0)
    assert road.in_control == "remote"
    del road.publishing["remote"]
    road.run(1.0)
    assert road.in_control == "safe_stop"


def test_a_lock_with_a_time_out_locks_when_it_is_silent() -> None:
    road = Road(locks=LOCKS[2:])
    road.publishing["gamepad"] = cruise(3.0)
    road.run(1.0)
    assert road.in_control == "none"
    road.mux.on_lock("watchman", False, road.now)
    road.run(0.4)
    assert road.in_control == "gamepad"
    road.run(0.2)
    assert road.in_control == "safe_stop"


@pytest.mark.parametrize(
    "bad",
    [
        HighLevelCommand(0.0, math.nan, 0.0),
        HighLevelCommand(0.0, 0.0, math.inf),
        VehicleCommand(0.0, 0.0, math.nan),
    ],
)
def test_a_command_that_is_not_finite_is_counted_and_is_no_sign_of_life(bad: Command) -> None:
    road = Road()
    road.publishing["gamepad"] = cruise(3.0)
    road.run(4.0)
    road.publishing["gamepad"] = bad
    road.run(0.5)
    assert road.in_control == "safe_stop"
    assert road.mux.sources["gamepad"].rejected == 25
    assert "command_rejected" in road.kinds
    road.publishing["gamepad"] = cruise(3.0)
    road.run(6.0)
    assert road.sent[-1]._replace(stamp_s=0.0) == cruise(3.0)


def test_a_slow_source_is_repeated_while_it_lives() -> None:
    road = Road()
    road.mux.on_command("autonomy", cruise(3.0), 0.0)
    road.longest_quiet_s = 0.0
    road.run(0.28)
    assert road.longest_quiet_s == 0.0
    assert road.in_control == "autonomy"
    assert {command.stamp_s for command in road.sent} == {0.0}, "a repeated command is as old"


def test_a_change_of_level_is_blended_too() -> None:
    road = Road()
    road.publishing["autonomy"] = cruise(8.0)
    road.run(10.0)
    road.publishing["autonomy"] = VehicleCommand(0.0, 2.0, 0.2)
    road.run(DT_S)
    last = road.sent[-1]
    assert isinstance(last, VehicleCommand)
    assert last.long_accel_mps2 < 0.1
    assert last.front_wheel_angle_rad < 0.02
    road.run(3.0)
    assert road.sent[-1]._replace(stamp_s=0.0) == VehicleCommand(0.0, 2.0, 0.2)


def test_a_held_stop_ends_when_the_interface_lets_nobody_drive() -> None:
    road = Road()
    road.publishing["autonomy"] = cruise(3.0)
    road.run(5.0)
    road.publishing.clear()
    road.run(1.0)
    road.car.become(Mode.MANUAL)
    road.run(0.1)
    assert road.in_control == "none"
    assert road.mux.reason == "the interface is MANUAL"
    before = len(road.sent)
    road.run(1.0)
    assert len(road.sent) == before


def test_a_stop_that_is_left_in_motion_asks_to_stand_at_last() -> None:
    """Autonomy may begin again while the last command is fresh, and must not drive by it."""
    road = Road()
    road.publishing["gamepad"] = cruise(5.0)
    road.run(8.0)
    road.publishing.clear()
    road.run(0.6)
    assert road.in_control == "safe_stop"
    assert isinstance(road.sent[-1], HighLevelCommand)
    assert road.sent[-1].velocity_mps > 1.0
    road.car.become(Mode.DISENGAGED)
    road.run(0.1)
    assert road.in_control == "none"
    last = road.sent[-1]
    assert isinstance(last, HighLevelCommand)
    assert last.velocity_mps == 0.0
    assert road.now - last.stamp_s == pytest.approx(0.1 - DT_S)


def test_a_source_that_leaves_while_the_interface_is_manual_needs_no_stop() -> None:
    road = Road()
    road.car.become(Mode.MANUAL)
    road.publishing["gamepad"] = cruise(0.0)
    road.run(1.0)
    road.publishing.clear()
    road.run(1.0)
    assert road.in_control == "none"
    assert not {"safe_stop", "holding"} & set(road.kinds)


def test_leaving_the_standing_car_is_no_alarm() -> None:
    road = Road()
    road.publishing["gamepad"] = cruise(0.0)
    road.run(1.0)
    road.publishing.clear()
    road.run(1.0)
    assert road.in_control == "safe_stop"
    assert road.kinds[-1] == "holding"


def test_odometry_that_is_not_finite_is_no_knowledge() -> None:
    road = Road()
    road.mux.on_odometry(Odometry(0.0, math.nan), 0.0)
    road.mux.on_command("autonomy", cruise(3.0), 0.0)
    assert road.mux.tick(1.0).command == HighLevelCommand(1.0, 3.0, 0.0)


def hazard(**others: int) -> StateMessage:
    return StateMessage(blinker=Blinker.HAZARD, **others)


def test_state_commands_of_the_driver_pass_and_of_lower_sources_do_not() -> None:
    road = Road()
    road.publishing["remote"] = cruise(3.0)
    road.run(1.0)
    assert road.mux.on_state_command("remote", hazard(), road.now).state_command == hazard()
    refused = road.mux.on_state_command("autonomy", hazard(), road.now)
    assert refused.state_command is None
    assert [r.kind for r in refused.notices] == ["state_command_ignored"]
    assert road.mux.on_state_command("gamepad", hazard(), road.now).state_command is not None


def test_state_commands_of_a_locked_source_or_into_a_stop_are_ignored() -> None:
    road = Road()
    road.mux.on_lock("hold_autonomy", True, 0.0)
    assert road.mux.on_state_command("autonomy", hazard(), 0.0).state_command is None
    road.mux.on_lock("hold_autonomy", False, 0.0)
    assert road.mux.on_state_command("autonomy", hazard(), 0.0).state_command is not None
    road.publishing["gamepad"] = cruise(8.0)
    road.run(6.0)
    road.publishing.clear()
    road.run(0.5)
    assert road.mux.on_state_command("remote", hazard(), road.now).state_command is None


def test_one_source_does_not_undo_what_another_asked_for() -> None:
    mux = CommandMux(SOURCES, (), MuxParameters())
    first = mux.on_state_command("autonomy", StateMessage(gear=Gear.DRIVE), 0.0)
    assert first.state_command == StateMessage(gear=Gear.DRIVE)
    mux.on_state_command("gamepad", StateMessage(gear=Gear.DRIVE, hand_brake=True), 0.0)
    # The autonomy repeats its message; then it asks for the wipers.
    for message in (StateMessage(gear=Gear.DRIVE), StateMessage(gear=Gear.DRIVE, wiper=1)):
        merged = mux.on_state_command("autonomy", message, 0.0).state_command
    assert merged == StateMessage(gear=Gear.DRIVE, hand_brake=True, wiper=1)


def test_autonomous_asks_by_a_change_of_its_own_sender_only() -> None:
    mux = CommandMux(SOURCES, (), MuxParameters())
    mux.on_state_command("autonomy", StateMessage(autonomous=True), 0.0)
    merged = mux.on_state_command("gamepad", StateMessage(wiper=1), 0.0).state_command
    assert merged == StateMessage(wiper=1, autonomous=True)
    merged = mux.on_state_command("autonomy", StateMessage(autonomous=False), 0.0).state_command
    assert merged is not None
    assert not merged.autonomous


def test_reports_are_as_loud_as_they_should_be() -> None:
    road = Road()
    road.mux.on_command("autonomy", cruise(1.0), 0.0)
    loudness = {r.kind: r.severity for r in road.mux.tick(1.0).notices}
    assert loudness == {"safe_stop": Severity.ERROR}


def test_wrong_parameters_carry_the_name_of_their_source() -> None:
    with pytest.raises(ParameterError, match=r"gamepad\.priority=300: must be >= 0 and <= 255"):
        named_part(SourceParameters(), "gamepad", {"priority": 300})
    with pytest.raises(ParameterError, match=r"gamepad\.on_loss=fly: must be one of stop, next"):
        named_part(SourceParameters(), "gamepad", {"on_loss": "fly"})
    with pytest.raises(ParameterError, match="sources=my pad: must be letters"):
        check_names("sources", ("my pad",))
    with pytest.raises(ParameterError, match="must not name one twice"):
        check_names("sources", ("a", "a"))


class AnySequence(RuleBasedStateMachine):
    """Sources, locks, reports and pauses in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.mux = CommandMux(SOURCES, LOCKS[:2], MuxParameters())
        self.car = ToyCar()
        self.now = 0.0
        self.heard: dict[str, float] = {}

    @rule(
        name=st.sampled_from([spec.name for spec in SOURCES]),
        command=st.one_of(
            st.builds(
                HighLevelCommand,
                st.just(0.0),
                st.floats(-30, 30) | st.sampled_from([math.nan, math.inf]),
                st.floats(-1, 1),
            ),
            st.builds(VehicleCommand, st.just(0.0), st.floats(-9, 9), st.floats(-1, 1)),
            st.builds(
                RawCommand,
                st.just(0.0),
                st.integers(0, 1000),
                st.integers(0, 1000),
                st.integers(-1000, 1000),
            ),
        ),
    )
    def command(self, name: str, command: Command) -> None:
        output = self.mux.on_command(name, command, self.now)
        if isinstance(command, RawCommand) or command.is_finite():
            self.heard[name] = self.now
        self.check_command(output.command)

    @rule(name=st.sampled_from([spec.name for spec in LOCKS[:2]]), locked=st.booleans())
    def lock(self, name: str, locked: bool) -> None:
        self.check_command(self.mux.on_lock(name, locked, self.now).command)

    @rule(pause_s=st.sampled_from([0.01, 0.1, 0.29, 0.6, 3.0]))
    def wait(self, pause_s: float) -> None:
        self.now += pause_s
        command = self.mux.tick(self.now).command
        self.check_command(command)
        self.car.step(command, pause_s)

    @rule(fresh=st.booleans(), mode=st.sampled_from(Mode))
    def report(self, fresh: bool, mode: Mode) -> None:
        if fresh:
            self.mux.on_odometry(self.car.odometry(), self.now)
        self.mux.on_state_report(replace(STATE, mode=mode))

    def check_command(self, command: Command | None) -> None:
        if isinstance(command, (HighLevelCommand, VehicleCommand)):
            assert command.is_finite()
        if isinstance(command, RawCommand):
            assert command.throttle >= 0
            assert command.brake >= 0

    @invariant()
    def the_driver_lives_and_is_not_locked(self) -> None:
        self.mux.tick(self.now)
        driver = self.mux.in_control
        if driver is not None:
            assert self.now - self.heard[driver.name] <= driver.spec.parameters.timeout_s
            assert not self.mux.locked(driver, self.now)
        assert (driver is not None) == (self.mux.state is ControlState.SOURCE)

    @invariant()
    def no_steady_source_of_a_higher_rank_is_kept_waiting(self) -> None:
        driver = self.mux.in_control
        for source in self.mux.sources.values():
            if driver is not None and source.priority > driver.priority:
                waits = source.lost_in_motion or self.mux.locked(source, self.now)
                assert waits or not source.alive(self.now)

    @invariant()
    def a_stop_is_never_silent(self) -> None:
        if self.mux.state is ControlState.SAFE_STOP:
            output = self.mux.tick(self.now)
            assert output.command is not None or self.mux.state is ControlState.NONE


AnySequence.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestAnySequence = AnySequence.TestCase
