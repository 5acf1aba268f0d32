"""Whose commands the pipeline receives: the stack alone costs nothing, a hand takes over."""

from __future__ import annotations

import math
from typing import Any

import pytest
from vdsim_interface.arbitration.interface_parameters import STACK, ArbitrationParameters
from vdsim_interface.arbitration.mux import ControlState
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.pipeline.intake import Intake, IntakeOutput
from vdsim_interface.teleop.mapping import Action
from vdsim_interface.teleop.mapping_file import load_mapping
from vdsim_interface.values import (
    Command,
    ControlLevel,
    Gear,
    HighLevelCommand,
    Odometry,
    RequestContext,
    StateCommand,
)
from vdsim_interface.values.state_message import StateMessage
from vdsim_interface_kit.teleop import GAMEPADS, PlayedPad, ToyCar

DT_S = 0.01
MAPPING = load_mapping(GAMEPADS / "game_controller.yaml")


class Seat:
    """An intake as a node uses it: the stack at 100 Hz, other sources at 50 Hz, a car."""

    def __init__(self, **parameters: Any) -> None:
        self.intake = Intake(
            ArbitrationParameters(**parameters),
            MAPPING,
            level=ControlLevel.HIGH_LEVEL,
            wheelbase_m=2.97,
        )
        self.car = ToyCar()
        self.pad = PlayedPad(MAPPING)
        self.stack: HighLevelCommand | None = None
        self.others: dict[str, Command] = {}
        self.joy = False
        self.now = 100.0
        self.received: Command | None = None
        self.outputs: list[IntakeOutput] = []

    def run(self, duration_s: float) -> None:
        for n in range(round(duration_s / DT_S)):
            self.now += DT_S
            odometry = self.car.odometry()
            stamped = Odometry(self.now, *odometry[1:])
            self.intake.on_motion(stamped, self.car.state, self.now)
            if n % 2 == 0:
                for name, command in self.others.items():
                    self.use(self.intake.on_source(name, command, self.now))
            if self.joy and n % 5 == 0:
                self.intake.on_joy(*self.pad.joy(), ControlLevel.HIGH_LEVEL, self.now)
            if self.stack is not None:
                command = self.stack._replace(stamp_s=self.now)
                if self.intake.watches:
                    self.use(self.intake.on_stack(command, self.now))
                else:
                    self.intake.latest = self.received = command
            if self.intake.watches:
                self.use(self.intake.tick(self.now))
            self.car.step(self.received, DT_S)

    def use(self, output: IntakeOutput) -> None:
        self.outputs.append(output)
        if output.command is not None:
            self.received = output.command
        if output.gives_back:
            done, text, given = self.intake.give_back("dashboard", self.now)
            self.intake.on_give_back_answer(done, text)
            self.use(given)

    @property
    def driver(self) -> str:
        mux = self.intake.status(self.now)
        return mux.in_control.name if mux.in_control else mux.state.value

    @property
    def kinds(self) -> list[str]:
        return [str(notice.kind) for output in self.outputs for notice in output.notices]


def cruise(speed: float) -> HighLevelCommand:
    return HighLevelCommand(0.0, speed, 0.0)


@pytest.fixture
def seat() -> Seat:
    """The stack drives at 5 m/s, alone."""
    made = Seat()
    made.stack = cruise(5.0)
    made.run(6.0)
    return made


def test_the_stack_alone_does_not_reach_the_arbiter(seat: Seat) -> None:
    assert not seat.intake.watches
    assert seat.outputs == []
    assert seat.intake.mux.sources[STACK].accepted == 0
    assert seat.driver == "autonomy"


