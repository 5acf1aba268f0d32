"""What is known of the car -> VehicleReport."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from math import isfinite, nan

from vdsim_interface.platforms.body_model import BodyModel
from vdsim_interface.platforms.pedal_map import PedalMap
from vdsim_interface.values import (
    Applied,
    Blinker,
    BodyState,
    DriverActivity,
    ExtraValue,
    Gear,
    Headlight,
    Sensors,
    VehicleReport,
    Wiper,
    travel_direction,
)
from vdsim_interface.values.records import record
from vdsim_interface.values.vehicle import NO_DRIVER, NO_EXTRA, Wheels

from vdsim_can.car import CarFile, Control
from vdsim_can.fields.encoding import Value
from vdsim_can.platform.motion_model import DeadReckoning, OwnEffort

Number = Callable[[str, float], float]
"""A value by its field, or otherwise another one."""
NEEDED = ("velocity_mps", "front_wheel_angle_rad")
"""Without these there is no report."""
BODY = (
    *("gear", "blinker", "headlight", "wiper", "hand_brake", "horn"),
    *("blinker_left", "blinker_right", "low_beam", "high_beam", "fuel_percent"),
)
"""Fields of the body, as signals carry them."""
WHEELS = ("wheel_fl_radps", "wheel_fr_radps", "wheel_rl_radps", "wheel_rr_radps")
EXTRA = "extra."
SWITCHES = {"hand_brake": "hand_brake", "horn": "horn"}
CABIN = {
    "doors_closed": "a door is open",
    "belts_fastened": "a belt is not fastened",
    "load_secured": "the load is not secured",
}


def body_fields(fields: frozenset[str]) -> frozenset[str]:
    """Return the fields of BodyState, or of BodyCommand, that signals carry."""
    found = fields & {"gear", "blinker", "headlight", "wiper", "hand_brake", "horn", "fuel_percent"}
    if fields >= {"blinker_left", "blinker_right"}:
        found |= {"blinker"}
    if "low_beam" in fields:
        found |= {"headlight"}
    return found


def unsecured(values: Mapping[str, Value]) -> str:
    """Return what of the cabin is open, in words; empty for nothing."""
    return "; ".join(text for name, text in CABIN.items() if values.get(name) == "OFF")


class CarClock:
    """The car's own time, which begins again where its signal ends [s]."""

    def __init__(self, span_s: float) -> None:
        self._span_s = span_s
        self._last_s = math.nan
        self._before_s = 0.0

    def read(self, value_s: float) -> float:
        """Return the time since it was first read, without the jumps back."""
        if value_s < self._last_s - 0.5 * self._span_s:
            self._before_s += self._span_s
        self._last_s = value_s
        return value_s + self._before_s


