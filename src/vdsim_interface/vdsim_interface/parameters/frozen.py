"""Parameters that decide how safe the car is: when they cannot change, and their hash.

While the stack drives, or the interface's own stop brakes a moving car, nobody may change what
limits the command, what the stop does, or which command counts. Gains stay live.
"""

import hashlib
from collections.abc import Mapping

from vdsim_interface.parameters.fields import ParameterError, Parameters
from vdsim_interface.values import Authority, Mode

FROZEN = ("control_command", "safety.", "vehicle.")
"""Names, or beginnings of names."""
HASHED = (*FROZEN, "command_timeout_s", "rate_hz")
_DIGITS = 16


def is_frozen(name: str) -> bool:
    """Whether a parameter cannot change while the car is driven or stopped by the interface."""
    return name.startswith(FROZEN)


def frozen_because(mode: Mode, authority: Authority, *, moving: bool) -> str:
    """Return why frozen parameters cannot change now; empty while they can."""
    if mode in (Mode.AUTONOMOUS, Mode.NOT_READY):
        return f"disengage first; it cannot change in mode {mode.name}"
    if authority is Authority.IDLE and moving:
        return f"wait until the car stands; it cannot change in mode {mode.name} during a safe stop"
    return ""


def check_frozen(before: Mapping[str, object], after: Mapping[str, object], why: str) -> None:
    """Raise ParameterError for a frozen parameter that differs, where there is a reason `why`.

    Both by full name; `before` has every name of `after`.
    """
    for name, value in after.items() if why else ():
        if is_frozen(name) and value != before[name]:
            raise ParameterError(name, value, why)


def safety_hash(parameters: Parameters) -> str:
    """Return the hash of the effective safety parameters: equal values, equal hash."""
    hashed = sorted(item for item in parameters.flat() if item[0].startswith(HASHED))
    lines = (f"{name}={value!r}\n" for name, value in hashed)
    return hashlib.sha256("".join(lines).encode()).hexdigest()[:_DIGITS]
