"""What a car may be started and driven with; a fault names the value."""

from __future__ import annotations

import math

from vdsim_plant.motion import InitialState, PedalInput, Wheels, WheelTorques
from vdsim_plant.parameters.errors import ParameterError, wrong_value

# What a start state may be; wide, yet narrow enough that no product of two can overflow.
STATE_LIMITS = {
    "x_m": 1e7,
    "y_m": 1e7,
    "yaw_rad": 1e6,
    "vx_mps": 150.0,
    "vy_mps": 150.0,
    "yaw_rate_radps": 50.0,
}
GEARS = (-1, 0, 1)


def check_start(state: InitialState) -> None:
    """Raise a ParameterError that names the first value at which no car can start."""
    for key, limit in STATE_LIMITS.items():
        value = getattr(state, key)
        if not abs(value) <= limit:
            raise ParameterError(key, f"={value:g}: must be -{limit:g} to {limit:g}")


def check_pedals(pedals: PedalInput) -> None:
    """Raise a ParameterError that names the first value that no car can be driven with."""
    try:
        total = pedals.steer_rad + pedals.throttle + pedals.brake
        # A NaN or an infinity survives the sum; only then check each value.
        finite = total - total == 0.0
        geared = pedals.gear in GEARS and isinstance(pedals.gear, int)
        if finite and geared and (pedals.torques is None or type(pedals.torques) is WheelTorques):
            return
        wrong = [
            name
            for name in ("steer_rad", "throttle", "brake")
            if not math.isfinite(getattr(pedals, name))
        ]
    except (TypeError, ValueError, AttributeError, OverflowError):
        raise wrong_value("pedals", pedals, "a PedalInput of numbers") from None
    if wrong:
        raise wrong_value(wrong[0], getattr(pedals, wrong[0]), "finite")
    if pedals.torques is not None and not isinstance(pedals.torques, WheelTorques):
        raise wrong_value("torques", pedals.torques, "a WheelTorques")
    if pedals.gear not in GEARS or not isinstance(pedals.gear, int):
        raise wrong_value("gear", pedals.gear, "-1, 0 or 1")


def with_torques(
    drive: Wheels, brake: Wheels, torques: WheelTorques, most_nm: float
) -> tuple[Wheels, Wheels]:
    """Return drive and brake torques with those on top, each cut at `most_nm`."""
    driven = [
        min(max(base + more, -most_nm), most_nm)
        for base, more in zip(drive, torques.drive_nm, strict=True)
    ]
    braked = [min(base + more, most_nm) for base, more in zip(brake, torques.brake_nm, strict=True)]
    return (
        (driven[0], driven[1], driven[2], driven[3]),
        (braked[0], braked[1], braked[2], braked[3]),
    )
