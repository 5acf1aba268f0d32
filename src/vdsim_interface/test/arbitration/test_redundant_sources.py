"""Two stacks that compute the same drive: the other one drives on within a time-out and a cycle."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from vdsim_interface.arbitration.mux import CommandMux, ControlState
from vdsim_interface.arbitration.parameters import (
    LockParameters,
    LockSpec,
    MuxParameters,
    SourceParameters,
    SourceSpec,
    named_part,
)
from vdsim_interface.parameters.flat import from_flat
from vdsim_interface.values import Gear, Mode, Odometry, VehicleCommand
from vdsim_interface_kit.teleop import STATE

FILE = Path(__file__).resolve().parents[2] / "config" / "command_mux_redundant.yaml"
CYCLE_S = 0.01
SENT_EVERY = 3
"""Cycles between two commands of a stack: 33 Hz."""


def shipped() -> tuple[CommandMux, MuxParameters]:
    """The mux as the shipped file makes it."""
    values = yaml.safe_load(FILE.read_text(encoding="utf-8"))["/**"]["ros__parameters"]
    names, locks = values.pop("sources"), values.pop("locks")
    sources = tuple(
        SourceSpec(name, named_part(SourceParameters(), name, values.pop(name))) for name in names
    )
    specs = tuple(
        LockSpec(name, named_part(LockParameters(), name, values.pop(name))) for name in locks
    )
    parameters = from_flat(MuxParameters, values)
    return CommandMux(sources, specs, parameters), parameters


COMMANDS = {"main": (1.0, 0.02), "sub": (0.4, -0.01)}


class Road:
    """A car at 10 m/s whose stacks differ a little, as two computers do."""

    def __init__(self, speed_mps: float = 10.0) -> None:
        self.mux, self.parameters = shipped()
        self.speed_mps, self.asked = speed_mps, dict(COMMANDS)
        self.alive = {"main", "sub"}
        self.sent: list[tuple[float, VehicleCommand]] = []
        self.notices: list[str] = []
        self.cycle = 0

    @property
    def now(self) -> float:
        return self.cycle * CYCLE_S

    @property
    def driver(self) -> str:
        assert self.mux.in_control is not None
        return self.mux.in_control.name

    def run(self, duration_s: float) -> None:
        for _ in range(round(duration_s / CYCLE_S)):
            self.cycle += 1
            now = self.now
            self.mux.on_odometry(Odometry(now, self.speed_mps, 0.0), now)
            self.mux.on_state_report(replace(STATE, gear=Gear.DRIVE, mode=Mode.AUTONOMOUS))
            outputs = []
            if self.cycle % SENT_EVERY == 0:
                outputs += [
                    self.mux.on_command(name, VehicleCommand(now, *self.asked[name]), now)
                    for name in sorted(self.alive)
                ]
            outputs.append(self.mux.tick(now))
            for output in outputs:
                self.notices += [notice.text for notice in output.notices]
                if output.command is not None:
                    assert isinstance(output.command, VehicleCommand)
                    self.sent.append((now, output.command))


@pytest.fixture
def road() -> Road:
    made = Road()
    made.run(2.0)
    assert made.driver == "main"
    return made


def test_the_other_stack_drives_on_within_a_time_out_and_a_cycle(road: Road) -> None:
    road.alive.remove("main")
    silent_s = road.now
    timeout_s = road.mux.sources["main"].spec.parameters.timeout_s
    while road.driver == "main":
        road.run(CYCLE_S)
        assert road.now - silent_s <= timeout_s + CYCLE_S + 1e-9
    assert road.mux.state is ControlState.SOURCE, "no stop in between"
    assert "sub took over from main: main timed out" in road.notices
    assert road.mux.reason == "sub took over from main: main timed out"


def test_the_change_has_no_bump_and_no_gap(road: Road) -> None:
    road.alive.remove("main")
    road.run(2.0)
    assert road.sent[-1][1][1:3] == pytest.approx(COMMANDS["sub"])
    rates = road.parameters.hand_over
    for (before_s, before), (after_s, after) in pairwise(road.sent):
        span_s = after_s - before_s
        assert span_s <= 2.0 * CYCLE_S + 1e-9
        if before_s < 1.0:
            continue  # the first hand-over, from nothing
        bump = after.long_accel_mps2 - before.long_accel_mps2
        assert -rates.brake_jerk_mps3 * span_s - 1e-9 <= bump <= rates.jerk_mps3 * span_s + 1e-9
        turn = abs(after.front_wheel_angle_rad - before.front_wheel_angle_rad)
        assert turn <= rates.wheel_rate_radps * span_s + 1e-9


def test_the_main_stack_drives_again_once_it_is_steady(road: Road) -> None:
    road.alive.remove("main")
    road.run(1.0)
    road.alive.add("main")
    road.run(road.parameters.recover_s * 0.5)
    assert road.driver == "sub"
    road.run(road.parameters.recover_s)
    assert road.driver == "main"
    assert road.notices[-1] == "main took over from sub"


def test_without_both_the_car_stops(road: Road) -> None:
    road.alive.clear()
    road.run(0.5)
    assert road.mux.state is ControlState.SAFE_STOP
    assert road.sent[-1][1].long_accel_mps2 < 0.0


def test_no_brake_of_a_computer_chooses_a_gear_after_the_arbiter_held_the_car() -> None:
    """Seed 9601779 of `two_computers`: the other one took over, and its brake chose REVERSE."""
    road = Road(speed_mps=0.0)
    road.asked = {"main": (0.0, 0.0), "sub": (0.0, 0.0)}
    road.run(0.5)
    road.asked = {"main": (-2.0, 0.0), "sub": (-2.0, 0.0)}
    road.run(1.0)
    assert road.sent[-1][1].long_accel_mps2 == pytest.approx(-2.0)
    road.alive = set()
    road.run(1.0)
    assert road.mux.state is ControlState.SAFE_STOP
    assert road.sent[-1][1].long_accel_mps2 == 0.0
    stopped_n = len(road.sent)
    road.alive = {"main", "sub"}
    road.run(0.5)
    assert road.driver == "main"
    road.alive = {"sub"}
    road.run(1.0)
    assert road.driver == "sub"
    assert {command.long_accel_mps2 for _, command in road.sent[stopped_n:]} == {0.0}
    road.asked["sub"] = (0.0, 0.0)
    road.run(0.1)
    road.asked["sub"] = (-1.0, 0.0)
    road.run(1.0)
    assert road.sent[-1][1].long_accel_mps2 == pytest.approx(-1.0), "now it may ask for REVERSE"


def test_what_a_computer_asked_for_before_it_took_over_chooses_no_gear() -> None:
    """It shouted until then; its own brake after that chose REVERSE."""
    road = Road(speed_mps=0.0)
    road.asked = {"main": (-2.0, 0.0), "sub": (-2.0, 0.0)}
    road.run(1.0)
    road.alive = set()
    road.run(1.0)
    held_n = len(road.sent)
    road.alive = {"main", "sub"}
    road.run(0.5)
    assert road.driver == "main"
    road.alive, road.asked["sub"] = {"sub"}, (3.0, 0.0)
    while road.driver != "sub":
        road.run(CYCLE_S)
    road.asked["sub"] = (-2.0, 0.0)
    road.run(1.0)
    assert min(command.long_accel_mps2 for _, command in road.sent[held_n:]) == 0.0
    road.asked["sub"] = (0.0, 0.0)
    road.run(0.1)
    road.asked["sub"] = (-1.0, 0.0)
    road.run(1.0)
    assert road.sent[-1][1].long_accel_mps2 == pytest.approx(-1.0), "now it may ask for REVERSE"


def test_after_an_emergency_stop_two_acts_let_main_drive_again() -> None:
    road = Road()
    road.run(1.0)
    road.mux.emergency_stop("a person", road.now)
    road.speed_mps = 0.0
    road.run(3.0)
    assert road.mux.give_back("a person", road.now)[0]
    road.run(3.0)
    assert road.mux.state is ControlState.SAFE_STOP, "a reset starts nothing"
    assert road.mux.give_back("a person", road.now)[0]
    road.run(0.1)
    assert road.driver == "main"
