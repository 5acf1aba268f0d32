"""The pipeline as a whole, on the fake platform in virtual time."""

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vdsim_interface.controller.controller import VelocityController
from vdsim_interface.extras.fake.platform import FakeParameters
from vdsim_interface.filter.low_pass import LowPassFilter
from vdsim_interface.filter.parameters import AccelerationFilter, FilterParameters, FrontAngleFilter
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.pipeline.trace import trace_of
from vdsim_interface.pipeline.vehicle_side import VehicleSide
from vdsim_interface.platforms.discovery import platform_spec
from vdsim_interface.platforms.peer import PeerMotion
from vdsim_interface.platforms.spec import PlatformSetup
from vdsim_interface.platforms.vds1.contract_peer import Peer
from vdsim_interface.safety import Safety, SafetyParameters
from vdsim_interface.values import (
    AccelMeaning,
    Authority,
    Blinker,
    CabinState,
    DriverActivity,
    Gear,
    Headlight,
    HighLevelCommand,
    Mode,
    RawCommand,
    SafeCommand,
    Severity,
    StateCommand,
    VehicleCommand,
    Wiper,
    single,
)
from vdsim_interface.values.state_message import StateMessage
from vdsim_interface_kit.interface import CRUISE, Drive

DRIVERLESS = SafetyParameters(auto_engage=True, rig="driverless")


def ask(drive: Drive, **fields: Any) -> None:
    drive.heard(drive.pipeline.safety_side.on_state_command(StateCommand(**fields), drive.now))


# ---- each level drives the car -------------------------------------------------------------------


def test_high_level_drives() -> None:
    """[VI-4.1] [VI-4.2]"""
    drive = Drive("high_level")
    drive.run(8.0, HighLevelCommand(0.0, 4.0, 0.1))
    assert drive.speed == pytest.approx(4.0, abs=0.1)
    vehicle = drive.pipeline.vehicle
    assert vehicle is not None
    assert vehicle.yaw_rate_radps == pytest.approx(0.4, abs=0.02)


def test_vehicle_level_drives() -> None:
    """[VI-1.1.1] [VI-1.1.2] [VI-1.1.3]"""
    drive = Drive("vehicle")
    drive.run(4.0, VehicleCommand(0.0, 1.0, 0.1, 0.0))
    assert 2.0 < drive.speed < 4.5
    vehicle = drive.pipeline.vehicle
    assert vehicle is not None
    assert vehicle.front_wheel_angle_rad == pytest.approx(0.1, abs=1e-3)
    drive.run(4.0, VehicleCommand(0.0, -2.0, 0.0, 0.0))
    assert drive.speed == 0.0


@pytest.mark.parametrize("jerk", [0.5, 2.0, 4.9, 5.0, 10.0])
@pytest.mark.parametrize("accel", [0.4, 1.0, -1.0])
def test_a_start_rises_with_its_jerk_however_slow(jerk: float, accel: float) -> None:
    """One period's rise of 0.05 m/s2 or less, as at 200 Hz, was held as no request to drive."""
    limits = SafetyParameters(auto_engage=True, jerk_max_mps3=jerk)
    drive = Drive("vehicle", limits).engaged()
    drive.run(1.0, VehicleCommand(0.0))
    drive.run(4.0, VehicleCommand(0.0, accel))
    assert drive.speed * accel > 0.0
    rises_s = abs(accel) / jerk
    assert abs(drive.speed) == pytest.approx(abs(accel) * (3.8 - 0.5 * rises_s), abs=0.8)


def test_raw_level_drives() -> None:
    """[VI-1.1.1] [VI-1.1.2] [VI-1.1.3]"""
    drive = Drive("raw")
    drive.run(4.0, RawCommand(0.0, 300, 0, 100, 0))
    assert drive.speed > 3.0
    vehicle = drive.pipeline.vehicle
    assert vehicle is not None
    assert vehicle.front_wheel_angle_rad == pytest.approx(0.1, abs=1e-3)
    drive.run(4.0, RawCommand(0.0, 0, 500, 0, 0))
    assert drive.speed == 0.0


