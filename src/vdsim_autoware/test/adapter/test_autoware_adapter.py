"""What Autoware's component pages require of a vehicle interface: one test for each rule.

Control goes to the interface, whose own tests show the rest: its time-out is the emergency stop
(test_safety.py), its tracking monitor shows a car that does not reach its target.
"""

from __future__ import annotations

import math

import pytest
from vdsim_autoware.adapter import Ask, AutowareAdapter, AutowareParameters, Control, Output
from vdsim_autoware.adapter.actuation import Actuation
from vdsim_autoware.adapter.enums import ControlMode, GearNumber, HazardNumber, TurnNumber
from vdsim_interface.values import (
    Blinker,
    Gear,
    Headlight,
    Mode,
    Notice,
    Odometry,
    RawCommand,
    Severity,
    StateReport,
    Wiper,
)
from vdsim_interface.values.state_message import StateMessage

PERIOD_S = 0.03
MANUAL_ON = {"manual_control": True}
AUTONOMOUS, MANUAL = ControlMode.AUTONOMOUS, ControlMode.MANUAL
STEER_ONLY = ControlMode.AUTONOMOUS_STEER_ONLY
VELOCITY_ONLY = ControlMode.AUTONOMOUS_VELOCITY_ONLY


class Scene:
    """An adapter between an Autoware and an interface that this test plays."""

    def __init__(self, **parameters: object) -> None:
        self.adapter = AutowareAdapter(AutowareParameters(**parameters))  # type: ignore[arg-type]
        self.now = 100.0
        self.gear, self.mode, self.blinker = Gear.DRIVE, Mode.AUTONOMOUS, Blinker.OFF
        self.speed_mps = self.angle_rad = 0.0
        self.hand_brake = False
        self.notices: list[Notice] = []

    def reports(self) -> Output:
        """The vehicle reports its motion and its state."""
        self.adapter.on_odometry(Odometry(self.now, self.speed_mps, self.angle_rad))
        report = StateReport(
            fuel=90,
            blinker=self.blinker,
            headlight=Headlight.ON,
            wiper=Wiper.LOW,
            gear=self.gear,
            mode=self.mode,
            hand_brake=self.hand_brake,
            horn=False,
        )
        return self._noted(self.adapter.on_state_report(report, self.now))

    def control(
        self, velocity: float = 5.0, accel: float = 1.0, steer: float = 0.1, *, manual: bool = False
    ) -> Output:
        """One control command of Autoware, or of a person."""
        message = Control(self.now, steer, velocity, accel, True)
        adapter = self.adapter
        return self._noted((adapter.on_manual_control if manual else adapter.on_control)(message))

    def command_gear(self, number: int, *, manual: bool = False) -> Output:
        return self._noted(self.adapter.on_gear(number, self.now, manual=manual))

    def turn(self, number: int) -> Output:
        return self._noted(self.adapter.on_turn(number, self.now))

    def hazard(self, number: int) -> Output:
        return self._noted(self.adapter.on_hazard(number, self.now))

    def request(self, mode: int, *, granted: bool = True, reason: str = "") -> bool:
        """Request a mode; the interface grants it or not."""
        decision, notices = self.adapter.on_mode_request(mode, self.now)
        self.notices += notices
        if decision.refusal:
            return False
        output, notices = self.adapter.on_mode_answer(decision, granted, reason, self.now)
        self._noted(output)
        self.notices += notices
        return granted

    def passes(self, seconds: float) -> None:
        self.now += seconds

    def drives(self, seconds: float) -> list[Output]:
        """Reports and control commands at 33 Hz."""
        outputs = []
        for _ in range(round(seconds / PERIOD_S)):
            self.passes(PERIOD_S)
            self.reports()
            outputs.append(self.control())
        return outputs

    def line(self, name: str) -> tuple[Severity, str]:
        """One line of the diagnostics."""
        [line] = [one for one in self.adapter.diagnostics(self.now) if one.name == name]
        return line.severity, line.text

    def _noted(self, output: Output) -> Output:
        self.notices += output.notices
        return output


def accel_of(output: Output) -> float:
    assert output.command is not None
    return output.command.long_accel_mps2


