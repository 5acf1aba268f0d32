"""The mode table: who drives after which event. Total over modes x events; docs/safety.md draws it.

MANUAL      a person (or nobody) drives; the stack's commands are blocked
NOT_READY   engaging: the handshake with the vehicle runs; commands are still blocked
AUTONOMOUS  commands pass, made safe
DISENGAGED  autonomy ended without a request; commands are blocked until engaged again
"""

from enum import Enum

from transitions import Machine

from vdsim_interface.values import Mode


class ModeEvent(str, Enum):
    """What can happen to the mode."""

    ENGAGE = "engage"
    READY = "ready"
    EXPIRE = "expire"
    DISENGAGE = "disengage"
    OVERRIDE = "override"
    LINK_LOST = "link_lost"
    COMMAND_LOST = "command_lost"
    SECURED_LOST = "secured_lost"
    NOT_FOLLOWING = "not_following"
    VEHICLE_LEFT = "vehicle_left"
    STOP = "stop"


_M, _N, _A, _D = Mode
_E = ModeEvent
_ROWS: dict[ModeEvent, tuple[str, tuple[Mode, ...]]] = {
    _E.ENGAGE: ("engage requested, and all preconditions are met", (_N, _N, _A, _N)),
    _E.READY: (
        "handshake complete: the vehicle answers and a valid command is there", (_M, _A, _A, _D)),
    _E.EXPIRE: ("handshake not completed in time, or a precondition was lost", (_M, _M, _A, _D)),
    _E.DISENGAGE: ("asked to disengage", (_M, _M, _M, _M)),
    _E.OVERRIDE: ("the driver uses pedal, wheel, gear lever or switch", (_M, _M, _D, _D)),
    _E.LINK_LOST: ("no report from the vehicle for too long", (_M, _M, _D, _D)),
    _E.COMMAND_LOST: ("no command for too long while the car stands", (_M, _M, _D, _D)),
    _E.SECURED_LOST: (
        "the cabin or a required input is not secured while the car stands", (_M, _M, _D, _D)),
    _E.NOT_FOLLOWING: (
        "the vehicle does not follow, or its reports contradict each other", (_M, _M, _D, _D)),
    _E.VEHICLE_LEFT: ("the vehicle left autonomous operation by itself", (_M, _M, _D, _D)),
    _E.STOP: ("the interface is deactivated", (_M, _M, _M, _M)),
}  # fmt: skip
"""When an event happens in words, and the mode after it, by the number of the mode before."""

EVENT_WORDS = {event: words for event, (words, _) in _ROWS.items()}
MODE_TABLE = {
    (before, event): after[before] for before in Mode for event, (_, after) in _ROWS.items()
}


class ModeMachine:
    """The current mode; moves only along MODE_TABLE."""

    state: Mode

    def __init__(self) -> None:
        rows = [
            # `dest: None` is an event that does not change the mode.
            {"trigger": f"on_{event.value}", "source": mode, "dest": None if to is mode else to}
            for (mode, event), to in MODE_TABLE.items()
        ]
        Machine(self, Mode, initial=Mode.MANUAL, transitions=rows, auto_transitions=False)

    def handle(self, event: ModeEvent) -> bool:
        """Apply an event; return whether the mode changed."""
        before = self.state
        getattr(self, f"on_{event.value}")()
        return self.state is not before
