"""A safety stage that is frozen: the car is braked, held and parked, and drives again afterwards.

Both sides run as in `processes`: each ticks by itself, and one of them may stop to.
"""

from dataclasses import replace

import pytest
from vdsim_interface.extras.fake import SPEC as FAKE
from vdsim_interface.extras.fake.platform import FakeParameters
from vdsim_interface.extras.stages.staged_side import StagedSide
from vdsim_interface.extras.stages.staged_vehicle import NOT_REPORTED, StagedVehicleSide
from vdsim_interface.longitudinal.parameters import AccelerationParameters
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.platforms.spec import PlatformSetup
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.safety.inputs import NOT_RECEIVED
from vdsim_interface.values import (
    AccelMeaning,
    BodyState,
    Gear,
    Mode,
    StateCommand,
    VehicleCommand,
    VehicleFeedback,
)
from vdsim_interface_kit.interface import PERIOD_S, MutedFake

GO = VehicleCommand(0.0, 1.5)
PARK_S = 1.0
DRIVER = SafetyParameters(stop_park_after_s=PARK_S)
DRIVERLESS = replace(DRIVER, rig="driverless")


class TwoSides:
    """A safety stage and a platform stage; `safety` may be frozen, or another one."""

    def __init__(self, limits: SafetyParameters = DRIVERLESS, slope_rad: float = 0.1) -> None:
        self.parameters = InterfaceParameters(
            control_command="vehicle",
            safety=limits,
            acceleration=AccelerationParameters(vehicle_commands="kinematic"),
        )
        setup = PlatformSetup(self.parameters.vehicle, self.parameters.period_s)
        fake = MutedFake(FakeParameters(slope_rad=slope_rad, initial_gear="DRIVE"), setup)
        self.car = fake
        self.vehicle = StagedVehicleSide(self.parameters, fake, FAKE.capabilities)
        self.safety = StagedSide(self.parameters, rear_steering=False)
        self.now = 0.0

    def run(
        self,
        seconds: float,
        command: VehicleCommand | None = GO,
        *,
        frozen: bool = False,
        deaf: bool = False,
        mute: bool = False,
    ) -> None:
        """`deaf`: the safety stage sends and receives no feedback. `mute`: the other way round."""
        for _ in range(round(seconds / PERIOD_S)):
            self.now += PERIOD_S
            for _ in self.vehicle.poll(self.now):
                feedback = self.vehicle.feedback
                if not (frozen or deaf) and feedback is not None:
                    self.safety.on_feedback(feedback, self.now)
            if not frozen:
                self._safety_period(command, mute=mute)
            self.vehicle.encode_latest(self.now)
            self.vehicle.watch_link(self.now)

    def _safety_period(self, command: VehicleCommand | None, *, mute: bool) -> None:
        if command is not None:
            fresh = command._replace(stamp_s=self.now)
            self.safety.on_command(fresh, self.now)
            self.safety.on_filtered(fresh)
        for _ in range(self.safety.periods_due(self.now)):
            safe, _ = self.safety.step_latest(self.now)
            if not mute:
                self.vehicle.on_safe_command(safe, self.now)
            self.safety.after_step()

    def engage(self) -> None:
        result, _ = self.safety.on_change_mode(True, self.now)
        assert result.success, result.reason

    def driving(self) -> "TwoSides":
        self.run(0.2)
        self.engage()
        self.run(3.0)
        assert self.speed_mps > 1.0
        return self

    def thaw(self) -> None:
        """The process runs again: it notices how long it did not."""
        self.safety.on_stall(10.0)
        self.run(0.1)

    @property
    def speed_mps(self) -> float:
        return self.feedback.odometry.velocity_mps

    @property
    def feedback(self) -> VehicleFeedback:
        assert self.vehicle.feedback is not None
        return self.vehicle.feedback

    @property
    def body(self) -> BodyState:
        return self.feedback.body

    @property
    def is_parked(self) -> bool:
        return self.body.hand_brake and self.body.gear is Gear.PARK