@pytest.mark.parametrize("steady_s", [0.0, 0.1])
@pytest.mark.parametrize("is_silent", [True, False], ids=["silence", "door"])
def test_a_stop_brakes_no_less_than_the_raw_pedals_before(steady_s: float, is_silent: bool) -> None:
    """Of a platform that told no effort of raw pedals, it began at nothing."""
    drive = Drive("raw")
    drive.run(6.0, RawCommand(0.0, 600))
    drive.run(0.01 + steady_s, RawCommand(0.0, 0, 500))
    effort_mps2 = drive.pipeline.vehicle_side.encoded.effort_mps2
    assert effort_mps2 < -3.0
    if not is_silent:
        drive.pipeline.safety_side.on_cabin(CabinState(doors_closed=False), drive.now)
    sent = []
    for _ in range(60):
        drive.run(0.01, None if is_silent else RawCommand(0.0, 0, 500))
        judged = drive.pipeline.vehicle_side.judged
        assert judged is not None
        sent.append(judged.sent)
    stop = [command.vehicle.long_accel_mps2 for command in sent if command.raw is None]
    assert len(stop) > 5
    assert max(stop) <= effort_mps2 + 1e-6


@pytest.mark.parametrize(("level", "command"), [("high_level", CRUISE), ("vehicle", None)])
def test_a_command_holds_until_the_next(level: str, command: HighLevelCommand | None) -> None:
    """[VI-1.3] At 5 Hz of commands the output is that of 100 Hz, tick by tick."""
    ask_for = command or VehicleCommand(0.0, 1.0, 0.0, 0.0)
    slow, fast = Drive(level).engaged(), Drive(level).engaged()
    for _ in range(20):
        slow.run(0.01, ask_for)
        slow.run(0.19)
        fast.run(0.2, ask_for)
    assert [trace_of(o).safe.long_accel_mps2 for o in slow.outputs] == [
        trace_of(o).safe.long_accel_mps2 for o in fast.outputs
    ]


# ---- body: each function by command, each state in the report ------------------------------------


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("gear", Gear.REVERSE),  # [VI-1.1.4] [VI-1.2.3]
        ("headlight", Headlight.HIGH),  # [VI-1.1.5] [VI-1.2.4]
        ("blinker", Blinker.LEFT),  # [VI-1.1.6] [VI-1.2.5]
        ("blinker", Blinker.HAZARD),  # [VI-1.1.7] [VI-1.2.6]
        ("horn", True),  # [VI-1.1.8] [VI-1.2.7]
        ("wiper", Wiper.CLEAN),  # [VI-1.1.9] [VI-1.2.8]
        ("hand_brake", True),
    ],
)
def test_body_functions_are_commanded_and_reported(field: str, value: object) -> None:
    drive = Drive("vehicle").engaged()
    ask(drive, **{field: value})
    drive.run(0.1, VehicleCommand(0.0))
    report = drive.pipeline.vehicle_side.state_report()
    assert report is not None
    assert getattr(report, field) == value
    assert report.mode is Mode.AUTONOMOUS
    assert report.fuel == 100


def test_velocity_and_steering_are_reported() -> None:
    """[VI-1.2.1] [VI-1.2.2]"""
    drive = Drive("vehicle")
    drive.run(3.0, VehicleCommand(0.0, 1.0, 0.05, 0.0))
    vehicle = drive.outputs[-1].report
    assert vehicle is not None
    odometry = vehicle.odometry()
    assert odometry.velocity_mps == single(drive.speed)
    assert odometry.front_wheel_angle_rad == pytest.approx(0.05, abs=1e-3)


def test_park_at_speed_is_refused_and_the_car_drives_on() -> None:
    """[VI-3.2]"""
    drive = Drive()
    drive.run(5.0, CRUISE)
    drive.message(StateMessage(gear=2))
    assert "PARK refused: the car moves at" in drive.text("gear_park_moving")
    drive.run(2.0, CRUISE)
    assert drive.speed == pytest.approx(5.0, abs=0.2)


# ---- the publisher dies, the vehicle dies, a person takes over -----------------------------------


def test_the_car_stops_when_the_publisher_dies() -> None:
    drive = Drive(safety=DRIVERLESS)
    drive.run(6.0, CRUISE)
    drive.run(4.0)
    assert drive.speed == 0.0
    assert trace_of(drive.outputs[-1]).body.blinker is Blinker.HAZARD
    assert drive.kinds().count("command_timeout") == 1
    drive.run(6.0, CRUISE)
    assert drive.speed == pytest.approx(5.0, abs=0.2)
    assert trace_of(drive.outputs[-1]).body.blinker is Blinker.OFF


