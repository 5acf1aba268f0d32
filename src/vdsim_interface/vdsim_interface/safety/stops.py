"""The stops that stand: every cause as one `Stop`, and what they demand together.

The causes are merged by the hardest; which of them is looked at first changes nothing.
"""

from vdsim_interface.safety.limits import SafetyLimits as Limits
from vdsim_interface.safety.rule_context import MotionCommand, RuleContext
from vdsim_interface.values import Change, Gear, Parked, Stop, Until, notice_kinds

TOLD = (notice_kinds.COMMAND_TIMEOUT, notice_kinds.LINK_TIMEOUT, notice_kinds.CABIN_UNSECURED)


def standing_stops(context: RuleContext, limits: Limits) -> tuple[Stop, ...]:
    """Return the stops whose causes hold now, none in plain driving.

    While one stands, a raw command is blocked as a whole; the first names the reason ([VI-3.5]).
    """
    unsecured = not context.cabin_secured and limits.applies(notice_kinds.CABIN_UNSECURED)
    decel, jerk = limits.stop_decel_mps2, limits.stop_jerk_mps3
    causes = (
        (context.blocked, notice_kinds.MANUAL_BLOCK, Until.CLEARED),
        (not context.command_fresh, notice_kinds.COMMAND_TIMEOUT, Until.CLEARED),
        (not context.link_fresh, notice_kinds.LINK_TIMEOUT, Until.CLEARED),
        (unsecured, notice_kinds.CABIN_UNSECURED, Until.ENGAGED),
        (context.input_lost, notice_kinds.INPUT_LOST, Until.ENGAGED),
    )
    stops = tuple(Stop(str(kind), decel, jerk, until) for holds, kind, until in causes if holds)
    if context.emergency is None:
        return stops
    source, hard_mps2, fast_mps3, until = context.emergency
    hard_mps2 = min(hard_mps2, limits.decel_max_mps2)
    fast_mps3 = min(fast_mps3, limits.brake_jerk_max_mps3)
    return (*stops, Stop(source, hard_mps2, fast_mps3, until))


def stop_changes(stops: tuple[Stop, ...], accel_mps2: float) -> tuple[Change, ...]:
    """Name the stops of autonomy as changes of the command, also where it brakes as hard anyway."""
    sources = {stop.source for stop in stops}
    kinds = (kind for kind in TOLD if kind in sources)
    return tuple(Change(kind, "long_accel_mps2", accel_mps2, accel_mps2) for kind in kinds)


def parking_changes(parked: Parked) -> tuple[Change, ...]:
    """Name what is ours, as changes of the command: for counts and notices."""
    changes: tuple[Change, ...] = ()
    if parked.gear_before is not None:
        changes += (Change(notice_kinds.GEAR_STOP, "gear", parked.gear_before, Gear.PARK),)
    if parked.hand_brake:
        changes += (Change(notice_kinds.HAND_BRAKE_STOP, "hand_brake", False, True),)
    return changes


def demand(context: RuleContext) -> float:
    """Return the drive (<= 0) that the standing stops demand in this period.

    It starts at what was demanded before, and while the car moves it never becomes weaker.
    """
    decel = max(stop.decel_mps2 for stop in context.stops)
    jerk = max(stop.jerk_mps3 for stop in context.stops)
    start = min(context.previous.drive_mps2, 0.0)
    if context.at_rest:
        start = max(start, -decel)
    return min(start, max(start - jerk * context.period_s, -decel))


def stopped(motion: MotionCommand, context: RuleContext, limits: Limits) -> MotionCommand:
    """Brake as the hardest of the standing stops demands.

    A sender that commands may brake harder, and steers while the vehicle reports; otherwise the
    steering is held. So nothing of the stack passes without autonomy ([VI-5.1]), and no drive while
    the cabin is not secured ([VI-3.3]).
    """
    drive = demand(context)
    commands = context.command_fresh and not context.blocked
    if commands and motion.drive_mps2 < drive:
        drive = motion.drive_mps2
    if commands and context.link_fresh:
        return motion if drive == motion.drive_mps2 else motion._replace(drive_mps2=drive)
    _, front, rear = context.previous
    if motion == (drive, front, rear):
        return motion
    return MotionCommand(drive, front, rear)
