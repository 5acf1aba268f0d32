"""What a platform accepts of an auxiliary command."""

import math

from vdsim_interface.values import AuxiliaryCommand, Notice, notice_kinds


def accepted(
    command: AuxiliaryCommand, names: tuple[str, ...]
) -> tuple[tuple[tuple[str, float], ...], tuple[Notice, ...]]:
    """Return the finite values of known names, and a notice for each of the others."""
    values, notices = [], []
    for name, value in command.values:
        if name not in names:
            text = f"auxiliary control {name} ignored: known are {', '.join(names)}"
            notices.append(Notice(notice_kinds.PLATFORM_LIMIT, text))
        elif not math.isfinite(value):
            text = f"auxiliary control {name}={value} ignored: not finite"
            notices.append(Notice(notice_kinds.NON_FINITE_COMMAND, text))
        else:
            values.append((name, value))
    return tuple(values), tuple(notices)
