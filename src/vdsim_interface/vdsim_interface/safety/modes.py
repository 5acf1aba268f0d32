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


EVENT_WORDS: dict[ModeEvent, str] = {
    ModeEvent.ENGAGE: "engage requested, and all preconditions are met",
    ModeEvent.READY: "handshake complete: the vehicle answers and a valid command is there",
    ModeEvent.EXPIRE: "handshake not completed in time, or a precondition was lost",
    ModeEvent.DISENGAGE: "asked to disengage",
    ModeEvent.OVERRIDE: "the driver uses pedal, wheel, gear lever or switch",
    ModeEvent.LINK_LOST: "no report from the vehicle for too long",
    ModeEvent.COMMAND_LOST: "no command for too long while the car stands",
    ModeEvent.SECURED_LOST: "the cabin or a required input is not secured while the car stands",
    ModeEvent.NOT_FOLLOWING: "the vehicle does not follow, or its reports contradict each other",
    ModeEvent.VEHICLE_LEFT: "the vehicle left autonomous operation by itself",
    ModeEvent.STOP: "the interface is deactivated",
}

_M, _N, _A, _D = Mode.MANUAL, Mode.NOT_READY, Mode.AUTONOMOUS, Mode.DISENGAGED
_E = ModeEvent

MODE_TABLE: dict[tuple[Mode, ModeEvent], Mode] = {
    (_M, _E.ENGAGE): _N,
    (_M, _E.READY): _M,
    (_M, _E.EXPIRE): _M,
    (_M, _E.DISENGAGE): _M,
    (_M, _E.OVERRIDE): _M,
    (_M, _E.LINK_LOST): _M,
    (_M, _E.COMMAND_LOST): _M,
    (_M, _E.SECURED_LOST): _M,
    (_M, _E.NOT_FOLLOWING): _M,
    (_M, _E.VEHICLE_LEFT): _M,
    (_M, _E.STOP): _M,
    (_N, _E.ENGAGE): _N,
    (_N, _E.READY): _A,
    (_N, _E.EXPIRE): _M,
    (_N, _E.DISENGAGE): _M,
    (_N, _E.OVERRIDE): _M,
    (_N, _E.LINK_LOST): _M,
    (_N, _E.COMMAND_LOST): _M,
    (_N, _E.SECURED_LOST): _M,
    (_N, _E.NOT_FOLLOWING): _M,
    (_N, _E.VEHICLE_LEFT): _M,
    (_N, _E.STOP): _M,
    (_A, _E.ENGAGE): _A,
    (_A, _E.READY): _A,
    (_A, _E.EXPIRE): _A,
    (_A, _E.DISENGAGE): _M,
    (_A, _E.OVERRIDE): _D,
    (_A, _E.LINK_LOST): _D,
    (_A, _E.COMMAND_LOST): _D,
    (_A, _E.SECURED_LOST): _D,
    (_A, _E.NOT_FOLLOWING): _D,
    (_A, _E.VEHICLE_LEFT): _D,
    (_A, _E.STOP): _M,
    (_D, _E.ENGAGE): _N,
    (_D, _E.READY): _D,
    (_D, _E.EXPIRE): _D,
    (_D, _E.DISENGAGE): _M,
    (_D, _E.OVERRIDE): _D,
    (_D, _E.LINK_LOST): _D,
    (_D, _E.COMMAND_LOST): _D,
    (_D, _E.SECURED_LOST): _D,
    (_D, _E.NOT_FOLLOWING): _D,
    (_D, _E.VEHICLE_LEFT): _D,
    (_D, _E.STOP): _M,
}


class ModeMachine:
    """The current mode; moves only along MODE_TABLE."""

    state: Mode

    def __init__(self) -> None:
        # `dest: None` is an event that does not change the mode.
        Machine(
            model=self,
            states=Mode,
            initial=Mode.MANUAL,
            transitions=[
                {
                    "trigger": f"on_{event.value}",
                    "source": mode,
                    "dest": None if after is mode else after,
                }
                for (mode, event), after in MODE_TABLE.items()
            ],
            auto_transitions=False,
        )

    def handle(self, event: ModeEvent) -> bool:
        """Apply an event; return whether the mode changed."""
        before = self.state
        getattr(self, f"on_{event.value}")()
        return self.state is not before