@pytest.mark.parametrize("slope_rad", [0.0, 0.15, -0.15])
@pytest.mark.parametrize("limits", [DRIVER, DRIVERLESS])
def test_a_frozen_safety_stage_ends_in_hand_brake_and_park_at_rest(
    limits: SafetyParameters, slope_rad: float
) -> None:
    sides = TwoSides(limits, slope_rad).driving()
    while sides.speed_mps > limits.standstill_speed_mps:
        sides.run(PERIOD_S, frozen=True)
        assert not sides.body.hand_brake
        assert sides.body.gear is Gear.DRIVE
    sides.run(PARK_S - 0.05, frozen=True)
    assert not sides.body.hand_brake
    sides.run(0.5, frozen=True)
    assert sides.is_parked
    sides.run(5.0, frozen=True)
    assert sides.is_parked
    assert abs(sides.speed_mps) < 1e-3


@pytest.mark.parametrize("frozen", [False, True])
def test_what_was_set_stays_when_the_vehicle_falls_silent_before_it_reports_it(
    frozen: bool,
) -> None:
    """Seeds 9700304 and 9800077 of `guarded`: 0.1 s later both were taken back on a slope."""
    sides = TwoSides().driving()
    while True:
        sides.run(PERIOD_S, None, frozen=frozen)
        judged = sides.vehicle.judged
        assert judged is not None
        if judged.sent.body.hand_brake:
            break
    assert not sides.is_parked
    sides.car.muted = True
    for _ in range(100):
        sides.run(PERIOD_S, None, frozen=frozen)
        judged = sides.vehicle.judged
        assert judged is not None
        assert judged.sent.body.hand_brake
        assert judged.sent.body.gear is Gear.PARK
    sides.car.muted = False
    sides.run(0.2, None, frozen=frozen)
    assert sides.is_parked


def test_a_stage_that_runs_again_releases_what_was_set_for_it() -> None:
    sides = TwoSides().driving()
    sides.run(6.0, frozen=True)
    assert sides.is_parked
    sides.thaw()
    assert sides.safety.mode is Mode.DISENGAGED
    sides.run(3.0)
    assert sides.is_parked, "until it is engaged"
    sides.engage()
    sides.run(4.0)
    assert not sides.body.hand_brake
    assert sides.body.gear is Gear.DRIVE
    assert sides.speed_mps > 1.0


def test_so_does_one_that_was_started_again() -> None:
    sides = TwoSides().driving()
    sides.run(6.0, frozen=True)
    session = sides.safety.session()
    sides.safety = StagedSide(sides.parameters, rear_steering=False)
    sides.safety.resume(session)
    sides.run(2.0)
    assert sides.is_parked
    sides.engage()
    sides.run(4.0)
    assert sides.speed_mps > 1.0


@pytest.mark.parametrize("late_s", [0.9, 1.1, 2.0, 30.0])
def test_a_new_stage_drives_however_late_its_feedback_begins(late_s: float) -> None:
    """DDS matches the two directions independently: a stage may send long before it receives."""
    sides = TwoSides().driving()
    sides.run(6.0, frozen=True)
    assert sides.is_parked
    sides.safety = StagedSide(sides.parameters, rear_steering=False)
    sides.run(late_s, deaf=True)
    assert sides.is_parked
    sides.run(0.5)
    sides.engage()
    sides.run(4.0)
    assert sides.safety.mode is Mode.AUTONOMOUS
    assert not sides.body.hand_brake
    assert sides.speed_mps > 1.0


def test_a_hand_brake_of_a_person_stays_the_persons() -> None:
    sides = TwoSides().driving()
    sides.run(4.0, VehicleCommand(0.0, -2.0))
    sides.safety.on_state_command(StateCommand(hand_brake=True), sides.now)
    sides.run(0.5, VehicleCommand(0.0, -2.0))
    assert sides.body.hand_brake
    sides.run(3.0, frozen=True)
    assert sides.is_parked
    assert not sides.feedback.parked.hand_brake
    assert sides.feedback.parked.gear_before is Gear.DRIVE
    sides.thaw()
    sides.engage()
    sides.run(4.0)
    assert sides.body.hand_brake
    assert abs(sides.speed_mps) < 0.01


