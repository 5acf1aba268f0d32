"""The safety side in a process of its own: an emergency stop stands against the filter's output."""

from __future__ import annotations

import math

import pytest
from vdsim_interface.extras.fake import SPEC
from vdsim_interface.extras.fake.platform import FakeParameters
from vdsim_interface.extras.stages.safety_stage import SafetyStage
from vdsim_interface.extras.stages.staged_vehicle import HEARTBEAT_S, StagedVehicleSide
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.platforms.spec import PlatformSetup
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import (
    CabinState,
    HighLevelCommand,
    Mode,
    Stop,
    Until,
    VehicleCommand,
)
from vdsim_interface_kit.interface import PERIOD_S, MutedFake

NOW = 100.0
STOP = VehicleCommand(NOW, -6.0)


def a_stage() -> SafetyStage:
    return SafetyStage(InterfaceParameters(control_command="high_level"), rear_steering=False)


def filtered_after(stage: SafetyStage) -> VehicleCommand | None:
    [(safe, _)] = stage.results(NOW + 0.01)
    return safe.filtered


def test_in_an_emergency_stop_the_filter_is_not_heard() -> None:
    stage = a_stage()
    stage.override(STOP, NOW)
    assert not stage.on_filtered(VehicleCommand(NOW, 2.0))
    assert filtered_after(stage) == STOP


def test_the_next_command_of_the_stack_lets_the_filter_be_heard() -> None:
    stage = a_stage()
    stage.override(STOP, NOW)
    assert not stage.on_command(HighLevelCommand(NOW, 3.0), NOW)
    assert stage.on_filtered(VehicleCommand(NOW, 2.0))
    assert filtered_after(stage) == VehicleCommand(NOW, 2.0)


def test_a_rejected_command_does_not_end_the_stop() -> None:
    stage = a_stage()
    stage.override(STOP, NOW)
    [notice] = stage.on_command(VehicleCommand(NOW, 2.0), NOW)
    assert "vehicle" in notice.text
    assert not stage.on_filtered(VehicleCommand(NOW, 2.0))


def test_another_activation_keeps_an_emergency_stop() -> None:
    stage = a_stage()
    before = stage.side
    stage.side.on_emergency(Stop("emergency", 6.0, 30.0, Until.RELEASED))
    stage.activate(InterfaceParameters(control_command="high_level"))
    assert stage.side is not before
    [(safe, _)] = stage.results(NOW)
    assert safe.stops, "the stop was lost"
    assert stage.motion() == (None, None)


# ---- the vehicle side in another process ---------------------------------------------------------


class TwoStages:
    """A safety stage and a vehicle side that hear each other at once; virtual time."""

    def __init__(self) -> None:
        self.parameters = parameters = InterfaceParameters(
            control_command="vehicle", safety=SafetyParameters(auto_engage=True)
        )
        setup = PlatformSetup(parameters.vehicle, parameters.period_s)
        self.car = MutedFake(FakeParameters(), setup)
        self.vehicle = StagedVehicleSide(parameters, self.car, SPEC.capabilities)
        self.stage = SafetyStage(parameters, rear_steering=False)
        self.now, self.lives, self.angle_rad = NOW, True, 0.0
        self.is_heard = True
        self.reasons: list[str] = []

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / PERIOD_S)):
            self.now += PERIOD_S
            self.period()

    def period(self) -> None:
        stage, now = self.stage, self.now
        command = VehicleCommand(now, 1.0, self.angle_rad)
        stage.on_command(command, now)
        stage.on_filtered(command)
        for safe, notices in stage.results(now):
            self.reasons += [notice.text for notice in notices]
            if self.lives and self.is_heard:
                self.vehicle.on_safe_command(safe, now)
        if not self.lives:
            return
        heard = [one for one in self.vehicle.poll(now) if one.report is not None]
        self.vehicle.encode_latest(now)
        feedback = self.vehicle.feedback if heard else self.vehicle.repeated_feedback(now)
        if feedback is not None:
            stage.on_feedback(feedback, now)


def driving() -> TwoStages:
    both = TwoStages()
    both.run(1.0)
    assert both.stage.side.mode is Mode.AUTONOMOUS
    return both


def test_autonomy_ends_soon_after_the_process_of_the_vehicle_side_has() -> None:
    both = driving()
    both.lives = False
    both.run(0.28)
    assert both.stage.side.mode is Mode.AUTONOMOUS
    both.run(0.04)
    assert both.stage.side.mode is Mode.DISENGAGED
    reason = "platform_interface is silent for 0.3"
    assert [text for text in both.reasons if reason in text]


