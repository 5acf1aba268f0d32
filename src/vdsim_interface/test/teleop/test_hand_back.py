"""Emergency stop, give back and neutral first: what pad and keyboard do about them."""

from __future__ import annotations

from pathlib import Path

import pytest
from vdsim_interface.arbitration.mux import EMERGENCY_LOCK
from vdsim_interface.arbitration.safe_stop import SafeStopParameters
from vdsim_interface.extras.teleop.keyboard_driver import KeyboardDriver
from vdsim_interface.teleop.gamepad_driver import GamepadDriver
from vdsim_interface.teleop.mapping import Action, GamepadMapping, MappingError, choose_mapping
from vdsim_interface.teleop.mapping_file import load_folder, parse_mapping
from vdsim_interface.teleop.parameters import (
    GamepadParameters,
    GamepadTeleopParameters,
    KeyboardTeleopParameters,
)
from vdsim_interface.teleop.station import StationOutput
from vdsim_interface.values import HighLevelCommand
from vdsim_interface_kit.teleop import GAMEPADS, PlayedPad, ToyCar

DT_S = 0.02
SHIPPED = load_folder(GAMEPADS)


class Seat:
    """A person at a pad or a keyboard, and the car that follows."""

    def __init__(self, core: GamepadDriver | KeyboardDriver, pad: PlayedPad | None = None) -> None:
        self.core, self.pad = core, pad
        self.car = ToyCar()
        self.now = 0.0
        self.outputs: list[StationOutput] = []
        self.reported = True

    def run(self, duration_s: float) -> None:
        for _ in range(round(duration_s / DT_S)):
            self.now += DT_S
            self.core.station.on_odometry(self.car.odometry(), self.now)
            self.core.station.on_state_report(self.car.state)
            if self.pad is not None and isinstance(self.core, GamepadDriver):
                self.core.on_joy(*self.pad.joy(), self.now)
            self.outputs.append(self.core.tick(self.now))
            self.car.step(self.outputs[-1].command, DT_S)

    def key(self, *keys: str) -> None:
        assert isinstance(self.core, KeyboardDriver)
        for key in keys:
            self.core.on_key(key, self.now)
            self.run(DT_S)

    @property
    def kinds(self) -> list[str]:
        return [str(notice.kind) for output in self.outputs for notice in output.notices]

    @property
    def last(self) -> StationOutput:
        return self.outputs[-1]


def at_pad(mapping: GamepadMapping, *, require_deadman: bool = True) -> Seat:
    gamepad = GamepadParameters(require_deadman=require_deadman)
    core = GamepadDriver((mapping,), GamepadTeleopParameters(gamepad=gamepad))
    return Seat(core, PlayedPad(mapping))


def driving(mapping: GamepadMapping) -> tuple[Seat, PlayedPad]:
    """At about 4 m/s, the dead-man button held."""
    seat = at_pad(mapping)
    assert seat.pad is not None
    seat.run(0.2)
    seat.pad.hold("deadman")
    seat.run(0.2)
    for name in ("throttle", "brake"):
        seat.pad.pedal(name, 0.0)
    seat.pad.pedal("throttle", 1.0)
    seat.run(3.0)
    assert seat.car.velocity_mps > 2.0
    return seat, seat.pad


@pytest.fixture(params=SHIPPED, ids=lambda mapping: mapping.name)
def mapping(request: pytest.FixtureRequest) -> GamepadMapping:
    """Every shipped mapping."""
    made: GamepadMapping = request.param
    return made


def test_every_pad_has_an_emergency_stop_that_no_other_button_hides(
    mapping: GamepadMapping,
) -> None:
    stop = mapping.actions[Action.EMERGENCY_STOP]
    assert stop.with_button is None
    others = [s for action, s in mapping.actions.items() if action is not Action.EMERGENCY_STOP]
    assert stop not in [switch.without_button() for switch in others]
    assert Action.GIVE_BACK in mapping.actions


