"""Which values may be sent, and one clear line for the first value that may not."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from vdsim_protocol.vds1.messages import (
    FIRST_VERSION_WITH_VEHICLE_ID,
    VERSIONS,
    Command,
    CommandValues,
    State,
)
from vdsim_protocol.wire import EncodeError, Field

U32_MAX = 0xFFFFFFFF


def is_vehicle_id(version: int, vehicle_id: int) -> bool:
    """Whether a packet of this version can carry the vehicle id."""
    highest = U32_MAX if version >= FIRST_VERSION_WITH_VEHICLE_ID else 0
    return 0 <= vehicle_id <= highest


def refuse_header(version: int, seq: int, vehicle_id: int, timestamp_s: float) -> EncodeError:
    """The error for the first value of the header that may not be sent."""
    if version not in VERSIONS:
        return EncodeError(f"version={version!r}: must be one of {VERSIONS}")
    if not 0 <= seq <= U32_MAX:
        return EncodeError(f"seq={seq!r}: must be in 0..{U32_MAX}")
    if not math.isfinite(timestamp_s):
        return EncodeError(f"timestamp_s={timestamp_s!r}: must be finite")
    if version < FIRST_VERSION_WITH_VEHICLE_ID:
        return EncodeError(
            f"vehicle_id={vehicle_id!r}: must be 0 before version {FIRST_VERSION_WITH_VEHICLE_ID}"
        )
    return EncodeError(f"vehicle_id={vehicle_id!r}: must be in 0..{U32_MAX}")


def _is_fraction(value: Any) -> bool:
    return math.isfinite(value) and 0.0 <= value <= 1.0


def _is_gear(value: Any) -> bool:
    return operator.index(value) in (-1, 0, 1)


def _is_finite_or_nan(value: Any) -> bool:
    return not math.isinf(value)


_COMMAND_RULES: tuple[tuple[str, Callable[[Any], bool], str], ...] = (
    ("steering_tire_angle_rad", math.isfinite, "must be finite"),
    ("throttle", _is_fraction, "must be in 0..1"),
    ("brake", _is_fraction, "must be in 0..1"),
    ("gear", _is_gear, "must be -1 (R), 0 (N) or 1 (D)"),
    ("aux_accel_target_mps2", _is_finite_or_nan, "must be finite, or NaN when unused"),
    ("aux_speed_target_mps", _is_finite_or_nan, "must be finite, or NaN when unused"),
)


def _holds(rule: Callable[[Any], bool], value: Any) -> bool:
    try:
        return rule(value)
    except (TypeError, ValueError, OverflowError):
        return False


def refuse_command(command: Command | CommandValues) -> EncodeError:
    """The error for the first value of a command that may not be sent."""
    offences = [
        f"{name}={getattr(command, name)!r}: {text}"
        for name, rule, text in _COMMAND_RULES
        if not _holds(rule, getattr(command, name))
    ]
    return EncodeError(offences[0])


def _are_finite(count: int) -> Callable[[Any], bool]:
    def rule(value: Any) -> bool:
        elements = (value,) if count == 1 else value
        # Times zero is zero for finite numbers only, and an error for what is no number.
        return len(elements) == count and all(x * 0.0 == 0.0 for x in elements)

    return rule


def offences_of_state(state: State, fields: tuple[Field, ...]) -> list[str]:
    """One line for every carried value that is not finite; none if the state may be sent."""
    return [
        f"{field.name}={getattr(state, field.name)!r}: must be "
        + ("finite" if field.wire.count == 1 else f"{field.wire.count} finite numbers")
        for field in fields
        if not _holds(_are_finite(field.wire.count), getattr(state, field.name))
    ]
