"""Parameters of the command mux: the sources, the locks, and how control changes hands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, TypeVar

from vdsim_interface.arbitration.safe_stop import SafeStopParameters
from vdsim_interface.parameters.fields import ParameterError, Parameters, choice, real, text, whole
from vdsim_interface.parameters.flat import from_flat, to_flat

_P = TypeVar("_P", bound=Parameters)


@dataclass(frozen=True)
class SourceParameters(Parameters):
    """One command source; its parameters are `<name>.priority` and so on."""

    priority: int = whole(10, "the highest living source drives", at_least=0, at_most=255)
    timeout_s: float = real(0.5, "silent for longer means gone [s]", above=0.02, at_most=10)
    on_loss: str = choice(
        "stop",
        "when it goes silent at speed: 'stop' brings the car to rest before a lower source may"
        " drive, 'next' lets the next one take over at once",
        ("stop", "next"),
    )


DEFAULT_SOURCES: Mapping[str, SourceParameters] = {
    "autonomy": SourceParameters(10, 0.5, "next"),
    "remote": SourceParameters(20, 0.5, "stop"),
    "dashboard": SourceParameters(30, 0.5, "stop"),
    "keyboard": SourceParameters(40, 0.3, "stop"),
    "gamepad": SourceParameters(50, 0.3, "stop"),
}
"""The sources of the shipped configuration: a hand nearer to the car outranks one farther off."""


@dataclass(frozen=True)
class LockParameters(Parameters):
    """One lock; while it is on, no source of its priority or less may drive."""

    priority: int = whole(255, "sources up to this priority are locked", at_least=0, at_most=255)
    timeout_s: float = real(
        0.0, "silent for longer counts as locked [s]; 0: it may be silent", at_least=0, at_most=60
    )


DEFAULT_LOCKS: Mapping[str, LockParameters] = {
    "stop_all": LockParameters(255, 0.0),
    "hold_autonomy": LockParameters(10, 0.0),
}
"""The locks of the shipped configuration."""


@dataclass(frozen=True)
class HandOverParameters(Parameters):
    """How fast the difference between the old command and the new one may fade."""

    PREFIX: ClassVar[str] = "hand_over"

    accel_mps2: float = real(1.0, "a commanded speed rises by at most this [m/s2]", above=0)
    decel_mps2: float = real(3.0, "a commanded speed falls by at most this [m/s2]", above=0)
    jerk_mps3: float = real(2.0, "a commanded acceleration rises by this [m/s3]", above=0)
    brake_jerk_mps3: float = real(10.0, "a commanded acceleration falls by this [m/s3]", above=0)
    wheel_rate_radps: float = real(0.3, "the wheel angle moves by at most this [rad/s]", above=0)
    raw_rate: float = real(1000.0, "raw throttle and steering move by this [raw units/s]", above=0)


@dataclass(frozen=True)
class MuxParameters(Parameters):
    """The mux itself; sources and locks are declared by name beside it."""

    output_rate_hz: float = real(
        50.0,
        "rate at which the mux repeats, blends and stops [Hz]",
        live=False,
        at_least=10,
        at_most=200,
    )
    interface_node: str = text(
        "vehicle_interface",
        "node whose control_command follows the level of the source in control; empty: none",
    )
    wheelbase_m: float = real(2.97, "distance between the axles [m]", above=0, at_most=20)
    recover_s: float = real(
        0.5,
        "a source that died at speed must speak for this long again [s]",
        at_least=0,
        at_most=10,
    )
    standstill_s: float = real(
        1.0,
        "after a stop, standing this long lets lower sources drive [s]",
        at_least=0,
        at_most=60,
    )
    safe_stop: SafeStopParameters = field(default_factory=SafeStopParameters)
    hand_over: HandOverParameters = field(default_factory=HandOverParameters)


@dataclass(frozen=True)
class SourceSpec:
    """A source with its name, which is also the first part of its topics."""

    name: str
    parameters: SourceParameters


@dataclass(frozen=True)
class LockSpec:
    """A lock with its name; its topic is `<name>/lock`."""

    name: str
    parameters: LockParameters


def named_part(defaults: _P, name: str, values: Mapping[str, object]) -> _P:
    """Parameters of one source or lock; errors carry its name: `gamepad.priority=-1: ...`."""
    try:
        return from_flat(type(defaults), {**to_flat(defaults), **values})
    except ParameterError as error:
        raise ParameterError(f"{name}.{error.name}", error.value, error.rule) from error


def check_names(parameter: str, names: tuple[str, ...]) -> None:
    """Names become topics: each must be a plain word and stand there once."""
    for name in names:
        if not (name.isidentifier() and name.isascii()):
            raise ParameterError(parameter, name, "must be letters, digits and _ only")
    if len(set(names)) != len(names):
        raise ParameterError(parameter, list(names), "must not name one twice")