def test_the_emergency_stop_stops_hard_and_is_requested_until_it_is_confirmed(
    mapping: GamepadMapping,
) -> None:
    seat, pad = driving(mapping)
    begin_m, speed = seat.car.distance_m, seat.car.velocity_mps
    pad.hold(Action.EMERGENCY_STOP)
    seat.run(0.1)
    pad.hold(Action.EMERGENCY_STOP, False)
    seat.run(0.4)
    assert seat.last.emergency_stop
    seat.core.station.on_active_locks((EMERGENCY_LOCK,))
    seat.run(3.0)
    assert not seat.last.emergency_stop
    assert seat.car.motion().standing, "the dead-man button and the throttle are still held"
    hard = SafeStopParameters().emergency()
    stated_m = hard.stopping_distance_m(speed, seat.car.lag_s + 0.1)
    assert seat.car.distance_m - begin_m <= stated_m
    assert "emergency_stop_not_confirmed" not in seat.kinds


def test_after_an_emergency_stop_the_dead_man_button_must_be_released_once() -> None:
    seat, pad = driving(SHIPPED[0])
    pad.hold(Action.EMERGENCY_STOP)
    seat.run(4.0)
    pad.hold(Action.EMERGENCY_STOP, False)
    pad.pedal("throttle", 0.0)
    seat.run(0.2)
    pad.pedal("throttle", 1.0)
    seat.run(1.0)
    assert seat.car.motion().standing
    pad.hold("deadman", False)
    pad.pedal("throttle", 0.0)
    seat.run(0.2)
    pad.hold("deadman")
    pad.pedal("throttle", 1.0)
    seat.run(1.0)
    assert seat.car.velocity_mps > 0.3


def test_an_emergency_stop_that_nobody_confirms_says_so() -> None:
    seat, pad = driving(SHIPPED[0])
    pad.hold(Action.EMERGENCY_STOP)
    seat.run(3.0)
    assert seat.last.emergency_stop, "the button is still held"
    assert seat.kinds.count("emergency_stop_not_confirmed") == 1
    pad.hold(Action.EMERGENCY_STOP, False)
    seat.run(3.0)
    assert not seat.last.emergency_stop
    assert seat.kinds.count("emergency_stop_not_confirmed") == 2


def test_give_back_ends_the_commands_without_a_stop(mapping: GamepadMapping) -> None:
    seat, pad = driving(mapping)
    asked = len(seat.outputs)
    pad.hold(Action.GIVE_BACK)
    seat.run(0.1)
    pad.hold(Action.GIVE_BACK, False)
    assert sum(output.give_back for output in seat.outputs[asked:]) == 1
    assert seat.last.command is not None, "until the answer the person drives"
    seat.core.on_give_back_answer(True, "control is given back to autonomy")
    seat.run(1.0)
    assert seat.last.command is None
    assert "stopping" not in seat.kinds
    pad.hold("deadman", False)
    pad.pedal("throttle", 0.0)
    seat.run(0.1)
    pad.hold("deadman")
    seat.run(0.1)
    assert seat.last.command is not None, "the dead-man button takes over again"


def test_who_lets_go_in_motion_sends_no_stop_and_takes_over_with_the_dead_man_button() -> None:
    seat, pad = driving(SHIPPED[0])
    assert isinstance(seat.core, GamepadDriver)
    seat.core.let_go()
    pad.hold("deadman", False)
    pad.pedal("throttle", 0.0)
    seat.run(0.5)
    assert seat.last.command is None
    pad.hold("deadman")
    seat.run(0.1)
    assert seat.last.command is not None


def test_who_lets_go_at_the_keyboard_takes_over_with_a_driving_key() -> None:
    seat = Seat(KeyboardDriver(KeyboardTeleopParameters()))
    seat.key("w", "w")
    seat.run(2.0)
    assert isinstance(seat.core, KeyboardDriver)
    seat.core.let_go()
    seat.run(0.5)
    assert seat.last.command is None
    seat.key("w")
    assert seat.last.command is not None


def test_a_refused_give_back_changes_nothing() -> None:
    seat, _ = driving(SHIPPED[0])
    seat.core.on_give_back_answer(False, "no other source sends commands; gamepad keeps control")
    seat.run(0.5)
    assert seat.last.command is not None
    assert "no other source" in seat.core.station.last_refusal