def test_what_a_sender_then_asks_for_is_the_senders() -> None:
    sides = TwoSides().driving()
    sides.run(6.0, frozen=True)
    sides.thaw()
    sides.run(2.0)
    assert sides.feedback.parked.hand_brake
    sides.engage()
    sides.run(1.0, VehicleCommand(0.0, 0.0))
    sides.safety.on_state_command(StateCommand(hand_brake=True), sides.now)
    sides.run(1.0, VehicleCommand(0.0, 0.0))
    assert sides.body.hand_brake
    assert not sides.vehicle.parked.hand_brake
    sides.run(2.0)
    assert sides.body.hand_brake, "a request to drive does not release it"


def test_a_person_who_drives_gets_no_parking_brake() -> None:
    sides = TwoSides(DRIVER)
    sides.run(1.0)
    sides.run(5.0, frozen=True)
    assert not sides.body.hand_brake
    assert sides.body.gear is Gear.DRIVE


def test_a_short_silence_at_rest_counts_from_its_own_begin() -> None:
    sides = TwoSides().driving()
    sides.run(5.0, VehicleCommand(0.0, -2.0))
    for _ in range(12):
        sides.run(0.3, VehicleCommand(0.0, -2.0), frozen=True)
        assert not sides.body.hand_brake
        sides.run(1.0, VehicleCommand(0.0, -2.0))


@pytest.mark.parametrize(
    "wrong",
    [{"velocity_mps": 1.0}, {"sensors": "turning"}],
)
def test_a_car_that_may_move_is_not_parked(wrong: dict[str, object]) -> None:
    sides = TwoSides().driving()
    sides.run(0.5, frozen=True)
    if "sensors" in wrong:
        report = sides.vehicle.report
        assert report is not None
        turning = report.sensors._replace(wheel_spin_radps=(9.0,) * 4, wheel_radius_m=0.3)
        wrong = {"sensors": turning}
    sides.car.altered = wrong
    sides.run(5.0, frozen=True)
    assert not sides.body.hand_brake


def parked_and_sending_again() -> TwoSides:
    sides = TwoSides().driving()
    sides.run(6.0, frozen=True)
    sides.thaw()
    sides.engage()
    sides.run(0.5, VehicleCommand(0.0, 0.0))
    assert sides.is_parked
    return sides


def test_a_release_that_does_not_arrive_is_named_and_the_hold_stays() -> None:
    sides = parked_and_sending_again()
    sides.run(1.0, mute=True)
    assert sides.safety.blocked(sides.now) == ""
    sides.run(1.0, mute=True)
    assert sides.safety.blocked(sides.now) == NOT_RECEIVED
    assert sides.is_parked
    sides.run(3.0)
    assert sides.safety.blocked(sides.now) == ""
    assert sides.speed_mps > 1.0


def test_reports_that_do_not_arrive_are_named_by_the_side_that_sends_them() -> None:
    sides = TwoSides().driving()
    sides.run(6.0, frozen=True)
    sides.safety = StagedSide(sides.parameters, rear_steering=False)
    sides.run(0.9, deaf=True)
    assert sides.vehicle.unheard(sides.now) == ""
    sides.run(0.3, deaf=True)
    assert sides.vehicle.unheard(sides.now) == NOT_REPORTED
    assert sides.is_parked
    sides.run(0.1)
    assert sides.vehicle.unheard(sides.now) == ""


def test_a_request_to_drive_brakes_while_park_of_ours_still_goes_out() -> None:
    """PARK lasts for the time of a shift, and a slow vehicle may not report it meanwhile."""
    sides = TwoSides().driving()
    sides.run(2.0, VehicleCommand(0.0, -2.0))
    sides.car.altered = {"body": replace(sides.body, gear=Gear.DRIVE, hand_brake=False)}
    while not (sides.vehicle.sent and sides.vehicle.sent.command.body.gear is Gear.PARK):
        sides.run(PERIOD_S, None)
    in_park = 0
    for _ in range(20):
        sides.run(PERIOD_S)
        sent = sides.vehicle.sent
        assert sent is not None
        if sent.command.body.gear is Gear.PARK:
            in_park += 1
            assert sent.command.meaning is AccelMeaning.STOP
            assert sent.command.vehicle.long_accel_mps2 <= -DRIVER.standstill_hold_mps2
    assert in_park > 5