def test_a_hand_takes_over_without_a_bump_and_gives_back(seat: Seat) -> None:
    seat.others["keyboard"] = cruise(3.0)
    seat.run(DT_S)
    assert seat.driver == "keyboard"
    assert isinstance(seat.received, HighLevelCommand)
    assert seat.received.velocity_mps == pytest.approx(5.0, abs=0.1)
    seat.run(3.0)
    assert seat.received.velocity_mps == 3.0
    del seat.others["keyboard"]
    seat.run(10.0)
    assert seat.driver == "safe_stop"
    assert seat.car.motion().standing
    seat.run(60.0)
    assert seat.car.motion().standing, "the stack commands 5 m/s all the time"
    done, _, output = seat.intake.give_back("test", seat.now)
    seat.use(output)
    assert done
    seat.run(8.0)
    assert seat.car.velocity_mps > 4.0
    assert not seat.intake.watches, "nothing but the stack matters again"


def test_give_back_does_not_make_a_command_of_a_silent_stack_fresh() -> None:
    seat = Seat()
    seat.stack = cruise(5.0)
    seat.run(1.0)
    last_s, seat.stack = seat.now, None
    seat.run(0.2)
    _, _, output = seat.intake.give_back("test", seat.now)
    seat.use(output)
    seat.run(0.1)
    assert seat.received is not None
    assert seat.received.stamp_s == last_s


def test_the_page_takes_over_again_after_somebody_else_gave_back_on_the_move(seat: Seat) -> None:
    """The pad went on with the stop of a hand that let go, and its stream never had a gap."""
    seat.joy = True
    seat.run(0.3)
    seat.pad.hold("deadman")
    seat.run(2.0)
    assert seat.driver == "dashboard"
    assert seat.intake.give_back("the service", seat.now)[0]
    seat.run(0.5)
    assert seat.driver == "autonomy", "the button is still held"
    seat.pad.hold("deadman", False)
    seat.run(0.5)
    assert seat.driver == "autonomy"
    seat.pad.hold("deadman")
    seat.run(0.2)
    assert seat.driver == "dashboard"


def test_the_old_behaviour_by_parameter() -> None:
    seat = Seat(give_back=False)
    seat.stack = cruise(5.0)
    seat.others["keyboard"] = cruise(3.0)
    seat.run(5.0)
    assert seat.driver == "keyboard"
    del seat.others["keyboard"]
    seat.run(10.0)
    assert seat.driver == "autonomy"
    assert not seat.intake.watches


def test_without_waiting_two_acts_lead_from_an_emergency_stop_to_the_stack() -> None:
    """The reset made the stack yield, whose stream never has a gap."""
    seat = Seat(give_back=False)
    seat.stack = cruise(5.0)
    seat.run(3.0)
    seat.intake.emergency_stop("a person", seat.now)
    seat.run(8.0)
    assert seat.intake.give_back("a person", seat.now)[0]
    seat.run(3.0)
    assert seat.car.motion().standing
    done, text, _ = seat.intake.give_back("a person", seat.now)
    assert (done, text) == (True, "control is given back to whoever sends commands")
    seat.run(3.0)
    assert seat.driver == "autonomy"
    assert seat.car.velocity_mps > 1.0


def test_a_state_message_is_read_as_what_it_changes_whoever_sends_it(seat: Seat) -> None:
    seat.intake.context = RequestContext()
    first, second = StateMessage(gear=4, horn=True), StateMessage(gear=4, horn=False)
    [request] = seat.intake.on_state(STACK, first, seat.now).state_commands
    assert (request.gear, request.horn) == (Gear.NEUTRAL, True)
    [request] = seat.intake.on_state(STACK, second, seat.now).state_commands
    assert request == StateCommand(horn=False)
    assert not seat.intake.watches
    of_hand = seat.intake.on_state("keyboard", StateMessage(gear=4, hand_brake=True), seat.now)
    assert of_hand.state_commands == (StateCommand(hand_brake=True),)


def test_before_anything_is_known_of_the_safety_side_no_message_counts_as_read(seat: Seat) -> None:
    message = StateMessage(autonomous=True)
    assert seat.intake.on_state(STACK, message, seat.now).state_commands == ()
    seat.intake.context = RequestContext()
    [request] = seat.intake.on_state(STACK, message, seat.now).state_commands
    assert request.autonomous


