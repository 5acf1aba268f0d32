"""What reaches the vehicle while autonomy is off: one table over how autonomy ended, and the rig.

A `driver` rig has a person at the pedals: once that person drives, nothing is sent. A `driverless`
rig has nobody: the car is held whenever the stack does not drive it. Only autonomy itself sends
the commands of the stack.
"""

from enum import Enum

from vdsim_interface.values import Authority


class Rig(str, Enum):
    """Whether a person sits at the controls of the vehicle."""

    DRIVER = "driver"
    DRIVERLESS = "driverless"


class Entry(str, Enum):
    """How the present state without autonomy was entered."""

    START = "start"
    RESTART_AUTONOMOUS = "restart_autonomous"
    RESTART_PERSON = "restart_person"
    DISENGAGE = "disengage"
    OVERRIDE = "override"
    COMMAND_LOST = "command_lost"
    SECURED_LOST = "secured_lost"
    LINK_LOST = "link_lost"
    NOT_FOLLOWING = "not_following"
    VEHICLE_LEFT = "vehicle_left"
    STOP = "stop"


class Off(str, Enum):
    """What is sent while autonomy is off.

    SILENT: nothing. HOLD: brake, steering held. HOLD_UNTIL_PERSON: the same, until a person uses
    pedal, wheel, gear lever or switch, which is the entry OVERRIDE.
    """

    SILENT = "silent"
    HOLD = "hold"
    HOLD_UNTIL_PERSON = "hold until a person acts"


ENTRY_WORDS: dict[Entry, str] = {
    Entry.START: "the interface starts, and it is not known who drove before",
    Entry.RESTART_AUTONOMOUS: "the process was restarted; autonomy drove before",
    Entry.RESTART_PERSON: "the process was restarted; a person drove before",
    Entry.DISENGAGE: "asked to disengage",
    Entry.OVERRIDE: "a person uses pedal, wheel, gear lever or switch",
    Entry.COMMAND_LOST: "no command for `command_lost_s`, at rest",
    Entry.SECURED_LOST: "the cabin or a required input was not secured, at rest",
    Entry.LINK_LOST: "no report from the vehicle for `link_lost_s`",
    Entry.NOT_FOLLOWING: "the vehicle does not follow, or its reports contradict each other",
    Entry.VEHICLE_LEFT: "the vehicle left autonomous operation by itself",
    Entry.STOP: "the interface was deactivated while autonomy drove",
}

_DRIVER, _DRIVERLESS = Rig.DRIVER, Rig.DRIVERLESS

AUTHORITY_TABLE: dict[tuple[Entry, Rig], Off] = {
    (Entry.START, _DRIVER): Off.SILENT,
    (Entry.START, _DRIVERLESS): Off.HOLD,
    (Entry.RESTART_AUTONOMOUS, _DRIVER): Off.HOLD_UNTIL_PERSON,
    (Entry.RESTART_AUTONOMOUS, _DRIVERLESS): Off.HOLD,
    (Entry.RESTART_PERSON, _DRIVER): Off.SILENT,
    (Entry.RESTART_PERSON, _DRIVERLESS): Off.HOLD,
    (Entry.DISENGAGE, _DRIVER): Off.SILENT,
    (Entry.DISENGAGE, _DRIVERLESS): Off.HOLD,
    (Entry.OVERRIDE, _DRIVER): Off.SILENT,
    (Entry.OVERRIDE, _DRIVERLESS): Off.HOLD,
    (Entry.COMMAND_LOST, _DRIVER): Off.HOLD_UNTIL_PERSON,
    (Entry.COMMAND_LOST, _DRIVERLESS): Off.HOLD,
    (Entry.SECURED_LOST, _DRIVER): Off.HOLD_UNTIL_PERSON,
    (Entry.SECURED_LOST, _DRIVERLESS): Off.HOLD,
    (Entry.LINK_LOST, _DRIVER): Off.HOLD_UNTIL_PERSON,
    (Entry.LINK_LOST, _DRIVERLESS): Off.HOLD,
    (Entry.NOT_FOLLOWING, _DRIVER): Off.HOLD_UNTIL_PERSON,
    (Entry.NOT_FOLLOWING, _DRIVERLESS): Off.HOLD,
    (Entry.VEHICLE_LEFT, _DRIVER): Off.HOLD_UNTIL_PERSON,
    (Entry.VEHICLE_LEFT, _DRIVERLESS): Off.HOLD,
    (Entry.STOP, _DRIVER): Off.HOLD_UNTIL_PERSON,
    (Entry.STOP, _DRIVERLESS): Off.HOLD,
}
"""Total over entries x rigs; docs/safety.md shows it. A handshake that expires changes nothing: the
state before the request to engage stays."""

ENGAGE_IS_REQUIRED = frozenset(
    {Entry.DISENGAGE, Entry.OVERRIDE, Entry.RESTART_PERSON, Entry.NOT_FOLLOWING, Entry.STOP}
)
"""After these, autonomy starts on an explicit request only, whatever `auto_engage` says."""

ENGAGE_IS_REQUIRED_WITH_DRIVER = ENGAGE_IS_REQUIRED | {
    Entry.RESTART_AUTONOMOUS,
    Entry.COMMAND_LOST,
}
"""The same on a rig with a driver."""


class LastDriver(str, Enum):
    """Who drove last; kept over activations and, by the shell, over restarts of the process."""

    UNKNOWN = "unknown"
    PERSON = "person"
    AUTONOMY = "autonomy"


LAST_DRIVER: dict[Entry, LastDriver] = {
    Entry.START: LastDriver.UNKNOWN,
    Entry.RESTART_AUTONOMOUS: LastDriver.AUTONOMY,
    Entry.RESTART_PERSON: LastDriver.PERSON,
    Entry.DISENGAGE: LastDriver.PERSON,
    Entry.OVERRIDE: LastDriver.PERSON,
    Entry.COMMAND_LOST: LastDriver.AUTONOMY,
    Entry.SECURED_LOST: LastDriver.AUTONOMY,
    Entry.LINK_LOST: LastDriver.AUTONOMY,
    Entry.NOT_FOLLOWING: LastDriver.AUTONOMY,
    Entry.VEHICLE_LEFT: LastDriver.AUTONOMY,
    Entry.STOP: LastDriver.AUTONOMY,
}
"""Who drove last, by entry."""

RESTART: dict[LastDriver, Entry] = {
    LastDriver.UNKNOWN: Entry.START,
    LastDriver.PERSON: Entry.RESTART_PERSON,
    LastDriver.AUTONOMY: Entry.RESTART_AUTONOMOUS,
}
"""The entry after a restart, by who drove last."""


def authority_without_autonomy(entry: Entry, rig: Rig) -> Authority:
    """Return what may reach the vehicle while autonomy is off."""
    silent = AUTHORITY_TABLE[entry, rig] is Off.SILENT
    return Authority.SILENT if silent else Authority.IDLE


def may_engage_by_itself(entry: Entry, rig: Rig) -> bool:
    """Return whether a valid command may start autonomy without a request (`auto_engage`)."""
    required = ENGAGE_IS_REQUIRED_WITH_DRIVER if rig is Rig.DRIVER else ENGAGE_IS_REQUIRED
    return entry not in required
