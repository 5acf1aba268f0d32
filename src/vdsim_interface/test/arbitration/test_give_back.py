"""After a person or a lock had control autonomy waits for give_back; emergency stops latch."""

from __future__ import annotations

import itertools

import pytest
from vdsim_interface.arbitration.mux import EMERGENCY_LOCK, CommandMux
from vdsim_interface.arbitration.parameters import (
    DEFAULT_LOCKS,
    DEFAULT_SOURCES,
    LockSpec,
    MuxParameters,
    SourceSpec,
)
from vdsim_interface.values import Command, HighLevelCommand
from vdsim_interface.values.state_message import StateMessage
from vdsim_interface_kit.teleop import ToyCar

DT_S = 0.02


class Road:
    """The shipped sources and locks, a car, and sources that publish while they are switched on."""

    def __init__(self) -> None:
        sources = tuple(SourceSpec(name, p) for name, p in DEFAULT_SOURCES.items())
        locks = tuple(LockSpec(name, p) for name, p in DEFAULT_LOCKS.items())
        self.mux = CommandMux(sources, locks, MuxParameters())
        self.car = ToyCar()
        self.now = 0.0
        self.publishing: dict[str, Command] = {}
        self.sent: list[HighLevelCommand] = []
        self.kinds: list[str] = []

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
            for output in outputs:
                self.kinds += [str(notice.kind) for notice in output.notices]
                if output.command is not None:
                    assert isinstance(output.command, HighLevelCommand)
                    self.sent.append(output.command)
            self.car.step(self.sent[-1] if self.sent else None, DT_S)

    def give_back(self) -> tuple[bool, str]:
        done, text, _ = self.mux.give_back("test", self.now)
        return done, text

    @property
    def in_control(self) -> str:
        return self.mux.in_control.name if self.mux.in_control else self.mux.state.value


def cruise(speed: float) -> HighLevelCommand:
    return HighLevelCommand(0.0, speed, 0.0)


@pytest.fixture
def road() -> Road:
    """Autonomy drives at 6 m/s."""
    made = Road()
    made.publishing["autonomy"] = cruise(6.0)
    made.run(8.0)
    assert made.in_control == "autonomy"
    return made


def test_autonomy_waits_after_a_person_drove_and_let_go(road: Road) -> None:
    road.publishing["gamepad"] = cruise(4.0)
    road.run(1.0)
    del road.publishing["gamepad"]
    road.run(60.0)
    assert road.in_control == "safe_stop"
    assert road.car.motion().standing
    assert road.mux.waits_because == "gamepad had control"
    assert road.give_back() == (True, "control is given back to autonomy")
    road.run(5.0)
    assert road.in_control == "autonomy"
    assert road.car.velocity_mps > 3.0


def test_control_is_given_back_on_the_move_without_a_stop_or_a_bump(road: Road) -> None:
    road.publishing["gamepad"] = cruise(4.0)
    road.run(4.0)
    done, _ = road.give_back()
    assert done
    assert road.in_control == "autonomy"
    road.run(0.06)  # what the gamepad still sends does not take control again
    assert road.in_control == "autonomy"
    del road.publishing["gamepad"]
    road.run(4.0)
    assert "safe_stop" not in road.kinds
    speeds = [command.velocity_mps for command in road.sent]
    assert max(abs(b - a) for a, b in itertools.pairwise(speeds)) <= 3.0 * DT_S + 1e-9


def test_a_person_takes_over_again_after_giving_back(road: Road) -> None:
    road.publishing["gamepad"] = cruise(4.0)
    road.run(1.0)
    road.give_back()
    del road.publishing["gamepad"]
    road.run(0.14)
    road.publishing["gamepad"] = cruise(3.0)
    road.run(DT_S)
    assert road.in_control == "gamepad"


def test_a_person_keeps_control_while_nobody_could_take_it(road: Road) -> None:
    road.publishing = {"gamepad": cruise(4.0)}
    road.run(2.0)
    done, text = road.give_back()
    assert not done
    assert text == "no other source sends commands; gamepad keeps control"
    road.run(1.0)
    assert road.in_control == "gamepad"


def test_control_is_given_back_to_what_was_lost_in_motion_and_has_recovered(road: Road) -> None:
    """A stack that was silent as a person took over counted as silent for as long as that drove."""
    commands = road.publishing.pop("autonomy")
    road.run(1.0)
    road.publishing = {"gamepad": cruise(4.0), "autonomy": commands}
    road.run(0.2)
    assert not road.give_back()[0], "it has just begun again"
    road.run(3.0)
    assert road.give_back() == (True, "control is given back to autonomy")
    assert road.in_control == "autonomy"