def test_a_stale_link_stops_publishing_and_comes_back() -> None:
    drive = Drive()
    drive.run(5.0, CRUISE)
    drive.platform.muted = True
    output = drive.run(0.3, CRUISE)
    assert not output.link_fresh
    assert drive.pipeline.vehicle_side.state_report() is None
    assert "no report from the vehicle for 0.1" in drive.text("link_timeout")
    drive.run(1.0, CRUISE)
    assert drive.pipeline.mode is Mode.DISENGAGED
    drive.platform.muted = False
    output = drive.run(6.0, CRUISE)
    assert drive.text("link_restored") == "vehicle link restored"
    assert drive.kinds().count("link_restored") == 2, "once at first"
    assert output.link_fresh
    assert drive.pipeline.mode is Mode.AUTONOMOUS
    assert drive.speed == pytest.approx(5.0, abs=0.2)


def test_a_vehicle_that_never_reports_is_named() -> None:
    drive = Drive()
    drive.platform.muted = True
    output = drive.run(1.1, CRUISE)
    assert drive.text("link_awaited") == "waiting for the vehicle's first report"
    drive.run(29.0, CRUISE)
    assert drive.text("link_absent").startswith("no report from the vehicle in the first 30 s")
    assert not {notice.kind for notice in drive.notices if notice.severity is Severity.ERROR}
    assert not output.link_fresh
    assert drive.pipeline.vehicle_side.state_report() is None
    assert trace_of(output).applied is None
    assert trace_of(output).applied_stamp_s == -math.inf


def test_every_control_that_a_person_uses_is_named_beside_the_switch() -> None:
    drive = Drive()
    drive.run(0.1)
    drive.platform.altered = {"driver": DriverActivity(pedal=True, accelerator=True)}
    drive.heard(drive.pipeline.safety_side.on_driver_override(True, drive.now))
    drive.run(0.1)
    used = drive.pipeline.safety_side.driver.active_controls()
    assert used == ("pedal", "switch", "accelerator")


@pytest.mark.parametrize("how", ["report", "switch"])
def test_a_person_takes_over_and_gives_back(how: str) -> None:
    """[VI-5.1] From the same tick on nothing is sent; control is given back without a restart."""
    drive = Drive()
    drive.run(5.0, CRUISE)
    if how == "report":
        drive.platform.altered = {"driver": DriverActivity(wheel=True)}
    else:
        drive.heard(drive.pipeline.safety_side.on_driver_override(True, drive.now))
    output = drive.run(0.01, CRUISE)
    assert output.mode is Mode.DISENGAGED
    assert trace_of(output).authority is Authority.SILENT
    assert trace_of(output).wire is None
    result, _ = drive.pipeline.safety_side.on_change_mode(True, drive.now)
    assert not result.success
    drive.run(3.0, CRUISE)
    assert drive.pipeline.mode is Mode.DISENGAGED
    drive.platform.altered = {"driver": DriverActivity()}
    drive.heard(drive.pipeline.safety_side.on_driver_override(False, drive.now))
    drive.run(0.1, CRUISE)
    assert drive.pipeline.safety_side.on_change_mode(True, drive.now)[0].success
    drive.run(6.0, CRUISE)
    assert drive.pipeline.mode is Mode.AUTONOMOUS
    assert drive.speed == pytest.approx(5.0, abs=0.2)


def test_a_vehicle_that_is_not_ready_ends_autonomy() -> None:
    drive = Drive()
    drive.run(3.0, CRUISE)
    drive.platform.altered = {"ready": False}
    assert drive.run(0.02, CRUISE).mode is Mode.DISENGAGED


@pytest.mark.parametrize("after_s", [0.0, 0.0001, 0.004, 0.01])
def test_the_last_output_after_stop_is_the_safe_command(after_s: float) -> None:
    drive = Drive()
    drive.run(5.0, CRUISE)
    output = drive.pipeline.stop(drive.now + after_s)
    assert output.mode is Mode.MANUAL
    assert trace_of(output).authority is Authority.IDLE
    held = trace_of(drive.outputs[-1]).safe.front_wheel_angle_rad
    assert trace_of(output).safe.front_wheel_angle_rad == pytest.approx(held, abs=0.01)
    assert trace_of(output).safe.long_accel_mps2 == -SafetyParameters().stop_decel_mps2, (
        "what is said last holds: it brakes, it does not begin to"
    )
    assert any("deactivated" in report.text for report in output.notices)


