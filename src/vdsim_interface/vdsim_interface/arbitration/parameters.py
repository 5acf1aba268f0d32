"""Parameters of the command mux: sources, locks, hand-over and safe stop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, TypeVar

from vdsim_interface.arbitration.safe_stop import SafeStopParameters
from vdsim_interface.parameters.fields import (
    ParameterError,
    Parameters,
    choice,
    flag,
    real,
    text,
    whole,
)
from vdsim_interface.parameters.flat import from_flat, to_flat

_P = TypeVar("_P", bound=Parameters)


@dataclass(frozen=True)
class SourceParameters(Parameters):
    """One command source; its parameters are `<name>.priority` and so on."""

    priority: int = whole(10, "the highest alive source is in control", at_least=0, at_most=255)
    timeout_s: float = real(0.5, "age at which its commands are stale [s]", above=0.02, at_most=10)
    on_loss: str = choice(
        "stop",
        "on a loss in motion: 'stop' brings the car to standstill before a lower source may drive,"
        " 'next' lets the next one take over at once",
        ("stop", "next"),
    )
    needs_give_back: bool = flag(
        False,
        "after a source of another kind or a lock had control, it drives only after give_back",
    )


DEFAULT_SOURCES: Mapping[str, SourceParameters] = {
    "autonomy": SourceParameters(10, 0.5, "next", needs_give_back=True),
    "remote": SourceParameters(20, 0.5, "stop"),
    "dashboard": SourceParameters(30, 0.5, "stop"),
    "keyboard": SourceParameters(40, 0.3, "stop"),
    "gamepad": SourceParameters(50, 0.3, "stop"),
}
"""The sources of the shipped configuration: local controls outrank remote ones."""


@dataclass(frozen=True)
class LockParameters(Parameters):
    """One lock; while it is on, no source of its priority or less may drive."""

    priority: int = whole(255, "sources up to this priority are locked", at_least=0, at_most=255)
    timeout_s: float = real(
        0.0, "age at which a stale lock counts as locked [s]; 0: never", at_least=0, at_most=60
    )


DEFAULT_LOCKS: Mapping[str, LockParameters] = {
    "stop_all": LockParameters(255, 0.0),
    "hold_autonomy": LockParameters(10, 0.0),
}
"""The locks of the shipped configuration."""


@dataclass(frozen=True)
class HandOverParameters(Parameters):
    """Rates at which the difference between the old and the new command decays."""

    PREFIX: ClassVar[str] = "hand_over"

    accel_mps2: float = real(1.0, "rate of a rising commanded speed [m/s2]", above=0)
    decel_mps2: float = real(3.0, "rate of a falling commanded speed [m/s2]", above=0)
    jerk_mps3: float = real(2.0, "rate of a rising commanded acceleration [m/s3]", above=0)
    brake_jerk_mps3: float = real(10.0, "rate of a falling commanded acceleration [m/s3]", above=0)
    wheel_rate_radps: float = real(0.3, "rate of the wheel angle [rad/s]", above=0)
    raw_rate: float = real(1000.0, "rate of raw throttle and steering [raw units/s]", above=0)


@dataclass(frozen=True)
class RecoveryParameters(Parameters):
    """When a source may drive after a loss or a stop, in the mux and within the interface."""

    recover_s: float = real(
        0.5,
        "a source lost in motion must be alive for this long before it drives again [s]",
        at_least=0,
        at_most=10,
    )
    standstill_s: float = real(
        1.0,
        "after a stop, lower sources may drive after this time at standstill [s]",
        at_least=0,
        at_most=60,
    )


@dataclass(frozen=True)
class MuxParameters(RecoveryParameters):
    """The mux itself; sources and locks are declared by name in addition.

    `direct_emergency`: an emergency stop of a high-level stream is one of vehicle commands, which
    the speed controller does not soften; only an arbiter within the interface can send them.
    """

    direct_emergency: ClassVar[bool] = False

    output_rate_hz: float = real(
        50.0,
        "rate of repeated, blended and stop commands [Hz]",
        live=False,
        at_least=10,
        at_most=200,
    )
    interface_node: str = text(
        "vehicle_interface",
        "node whose control_command is set to the level of the source in control; empty: none",
    )
    wheelbase_m: float = real(2.97, "distance between the axles [m]", at_least=0.1, at_most=20)
    session_file: str = text(
        "auto",
        "keeps an emergency stop and a wait for give_back over a crash; auto: in ROS_HOME; off",
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
    """Check that each name can be part of a topic and appears once."""
    for name in names:
        if not (name.isidentifier() and name.isascii()):
            raise ParameterError(parameter, name, "must be letters, digits and _ only")
    if len(set(names)) != len(names):
        raise ParameterError(parameter, list(names), "must not name one twice")
