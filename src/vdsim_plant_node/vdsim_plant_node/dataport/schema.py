"""Checks what arrives as JSON and makes frozen values of it. Pure.

Every fault is a ParameterError whose text names the field, the value and what is allowed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, NoReturn

from vdsim_plant.motion import InitialState, PedalInput
from vdsim_plant.parameters.errors import ParameterError, wrong_value

from vdsim_plant_node.settings.http_address import checked_target
from vdsim_plant_node.settings.server_settings import Endpoint

LARGEST_BODY_BYTES = 16_384
LARGEST_TARGET_COUNT = 16
LOWEST_RATE_HZ, HIGHEST_RATE_HZ = 1.0, 200.0
HIGHEST_STREAM_RATE_HZ = 60.0
STREAM_EVENTS = ("named", "unnamed")
"""An EventSource has named events at addEventListener, unnamed ones at onmessage."""
_GEARS: Mapping[object, int] = {"D": 1, "N": 0, "R": -1}
_RIGHT_ANGLE_RAD = 0.5 * math.pi


@dataclass(frozen=True)
class IoRequest:
    """A command, or, with no pedal named, a question. None: the field was left out."""

    vehicle: int | None = None
    steer_rad: float | None = None
    throttle: float | None = None
    brake: float | None = None
    gear: int | None = None
    handbrake: bool | None = None

    @property
    def commands(self) -> bool:
        """Whether it names anything to do."""
        return self != IoRequest(self.vehicle)

    def over(self, base: PedalInput) -> PedalInput:
        """The command; fields that were left out keep what `base` has."""
        return PedalInput(
            steer_rad=base.steer_rad if self.steer_rad is None else self.steer_rad,
            throttle=base.throttle if self.throttle is None else self.throttle,
            brake=base.brake if self.brake is None else self.brake,
            gear=base.gear if self.gear is None else self.gear,
            handbrake=base.handbrake if self.handbrake is None else self.handbrake,
        )


@dataclass(frozen=True)
class ResetRequest:
    """Put one vehicle, or all (None), to a state, or to where it started (None)."""

    vehicle: int | None = None
    initial: InitialState | None = None


@dataclass(frozen=True)
class TargetsRequest:
    """A change of the telemetry of one vehicle. None: the field was left out."""

    vehicle: int | None = None
    enabled: bool | None = None
    send_state: bool | None = None
    send_cmd: bool | None = None
    rate_hz: float | None = None
    targets: tuple[Endpoint, ...] | None = None


def parse_body(body: bytes) -> Mapping[str, Any]:
    """The JSON object of a request; an empty body is an empty object."""
    if not body.strip():
        return {}
    try:
        document = json.loads(body, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ParameterError("body", f"is not JSON: {error}") from None
    if not isinstance(document, dict):
        raise ParameterError("body", "must be a JSON object")
    return document


def io_request(document: Mapping[str, Any]) -> IoRequest:
    """Check the body of POST /api/io."""
    refuse_unknown(document, ("vehicle", "steer", "throttle", "brake", "gear", "handbrake"))
    return IoRequest(
        vehicle=vehicle_number(document.get("vehicle")),
        steer_rad=_number(document, "steer", -_RIGHT_ANGLE_RAD, _RIGHT_ANGLE_RAD, " rad"),
        throttle=_number(document, "throttle", 0.0, 1.0),
        brake=_number(document, "brake", 0.0, 1.0),
        gear=_gear(document),
        handbrake=_flag(document, "handbrake"),
    )


_INITIAL_KEYS = {
    **{"x": "x_m", "y": "y_m", "yaw": "yaw_rad"},
    **{"vx": "vx_mps", "vy": "vy_mps", "r": "yaw_rate_radps"},
}
_INITIAL_LIMITS = {"x": 1e6, "y": 1e6, "yaw": 1e3, "vx": 120.0, "vy": 60.0, "r": 10.0}
assert set(_INITIAL_KEYS.values()) == {field.name for field in fields(InitialState)}


def reset_request(document: Mapping[str, Any]) -> ResetRequest:
    """Check the body of POST /api/reset."""
    refuse_unknown(document, ("vehicle", *_INITIAL_KEYS))
    given = {
        name: _number(document, key, -_INITIAL_LIMITS[key], _INITIAL_LIMITS[key])
        for key, name in _INITIAL_KEYS.items()
        if key in document
    }
    values = {name: value for name, value in given.items() if value is not None}
    return ResetRequest(
        vehicle_number(document.get("vehicle")), InitialState(**values) if values else None
    )


def pause_request(document: Mapping[str, Any]) -> bool:
    """Check the body of POST /api/pause: whether time is to stand."""
    refuse_unknown(document, ("paused",))
    paused = _flag(document, "paused")
    if paused is None:
        raise ParameterError("paused", "is missing: must be true or false")
    return paused


def targets_request(document: Mapping[str, Any], *, loopback_only: bool) -> TargetsRequest:
    """Check the body of POST /api/io/targets."""
    known = ("vehicle", "enabled", "send_state", "send_cmd", "rate", "targets")
    refuse_unknown(document, known)
    return TargetsRequest(
        vehicle=vehicle_number(document.get("vehicle")),
        enabled=_flag(document, "enabled"),
        send_state=_flag(document, "send_state"),
        send_cmd=_flag(document, "send_cmd"),
        rate_hz=_number(document, "rate", LOWEST_RATE_HZ, HIGHEST_RATE_HZ, " Hz"),
        targets=_targets(document.get("targets"), loopback_only),
    )


def vehicle_number(value: object) -> int | None:
    """A vehicle's number, also as text (from an address line); None when it was left out."""
    if value is None:
        return None
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 6:
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong_value("vehicle", value, "the number of a vehicle")
    return value