class ReportBuilder:
    """Builds the reports of one car."""

    def __init__(
        self,
        car: CarFile,
        body: BodyModel,
        wheelbase_m: float,
        wheel_radius_m: float,
        pedal_map: PedalMap,
    ) -> None:
        self._body = body
        self._pedal_map, self._own = pedal_map, OwnEffort()
        self._reckoning = DeadReckoning(wheelbase_m)
        self._wheel_radius_m = wheel_radius_m
        spans = (
            row.scale * car.signal(row.signal).scale * (1 << car.signal(row.signal).length)
            for row in car.reports
            if row.field == "vehicle_time_s"
        )
        self._clock = CarClock(next(spans, math.inf))
        steps = {
            row.field: 0.5 * abs(row.scale * car.signal(row.signal).scale)
            for row in car.reports
            if row.field in WHEELS
        }
        self._half_steps = {name: steps.get(name, 0.0) for name in WHEELS}
        self._slips = dict.fromkeys(WHEELS, 0.0)
        self._number = 0
        self._carried = tuple(row.field for row in car.reports if row.field in BODY)
        self._of: tuple[object, ...] = ()
        self._reported: BodyState | None = None
        self._has_extra = any(row.field.startswith(EXTRA) for row in car.reports)

    def build(
        self,
        values: Mapping[str, Value],
        controls: frozenset[Control],
        fault: str,
        now: float,
        *,
        ready: bool,
        driven: bool,
    ) -> VehicleReport:
        """Return the report; `values` holds what NEEDED names. `driven`: it takes our commands."""
        number: Number = values.get  # type: ignore[assignment]  # no member of an enumeration
        speed, front = number("velocity_mps", nan), number("front_wheel_angle_rad", nan)
        measured = number("yaw_rate_radps", nan)
        yaw_rate = self._reckoning.step(speed, front, measured, now)
        accel = number("accel_x_mps2", 0.0)
        self._number += 1
        shown = self._body_of(self._body.advance(speed, now), values)
        effort_mps2 = self._effort(values, shown.gear, speed, now, driven=driven)
        long_accel = number("long_accel_mps2", accel)
        throttle, brake = number("throttle", nan), number("brake", nan)
        applied = record(Applied, (front, long_accel, throttle, brake, effort_mps2))
        felt_x, felt_y = number("specific_force_x_mps2", nan), number("accel_y_mps2", nan)
        radius_m = self._wheel_radius_m if WHEELS[0] in values else nan
        spins = self._spins(values, speed)
        place = nan, nan, nan
        sensors = record(Sensors, (felt_x, felt_y, nan, measured, *place, spins, radius_m))
        reckoning = self._reckoning
        return record(
            VehicleReport,
            (
                now, self._clock.read(number("vehicle_time_s", now)), speed, front, shown, applied,
                number("rear_wheel_angle_rad", 0.0), number("lateral_velocity_mps", 0.0), 0.0,
                reckoning.x_m, reckoning.y_m, 0.0,
                number("roll_rad", 0.0), number("pitch_rad", 0.0), reckoning.yaw_rad,
                0.0, 0.0, yaw_rate, accel, number("accel_y_mps2", 0.0), sensors,
                _driver(controls) if controls else NO_DRIVER, ready, self._number, 0,
                _extra(values) if self._has_extra else NO_EXTRA, None, fault, False,
            ),
        )  # fmt: skip

    def _effort(
        self, values: Mapping[str, Value], gear: Gear, speed_mps: float, now: float, *, driven: bool
    ) -> float:
        """Return what the pedals in effect give on level ground; nan while only we know them.

        A car that says nothing of its pedals, and that we do not drive, moves as it does by itself:
        that is no slope.
        """
        felt = float(values.get("specific_force_x_mps2", math.nan))
        own_mps2 = self._own.step(speed_mps, felt, float(values.get("pitch_rad", 0.0)), now)
        throttle, brake = values.get("throttle"), values.get("brake")
        if throttle is not None and brake is not None:
            return self._pedal_map.effort(float(throttle), float(brake), speed_mps)
        return math.nan if driven else travel_direction(gear, speed_mps) * own_mps2

    def _spins(self, values: Mapping[str, Value], speed_mps: float) -> Wheels:
        """Return the spin of each wheel [rad/s]: of all that its signal may stand for, the nearest.

        Nearest to a wheel that slips as in the last report. A signal that jumps by a step would be
        a slip that grows fast, and take the drive away.
        """
        rolling, slips = speed_mps / self._wheel_radius_m, self._slips
        number: Number = values.get  # type: ignore[assignment]  # no member of an enumeration
        spins = []
        for name, half in self._half_steps.items():
            spin, slip = number(name, nan), slips[name]
            if abs(spin) + abs(rolling) <= 2.0 * half:  # it stands, or nearly so
                slip = 0.0
            if isfinite(spin):
                likely = rolling + slip
                if likely > spin + half:
                    likely = spin + half
                spin = likely if likely > spin - half else spin - half
                slips[name] = spin - rolling
            spins.append(spin)
        front_left, front_right, rear_left, rear_right = spins
        return front_left, front_right, rear_left, rear_right

    def _body_of(self, state: BodyState, values: Mapping[str, Value]) -> BodyState:
        """Return the body, which rarely changes."""
        of = (state, *map(values.get, self._carried))
        if of != self._of or self._reported is None:
            self._of, self._reported = of, self._with_reported(state, values)
        return self._reported

    @staticmethod
    def _with_reported(state: BodyState, values: Mapping[str, Value]) -> BodyState:
        found: dict[str, object] = {
            name: values[name] == "ON" for name in SWITCHES if name in values
        }
        for name, kind in (
            ("gear", Gear), ("blinker", Blinker), ("headlight", Headlight), ("wiper", Wiper),
        ):  # fmt: skip
            if name in values:
                found[name] = kind[str(values[name])]
        if "blinker_left" in values and "blinker_right" in values:
            left, right = values["blinker_left"] == "ON", values["blinker_right"] == "ON"
            found["blinker"] = Blinker(left + 2 * right)
        if "low_beam" in values:
            high = values.get("high_beam") == "ON"
            lit = Headlight.HIGH if high else Headlight(int(values["low_beam"] == "ON"))
            found["headlight"] = lit
        if "fuel_percent" in values:
            found["fuel_percent"] = float(values["fuel_percent"])
        return replace(state, **found) if found else state  # type: ignore[arg-type]


def _driver(controls: frozenset[Control]) -> DriverActivity:
    return DriverActivity(**{control.value: True for control in controls})


def _extra(values: Mapping[str, Value]) -> dict[str, ExtraValue]:
    return {
        name.removeprefix(EXTRA): value for name, value in values.items() if name.startswith(EXTRA)
    }