def test_the_next_intake_of_a_process_has_read_what_the_one_before_has(seat: Seat) -> None:
    seat.intake.context = RequestContext()
    message = StateMessage(autonomous=True)
    seat.intake.on_state(STACK, message, seat.now)
    after = Seat().intake
    after.restore_from(seat.intake)
    after.context = RequestContext()
    assert after.on_state(STACK, message, seat.now).state_commands == (StateCommand(),)


def test_a_command_of_the_stack_that_is_not_finite_reaches_the_safety_side_to_be_counted(
    seat: Seat,
) -> None:
    bad = HighLevelCommand(seat.now, math.nan, 0.0)
    seat.intake.on_lock("hold_autonomy", False, seat.now)
    assert not seat.intake.watches, "a lock that is off is no reason to arbitrate"
    seat.others["keyboard"] = cruise(3.0)
    seat.run(0.1)
    assert_rejected_by_the_arbiter(seat.intake.on_stack(bad, seat.now))  # the keyboard drives


def test_a_command_of_the_stack_that_is_not_finite_passes_no_safe_stop(seat: Seat) -> None:
    """It would set the interface to the stack's level in the middle of another source's stop."""
    seat.others["keyboard"] = cruise(3.0)
    seat.run(1.0)
    seat.stack = None
    seat.others.clear()
    seat.run(0.8)
    assert seat.intake.mux.state is ControlState.SAFE_STOP
    bad = HighLevelCommand(seat.now, math.nan, 0.0)
    assert_rejected_by_the_arbiter(seat.intake.on_stack(bad, seat.now))


def assert_rejected_by_the_arbiter(output: IntakeOutput) -> None:
    assert output.command is None
    assert "autonomy: command rejected" in output.notices[-1].text


def test_an_emergency_stop_from_the_lone_stack(seat: Seat) -> None:
    begin_m = seat.car.distance_m
    seat.use(seat.intake.emergency_stop("test", seat.now))
    seat.run(4.0)
    assert seat.car.motion().standing
    assert seat.car.distance_m - begin_m < 5.0
    assert seat.intake.refuses_engage == "emergency stop by test: give_back resets it"
    for _ in range(2):
        done, _, output = seat.intake.give_back("test", seat.now)
        seat.use(output)
        assert done
    assert seat.intake.refuses_engage == ""


def test_an_emergency_stop_before_anybody_drove_refuses_an_engage() -> None:
    seat = Seat()
    seat.intake.emergency_stop("test", seat.now)
    assert "give_back resets it" in seat.intake.refuses_engage
    seat.stack = cruise(5.0)
    seat.run(3.0)
    assert seat.received is None


def test_the_next_intake_keeps_the_latches_until_somebody_gives_back(seat: Seat) -> None:
    seat.use(seat.intake.emergency_stop("test", seat.now))
    after = Seat()
    after.intake.restore(seat.intake.mux.latches)
    after.stack = cruise(5.0)
    after.run(3.0)
    assert "give_back resets it" in after.intake.refuses_engage
    assert after.received is None
    for _ in range(2):
        done, _, output = after.intake.give_back("test", after.now)
        after.use(output)
        assert done
    after.run(8.0)
    assert after.received is not None
    assert not after.intake.watches


def test_time_that_jumps_back_leaves_the_latches_and_nothing_else(seat: Seat) -> None:
    seat.others["keyboard"] = cruise(3.0)
    seat.run(1.0)
    seat.others.clear()
    seat.now = 10.0
    seat.received = None
    seat.intake.restart()
    seat.run(3.0)
    assert seat.received is None
    assert seat.intake.mux.waits_because == "keyboard had control"


# ---- the dashboard -------------------------------------------------------------------------------


