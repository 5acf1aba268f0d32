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


class Off(str, Enum):
    """What is sent while autonomy is off.

    SILENT: nothing. HOLD: brake, steering held. HOLD_UNTIL_PERSON: the same, until a person uses
    pedal, wheel, gear lever or switch, which is the entry OVERRIDE.
    """

    SILENT = "silent"
    HOLD = "hold"
    HOLD_UNTIL_PERSON = "hold until a person acts"


class LastDriver(str, Enum):
    """Who drove last; kept over activations and, by the shell, over restarts of the process."""

    UNKNOWN = "unknown"
    PERSON = "person"
    AUTONOMY = "autonomy"


_SILENT, _WAITS = Off.SILENT, Off.HOLD_UNTIL_PERSON
_UNKNOWN, _PERSON, _AUTONOMY = LastDriver
_BOTH: tuple[Rig, ...] = tuple(Rig)
_WITH_DRIVER, _NEVER = _BOTH[:1], _BOTH[:0]


class Entry(str, Enum):
    """How the present state without autonomy was entered: one row each.

    `words`: how autonomy ended. `with_driver`: what is sent then on a rig with a driver; without
    one the car is held. `last_driver`: who drove last. `engage_on`: the rigs on which autonomy
    starts on an explicit request only, whatever `auto_engage` says. docs/safety.md shows the rows.
    A handshake that expires changes nothing: the state before the request to engage stays.
    """

    # fmt: off
    START = "the interface starts, and it is not known who drove before", _SILENT, _UNKNOWN, _NEVER
    RESTART_AUTONOMOUS = (
        "the process was restarted; autonomy drove before", _WAITS, _AUTONOMY, _WITH_DRIVER)
    RESTART_PERSON = (
        "the process was restarted; a person drove before", _SILENT, _PERSON, _BOTH)
    DISENGAGE = "asked to disengage", _SILENT, _PERSON, _BOTH
    OVERRIDE = "a person uses pedal, wheel, gear lever or switch", _SILENT, _PERSON, _BOTH
    COMMAND_LOST = "no command for `command_lost_s`, at rest", _WAITS, _AUTONOMY, _WITH_DRIVER
    SECURED_LOST = (
        "the cabin or a required input was not secured, at rest", _WAITS, _AUTONOMY, _NEVER)
    LINK_LOST = "no report from the vehicle for `link_lost_s`", _WAITS, _AUTONOMY, _NEVER
    NOT_FOLLOWING = (
        "the vehicle does not follow, or its reports contradict each other",
        _WAITS, _AUTONOMY, _BOTH)
    VEHICLE_LEFT = "the vehicle left autonomous operation by itself", _WAITS, _AUTONOMY, _NEVER
    STOP = "the interface was deactivated while autonomy drove", _WAITS, _AUTONOMY, _BOTH
    # fmt: on

    words: str
    with_driver: Off
    last_driver: LastDriver
    engage_on: tuple[Rig, ...]

    def __new__(
        cls, words: str, with_driver: Off, last_driver: LastDriver, engage_on: tuple[Rig, ...]
    ) -> "Entry":
        """Create a row; it compares like its words."""
        entry = str.__new__(cls, words)
        entry._value_, entry.words = words, words
        entry.with_driver, entry.last_driver, entry.engage_on = with_driver, last_driver, engage_on
        return entry


AUTHORITY_TABLE: dict[tuple[Entry, Rig], Off] = {
    (entry, rig): entry.with_driver if rig is Rig.DRIVER else Off.HOLD
    for entry in Entry
    for rig in Rig
}

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
    return rig not in entry.engage_on