def test_a_new_vehicle_side_leaves_the_wheels_where_they_are() -> None:
    """Seed 9911703: until a command of the safety stage came, they turned straight."""
    before = TwoStages()
    before.angle_rad = 0.2
    before.run(1.0)
    new = StagedVehicleSide(InterfaceParameters(), before.car, SPEC.capabilities)
    for n in range(1, 50):
        now = before.now + n * PERIOD_S
        for received in new.poll(now):
            assert received.report is not None
            assert received.report.front_wheel_angle_rad == pytest.approx(0.2, abs=1e-4)
        new.encode_latest(now)
        assert new.sent is not None
        assert new.sent.command.vehicle.front_wheel_angle_rad == pytest.approx(0.2, abs=1e-4)


@pytest.mark.parametrize("reports_too", [False, True], ids=["stage", "stage and reports"])
def test_a_silent_stage_leaves_the_wheels_at_the_corrected_angle(reports_too: bool) -> None:
    """Seed 10200712: they turned back by what the yaw rate had shown to be missing."""
    parameters = InterfaceParameters(
        control_command="high_level", safety=SafetyParameters(auto_engage=True)
    )
    setup = PlatformSetup(parameters.vehicle, parameters.period_s)
    car = MutedFake(FakeParameters(), setup)
    vehicle = StagedVehicleSide(parameters, car, SPEC.capabilities)
    stage = SafetyStage(parameters, rear_steering=False)
    now = NOW
    curvature_1pm = math.tan(needed_rad := 0.125 / 0.9) / parameters.vehicle.wheelbase_m
    angles: list[float] = []
    for n in range(1000):
        now += PERIOD_S
        if n < 800:
            stage.on_command(HighLevelCommand(now, 5.0, curvature_1pm), now)
            controlled = VehicleCommand(now, 1.0 if n < 450 else 0.0, 0.125)
            stage.side.on_controlled(controlled)
            stage.on_filtered(controlled)
            for safe, _ in stage.results(now):
                vehicle.on_safe_command(safe, now)
        car.muted = reports_too and 780 < n < 900
        vehicle.poll(now)
        vehicle.watch_link(now)
        wire = vehicle.encode_latest(now).wire
        if vehicle.feedback is not None and n < 800:
            stage.on_feedback(vehicle.feedback, now)
        if wire is not None:
            angles.append(wire.front_wheel_angle_rad)
    assert angles[-250] == pytest.approx(needed_rad, abs=0.004)
    assert angles[-200:] == pytest.approx([angles[-250]] * 200, abs=0.002)


def test_the_steering_outlives_another_activation() -> None:
    """Until the safety side has decided, the vehicle side holds what it sent last."""
    before = TwoStages()
    before.angle_rad = 0.1
    before.run(1.0)
    assert before.vehicle.sent is not None
    held_rad = before.vehicle.sent.command.vehicle.front_wheel_angle_rad
    assert held_rad > 0.0
    after = StagedVehicleSide(InterfaceParameters(), before.car, SPEC.capabilities)
    after.restore_from(before.vehicle)
    after.encode_latest(before.now)
    assert after.sent is not None
    assert after.sent.command.vehicle.front_wheel_angle_rad == held_rad


def test_a_vehicle_that_does_not_report_is_not_a_process_that_is_gone() -> None:
    """Autonomy then ends after link_lost_s, as in every composition."""
    both = driving()
    both.car.muted = True
    both.run(0.9)
    assert both.stage.side.mode is Mode.AUTONOMOUS
    both.run(0.2)
    assert both.stage.side.mode is Mode.DISENGAGED
    assert not [text for text in both.reasons if "platform_interface" in text]


def test_a_stall_of_the_safety_stage_itself_is_not_the_silence_of_the_other() -> None:
    both = driving()
    for _ in range(5):
        both.now += 0.45
        both.run(0.02)
    assert both.stage.side.mode is Mode.AUTONOMOUS


def test_the_feedback_is_repeated_only_where_no_report_comes() -> None:
    both = driving()
    assert both.vehicle.repeated_feedback(both.now) is None
    before = both.vehicle.feedback
    assert both.vehicle.repeated_feedback(both.now + HEARTBEAT_S + 0.001) is before
    assert both.vehicle.repeated_feedback(both.now + HEARTBEAT_S + 0.01) is None


def test_no_feedback_from_before_a_backward_jump_of_time_is_repeated() -> None:
    both = driving()
    both.vehicle.restart()
    assert both.vehicle.repeated_feedback(both.now - 1.0) is None