def test_without_a_dead_man_button_a_pedal_takes_over_again() -> None:
    seat = at_pad(SHIPPED[0], require_deadman=False)
    pad = seat.pad
    assert pad is not None
    seat.run(0.2)
    pad.pedal("throttle", 0.5)
    seat.run(1.0)
    seat.core.on_give_back_answer(True, "")
    seat.run(1.0)
    assert seat.last.command is None, "a pedal that was held takes nothing"
    pad.pedal("throttle", 0.0)
    seat.run(1.0)
    assert seat.last.command is None
    pad.pedal("throttle", 0.5)
    seat.run(0.1)
    assert seat.last.command is not None


def test_a_throttle_that_was_held_through_a_release_of_the_dead_man_button_does_not_count(
    mapping: GamepadMapping,
) -> None:
    seat, pad = driving(mapping)
    pad.hold("deadman", False)
    seat.run(8.0)
    assert seat.car.motion().standing
    pad.hold("deadman")
    seat.run(2.0)
    assert seat.car.motion().standing
    assert "neutral_first" in seat.kinds
    pad.pedal("throttle", 0.0)
    seat.run(0.1)
    pad.pedal("throttle", 1.0)
    seat.run(1.0)
    assert seat.car.velocity_mps > 0.3


@pytest.mark.parametrize("value", [5.0, -7.0, 1.02])
def test_an_axis_out_of_range_is_refused_and_feeds_no_watchdog(value: float) -> None:
    seat, pad = driving(SHIPPED[0])
    pad.axes[0] = value
    seat.run(0.5)
    assert "joy_out_of_range" in seat.kinds
    assert "joy_silent" in seat.kinds
    assert "stopping" in seat.kinds
    commands = [o.command for o in seat.outputs if isinstance(o.command, HighLevelCommand)]
    assert max(abs(command.curvature_1pm) for command in commands) == 0.0


def test_the_least_of_16_bits_is_no_fault() -> None:
    seat, pad = driving(SHIPPED[0])
    pad.axes[0] = -32768 / 32767
    seat.run(0.5)
    assert "joy_out_of_range" not in seat.kinds


@pytest.mark.parametrize("key", ["KEY_BACKSPACE", "\x7f", "\b"])
def test_backspace_is_the_emergency_stop(key: str) -> None:
    seat = Seat(KeyboardDriver(KeyboardTeleopParameters()))
    seat.key(*"wwww")
    seat.run(3.0)
    begin_m, speed = seat.car.distance_m, seat.car.velocity_mps
    assert speed > 2.0
    seat.key(key)
    assert seat.last.emergency_stop
    seat.run(3.0)
    assert seat.car.motion().standing
    hard = SafeStopParameters().emergency()
    assert seat.car.distance_m - begin_m <= hard.stopping_distance_m(speed, seat.car.lag_s + 0.1)


def test_g_gives_control_back() -> None:
    seat = Seat(KeyboardDriver(KeyboardTeleopParameters()))
    seat.key(*"www")
    seat.key("g")
    assert any(output.give_back for output in seat.outputs)
    seat.core.on_give_back_answer(True, "control is given back to autonomy")
    seat.run(0.5)
    assert seat.last.command is None
    assert "stopping" not in seat.kinds
    seat.key("w")
    seat.run(0.1)
    assert seat.last.command is not None


@pytest.mark.parametrize(
    ("axes", "buttons", "name"),
    [
        (6, 21, "game_controller_node"),
        (6, 16, "PlayStation (joy_node)"),
        (6, 17, "PlayStation (joy_node)"),
        (8, 13, "PlayStation"),
        (6, 15, None),
    ],
)
def test_a_stock_driver_without_a_name_is_known_by_its_shape(
    axes: int, buttons: int, name: str | None
) -> None:
    found = choose_mapping(SHIPPED, "", axes, buttons)
    assert (found.name if found else None) == name


def test_counts_are_checked() -> None:
    text = (Path(GAMEPADS) / "game_controller.yaml").read_text(encoding="utf-8")
    assert "counts" not in text
    plain = {
        "axes": 2,
        "buttons": 2,
        "steer": {"axis": 0},
        "throttle": {"button": 0},
        "brake": {"button": 1},
    }
    with pytest.raises(MappingError, match="counts=3: must be a list of numbers of buttons"):
        parse_mapping({**plain, "counts": 3}, "x")
    with pytest.raises(MappingError, match="counts=0: must be a whole number, 1 to 256"):
        parse_mapping({**plain, "counts": [0]}, "x")
