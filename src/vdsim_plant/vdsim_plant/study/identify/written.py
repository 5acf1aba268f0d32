"""The files of an identified car: vehicle, tyre, actuators, each value with its provenance."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from vdsim_plant.parameters import VehicleParameters
from vdsim_plant.parameters.provenance import (
    ASSUMED,
    IDENTIFIED,
    MEASURED,
    PROVENANCE,
    provenance_of,
)
from vdsim_plant.study.identify.identification import IdentifiedCar
from vdsim_plant.study.identify.judgement import NOT_ENDED, NOT_EXPLAINED, Estimate

DIGITS = 6
VEHICLE_FILE, TYRE_FILE, ACTUATOR_FILE = "vehicle.yaml", "tyre.yaml", "actuators.yaml"
_MOTOR = "drivetrain.motor_torque_curve"
_FRICTION = "axles.mu_nominal"


def car_files(car: IdentifiedCar, *, name: str, before: Mapping[str, str]) -> dict[str, str]:
    """Return file name -> text. `before`: where the figures of the start's vehicle come from."""
    about = f"Identified from {car.fit.problem.log.duration_s:.0f} s of driving"
    vehicle = _plain(car.vehicle)
    vehicle |= {"name": name, "description": about}
    vehicle["axles"]["tyre"] = TYRE_FILE
    vehicle[PROVENANCE] = _vehicle_provenance(car, before)
    tyre = _plain(car.tyre)
    tyre.pop("tir")
    tyre |= {"name": name, "description": about}
    tyre[PROVENANCE] = _told(car, "tyre.")
    channels = {
        channel: {
            key: value
            for key, value in _plain(getattr(car.actuators, channel)).items()
            if key in ("lag_s", "delay_s")
        }
        for channel in ("steering", "throttle", "brake")
    }
    actuators: dict[str, Any] = dict(channels)
    actuators[PROVENANCE] = _told(car, "actuator.")
    return {
        VEHICLE_FILE: _text(vehicle),
        TYRE_FILE: _text(tyre),
        ACTUATOR_FILE: _text(actuators),
    }


def interval_text(estimate: Estimate) -> str:
    """Return the 95 % interval of noise as text, with as many digits as it is worth."""
    if not math.isfinite(estimate.half_width):
        return f"anything {estimate.unit}".removesuffix(" -")
    low, high = estimate.interval
    digits = max(0, 1 - math.floor(math.log10(max(estimate.half_width, 1e-12))))
    return f"{low:.{digits}f} to {high:.{digits}f} {estimate.unit}".removesuffix(" -")


def label(estimate: Estimate) -> str:
    """Return an estimate's entry in `provenance`."""
    if estimate.identified:
        return f"{IDENTIFIED}: within {interval_text(estimate)}"
    if estimate.note in (NOT_ENDED, NOT_EXPLAINED):
        return f"{ASSUMED}: {estimate.note}"
    if estimate.kept:
        return f"{ASSUMED}: as at the start, the log hardly shows it"
    return f"{ASSUMED}: fitted, but the log shows it to within {interval_text(estimate)} only"


def _vehicle_provenance(car: IdentifiedCar, before: Mapping[str, str]) -> dict[str, str]:
    found = {**provenance_of(VehicleParameters, {}), **before}
    for key in car.fit.problem.start.known:
        if key in found:
            found[key] = f"{MEASURED}: given"
    for key, estimate in car.estimates.items():
        if key in found:
            found[key] = label(estimate)
    place = car.estimates.get("body.cg_to_front_axle_m")
    if place is not None:
        kind = IDENTIFIED if place.identified else ASSUMED
        found["body.cg_to_rear_axle_m"] = f"{kind}: wheelbase less cg_to_front_axle_m"
    if "body.yaw_inertia_kgm2" in car.estimates:
        for axis in ("roll", "pitch"):
            found[f"body.{axis}_inertia_kgm2"] = f"{ASSUMED}: in proportion to yaw_inertia_kgm2"
    if "road.mu" in car.estimates:
        found[_FRICTION] = label(car.estimates["road.mu"])
    else:
        found[_FRICTION] = ASSUMED
    points = [e for key, e in car.estimates.items() if key.startswith("drivetrain.motor_torque")]
    if points:
        found[_MOTOR] = _motor_label(points, car.fit.problem.start.motor_knots_radps)
    return found


def _motor_label(points: Sequence[Estimate], speeds_radps: Sequence[float]) -> str:
    """The curve is identified where all its points are; else the label names those that are."""
    told = [e for e in points if e.identified]
    if not told:
        return label(points[0])
    worst = 100.0 * max(e.half_width / e.value for e in told)
    if len(told) == len(points):
        reach = f"from {speeds_radps[0]:.0f} to {speeds_radps[-1]:.0f} rad/s"
        return f"{IDENTIFIED}: {reach} within {worst:.1f} %, beyond in proportion to the start's"
    shown = zip(points, speeds_radps, strict=True)
    known = ", ".join(f"{w:.0f}" for e, w in shown if e.identified)
    return f"{ASSUMED}: but the points at {known} rad/s, which are identified within {worst:.1f} %"


def _told(car: IdentifiedCar, prefix: str) -> dict[str, str]:
    return {
        key.removeprefix(prefix): label(estimate)
        for key, estimate in car.estimates.items()
        if key.startswith(prefix)
    }


def _plain(group: Any) -> dict[str, Any]:
    content: dict[str, Any] = dataclasses.asdict(group)
    return {key: _rounded(value) for key, value in content.items()}


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, (list, tuple)):
        return [_rounded(item) for item in value]
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    return value


def _text(content: Mapping[str, Any]) -> str:
    head = "# Made by vdsim_identify. `provenance`: where each value comes from.\n"
    body: str = yaml.safe_dump(
        dict(content), sort_keys=False, default_flow_style=None, width=100, allow_unicode=True
    )
    return head + body
