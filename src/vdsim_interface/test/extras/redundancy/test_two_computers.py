"""Two computers, one car: a switcher selects, the mux obeys, the pipeline drives; every fault.

Virtual time: the shipped mux with the shipped file, the shipped pipeline, the fake car.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from vdsim_interface.arbitration.mux import CommandMux, ControlState, MuxOutput
from vdsim_interface.arbitration.parameters import (
    LockParameters,
    LockSpec,
    MuxParameters,
    SourceParameters,
    SourceSpec,
    named_part,
)
from vdsim_interface.extras.redundancy.selector import Selector, SelectorParameters
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.parameters.flat import from_flat
from vdsim_interface.values import Mode, VehicleCommand
from vdsim_interface_kit.interface import Drive

FILE = Path(__file__).resolve().parents[3] / "config" / "command_mux_selected.yaml"
PERIOD_S = 0.01
SENT_EVERY, SAID_EVERY = 3, 10
"""Periods between two commands of a computer, and between two messages of the switcher."""
MAIN, SUB, MAIN_VCU = 0, 1, 2
TAPER_MPS = 1.4
"""Below this speed a stop lets its brake go [m/s]."""
ANGLES_RAD = {"main": 0.03, "sub": -0.02}
GO_MPS2 = {"main": 0.6, "sub": 0.4}


def shipped() -> tuple[CommandMux, MuxParameters, SelectorParameters]:
    """The mux as the shipped file makes it."""
    values = yaml.safe_load(FILE.read_text(encoding="utf-8"))["/**"]["ros__parameters"]
    names, locks = values.pop("sources"), values.pop("locks")
    sources = tuple(
        SourceSpec(name, named_part(SourceParameters(), name, values.pop(name))) for name in names
    )
    specs = tuple(
        LockSpec(name, named_part(LockParameters(), name, values.pop(name))) for name in locks
    )
    selector = named_part(SelectorParameters(), "selector", values.pop("selector"))
    parameters = from_flat(MuxParameters, values)
    return CommandMux(sources, specs, parameters), parameters, selector


class Car:
    """Two computers, a switcher, the mux, the pipeline and the fake car."""

    def __init__(self) -> None:
        self.mux, self.parameters, selection = shipped()
        self.hold_s = selection.hold_s
        self.selector = Selector(selection, self.mux.sources)
        self.mux.selection = self.selector
        self.drive = Drive("vehicle").engaged()
        self.alive = {"main", "sub"}
        self.says: Callable[[int], list[int] | None] = lambda _period: [MAIN, MAIN_VCU]
        self.sent: list[tuple[float, VehicleCommand]] = []
        self.speeds: dict[float, float] = {}
        self.notices: list[str] = []
        self.drivers: list[str] = []
        self.period = 0

    @property
    def now(self) -> float:
        return self.drive.now

    @property
    def driver(self) -> str:
        return self.mux.in_control.name if self.mux.in_control else ""

    def select(self, *numbers: int) -> None:
        """From now on the switcher says this."""
        self.says = lambda _period: list(numbers)

    def run(self, seconds: float) -> Car:
        for _ in range(round(seconds / PERIOD_S)):
            self.period += 1
            self._hear(self._step())
            self.drive.run(PERIOD_S)
            self._report()
            self.drivers.append(self.driver)
        return self

    def _step(self) -> list[MuxOutput]:
        now, outputs = self.now, []
        numbers = self.says(self.period) if self.period % SAID_EVERY == 0 else None
        if numbers is not None:
            self.selector.on_selection(numbers)
            outputs.append(self.mux.tick(now))
        if self.period % SENT_EVERY == 0:
            for name in sorted(self.alive):
                accel = GO_MPS2[name] if self.drive.speed < 10.0 else 0.0
                command = VehicleCommand(now, accel, ANGLES_RAD[name])
                outputs.append(self.mux.on_command(name, command, now))
        outputs.append(self.mux.tick(now))
        return outputs

    def _hear(self, outputs: list[MuxOutput]) -> None:
        for output in outputs:
            self.notices += [notice.text for notice in output.notices]
            if output.command is not None:
                assert isinstance(output.command, VehicleCommand)
                self.sent.append((self.now, output.command))
                self.speeds[self.now] = abs(self.drive.speed)
                self.drive.send(output.command._replace(stamp_s=self.now))

    def _report(self) -> None:
        vehicle = self.drive.pipeline.vehicle
        if vehicle is not None:
            self.mux.on_odometry(vehicle.odometry(), self.now)
        report = self.drive.pipeline.vehicle_side.state_report()
        if report is not None:
            self.mux.on_state_report(report)

    def assert_no_jump(self, since_s: float) -> None:
        """Oracle: from command to command no more than the limits of that time."""
        rates = self.parameters.hand_over
        for (before_s, before), (after_s, after) in pairwise(self.sent):
            span_s = max(after_s - before_s, PERIOD_S)
            if after_s <= since_s:
                continue
            turn = abs(after.front_wheel_angle_rad - before.front_wheel_angle_rad)
            assert turn <= rates.wheel_rate_radps * span_s + 1e-9, after_s
            rise = after.long_accel_mps2 - before.long_accel_mps2
            # The end of a stop tapers off, by the speed.
            is_tapered = after.long_accel_mps2 <= 0.0 and self.speeds[after_s] < TAPER_MPS
            assert is_tapered or rise <= rates.jerk_mps3 * span_s + 1e-9, after_s
            # A stop ends the drive at once; only its brake is ramped.
            assert -rise <= rates.brake_jerk_mps3 * span_s + GO_MPS2["main"] + 1e-9, after_s

    def hand_overs(self) -> int:
        return sum(before != after for before, after in pairwise(self.drivers))


@pytest.fixture
def car() -> Car:
    made = Car().run(6.0)
    assert made.driver == "main"
    assert made.drive.speed > 2.0
    assert made.drive.pipeline.mode is Mode.AUTONOMOUS
    return made


# ---- the matrix of faults ------------------------------------------------------------------------


def test_a_selection_is_a_hand_over_without_a_jump_or_a_gap(car: Car) -> None:
    begin_s = car.now
    car.select(SUB, MAIN_VCU)
    car.run(3.0)
    assert car.driver == "sub"
    assert ControlState.SAFE_STOP is not car.mux.state
    assert "sub took over from main: sub was selected" in car.notices
    assert car.sent[-1][1].front_wheel_angle_rad == pytest.approx(ANGLES_RAD["sub"])
    times = [time_s for time_s, _ in car.sent if time_s > begin_s]
    assert max(b - a for a, b in pairwise(times)) <= 2.0 * PERIOD_S + 1e-9
    car.assert_no_jump(begin_s)


def test_main_dies_and_the_switcher_says_so(car: Car) -> None:
    begin_s = car.now
    car.alive = {"sub"}
    car.run(0.2).select(SUB, MAIN_VCU)
    car.run(3.0)
    assert car.driver == "sub"
    car.assert_no_jump(begin_s)
    assert car.drive.speed > 2.0, "it drives on: the stop of 0.2 s was no stop to standstill"


def test_main_dies_and_nobody_selects_another_one_so_the_car_stops(car: Car) -> None:
    begin_s = car.now
    car.alive = {"sub"}
    car.run(12.0)
    assert car.mux.state is not ControlState.SOURCE
    assert abs(car.drive.speed) < 0.05
    assert "sub" not in car.drivers
    assert "main timed out" in car.notices
    car.assert_no_jump(begin_s)


def test_sub_dies_and_nothing_changes(car: Car) -> None:
    car.alive = {"main"}
    before = car.hand_overs()
    car.run(2.0)
    assert car.driver == "main"
    assert car.hand_overs() == before


def test_a_dead_computer_is_selected_and_the_car_stops_until_the_other_one_is(car: Car) -> None:
    car.alive = {"main"}
    car.run(0.3)
    begin_s = car.now
    car.select(SUB, MAIN_VCU)
    car.run(0.5)
    assert car.mux.state is ControlState.SAFE_STOP
    assert "sub was selected" in car.mux.reason
    car.select(MAIN, MAIN_VCU)
    car.run(2.0)
    assert car.driver == "main"
    car.assert_no_jump(begin_s)


def test_the_switcher_dies_and_its_last_selection_drives_on(car: Car) -> None:
    car.says = lambda _period: None
    car.run(5.0)
    assert car.driver == "main"
    assert car.drive.speed > 2.0


def test_the_switcher_and_the_selected_computer_die_and_the_car_stops(car: Car) -> None:
    car.says = lambda _period: None
    car.alive = {"sub"}
    car.run(12.0)
    assert abs(car.drive.speed) < 0.05
    assert "sub" not in car.drivers


def test_both_shout_and_only_the_selected_one_is_heard(car: Car) -> None:
    car.run(3.0)
    assert set(car.drivers[-300:]) == {"main"}
    angles = {command.front_wheel_angle_rad for _, command in car.sent[-100:]}
    assert angles == {ANGLES_RAD["main"]}


def test_a_switcher_that_flaps_changes_the_driver_once_per_hold_and_nothing_jumps(car: Car) -> None:
    begin_s, before = car.now, car.hand_overs()
    car.says = lambda period: [period // SAID_EVERY % 2, MAIN_VCU]
    car.run(10.0)
    assert 2 <= car.hand_overs() - before <= 10.0 / car.hold_s + 1
    assert car.mux.state is ControlState.SOURCE
    assert car.drive.speed > 2.0
    car.assert_no_jump(begin_s)


@pytest.mark.parametrize("numbers", [[], [MAIN, SUB], [7], [MAIN_VCU], [0] * 1000])
def test_an_unclear_selection_changes_nothing_and_is_said(car: Car, numbers: list[int]) -> None:
    car.says = lambda _period: numbers
    car.run(1.0)
    assert car.driver == "main"
    assert any("names" in text and "main stays" in text for text in car.notices)


def test_before_the_first_selection_nobody_drives() -> None:
    car = Car()
    car.says = lambda _period: None
    car.run(2.0)
    assert car.driver == ""
    assert not car.sent


def test_a_selected_computer_that_died_drives_again_once_it_is_steady(car: Car) -> None:
    car.alive = {"sub"}
    car.run(0.3)
    car.alive = {"main", "sub"}
    car.run(car.parameters.recover_s * 0.5)
    assert car.driver == ""
    car.run(car.parameters.recover_s)
    assert car.driver == "main"


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([[MAIN], [SUB], [], [MAIN, SUB], None]),
            st.sampled_from([{"main", "sub"}, {"main"}, {"sub"}, set()]),
            st.integers(1, 60),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_whatever_fails_in_which_order_nobody_unselected_drives_and_nothing_jumps(
    faults: list[tuple[list[int] | None, set[str], int]],
) -> None:
    car = Car().run(3.0)
    begin_s = car.now
    for numbers, alive, periods in faults:
        car.says = lambda _period, numbers=numbers: numbers  # type: ignore[misc]
        car.alive = alive
        for _ in range(periods):
            car.run(PERIOD_S)
            assert car.driver in ("", car.selector.selected)
    car.assert_no_jump(begin_s)


# ---- parameters ----------------------------------------------------------------------------------


def test_a_source_that_is_no_unit_is_always_allowed() -> None:
    selector = Selector(SelectorParameters(), ("main", "sub", "remote"))
    assert selector.allows("remote")
    assert not selector.allows("main")


@pytest.mark.parametrize(
    "units", ["", "0=main", "0=main 0=sub", "0=main 1=main", "x=main 1=sub", "0=a 1=b"]
)
def test_units_that_make_no_sense_are_refused_with_what_is_allowed(units: str) -> None:
    parameters = SelectorParameters(topic="/active", units=units)
    with pytest.raises(ParameterError, match=r"selector\.units="):
        Selector(parameters, ("main", "sub"))