def state_of(output: Output) -> StateMessage:
    [state] = output.states
    return state


def angle_of(output: Output) -> float:
    assert output.command is not None
    return output.command.front_wheel_angle_rad


# ---- control_cmd ---------------------------------------------------------------------------------


def test_a_control_command_reaches_the_interface_at_once() -> None:
    scene = Scene()
    scene.reports()
    output = scene.control(velocity=5.0, accel=1.0, steer=0.1)
    assert accel_of(output) == 1.0
    assert angle_of(output) == pytest.approx(0.1)


def test_the_latest_received_command_replaces_the_one_before() -> None:
    scene = Scene()
    scene.reports()
    assert accel_of(scene.control(accel=1.0)) == 1.0
    assert accel_of(scene.control(accel=0.5)) == 0.5


def test_a_silent_stack_is_left_to_the_interfaces_time_out() -> None:
    scene = Scene()
    assert all(output.command for output in scene.drives(1.0))
    for _ in range(200):  # two seconds in which only the vehicle reports
        scene.passes(0.01)
        assert scene.reports().command is None
    severity, text = scene.line("control_cmd")
    assert severity is Severity.ERROR
    assert "too low" in text


def test_a_value_out_of_range_is_clamped_and_reported() -> None:
    scene = Scene()
    scene.drives(0.9)
    output = scene.control(velocity=30.0, accel=8.0, steer=-2.0)
    assert accel_of(output) == 3.0
    assert angle_of(output) == pytest.approx(-0.55)
    severity, text = scene.line("control_cmd")
    assert severity is Severity.WARN
    assert "steering_tire_angle=-2 is outside" in text
    assert "acceleration=8 is outside" in text