@pytest.mark.parametrize("after_s", [0.0, 0.0001, 0.004, 0.01])
def test_a_tick_soon_after_a_take_over_does_not_repeat_the_command(after_s: float) -> None:
    drive = Drive()
    drive.run(2.0, CRUISE)
    drive.pipeline.safety_side.on_driver_override(True, drive.now)
    output = drive.pipeline.tick(drive.now + after_s)
    assert output.mode is Mode.DISENGAGED
    assert trace_of(output).authority is Authority.SILENT


def test_time_that_jumps_back_is_survived() -> None:
    drive = Drive()
    drive.run(5.0, CRUISE)
    drive.now = 0.0
    drive.heard(drive.pipeline.restart())
    drive.run(8.0, CRUISE)
    assert "time_jump" in drive.kinds()
    assert drive.speed == pytest.approx(5.0, abs=0.2)


def test_parameters_change_while_driving() -> None:
    drive = Drive()
    drive.run(5.0, CRUISE)
    slower = replace(drive.parameters, safety=SafetyParameters(accel_max_mps2=0.5))
    drive.pipeline.configure(slower)
    assert drive.pipeline.parameters is slower
    drive.run(2.0, HighLevelCommand(0.0, 15.0))
    accel = [trace_of(o).safe.long_accel_mps2 for o in drive.outputs[-100:]]
    assert max(accel) == pytest.approx(0.5)


def test_a_late_tick_makes_up_for_what_it_missed() -> None:
    drive = Drive()
    drive.run(0.5, CRUISE)
    drive.now += 0.04
    assert drive.run(0.01, CRUISE).periods_n == 5


# ---- the three compositions ----------------------------------------------------------------------


class Staged:
    """The stages one by one, handing over what their topics carry."""

    def __init__(self, parameters: InterfaceParameters) -> None:
        p, timeout = parameters, parameters.command_timeout_s
        self.high_level = p.control_command == "high_level"
        self.controller = VelocityController(p.controller, p.vehicle, p.period_s, timeout)
        self.filter = LowPassFilter(p.filter, p.period_s, timeout)
        self.safety = Safety(p.safety, p.vehicle, p.period_s, timeout, rear_steering=True)
        spec = platform_spec("vds1")
        platform = spec.create(spec.parameters(), PlatformSetup(p.vehicle, p.period_s))
        self.vehicle = VehicleSide(p, platform, spec.capabilities)

    def tick(self, command: Any, peer: Peer, motion: PeerMotion, now: float) -> list[bytes]:
        for datagram, source in peer.report(motion, now):
            received = self.vehicle.on_datagram(datagram.data, source, datagram.endpoint, now)
            assert received.report is not None
            feedback = self.vehicle.feedback
            assert feedback is not None
            self.controller.on_odometry(feedback.odometry)
            self.safety.on_odometry(feedback.odometry)
            self.safety.inputs.on_body(feedback.body, feedback.wheel_mps)
            self.safety.inputs.doubt = feedback.doubt
            if feedback.fault:
                self.safety.on_tracking(feedback.fault)
        vehicle = self.controller.step(command, now) if self.high_level else command
        filtered = self.filter.step(vehicle, now)
        output = self.safety.run_period(filtered, now, self.meaning(command))
        self.controller.on_state(output.command.body.gear, output.command.mode)
        self.filter.on_mode(output.command.mode)
        self.safety.after_step()
        received = command if self.high_level else None
        safe = SafeCommand(now, output.command, received=received, controlled=vehicle)
        datagrams = [d.data for d in self.vehicle.encode(safe, now).datagrams]
        self.vehicle.compare(output.command)
        self.vehicle.watch_link(now)
        return datagrams

    def meaning(self, command: Any) -> AccelMeaning:
        if not isinstance(command, HighLevelCommand):
            return AccelMeaning.FLAT_ROAD
        drives = command.velocity_mps * self.safety.direction > 0.0
        return AccelMeaning.DRIVE if drives else AccelMeaning.STOP


SPEED = st.floats(-3, 20, width=32)
INPUTS = st.lists(
    st.tuples(SPEED, st.floats(-0.25, 0.25, width=32), SPEED, st.integers(1, 70)),
    min_size=1,
    max_size=8,
)


