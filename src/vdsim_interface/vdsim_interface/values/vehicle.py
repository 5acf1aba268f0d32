"""What the vehicle reports, as plain values. World frame ENU, body frame ISO 8855.

Values that are built for every report are NamedTuples, which cost half of a frozen dataclass.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple

from vdsim_interface.values.commands import SINGLES, single
from vdsim_interface.values.enums import Blinker, Gear, Headlight, Mode, Wiper
from vdsim_interface.values.records import record
from vdsim_interface.values.speeds import TINY_MPS, WHEEL_MARGIN_MPS

Wheels = tuple[float, float, float, float]
ExtraValue = bool | int | float | str | bytes | tuple[float, ...]
NO_EXTRA: Mapping[str, ExtraValue] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class DriverActivity:
    """Controls that the person in the driver's seat uses; any of them ends autonomy.

    `pedal`: any of the pedals. `accelerator`: a pedal that the platform knows to be that one.
    """

    pedal: bool = False
    wheel: bool = False
    gear_lever: bool = False
    switch: bool = False
    accelerator: bool = False

    def active_controls(self) -> tuple[str, ...]:
        """Name the controls that the driver uses."""
        names = ("pedal", "wheel", "gear_lever", "switch", "accelerator")
        return tuple(name.replace("_", " ") for name in names if getattr(self, name))


NO_DRIVER = DriverActivity()


@dataclass(frozen=True, slots=True)
class CabinState:
    """Whether everyone and everything in the cabin is secured."""

    doors_closed: bool = True
    belts_fastened: bool = True
    load_secured: bool = True

    def unsecured(self) -> tuple[str, ...]:
        """Describe what is not secured."""
        points = (
            (self.doors_closed, "a door is open"),
            (self.belts_fastened, "a belt is not fastened"),
            (self.load_secured, "the load is not secured"),
        )
        return tuple(text for secured, text in points if not secured)


@dataclass(frozen=True, slots=True)
class BodyState:
    """Gear, lamps, wipers, horn, hand brake and fuel (or charge) in per cent.

    `modelled` names the fields that the wire does not carry: the platform holds the commanded value
    and reports it.
    """

    gear: Gear = Gear.PARK
    blinker: Blinker = Blinker.OFF
    headlight: Headlight = Headlight.OFF
    wiper: Wiper = Wiper.OFF
    hand_brake: bool = False
    horn: bool = False
    fuel_percent: float = 100.0
    modelled: frozenset[str] = frozenset()


NOT_YET_REPORTED = BodyState(gear=Gear.NEUTRAL)
"""Assumed before the first report: the car may be rolling, so neither PARK nor hand brake."""


class Odometry(NamedTuple):
    """Content of VehicleOdometry: the only motion feedback that the stages use (float32).

    Velocity [VI-1.2.1], steering [VI-1.2.2].
    """

    stamp_s: float
    velocity_mps: float = 0.0
    front_wheel_angle_rad: float = 0.0
    rear_wheel_angle_rad: float = 0.0

    def is_finite(self) -> bool:
        """Return whether every channel is a finite number."""
        return math.isfinite(
            self.velocity_mps + self.front_wheel_angle_rad + self.rear_wheel_angle_rad
        )


@dataclass(frozen=True, slots=True)
class StateReport:
    """Content of VehicleStateReport.

    Gear [VI-1.2.3], headlights [VI-1.2.4], turn signals [VI-1.2.5], hazard lamps [VI-1.2.6], horn
    [VI-1.2.7], wipers [VI-1.2.8].
    """

    fuel: int
    blinker: Blinker
    headlight: Headlight
    wiper: Wiper
    gear: Gear
    mode: Mode
    hand_brake: bool
    horn: bool


class Applied(NamedTuple):
    """What the vehicle reports as applied; pedals are nan where the wire has none.

    `effort_mps2`: the acceleration in the travel direction that the platform's pedal map gives for
    the applied pedals, on level ground; nan where the platform cannot say.
    """

    front_wheel_angle_rad: float
    long_accel_mps2: float
    throttle: float = math.nan
    brake: float = math.nan
    effort_mps2: float = math.nan


class Sensors(NamedTuple):
    """Sensor readings beyond odometry ([VI-2.1]): IMU, GNSS, single wheels; nan: not measured.

    `accel_z_mps2`: without gravity. `gnss_*`: in the world frame (ENU). `wheel_radius_m` turns the
    wheels' spin into their speed on the road.
    """

    accel_x_mps2: float = math.nan
    accel_y_mps2: float = math.nan
    accel_z_mps2: float = math.nan
    yaw_rate_radps: float = math.nan
    gnss_x_m: float = math.nan
    gnss_y_m: float = math.nan
    gnss_z_m: float = math.nan
    wheel_spin_radps: Wheels = (math.nan, math.nan, math.nan, math.nan)
    wheel_radius_m: float = math.nan


class Parked(NamedTuple):
    """What the vehicle side has set at rest and will release itself; it outlives the process.

    `hand_brake`: the hand brake is ours. `gear_before`: the gear that PARK replaced, None where
    PARK is not ours. `is_held`: either is still commanded; not while the vehicle releases it.
    """

    hand_brake: bool = False
    gear_before: Gear | None = None
    is_held: bool = False

    def without(self, body: BodyState) -> BodyState:
        """Return the body as it was before: what is ours is no state of the car that stays."""
        if not self.hand_brake and self.gear_before is None:
            return body
        gear = body.gear if self.gear_before is None else self.gear_before
        return replace(body, gear=gear, hand_brake=body.hand_brake and not self.hand_brake)


NOTHING_PARKED = Parked()


class VehicleFeedback(NamedTuple):
    """From the vehicle side to the safety side: the part of a report that commands depend on.

    Its wire form between processes is the message PlatformReport.
    """

    odometry: Odometry
    body: BodyState
    driver: DriverActivity
    ready: bool
    fault: str = ""
    """What the vehicle provably does not follow, or which reports contradict each other so that
    autonomy ends; empty for neither."""
    doubt: str = ""
    """Which reports contradict each other; empty for none."""
    wheel_mps: float = math.nan
    """Speed of the fastest wheel, signed; nan where wheels are not reported."""
    parked: Parked = NOTHING_PARKED
    """What the vehicle side has set at rest, of what it reports here."""


class VehicleReport(NamedTuple):
    """One report of the vehicle. `stamp_s`: time of receipt; `vehicle_time_s`: the vehicle's clock.

    `wire_version`: of the packet; 0 where the wire has none. `extra`: further values by name, for
    the platform's own sensors; at most 64 values and 16 KiB reach them. `details` is the platform's
    own packet, for the same use; it stays in the process (see PlatformSpec.packet). `fault`: why
    the platform knows that the vehicle cannot be driven through it; autonomy ends. `paused`: the
    vehicle is a simulator whose time stands still; its reports repeat and it is not ready.
    """

    stamp_s: float
    vehicle_time_s: float
    velocity_mps: float
    front_wheel_angle_rad: float
    body: BodyState
    applied: Applied
    rear_wheel_angle_rad: float = 0.0
    lateral_velocity_mps: float = 0.0
    vertical_velocity_mps: float = 0.0
    x_m: float = 0.0
    y_m: float = 0.0
    z_m: float = 0.0
    roll_rad: float = 0.0
    pitch_rad: float = 0.0
    yaw_rad: float = 0.0
    roll_rate_radps: float = 0.0
    pitch_rate_radps: float = 0.0
    yaw_rate_radps: float = 0.0
    accel_x_mps2: float = 0.0
    accel_y_mps2: float = 0.0
    sensors: Sensors = Sensors()
    driver: DriverActivity = NO_DRIVER
    ready: bool = True
    sequence: int = 0
    wire_version: int = 0
    extra: Mapping[str, ExtraValue] = NO_EXTRA
    details: object = None
    fault: str = ""
    paused: bool = False

    def odometry(self) -> Odometry:
        """Return the part that VehicleOdometry carries, rounded as the message rounds it."""
        # The speed of a car at rest may be a denormal number, which confuses people and tools.
        # What is no number stays so: the vehicle side discards the report.
        velocity_mps = 0.0 if abs(self.velocity_mps) <= TINY_MPS else self.velocity_mps
        motion = velocity_mps, self.front_wheel_angle_rad, self.rear_wheel_angle_rad
        try:
            velocity_mps, front_rad, rear_rad = SINGLES.unpack(SINGLES.pack(*motion))
            return record(Odometry, (self.stamp_s, velocity_mps, front_rad, rear_rad))
        except OverflowError:
            return Odometry(self.stamp_s, *map(single, motion))

    def feedback(self) -> VehicleFeedback:
        """Return the part that the safety side uses."""
        spins = self.sensors.wheel_spin_radps
        slow, fast = min(spins), max(spins)
        spin = fast if fast > -slow else slow
        wheel_mps = spin * self.sensors.wheel_radius_m
        seen = self.odometry(), self.body, self.driver, self.ready
        return record(VehicleFeedback, (*seen, "", "", wheel_mps, NOTHING_PARKED))


def wheels_stand(wheel_mps: float, at_most_mps: float) -> bool:
    """Whether the wheels are about as slow as a limit for the speed, or not reported (nan)."""
    return not abs(wheel_mps) > at_most_mps + WHEEL_MARGIN_MPS


def state_report(body: BodyState, mode: Mode) -> StateReport:
    """Compose the state report from the vehicle's body and the safety stage's mode."""
    fuel = min(100, max(0, round(body.fuel_percent)))
    return StateReport(
        fuel=fuel,
        blinker=body.blinker,
        headlight=body.headlight,
        wiper=body.wiper,
        gear=body.gear,
        mode=mode,
        hand_brake=body.hand_brake,
        horn=body.horn,
    )
