"""Body rules: what was requested, what the car has, and the rules -> what is commanded."""

from vdsim_interface.values import (
    Blinker,
    BodyCommand,
    BodyState,
    Change,
    Gear,
    Headlight,
    StateCommand,
    Wiper,
    notice_kinds,
)


def merge(requested: StateCommand, change: StateCommand) -> StateCommand:
    """Take over what the change names of lamps, wipers, hand brake and horn; leave the rest."""
    return StateCommand(
        blinker=requested.blinker if change.blinker is None else change.blinker,
        headlight=requested.headlight if change.headlight is None else change.headlight,
        wiper=requested.wiper if change.wiper is None else change.wiper,
        hand_brake=requested.hand_brake if change.hand_brake is None else change.hand_brake,
        horn=requested.horn if change.horn is None else change.horn,
    )


def commanded_body(
    requested: StateCommand, present: BodyState, gear: Gear, *, enabled: bool, stopping: bool
) -> tuple[BodyCommand, tuple[Change, ...]]:
    """Compose the body command. What nobody named stays as the car had it
    when autonomy began (`present`).

    [VI-3.4]: wiping needs headlights (a single CLEAN does not). A safe stop flashes the hazard
    lamps, which outrank a turn signal; both end with their cause, the request itself is kept.
    """
    blinker = present.blinker if requested.blinker is None else requested.blinker
    headlight = present.headlight if requested.headlight is None else requested.headlight
    wiper = present.wiper if requested.wiper is None else requested.wiper
    hand_brake = present.hand_brake if requested.hand_brake is None else requested.hand_brake
    horn = present.horn if requested.horn is None else requested.horn
    changes: tuple[Change, ...] = ()
    if stopping and blinker is not Blinker.HAZARD:
        changes += (Change(notice_kinds.HAZARD_PRIORITY, "blinker", blinker, Blinker.HAZARD),)
        blinker = Blinker.HAZARD
    if enabled and wiper in (Wiper.LOW, Wiper.HIGH) and headlight is Headlight.OFF:
        changes += (Change(notice_kinds.WIPER_HEADLIGHT, "headlight", headlight, Headlight.ON),)
        headlight = Headlight.ON
    return BodyCommand(gear, blinker, headlight, wiper, hand_brake, horn), changes