@settings(max_examples=25, deadline=None)
@given(inputs=INPUTS, level=st.sampled_from(["high_level", "vehicle"]), smooth=st.booleans())
def test_stages_one_by_one_send_the_same_packets(
    inputs: list[tuple[float, float, float, int]], level: str, smooth: bool
) -> None:
    filters = FilterParameters(
        AccelerationFilter(type="butterworth"), FrontAngleFilter(type="chebyshev")
    )
    parameters = InterfaceParameters(
        control_command=level,
        safety=SafetyParameters(auto_engage=True),
        filter=filters if smooth else FilterParameters(),
    )
    spec = platform_spec("vds1")
    setup = PlatformSetup(parameters.vehicle, parameters.period_s)
    pipeline = Pipeline(parameters, spec.create(spec.parameters(), setup), spec.capabilities)
    staged, one, two, now = Staged(parameters), Peer(), Peer(), 0.0
    for first, second, speed, repeat in inputs:
        motion = PeerMotion(speed, second)
        command: Any = None
        for n in range(repeat):
            now += 0.01
            if n % 7 == 0 and repeat < 65:
                command = (
                    HighLevelCommand(now, first, second)
                    if level == "high_level"
                    else VehicleCommand(now, first / 5.0, single(second), 0.0)
                )
                pipeline.on_command(command, now)
            for datagram, source in one.report(motion, now):
                pipeline.on_datagram(datagram.data, source, datagram.endpoint, now)
            held = pipeline.tick(now).datagrams
            kept = command or getattr(staged, "kept", None)
            staged.kept = kept  # type: ignore[attr-defined]
            assert [d.data for d in held] == staged.tick(kept, two, motion, now)


# ---- whatever comes ------------------------------------------------------------------------------

WILD = st.floats(allow_nan=True, allow_infinity=True)


@settings(max_examples=50, deadline=None)
@given(commands=st.lists(st.tuples(WILD, WILD), max_size=30))
def test_no_command_whatever_it_is_gives_a_non_finite_output(
    commands: list[tuple[float, float]],
) -> None:
    drive = Drive()
    drive.run(1.0, CRUISE)
    for velocity, curvature in commands:
        drive.run(0.02, HighLevelCommand(0.0, velocity, curvature))
    assert all(trace_of(output).safe.is_finite() for output in drive.outputs)
    drive.run(0.6, CRUISE)
    assert all(trace_of(output).safe.is_finite() for output in drive.outputs)
    assert drive.pipeline.mode is Mode.AUTONOMOUS


def test_a_huge_but_finite_command_is_bounded() -> None:
    drive = Drive("vehicle").engaged()
    drive.run(0.5, VehicleCommand(0.0, 3e38, 3e38, -3e38))
    assert trace_of(drive.outputs[-1]).safe.is_finite()
    assert trace_of(drive.outputs[-1]).safe.long_accel_mps2 <= 3.0


def test_geometry_limits_reach_the_wheels() -> None:
    narrow = VehicleGeometry(front_wheel_angle_max_rad=0.1)
    drive = Drive("vehicle", vehicle=narrow)
    drive.run(2.0, VehicleCommand(0.0, 1.0, 0.5, 0.0))
    assert trace_of(drive.outputs[-1]).safe.front_wheel_angle_rad == pytest.approx(0.1)


def test_a_command_of_another_level_is_named_and_counted() -> None:
    drive = Drive("high_level").engaged()
    drive.send(VehicleCommand(drive.now, 1.0))
    drive.send(RawCommand(drive.now, 100))
    told = [r.text for r in drive.notices if r.kind == "wrong_level"]
    assert told == [
        "vehicle_command ignored: control_command is high_level",
        "raw_command ignored: control_command is high_level",
    ]
    assert dict(drive.pipeline.safety_side.status(drive.now).counts)["wrong_level"] == 2


@pytest.mark.parametrize("holds", [True, False])
def test_the_drivers_switch_outlives_an_activation(holds: bool) -> None:
    """[VI-5.1] Without being told again."""
    before, after = (Drive("high_level", safety=DRIVERLESS) for _ in range(2))
    before.engaged()
    before.heard(before.pipeline.safety_side.on_driver_override(holds, before.now))
    before.pipeline.stop(before.now)
    after.pipeline.restore_from(before.pipeline)
    after.run(1.0, CRUISE)
    assert (after.pipeline.mode is Mode.AUTONOMOUS) is not holds


def test_a_driver_who_let_go_while_inactive_is_not_held_against_the_stack() -> None:
    before, after = Drive().engaged(), Drive()
    before.platform.altered = {"driver": DriverActivity(pedal=True)}
    before.run(0.1, CRUISE)
    before.pipeline.stop(before.now)
    after.pipeline.restore_from(before.pipeline)
    after.run(0.1, CRUISE)
    result, _ = after.pipeline.safety_side.on_change_mode(True, after.now)
    assert result.success, result.reason


