"""Any sequence of inputs: what must always hold of the safety stage."""

import math
from dataclasses import replace
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.pipeline.state_messages import StateMessageReader
from vdsim_interface.safety import Safety, SafetyOutput, SafetyParameters
from vdsim_interface.values import (
    NO_DRIVER,
    Authority,
    Blinker,
    BodyState,
    CabinState,
    DriverActivity,
    Gear,
    Headlight,
    Mode,
    Odometry,
    RawCommand,
    StateCommand,
    VehicleCommand,
    Wiper,
    drive_direction,
)
from vdsim_interface.values.state_message import StateMessage

CAR = VehicleGeometry(rear_wheel_angle_max_rad=0.1)
WILD = st.floats(allow_nan=True, allow_infinity=True, width=32)
SANE = st.floats(-8, 8, width=32)
ANGLE = st.floats(-1, 1, width=32)
SPEED = st.one_of(st.just(0.0), st.floats(-20, 40, width=32), st.floats(-0.5, 0.5, width=32))
BODY_FIELDS = ("blinker", "headlight", "wiper", "hand_brake", "horn")


class SafetyMachine(RuleBasedStateMachine):
    """Drives a Safety with whatever can happen; a model car reports the gear it was given."""

    @initialize(
        auto_engage=st.booleans(),
        gear=st.sampled_from(Gear),
        speed=SPEED,
    )
    def start(self, auto_engage: bool, gear: Gear, speed: float) -> None:
        self.limits = SafetyParameters(auto_engage=auto_engage)
        self.reader = StateMessageReader()
        self.safety = Safety(self.limits, CAR, 0.01, 0.5, rear_steering=True)
        self.now = 100.0
        self.speed = speed
        self.body = BodyState(gear=gear)
        self.driver = NO_DRIVER
        self.cabin = CabinState()
        self.output: SafetyOutput | None = None
        self.before: SafetyOutput | None = None
        self.requested: set[str] = set()
        self.report()
        self.step(None)

    # ---- helpers

    def send_report(self, speed: float, front: float = 0.0) -> None:
        odometry = Odometry(self.now, speed, front)
        self.safety.on_odometry(odometry)
        if odometry.is_finite():
            self.reported_speed = speed

    def report(self) -> None:
        self.send_report(self.speed)
        self.safety.inputs.on_body(self.body, math.nan)

    def step(self, command: VehicleCommand | RawCommand | None) -> None:
        self.before = self.output
        self.step_speed = self.reported_speed
        self.output = self.safety.run_period(command, self.now)
        self.safety.after_step()
        if self.output.command.authority is not Authority.SILENT:
            given = self.output.command.body
            self.body = replace(self.body, gear=given.gear, hand_brake=given.hand_brake)

    # ---- what can happen

    @rule(speed=SPEED)
    def the_speed_changes(self, speed: float) -> None:
        self.speed = speed
        self.report()

    @rule(value=WILD)
    def a_report_may_be_anything(self, value: float) -> None:
        self.send_report(value, value)
        if not math.isfinite(value):
            return
        self.report()

    @rule(accel=SANE, front=ANGLE, rear=ANGLE, n=st.integers(1, 8))
    def drive(self, accel: float, front: float, rear: float, n: int) -> None:
        for _ in range(n):
            self.now += 0.01
            self.report()
            self.step(VehicleCommand(self.now, accel, front, rear))
            self.check_output()

    @rule(accel=WILD, front=WILD, rear=WILD)
    def drive_wildly(self, accel: float, front: float, rear: float) -> None:
        self.now += 0.01
        self.step(VehicleCommand(self.now, accel, front, rear))

    @rule(throttle=st.integers(0, 2**32 - 1), steer=st.integers(-(2**31), 2**31 - 1))
    def drive_raw(self, throttle: int, steer: int) -> None:
        self.now += 0.01
        self.report()
        self.step(RawCommand(self.now, throttle, 0, steer, 0))

    @rule(seconds=st.sampled_from([0.01, 0.05, 0.2, 0.6, 2.0]))
    def nothing_comes(self, seconds: float) -> None:
        for _ in range(min(round(seconds * 100), 40)):
            self.now += 0.01
            self.step(None)
            self.check_output()
        self.now += max(0.0, seconds - 0.4)

    @rule(
        fields=st.fixed_dictionaries(
            {},
            optional={
                "blinker": st.sampled_from(Blinker),
                "headlight": st.sampled_from(Headlight),
                "wiper": st.sampled_from(Wiper),
                "gear": st.sampled_from(Gear),
                "hand_brake": st.booleans(),
                "horn": st.booleans(),
                "autonomous": st.booleans(),
                "mode": st.sampled_from(Mode),
            },
        )
    )
    def request(self, fields: dict[str, Any]) -> None:
        """A request changes only what it names."""
        still = self.safety.mode
        before = self.output
        self.safety.on_state_command(StateCommand(**fields), self.now)
        self.now += 0.01
        self.report()
        self.step(None)
        if still is not self.safety.mode or before is None or self.output is None:
            return
        if still is not Mode.AUTONOMOUS or self.is_stopping():
            return
        if self.was_stopping(before):
            return
        for name in BODY_FIELDS:
            changed = getattr(before.command.body, name) != getattr(self.output.command.body, name)
            follows = name == "headlight" and "wiper" in fields
            assert not changed or name in fields or follows, (name, fields)

    @rule(
        numbers=st.tuples(*[st.integers(0, 6)] * 5),
        switches=st.tuples(st.booleans(), st.booleans(), st.booleans()),
    )
    def message(self, numbers: tuple[int, ...], switches: tuple[bool, ...]) -> None:
        context = self.safety.request_context
        request = self.reader.read(StateMessage(*numbers, *switches), self.now, context)
        self.safety.on_state_command(request, self.now)
        self.now += 0.01
        self.report()
        self.step(None)

    @rule(open_part=st.sampled_from([(), (False,), (True, False), (True, True, False)]))
    def cabin_changes(self, open_part: tuple[bool, ...]) -> None:
        self.cabin = CabinState(*open_part)
        self.safety.inputs.on_cabin(self.cabin, self.now)

    @rule(flags=st.tuples(*[st.booleans()] * 4))
    def driver_acts(self, flags: tuple[bool, bool, bool, bool]) -> None:
        """Any activity ends autonomy in the same call."""
        self.driver = DriverActivity(*flags)
        self.safety.on_driver(self.driver)
        if any(flags):
            assert self.safety.mode in (Mode.MANUAL, Mode.DISENGAGED)
            self.now += 0.01
            self.step(None)
            assert self.output is not None
            assert self.output.command.authority is Authority.SILENT

    @rule(engage=st.booleans())
    def change_mode(self, engage: bool) -> None:
        """A refusal has a reason; engaging needs a secured cabin and an idle driver."""
        result, _ = self.safety.on_change_mode(engage, self.now)
        assert result.reason
        if engage and result.success and result.mode is Mode.NOT_READY:
            assert not self.cabin.unsecured()
            assert not self.driver.active_controls()
        if not engage:
            assert self.safety.mode is Mode.MANUAL

    @rule(ready=st.booleans())
    def vehicle_ready(self, ready: bool) -> None:
        self.safety.on_vehicle_ready(ready)

    @rule(bad=st.lists(st.tuples(WILD, WILD), max_size=5))
    def bad_input_then_good_input_restores(self, bad: list[tuple[float, float]]) -> None:
        """After any bad input, good ones restore normal output within a second or two."""
        for accel, front in bad:
            self.now += 0.01
            self.send_report(accel, front)
            self.step(VehicleCommand(self.now, accel, front, accel))
            self.check_output()
        self.safety.on_driver(NO_DRIVER)
        self.driver = NO_DRIVER
        self.cabin = CabinState()
        self.safety.inputs.on_cabin(self.cabin, self.now)
        self.safety.on_vehicle_ready(True)
        self.speed, self.body = 8.0, replace(self.body, gear=Gear.DRIVE, hand_brake=False)
        self.safety.on_change_mode(False, self.now)
        self.now += 0.01
        self.report()
        self.safety.on_change_mode(True, self.now)
        self.safety.on_state_command(
            StateCommand(hand_brake=False, blinker=Blinker.OFF, gear=Gear.DRIVE), self.now
        )
        for _ in range(250):
            self.now += 0.01
            self.report()
            self.step(VehicleCommand(self.now, 0.5, 0.05, 0.0))
            self.check_output()
        assert self.output is not None
        assert self.output.command.authority is Authority.COMMAND
        assert abs(self.output.command.vehicle.long_accel_mps2 - 0.5) < 1e-6
        assert abs(self.output.command.vehicle.front_wheel_angle_rad - 0.05) < 1e-6

    # ---- what must always hold

    def is_stopping(self) -> bool:
        assert self.output is not None
        return self.was_stopping(self.output)

    @staticmethod
    def was_stopping(output: SafetyOutput) -> bool:
        return any(change.channel == "blinker" for change in output.changes)

    @invariant()
    @precondition(lambda self: hasattr(self, "output"))
    def check_output(self) -> None:
        assert self.output is not None
        command = self.output.command
        vehicle, limits = command.vehicle, self.limits
        # never a non-finite output, always within range
        assert vehicle.is_finite()
        assert abs(vehicle.front_wheel_angle_rad) <= CAR.front_wheel_angle_max_rad + 1e-6
        assert abs(vehicle.rear_wheel_angle_rad) <= CAR.rear_wheel_angle_max_rad + 1e-6
        sense = drive_direction(command.body.gear)
        if sense:
            drive = sense * vehicle.long_accel_mps2
            assert -limits.decel_max_mps2 - 1e-6 <= drive <= limits.accel_max_mps2 + 1e-6
            if command.body.hand_brake or self.body.hand_brake:
                assert drive <= 0.0 or command.raw is not None
        # nothing passes in MANUAL (nor in any mode but AUTONOMOUS)
        if command.mode is not Mode.AUTONOMOUS:
            assert command.raw is None
            assert command.authority is not Authority.COMMAND
            if sense:
                assert sense * vehicle.long_accel_mps2 <= 0.0
        # wiping with the headlights off never happens
        if command.authority is Authority.COMMAND and command.body.wiper in (Wiper.LOW, Wiper.HIGH):
            assert command.body.headlight is not Headlight.OFF
        # never into PARK while moving, never against the motion
        if self.before is not None and command.authority is Authority.COMMAND:
            was = self.before.command.body.gear
            if command.body.gear is not was:
                speed = self.step_speed
                if command.body.gear is Gear.PARK:
                    assert abs(speed) <= limits.standstill_speed_mps
                if sense * speed < 0.0:
                    assert abs(speed) <= limits.gear_change_speed_mps


def test_the_safety_stage_keeps_its_invariants() -> None:
    """[VI-3.2] [VI-5.1]"""
    run_state_machine_as_test(
        SafetyMachine,
        settings=settings(max_examples=60, stateful_step_count=30, deadline=None),
    )