@pytest.mark.parametrize("lock", ["stop_all", "hold_autonomy"])
def test_the_release_of_a_lock_does_not_start_the_car(road: Road, lock: str) -> None:
    road.mux.on_lock(lock, True, road.now)
    road.run(6.0)
    assert road.give_back() == (False, f"lock {lock} is on")
    road.mux.on_lock(lock, False, road.now)
    road.run(10.0)
    assert road.car.motion().standing
    assert road.give_back()[0]
    road.run(3.0)
    assert road.in_control == "autonomy"


def test_without_a_stack_no_warning_names_one() -> None:
    road = Road()
    road.publishing["gamepad"] = cruise(2.0)
    road.run(1.0)
    assert road.mux.waits_because == "gamepad had control"
    assert "waits_for_give_back" not in road.kinds


def test_a_lock_that_nobody_set_makes_nobody_wait() -> None:
    road = Road()
    road.run(1.0)
    assert road.mux.waits_because == ""


def test_an_emergency_stop_brakes_harder_and_is_latched(road: Road) -> None:
    begin_m = road.car.distance_m
    road.mux.emergency_stop("gamepad", road.now)
    assert road.mux.active_locks(road.now)[0] == EMERGENCY_LOCK
    done, text = road.give_back()
    assert not done
    assert text == "the car still moves; the emergency stop is reset at standstill"
    road.publishing["gamepad"] = cruise(3.0)
    road.run(5.0)
    assert road.car.motion().standing
    assert road.mux.reason == "emergency stop by gamepad"
    safe_m = MuxParameters().safe_stop.stopping_distance_m(6.0, road.car.lag_s)
    hard_m = MuxParameters().safe_stop.emergency().stopping_distance_m(6.0, road.car.lag_s + 0.1)
    assert road.car.distance_m - begin_m <= hard_m < 0.7 * safe_m
    road.run(60.0)
    assert road.in_control == "safe_stop"


def test_two_acts_lead_from_an_emergency_stop_to_autonomy(road: Road) -> None:
    road.mux.emergency_stop("gamepad", road.now)
    road.run(5.0)
    done, text = road.give_back()
    assert done
    assert text == "the emergency stop is reset; give_back again lets autonomy drive"
    road.run(10.0)
    assert road.car.motion().standing
    road.publishing["keyboard"] = cruise(1.0)
    road.run(1.0)
    assert road.in_control == "keyboard"
    del road.publishing["keyboard"]
    road.run(5.0)
    assert road.give_back()[0]
    road.run(3.0)
    assert road.in_control == "autonomy"


def test_a_person_who_holds_on_through_a_reset_starts_nothing(road: Road) -> None:
    road.publishing["gamepad"] = cruise(3.0)
    road.run(1.0)
    road.mux.emergency_stop("keyboard", road.now)
    road.run(5.0)
    assert road.give_back()[0]
    road.run(3.0)
    assert road.car.motion().standing
    del road.publishing["gamepad"]
    road.run(0.2)
    road.publishing["gamepad"] = cruise(3.0)
    road.run(1.0)
    assert road.in_control == "gamepad"


@pytest.mark.parametrize("periods", [6, 10, 20])
def test_a_slow_source_that_is_held_through_a_reset_starts_nothing(periods: int) -> None:
    """At 8 Hz or less each gap between two commands looked like a hand that lets go."""
    road = Road()
    for n in range(600):
        sends = n % periods == 0
        road.publishing = {"remote": cruise(4.0)} if sends else {}
        road.run(DT_S)
        if n == 150:
            road.mux.emergency_stop("test", road.now)
        if n == 450:
            assert road.give_back()[0]
    assert road.in_control == "safe_stop"
    assert road.car.motion().standing


def test_a_slow_source_takes_over_again_once_it_had_let_go(road: Road) -> None:
    for n in range(100):
        road.publishing = {"autonomy": cruise(6.0)}
        if n % 5 == 0 and not 60 <= n < 75:
            road.publishing["remote"] = cruise(4.0)
        road.run(DT_S)
        if n == 50:
            road.give_back()
        if n == 59:
            assert road.in_control == "autonomy"
    assert road.in_control == "remote"


def test_an_emergency_stop_hardens_a_stop_that_is_in_progress(road: Road) -> None:
    road.publishing.clear()
    road.run(1.0)
    assert road.in_control == "safe_stop"
    before = road.car.velocity_mps
    assert before > 3.0
    road.mux.emergency_stop("keyboard", road.now)
    road.run(before / 6.0 + 0.6)
    assert road.car.velocity_mps < 0.5


def test_a_source_that_waits_sends_no_state_commands(road: Road) -> None:
    road.publishing["gamepad"] = cruise(0.0)
    road.run(8.0)
    del road.publishing["gamepad"]
    road.run(1.0)
    output = road.mux.on_state_command("autonomy", StateMessage(autonomous=True), road.now)
    assert output.state_command is None
    assert "it waits for give_back: gamepad had control" in output.notices[0].text
    road.give_back()
    output = road.mux.on_state_command("autonomy", StateMessage(autonomous=True), road.now)
    assert output.state_command is not None