def other_level(drive: Drive, level: str) -> None:
    drive.parameters = replace(drive.parameters, control_command=level)
    drive.pipeline.configure(drive.parameters)


def test_a_filter_forgets_what_came_before_another_level() -> None:
    slow = FrontAngleFilter(type="butterworth", cutoff_frequency_hz=1.0)
    drive = Drive("vehicle", filter=FilterParameters(front_wheel_angle=slow))
    drive.run(4.0, VehicleCommand(0.0, 0.0, 0.2))
    other_level(drive, "raw")
    drive.run(2.0, RawCommand(0.0))
    other_level(drive, "vehicle")
    output = drive.run(0.01, VehicleCommand(0.0, 0.0, 0.0))
    assert output.safe.filtered is not None
    assert output.safe.filtered.front_wheel_angle_rad == 0.0


def test_the_command_that_still_holds_is_controlled_on_until_another_comes() -> None:
    drive = Drive()
    drive.run(2.5, CRUISE)
    before = drive.outputs[-1].safe.controlled
    other_level(drive, "vehicle")
    after = drive.run(0.01).safe.controlled
    assert before is not None
    assert after is not None
    assert before.long_accel_mps2 > 0.3, "it still speeds up"
    assert after.long_accel_mps2 == pytest.approx(before.long_accel_mps2, abs=0.02)


@pytest.mark.parametrize("noise_mps", [0.0, 1e-40, -1e-40, -0.05])
@pytest.mark.parametrize("gear", [Gear.NEUTRAL, Gear.PARK])
def test_in_neutral_a_standing_car_says_that_it_is_the_gear(gear: Gear, noise_mps: float) -> None:
    drive = Drive().engaged()
    drive.run(0.6, CRUISE._replace(velocity_mps=0.0))
    ask(drive, gear=gear)
    drive.platform.altered = {"velocity_mps": noise_mps}
    output = drive.run(2.0, CRUISE)
    held = [change for change in output.safe.changes if change.channel == "long_accel_mps2"]
    assert [change.kind for change in held][-1:] == ["gear_no_drive"]
    assert "standstill_hold" not in [change.kind for change in held]
    assert output.safe.command.vehicle.long_accel_mps2 == -2.0


@pytest.mark.parametrize("filtered", [False, True])
@pytest.mark.parametrize("silence_s", [0.0, 2.0])
def test_forward_ends_a_reverse_that_was_asked_for(silence_s: float, filtered: bool) -> None:
    """The first command after it is forward: no zero comes between them."""
    slow = AccelerationFilter(type="butterworth" if filtered else "off", cutoff_frequency_hz=2.0)
    drive = Drive(filter=FilterParameters(long_accel=slow)).engaged()
    drive.run(2.0, CRUISE._replace(velocity_mps=0.0))
    drive.run(silence_s)
    ask(drive, gear=Gear.REVERSE)
    drive.run(5.0, CRUISE)
    assert drive.speed > 1.0


@pytest.mark.parametrize("gear", ["DRIVE", "PARK"])
def test_a_brake_right_after_an_engage_at_rest_holds_the_car(gear: str) -> None:
    """At vehicle level a driver of acceleration asks for a brake there, not for REVERSE."""
    drive = Drive("vehicle", fake=FakeParameters(initial_gear=gear))
    drive.run(3.0, VehicleCommand(0.0, -1.0))
    assert drive.pipeline.mode is Mode.AUTONOMOUS
    assert {trace_of(output).body.gear for output in drive.outputs} == {Gear[gear]}
    assert all(
        output.report is None or output.report.velocity_mps == 0.0 for output in drive.outputs
    )
    drive.run(0.5, VehicleCommand(0.0, 0.0))
    drive.run(3.0, VehicleCommand(0.0, -1.0))
    assert trace_of(drive.outputs[-1]).body.gear is Gear.REVERSE, (
        "after the dead zone it asks to reverse"
    )


def test_a_negative_speed_right_after_an_engage_at_rest_reverses() -> None:
    drive = Drive("high_level", fake=FakeParameters(initial_gear="DRIVE"))
    drive.run(5.0, HighLevelCommand(0.0, -1.0))
    assert trace_of(drive.outputs[-1]).body.gear is Gear.REVERSE
    report = drive.outputs[-1].report
    assert report is not None
    assert report.velocity_mps < -0.5