@pytest.mark.parametrize("field", ["steer", "accel", "velocity"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_not_finite_is_discarded_and_reported(field: str, value: float) -> None:
    scene = Scene()
    scene.drives(0.9)
    assert scene.control(**{field: value}).command is None
    severity, text = scene.line("control_cmd")
    assert severity is Severity.ERROR
    assert "not finite" in text
    assert accel_of(scene.control(accel=0.5)) == 0.5, "the next good one is the whole command"


def test_a_command_that_is_not_finite_does_not_keep_the_car_going() -> None:
    scene = Scene()
    scene.drives(0.9)
    scene.passes(0.6)
    scene.reports()
    scene.control(steer=math.nan)
    assert not scene.request(AUTONOMOUS)


@pytest.mark.parametrize(
    ("rate_hz", "words"), [(10.0, "rate too low: 10"), (400.0, "rate too high: 400"), (33.0, "")]
)
def test_the_rate_of_control_commands_is_watched(rate_hz: float, words: str) -> None:
    scene = Scene()
    for _ in range(int(1.5 * rate_hz)):
        scene.passes(1.0 / rate_hz)
        scene.reports()
        scene.control()
    severity, text = scene.line("control_cmd")
    assert severity is (Severity.ERROR if words else Severity.INFO)
    assert words in text
    scene.passes(-50.0)  # simulated time is reset
    scene.control()
    assert "too low" in scene.line("control_cmd")[1]


def test_before_the_first_command_the_diagnostics_say_so() -> None:
    assert Scene().line("control_cmd") == (Severity.WARN, "nothing was received yet")


# ---- gear_cmd ------------------------------------------------------------------------------------


def test_a_gear_command_reaches_the_interface_and_changes_nothing_else() -> None:
    scene = Scene()
    scene.gear = Gear.PARK
    scene.reports()
    state = state_of(scene.command_gear(GearNumber.REVERSE))
    assert state.gear == Gear.REVERSE
    assert (state.headlight, state.wiper) == (Headlight.ON, Wiper.LOW)
    assert (state.mode, state.autonomous) == (0, False)


@pytest.mark.parametrize(
    ("number", "speed_mps", "words"),
    [
        (GearNumber.REVERSE, 3.0, "REVERSE refused: the car moves forward at 3.00 m/s"),
        (GearNumber.PARK, 0.5, "PARK refused: the car moves at 0.50 m/s"),
    ],
)
def test_a_gear_that_is_not_safe_is_ignored(number: int, speed_mps: float, words: str) -> None:
    scene = Scene()
    scene.speed_mps = speed_mps
    scene.reports()
    assert scene.command_gear(number).states == ()
    severity, text = scene.line("gear_cmd")
    assert severity is Severity.WARN
    assert words in text
    scene.speed_mps = 0.0
    scene.reports()
    lamps = state_of(scene.turn(TurnNumber.ENABLE_LEFT))
    assert lamps.gear == Gear.DRIVE, "ignored is ignored: nothing shifts it later"
    state = state_of(scene.command_gear(number))
    assert state.gear != Gear.DRIVE, "the next command asks again"


@pytest.mark.parametrize("number", [25, 99, 255])
def test_an_undefined_gear_is_ignored_and_reported(number: int) -> None:
    scene = Scene()
    scene.reports()
    assert scene.command_gear(number) == Output(None, (), tuple(scene.notices))
    assert scene.line("gear_cmd") == (Severity.ERROR, f"gear_cmd {number} ignored: is undefined")


@pytest.mark.parametrize("number", [*range(3, 20), GearNumber.REVERSE_2, GearNumber.LOW_2])
def test_a_gear_that_this_car_lacks_is_ignored_and_reported(number: int) -> None:
    scene = Scene()
    scene.reports()
    assert scene.command_gear(number).states == ()
    assert scene.line("gear_cmd")[0] is Severity.ERROR
    assert "not supported" in scene.line("gear_cmd")[1]


def test_no_command_requests_nothing_and_is_no_error() -> None:
    scene = Scene()
    scene.reports()
    for output in (
        scene.command_gear(GearNumber.NONE),
        scene.turn(TurnNumber.NO_COMMAND),
        scene.hazard(HazardNumber.NO_COMMAND),
    ):
        assert output == Output()
    for name in ("gear_cmd", "turn_indicators_cmd", "hazard_lights_cmd"):
        assert scene.line(name) == (Severity.INFO, "no problem")


def test_a_problem_leaves_the_diagnostics_when_it_is_old() -> None:
    scene = Scene()
    scene.reports()
    scene.command_gear(99)
    scene.passes(3.1)
    assert scene.line("gear_cmd") == (Severity.INFO, "no problem")


@pytest.mark.parametrize(("gear", "released"), [(GearNumber.DRIVE, True), (GearNumber.PARK, False)])
def test_only_a_gear_that_drives_releases_the_hand_brake(gear: int, released: bool) -> None:
    scene = Scene()
    scene.gear, scene.hand_brake = Gear.NEUTRAL, True
    scene.reports()
    state = state_of(scene.command_gear(gear))
    assert state.hand_brake is not released


def changed_scene(**parameters: object) -> Scene:
    """Autoware asked for NEUTRAL, and it is engaged since now."""
    scene = Scene(**parameters)
    scene.drives(0.3)
    scene.command_gear(GearNumber.NEUTRAL)
    scene.passes(0.3)
    scene.gear = Gear.NEUTRAL
    scene.reports()
    return scene


def test_a_gear_soon_after_a_change_waits_and_is_engaged_though_it_is_asked_for_once() -> None:
    scene = changed_scene()
    scene.passes(0.3)
    assert scene.command_gear(GearNumber.REVERSE).states == ()
    assert scene.notices[-1].text == (
        "REVERSE waits: NEUTRAL was engaged less than 2 s ago (gear_pause_s)"
    )
    waited = [scene.reports().states for _ in range(50) if scene.passes(PERIOD_S) is None]
    assert waited == [()] * 50, "1.8 s after the change"
    scene.passes(0.25)
    assert state_of(scene.reports()).gear == Gear.REVERSE
    scene.passes(PERIOD_S)
    assert scene.reports().states == (), "once"


def test_the_car_stands_while_a_gear_waits() -> None:
    scene = changed_scene()
    scene.command_gear(GearNumber.DRIVE)
    assert {accel_of(output) for output in scene.drives(1.8)} == {-2.5}
    assert "a gear waits" in scene.line("control_cmd")[1]
    assert accel_of(scene.drives(0.5)[-1]) == 1.0


def test_the_engaged_gear_asked_for_again_ends_the_waiting() -> None:
    scene = changed_scene()
    scene.command_gear(GearNumber.DRIVE)
    assert state_of(scene.command_gear(GearNumber.NEUTRAL)).gear == Gear.NEUTRAL
    assert accel_of(scene.drives(0.3)[-1]) == 1.0
    scene.passes(2.0)
    assert scene.reports().states == ()


def test_a_gear_that_the_interface_or_a_person_chose_makes_no_gear_wait() -> None:
    scene = Scene()
    scene.drives(0.3)
    scene.command_gear(GearNumber.DRIVE)
    scene.gear = Gear.PARK
    scene.reports()
    assert state_of(scene.command_gear(GearNumber.NEUTRAL)).gear == Gear.NEUTRAL


def test_a_gear_waits_no_longer_when_autonomy_ends() -> None:
    scene = changed_scene()
    scene.command_gear(GearNumber.DRIVE)
    scene.mode = Mode.MANUAL
    scene.reports()
    scene.passes(3.0)
    assert scene.reports().states == ()
    assert accel_of(scene.control()) == 1.0


def test_without_a_pause_each_gear_is_taken_at_once() -> None:
    scene = changed_scene(gear_pause_s=0.0)
    assert state_of(scene.command_gear(GearNumber.PARK)).gear == Gear.PARK


def test_a_gear_is_requested_again_when_the_interface_has_parked_the_car() -> None:
    scene = Scene()
    scene.reports()
    scene.command_gear(GearNumber.DRIVE)
    scene.passes(2.0)
    scene.gear = Gear.PARK  # by the interface, after a stop of its own
    scene.reports()
    reported, wanted = scene.command_gear(GearNumber.DRIVE).states
    assert (reported.gear, wanted.gear) == (Gear.PARK, Gear.DRIVE), "a change of the message"
    scene.passes(0.1)
    scene.reports()
    assert state_of(scene.command_gear(GearNumber.DRIVE)) == wanted, "the shift takes its time"


def test_nothing_is_requested_before_the_vehicle_has_reported() -> None:
    scene = Scene()
    assert scene.command_gear(GearNumber.DRIVE).states == ()
    assert scene.turn(TurnNumber.ENABLE_LEFT).states == ()


# ---- lamps ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "blinker"),
    [
        (TurnNumber.ENABLE_LEFT, Blinker.LEFT),
        (TurnNumber.ENABLE_RIGHT, Blinker.RIGHT),
        (TurnNumber.DISABLE, Blinker.OFF),
    ],
)
def test_turn_indicators_reach_the_interface(number: int, blinker: Blinker) -> None:
    scene = Scene()
    scene.reports()
    state = state_of(scene.turn(number))
    assert state.blinker == blinker


def test_hazard_lights_outrank_the_turn_indicators_in_every_order() -> None:
    scene = Scene()
    scene.reports()
    outputs = [
        scene.turn(TurnNumber.ENABLE_LEFT),
        scene.hazard(HazardNumber.ENABLE),
        scene.turn(TurnNumber.ENABLE_RIGHT),
        scene.hazard(HazardNumber.DISABLE),
    ]
    expected = [Blinker.LEFT, Blinker.HAZARD, Blinker.HAZARD, Blinker.RIGHT]
    assert [state_of(output).blinker for output in outputs] == expected


@pytest.mark.parametrize("name", ["turn_indicators_cmd", "hazard_lights_cmd"])
def test_an_undefined_lamp_command_is_ignored_and_reported(name: str) -> None:
    scene = Scene()
    scene.reports()
    output = scene.turn(9) if name.startswith("turn") else scene.hazard(9)
    assert output.states == ()
    assert scene.line(name) == (Severity.ERROR, f"{name} 9 ignored: is undefined")


# ---- control_mode_request ------------------------------------------------------------------------


def test_autonomous_and_manual_are_asked_of_the_interface() -> None:
    scene = Scene()
    scene.drives(0.3)
    assert scene.adapter.on_mode_request(AUTONOMOUS, scene.now)[0].ask is Ask.ENGAGE
    assert scene.adapter.on_mode_request(MANUAL, scene.now)[0].ask is Ask.DISENGAGE


@pytest.mark.parametrize(
    "number", [ControlMode.NO_COMMAND, ControlMode.DISENGAGED, ControlMode.NOT_READY, 99]
)
def test_an_unknown_mode_is_refused(number: int) -> None:
    scene = Scene()
    scene.drives(0.3)
    assert not scene.request(number)
    assert f"mode {int(number)} refused" in scene.line("control_mode_request")[1]


@pytest.mark.parametrize("mode", [STEER_ONLY, VELOCITY_ONLY])
def test_a_mode_that_is_not_supported_is_refused(mode: int) -> None:
    scene = Scene()
    scene.drives(0.3)
    assert not scene.request(mode)
    assert "manual_control is off" in scene.line("control_mode_request")[1]


def test_a_request_that_the_interface_refuses_fails_with_its_reason() -> None:
    scene = Scene()
    scene.drives(0.3)
    assert not scene.request(AUTONOMOUS, granted=False, reason="a door is open")
    assert scene.line("control_mode_request")[1] == "AUTONOMOUS refused: a door is open"


def test_autonomous_is_refused_without_control_commands() -> None:
    scene = Scene()
    scene.reports()
    assert not scene.request(AUTONOMOUS)
    assert "control_cmd does not arrive" in scene.notices[-1].text


def test_autonomous_is_refused_while_the_vehicle_does_not_report() -> None:
    scene = Scene()
    scene.drives(0.3)
    scene.passes(0.3)
    scene.control()
    assert not scene.request(AUTONOMOUS)
    assert "does not report" in scene.notices[-1].text


def test_autonomous_is_refused_at_a_large_deviation_of_the_steering() -> None:
    scene = Scene()
    scene.mode, scene.speed_mps, scene.angle_rad = Mode.MANUAL, 5.0, -0.2
    scene.drives(0.3)
    assert not scene.request(AUTONOMOUS), "the command is 0.3 rad off"
    assert "0.30 rad off" in scene.notices[-1].text
    scene.angle_rad = 0.0
    scene.drives(0.3)
    assert scene.request(AUTONOMOUS)
    scene.speed_mps, scene.angle_rad = 0.0, -0.5
    scene.drives(0.3)
    assert scene.request(AUTONOMOUS), "a car that stands may steer first"


def test_manual_is_never_refused_for_the_state_of_the_car() -> None:
    scene = Scene()
    assert scene.request(MANUAL)


# ---- groups --------------------------------------------------------------------------------------


def manual_scene() -> Scene:
    scene = Scene(**MANUAL_ON)
    scene.drives(0.3)
    scene.control(velocity=2.0, accel=-0.5, steer=-0.2, manual=True)
    return scene


@pytest.mark.parametrize(
    ("mode", "accel", "angle"),
    [(AUTONOMOUS, 1.0, 0.1), (STEER_ONLY, -0.5, 0.1), (VELOCITY_ONLY, 1.0, -0.2)],
)
def test_each_mode_takes_the_groups_that_it_accepts(mode: int, accel: float, angle: float) -> None:
    scene = manual_scene()
    scene.speed_mps = 1.0
    scene.reports()
    assert scene.request(mode)
    assert scene.adapter.control_mode() == mode
    output = scene.control()
    assert accel_of(output) == accel
    assert angle_of(output) == pytest.approx(angle)


def test_in_manual_only_the_person_drives() -> None:
    scene = manual_scene()
    scene.speed_mps = 1.0
    scene.reports()
    assert scene.request(MANUAL)
    assert scene.adapter.control_mode() is MANUAL
    assert scene.control().command is None
    output = scene.control(accel=-0.5, steer=-0.2, manual=True)
    assert (accel_of(output), angle_of(output)) == (-0.5, pytest.approx(-0.2))
    for ignored in (
        scene.command_gear(GearNumber.LOW),
        scene.turn(TurnNumber.ENABLE_LEFT),
        scene.hazard(HazardNumber.ENABLE),
    ):
        assert ignored == Output()
    assert scene.command_gear(GearNumber.LOW, manual=True).states


@pytest.mark.parametrize(
    ("mode", "gear", "turn"), [(STEER_ONLY, False, True), (VELOCITY_ONLY, True, False)]
)
def test_gear_and_indicators_belong_to_the_groups(mode: int, gear: bool, turn: bool) -> None:
    scene = manual_scene()
    assert scene.request(mode)
    assert bool(scene.command_gear(GearNumber.LOW).states) is gear
    assert bool(scene.turn(TurnNumber.ENABLE_LEFT).states) is turn
    assert scene.hazard(HazardNumber.ENABLE).states


def test_a_partial_mode_needs_the_other_group() -> None:
    scene = Scene(**MANUAL_ON)
    scene.drives(0.3)
    assert not scene.request(STEER_ONLY)
    assert "manual_control_cmd does not arrive" in scene.notices[-1].text


def test_the_latest_gear_counts_from_the_moment_that_the_group_is_accepted() -> None:
    scene = Scene()
    scene.gear, scene.mode = Gear.PARK, Mode.MANUAL
    scene.reports()
    assert scene.command_gear(GearNumber.DRIVE) == Output()
    assert scene.hazard(HazardNumber.ENABLE) == Output()
    scene.mode = Mode.AUTONOMOUS
    geared, lamps = scene.reports().states
    assert geared.gear == Gear.DRIVE
    assert (lamps.gear, lamps.blinker) == (Gear.DRIVE, Blinker.HAZARD)


@pytest.mark.parametrize("mode", [Mode.MANUAL, Mode.NOT_READY, Mode.DISENGAGED])
def test_without_autonomy_gear_and_lamps_are_ignored(mode: Mode) -> None:
    scene = Scene()
    scene.mode = mode
    scene.reports()
    assert scene.command_gear(GearNumber.LOW) == Output()
    assert scene.turn(TurnNumber.ENABLE_LEFT) == Output()
    assert scene.hazard(HazardNumber.ENABLE) == Output()


# ---- stops with fresh commands -------------------------------------------------------------------


def test_without_engage_the_car_stops_and_follows_the_steering() -> None:
    scene = Scene()
    scene.speed_mps = 8.0
    scene.drives(0.3)
    scene.adapter.on_engage(False)
    output = scene.control(steer=0.2)
    assert (accel_of(output), angle_of(output)) == (-2.5, pytest.approx(0.2))
    assert "engage is false" in scene.line("control_cmd")[1]
    scene.adapter.on_engage(True)
    assert accel_of(scene.control(velocity=10.0)) == 1.0
    assert scene.notices[-1].text == "the stop has ended: commands pass"


def test_the_car_waits_for_engage_where_that_is_required() -> None:
    scene = Scene(initial_engage_state=False)
    scene.reports()
    assert accel_of(scene.control()) == -2.5
    scene.adapter.on_engage(True)
    assert accel_of(scene.control()) == 1.0


def test_in_reverse_the_stop_brakes_too() -> None:
    scene = Scene(initial_engage_state=False)
    scene.gear, scene.speed_mps = Gear.REVERSE, -2.0
    scene.reports()
    assert accel_of(scene.control(velocity=-5.0)) == 2.5


@pytest.mark.parametrize(("mode", "angle"), [(STEER_ONLY, 0.1), (VELOCITY_ONLY, -0.2)])
def test_a_stale_manual_group_stops_the_car(mode: int, angle: float) -> None:
    scene = manual_scene()
    scene.speed_mps = 3.0
    scene.reports()
    assert scene.request(mode)
    scene.control()
    outputs = scene.drives(0.6)
    assert accel_of(outputs[-1]) == -2.5
    assert angle_of(outputs[-1]) == pytest.approx(angle), "followed if fresh, else held"
    assert "manual_control_cmd is stale" in scene.line("control_cmd")[1]


# ---- actuation_cmd -------------------------------------------------------------------------------

PEDALS_ON = {"command": "actuation"}


def pedals(scene: Scene, accel: float = 0.2, brake: float = 0.0, steer: float = 0.1) -> Output:
    message = Actuation(scene.now, accel, brake, steer)
    return scene._noted(scene.adapter.on_actuation(message))


def pressed(scene: Scene, seconds: float) -> None:
    for _ in range(round(seconds / PERIOD_S)):
        scene.passes(PERIOD_S)
        scene.reports()
        pedals(scene)


def test_pedals_become_a_raw_command_in_counts() -> None:
    scene = Scene(**PEDALS_ON)
    scene.reports()
    assert pedals(scene, 0.25, 0.0, -0.1).command == RawCommand(scene.now, 250, 0, -100)
    assert pedals(scene, 0.0, 0.7, 0.2).command == RawCommand(scene.now, 0, 700, 200)
    assert scene.control() == Output(), "control_cmd is the converter's input then"


def test_pedals_out_of_range_are_clamped_and_reported() -> None:
    scene = Scene(**PEDALS_ON)
    pressed(scene, 0.9)
    assert pedals(scene, -0.2, 1.5, 0.9).command == RawCommand(scene.now, 0, 1000, 550)
    severity, text = scene.line("actuation_cmd")
    assert severity is Severity.WARN
    assert "accel_cmd=-0.2" in text
    assert "brake_cmd=1.5" in text
    assert "steer_cmd=0.9" in text


@pytest.mark.parametrize("field", ["accel", "brake", "steer"])
def test_pedals_that_are_not_finite_are_discarded(field: str) -> None:
    scene = Scene(**PEDALS_ON)
    pressed(scene, 0.9)
    assert pedals(scene, **{field: math.nan}).command is None
    assert scene.line("actuation_cmd")[0] is Severity.ERROR


def test_without_engage_the_brake_pedal_stops_the_car() -> None:
    scene = Scene(initial_engage_state=False, **PEDALS_ON)
    scene.reports()
    assert pedals(scene, accel=0.5, steer=0.2).command == RawCommand(scene.now, 0, 500, 200)


def test_with_pedals_a_mode_needs_pedals() -> None:
    scene = Scene(**PEDALS_ON)
    scene.drives(0.3)
    assert not scene.request(AUTONOMOUS)
    assert "actuation_cmd does not arrive" in scene.notices[-1].text
    pressed(scene, 0.3)
    assert scene.request(AUTONOMOUS)


# ---- statuses ------------------------------------------------------------------------------------


def test_the_statuses_stop_with_the_vehicles_reports() -> None:
    scene = Scene()
    assert not scene.adapter.is_reporting(scene.now)
    scene.reports()
    assert scene.adapter.is_reporting(scene.now)
    assert scene.line("vehicle status")[0] is Severity.INFO
    scene.passes(0.21)
    assert not scene.adapter.is_reporting(scene.now)
    assert scene.line("vehicle status")[0] is Severity.ERROR


def test_a_vehicle_that_does_not_report_its_pedals_is_named() -> None:
    scene = Scene(actuation_status=True)
    scene.reports()
    scene.adapter.on_pedals_unknown(scene.now)
    assert "does not report its pedals" in scene.line("vehicle status")[1]


def test_an_undefined_status_of_the_vehicle_stops_them_too() -> None:
    scene = Scene()
    scene.reports()
    scene.adapter.on_state_report(None, scene.now)
    assert not scene.adapter.is_reporting(scene.now)
    assert scene.adapter.control_mode() is None
    assert "undefined" in scene.line("vehicle status")[1]
    scene.reports()
    assert scene.adapter.is_reporting(scene.now)


@pytest.mark.parametrize(
    ("mode", "reported"),
    [
        (Mode.MANUAL, MANUAL),
        (Mode.NOT_READY, ControlMode.NOT_READY),
        (Mode.AUTONOMOUS, AUTONOMOUS),
        (Mode.DISENGAGED, ControlMode.DISENGAGED),
    ],
)
@pytest.mark.parametrize("manual_control", [True, False])
def test_the_control_mode_is_the_interfaces(
    mode: Mode, reported: ControlMode, manual_control: bool
) -> None:
    scene = Scene(manual_control=manual_control)
    scene.mode = mode
    scene.reports()
    assert scene.adapter.control_mode() is reported