def stream_rate(value: str | None) -> float:
    """The rate of a stream [Hz] from the address line, 30 when it was left out."""
    if value is None:
        return 30.0
    try:
        rate_hz = float(value)
    except ValueError:
        rate_hz = math.nan
    if not LOWEST_RATE_HZ <= rate_hz <= HIGHEST_STREAM_RATE_HZ:
        allowed = f"within {LOWEST_RATE_HZ:g}..{HIGHEST_STREAM_RATE_HZ:g} Hz"
        raise wrong_value("rate", value, allowed)
    return rate_hz


def stream_events(value: str | None) -> frozenset[str]:
    """Which kinds of events a stream has, from the address line: both when it was left out."""
    if value is None:
        return frozenset(STREAM_EVENTS)
    if value not in STREAM_EVENTS:
        raise wrong_value("events", value, f"one of {', '.join(STREAM_EVENTS)}, or left out")
    return frozenset((value,))


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def refuse_unknown(document: Mapping[str, Any], known: Iterable[str]) -> None:
    """Raise for a field that is none of the known ones."""
    names = tuple(known)
    for key in document:
        if key not in names:
            shown = key if key.isidentifier() else repr(key)
            raise ParameterError(shown[:60], f"unknown field; known are {', '.join(names)}")


def _number(
    document: Mapping[str, Any], key: str, low: float, high: float, unit: str = ""
) -> float | None:
    value = document.get(key)
    if value is None:
        return None
    numeric = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not (numeric and low <= value <= high):
        raise wrong_value(key, value, f"a number within {low:.6g}..{high:.6g}{unit}")
    return float(value)


def _flag(document: Mapping[str, Any], key: str) -> bool | None:
    value = document.get(key)
    if value is not None and not isinstance(value, bool):
        raise wrong_value(key, value, "true or false")
    return value


def _gear(document: Mapping[str, Any]) -> int | None:
    value = document.get("gear")
    if value is None:
        return None
    if isinstance(value, str) and value in _GEARS:
        return _GEARS[value]
    if isinstance(value, bool) or not isinstance(value, int) or value not in _GEARS.values():
        raise wrong_value("gear", value, "1, 0, -1, or D, N, R")
    return value


def _targets(value: object, loopback_only: bool) -> tuple[Endpoint, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) > LARGEST_TARGET_COUNT:
        allowed = f"a list of at most {LARGEST_TARGET_COUNT} {{ip, port}}"
        raise wrong_value("targets", value, allowed)
    found = [_target(f"targets[{i}]", item, loopback_only) for i, item in enumerate(value)]
    return tuple(dict.fromkeys(found))


def _target(key: str, value: object, loopback_only: bool) -> Endpoint:
    if not isinstance(value, dict) or set(value) != {"ip", "port"}:
        raise wrong_value(key, value, "{ip, port}")
    return checked_target(key, value["ip"], value["port"], loopback_only=loopback_only)
