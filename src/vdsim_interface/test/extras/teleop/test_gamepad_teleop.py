"""The whole gamepad core, from Joy messages to commands and requests, on virtual time."""

from dataclasses import replace

from vdsim_interface.teleop.driver import Phase
from vdsim_interface.teleop.gamepad_driver import GamepadDriver
from vdsim_interface.teleop.mapping import Action
from vdsim_interface.teleop.parameters import GamepadTeleopParameters
from vdsim_interface.teleop.station import ModeRequest, StationOutput
from vdsim_interface.values import (
    Gear,
    HighLevelCommand,
    Mode,
    NoticeKind,
    Odometry,
    VehicleCommand,
)
from vdsim_interface.values.notices import Severity
from vdsim_interface.values.state_message import StateMessage
from vdsim_interface_kit.teleop import STATE, XBOX, PlayedPad, ToyCar

DT_S = 0.02


class Session:
    """Pad, core and toy car on one clock; Joy comes at 20 Hz while the pad is plugged in."""

    def __init__(self) -> None:
        self.teleop = GamepadDriver((XBOX,), GamepadTeleopParameters())
        self.pad = PlayedPad()
        self.car = ToyCar()
        self.plugged = True
        self.now = 0.0
        self.outputs: list[StationOutput] = []
        self.requests: list[StateMessage] = []
        self.modes: list[ModeRequest] = []
        self.kinds: list[NoticeKind] = []
        self.run(0.2)

    def run(self, duration_s: float) -> StationOutput:
        for _ in range(round(duration_s / DT_S)):
            self.now += DT_S
            if self.plugged and len(self.outputs) % 3 == 0:
                self.teleop.on_joy(*self.pad.joy(), now=self.now)
            self.teleop.station.on_odometry(self.car.odometry(), self.now)
            self.teleop.station.on_state_report(self.car.state)
            output = self.teleop.tick(self.now)
            self.car.step(output.command, DT_S)
            self.outputs.append(output)
            self.requests += output.state_commands
            self.modes += output.mode_requests
            self.kinds += [report.kind for report in output.notices]
        return self.outputs[-1]

    def press(self, action: Action) -> None:
        self.pad.hold(action)
        self.run(0.1)
        self.pad.hold(action, False)
        self.run(0.1)


def test_a_drive_with_stop_by_release() -> None:
    session = Session()
    assert session.outputs[-1].command is None, "a pad that lies there sends nothing"
    session.pad.hold("deadman")
    session.pad.pedal("throttle", 1.0)
    session.run(3.0)
    speed = session.car.velocity_mps
    assert speed > 3.0
    session.pad.hold("deadman", False)  # the throttle stays down
    start_m = session.car.distance_m
    session.run(6.0)
    assert session.car.motion().standing
    stop = GamepadTeleopParameters().safe_stop
    assert session.car.distance_m - start_m <= stop.stopping_distance_m(speed, 0.6)


def test_unplugging_stops_the_car_and_never_falls_silent_while_it_rolls() -> None:
    session = Session()
    session.pad.hold("deadman")
    session.pad.pedal("throttle", 1.0)
    session.run(3.0)
    session.plugged = False
    first = len(session.outputs)
    while not session.car.motion().standing:
        assert session.run(DT_S).command is not None
        assert len(session.outputs) - first < 500
    assert "joy_silent" in session.kinds
    session.run(3.0)
    assert session.teleop.station.driver.phase is Phase.IDLE


def test_engage_and_disengage_are_asked_of_the_service_and_answers_are_told() -> None:
    session = Session()
    session.press(Action.ENGAGE)
    session.press(Action.DISENGAGE)
    assert session.modes == [ModeRequest.ENGAGE, ModeRequest.DISENGAGE]
    session.teleop.station.on_mode_answer(ModeRequest.ENGAGE, True, "engaging")
    session.teleop.station.on_mode_answer(ModeRequest.ENGAGE, False, "a door is open")
    notices = session.run(DT_S).notices
    assert [report.kind for report in notices] == [
        "mode_answer",
        "mode_refused",
    ]
    assert session.teleop.station.last_refusal == "engage refused: a door is open"


def test_gear_and_lamp_buttons_become_state_commands() -> None:
    session = Session()
    session.press(Action.GEAR_REVERSE)
    session.car.shift(Gear.REVERSE)
    session.run(0.1)
    session.press(Action.HAZARD)
    assert [(m.gear, m.blinker) for m in session.requests] == [(Gear.REVERSE, 0), (Gear.REVERSE, 3)]
    assert not any(m.autonomous for m in session.requests)


def test_the_level_button_walks_through_the_levels() -> None:
    session = Session()
    session.pad.hold("deadman")
    session.press(Action.LEVEL)
    assert isinstance(session.run(DT_S).command, VehicleCommand)
    session.press(Action.LEVEL)
    session.press(Action.LEVEL)
    assert isinstance(session.run(DT_S).command, HighLevelCommand)


def test_the_level_button_is_refused_while_driving() -> None:
    session = Session()
    session.pad.hold("deadman")
    session.pad.pedal("throttle", 1.0)
    session.run(2.0)
    session.press(Action.LEVEL)
    assert "at standstill only" in session.teleop.station.last_refusal


def test_a_horn_that_sounds_when_the_pad_is_lost_is_silenced() -> None:
    session = Session()
    session.pad.hold(Action.HORN)
    session.run(0.1)
    session.car.state = replace(STATE, horn=True)
    session.plugged = False
    session.run(1.0)
    assert [message.horn for message in session.requests] == [True, False]


def test_old_odometry_is_no_knowledge() -> None:
    session = Session()
    station = session.teleop.station
    assert station.motion(session.now).velocity_mps == 0.0
    assert station.motion(session.now + 0.6).velocity_mps is None
    station.on_odometry(Odometry(0.0, float("nan")), session.now + 0.6)
    assert station.motion(session.now + 0.6).velocity_mps is None


def test_losses_are_errors_refusals_warnings_and_the_rest_information() -> None:
    session = Session()
    session.car.become(Mode.AUTONOMOUS)
    session.pad.hold("deadman")
    session.run(0.5)
    session.plugged = False
    session.run(1.0)
    loudness = {
        report.kind: report.severity for output in session.outputs for report in output.notices
    }
    assert loudness["device_found"] is Severity.INFO
    assert loudness["joy_silent"] is Severity.ERROR
    session.teleop.station.on_mode_answer(ModeRequest.ENGAGE, False, "no")
    assert session.run(DT_S).notices[-1].severity is Severity.WARN