def test_a_command_that_a_publisher_repeats_late_changes_nothing() -> None:
    """A reliable publisher may repeat a sample; while a person drives no packet may leave."""
    both = driving()
    old = both.vehicle.sent
    assert old is not None
    both.run(1.5)
    newest = both.vehicle.sent
    both.vehicle.on_safe_command(old, old.stamp_s)
    both.vehicle.encode_latest(both.now)
    assert both.vehicle.sent is newest
    [notice] = [one for one in both.vehicle.watch_link(both.now) if "safe command" in one.text]
    assert "1.5" in notice.text


def test_a_report_that_a_publisher_repeats_late_ends_no_autonomy() -> None:
    both = driving()
    old = both.vehicle.feedback
    assert old is not None
    both.run(2.5)
    [notice] = both.stage.on_feedback(old, both.now)
    assert "2.5" in notice.text
    both.run(1.0)
    assert both.stage.side.mode is Mode.AUTONOMOUS


def test_reports_that_arrive_late_are_used_as_such_from_the_second_on() -> None:
    both = driving()
    latest = both.vehicle.feedback
    assert latest is not None
    for more_s in (0.02, 0.04):
        stamp_s = latest.odometry.stamp_s - 0.5 + more_s
        late = latest._replace(odometry=latest.odometry._replace(stamp_s=stamp_s))
        both.stage.on_feedback(late, both.now)
        used, _ = both.stage.motion()
        assert used is not None
        assert (used.stamp_s == stamp_s) is (more_s > 0.03)


# ---- a new safety stage, and the gate of the one before ------------------------------------------

EMERGENCY = Stop("emergency", 6.0, 30.0, Until.RELEASED)


def succeeded(both: TwoStages) -> None:
    """Another safety stage; its reports have found it, its commands are not heard yet."""
    both.stage = SafetyStage(both.parameters, rear_steering=False)
    both.is_heard = False


def assert_it_drives(both: TwoStages) -> None:
    both.run(1.0)
    both.is_heard = True
    assert both.stage.side.mode is Mode.AUTONOMOUS
    assert both.stage.motion()[0] is not None
    both.run(4.0)
    odometry, _ = both.stage.motion()
    assert odometry is not None
    assert odometry.velocity_mps > 1.0


def test_the_first_engagement_of_a_stage_that_is_heard_late_is_a_later_one() -> None:
    """A door had stopped the car, and each process had engaged once: the gate waited for ever."""
    both = driving()
    both.stage.side.on_cabin(CabinState(doors_closed=False), both.now)
    both.run(4.0)
    assert both.stage.side.mode is Mode.DISENGAGED
    succeeded(both)
    assert_it_drives(both)


@pytest.mark.parametrize("requests_n", [1, 2, 3])
def test_the_release_of_an_emergency_stop_by_a_stage_that_is_heard_late_counts(
    requests_n: int,
) -> None:
    both = driving()
    for _ in range(requests_n):
        both.stage.side.on_emergency(EMERGENCY)
        both.run(2.0)
    succeeded(both)
    both.stage.side.on_emergency(EMERGENCY)  # as the record of the process before says
    both.run(0.1)
    both.stage.side.on_emergency(None)
    assert_it_drives(both)


def test_an_emergency_stop_that_only_the_gate_knows_stands_until_it_is_given_back() -> None:
    """The safety stage was ended in order, so that it left no record; the other one was not."""
    both = driving()
    both.stage.side.on_emergency(EMERGENCY)
    both.run(4.0)
    succeeded(both)
    both.is_heard = True
    both.run(4.0)
    assert both.stage.side.mode is Mode.AUTONOMOUS
    odometry, _ = both.stage.motion()
    assert odometry is not None
    assert odometry.velocity_mps == pytest.approx(0.0, abs=1e-3)
    both.stage.side.on_emergency(None)
    assert_it_drives(both)


def test_each_activation_counts_from_beyond_the_one_before() -> None:
    both = driving()
    counts = []
    for _ in range(3):
        both.stage.side.on_emergency(None)
        both.run(1.0)
        both.stage.side.on_change_mode(True, both.now)
        both.run(1.0)
        safe = both.vehicle.sent
        assert safe is not None
        counts.append((safe.engagement, safe.emergency_n))
        both.stage.activate(both.parameters)
    engagements, emergencies = zip(*counts, strict=True)
    assert engagements[0] < engagements[1] < engagements[2]
    assert emergencies[0] < emergencies[1] < emergencies[2]


def test_the_counts_of_a_clock_that_began_in_1970_fit_a_message() -> None:
    stage = a_stage()
    stage.side.on_emergency(EMERGENCY)
    [(safe, _)] = stage.results(1.8e9)
    assert (safe.engagement, safe.emergency_n) == (0, safe.emergency_n)
    assert 0 < safe.emergency_n < 1 << 32