@pytest.fixture
def page() -> Seat:
    """A pad in the browser drives at about 4 m/s."""
    made = Seat()
    made.joy = True
    made.run(0.2)
    made.pad.hold("deadman")
    made.run(0.2)
    made.pad.pedal("throttle", 1.0)
    made.run(3.0)
    assert made.driver == "dashboard"
    assert made.car.velocity_mps > 2.0
    return made


def test_the_dashboard_drives_through_the_core_of_a_gamepad(page: Seat) -> None:
    page.pad.steer(1.0)
    page.run(0.5)
    assert isinstance(page.received, HighLevelCommand)
    assert page.received.curvature_1pm > 0.02, "left"
    page.pad.hold("deadman", False)
    page.run(8.0)
    assert page.car.motion().standing


@pytest.mark.parametrize("fault", ["silent", "out of range", "not finite", "too short"])
def test_a_joy_that_is_no_joy_is_a_released_dead_man_button(page: Seat, fault: str) -> None:
    if fault == "silent":
        page.joy = False
    elif fault == "out of range":
        page.pad.axes[0] = 3.0
    elif fault == "not finite":
        page.pad.axes[0] = math.nan
    else:
        page.pad.axes, page.pad.buttons = [0.0], [1]
    page.run(0.5)
    assert "stopping" in page.kinds
    page.run(8.0)
    assert page.car.motion().standing


def test_the_dashboard_stops_hard_and_gives_back(page: Seat) -> None:
    page.stack = cruise(2.0)
    page.pad.hold(Action.EMERGENCY_STOP)
    page.run(3.0)
    page.pad.hold(Action.EMERGENCY_STOP, False)
    assert page.car.motion().standing
    assert page.intake.mux.emergency == "dashboard"
    page.pad.hold("deadman", False)
    page.pad.pedal("throttle", 0.0)
    for waits in (True, False):
        page.pad.hold(Action.GIVE_BACK)
        page.run(0.2)
        page.pad.hold(Action.GIVE_BACK, False)
        page.run(0.2)
        assert bool(page.intake.mux.waits_because) is waits
        assert page.intake.mux.emergency == ""
    page.run(4.0)
    assert page.driver == "autonomy"
    assert page.car.velocity_mps > 1.0


def test_the_dashboard_asks_to_engage(page: Seat) -> None:
    page.pad.hold(Action.ENGAGE)
    page.run(0.2)
    [request] = [request for output in page.outputs for request in output.mode_requests]
    page.intake.on_mode_answer(request, False, "a door is open")
    page.run(0.1)
    assert "mode_refused" in page.kinds


def test_a_page_that_was_closed_leaves_no_cost(page: Seat) -> None:
    page.joy = False
    page.run(10.0)
    done, _, output = page.intake.give_back("test", page.now)
    page.use(output)
    assert done
    page.stack = cruise(3.0)
    page.run(5.0)
    assert page.driver == "autonomy"
    assert not page.intake.watches


def test_a_joy_without_the_source_is_ignored() -> None:
    seat = Seat(sources="gamepad")
    seat.joy = True
    seat.run(0.5)
    assert not seat.intake.watches


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        ("a b", "must be letters, digits and _ only"),
        ("pad,pad", "must not name one twice"),
        ("autonomy", "must not have autonomy"),
        (",".join(f"s{n}" for n in range(21)), "must be at most 20 names"),
    ],
)
def test_sources_are_checked(value: str, rule: str) -> None:
    with pytest.raises(ParameterError, match=rule) as caught:
        ArbitrationParameters(sources=value)
    assert caught.value.name == "arbitration.sources"


def test_the_order_of_the_names_is_the_priority() -> None:
    specs = ArbitrationParameters(sources="wheel, gamepad").source_specs()
    assert [(s.name, s.parameters.priority) for s in specs] == [
        ("autonomy", 10),
        ("gamepad", 20),
        ("wheel", 30),
    ]
