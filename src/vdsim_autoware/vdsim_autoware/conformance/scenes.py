"""The drive of the conformance kit: what Autoware's side does, part by part.

The parts have names (`gear.PARK`); the requirements look at what was recorded meanwhile. A part
that cannot take place is skipped with the reason. The car needs about 100 m of free road.
"""

from __future__ import annotations

import math
from functools import partial

from vdsim_autoware.conformance import interface as names
from vdsim_autoware.conformance.conductor import Conductor, Script, Step
from vdsim_autoware.conformance.record import Probe

DISCOVERY_S = 10.0
OBSERVE_S = 3.0
GEAR_LIMIT_S = 10.0
"""A mechanical shift takes up to 2 s, and a command soon after another one may be rejected."""
LAMP_LIMIT_S = 2.0
MODE_LIMIT_S = 5.0
MOTION_LIMIT_S = 15.0
STOP_LIMIT_S = 6.0
SHIFT_PAUSE_S = 4.0
REPORT_S = 3.0
"""How long a wrong input goes on: /diagnostics come at 1 Hz."""
IGNORED_S = 2.0
RETRY_S = 3.0
STANDS_MPS = 0.1
FAST_MPS = 4.0
FULL_LOCK_RAD = 10.0
NO_DRIVE = "the car did not drive"


def whole_drive(kit: Conductor) -> Script:
    """Everything, in order."""
    kit.drive(0.0)
    kit.state(names.GEAR, names.PARK)
    kit.state(names.TURN, names.DISABLE)
    kit.state(names.HAZARD, names.HAZARD_DISABLE)
    yield from kit.until("start", lambda: _all_report(kit), DISCOVERY_S)
    yield from engage(kit, "engage")
    yield from at_rest(kit)
    yield from gears(kit)
    yield from lamps(kit)
    yield from rates(kit)
    yield from requests(kit)
    yield from manual(kit)
    yield from partial_modes(kit)
    yield from driving(kit)
    yield from causes(kit)
    yield from park(kit)


def _all_report(kit: Conductor) -> bool:
    arrivals = kit.record.arrivals
    return all(page.topic in arrivals for page in names.STATUSES)


def _speed(kit: Conductor) -> float:
    return kit.record.latest(names.VELOCITY_STATUS)


def _steer(kit: Conductor) -> float:
    return kit.record.latest(names.STEERING_STATUS)


def _mode(kit: Conductor) -> float:
    return kit.record.latest(names.MODE_STATUS)


def engage(kit: Conductor, name: str) -> Step:
    """AUTONOMOUS, as often as it is needed; a vehicle may need some time after an error."""
    for attempt in range(4):
        if _mode(kit) == names.AUTONOMOUS and attempt:
            break
        yield from kit.enter(name, names.AUTONOMOUS, MODE_LIMIT_S, RETRY_S)
    return _mode(kit) == names.AUTONOMOUS


def _gear(kit: Conductor, number: int, name: str = "gear.change") -> Step:
    kit.state(names.GEAR, number)
    done = yield from kit.reports(name, names.GEAR_STATUS, number, GEAR_LIMIT_S)
    yield from kit.wait(SHIFT_PAUSE_S)
    return done


def at_rest(kit: Conductor) -> Script:
    """Nothing changes: rates, stamps, values, and what a late subscriber receives."""
    yield from kit.hold("rest", OBSERVE_S)
    for page in names.STATES:
        kit.join(page.topic)
    yield from kit.wait(1.0 * kit.options.patience)


def gears(kit: Conductor) -> Script:
    """Each gear at standstill, then what is no gear."""
    for word in ("NEUTRAL", "DRIVE", "REVERSE", "PARK"):
        yield from _gear(kit, names.GEARS[word], f"gear.{word}")
    kit.state(names.GEAR, names.NEUTRAL)
    if (yield from kit.reports("gear.first", names.GEAR_STATUS, names.NEUTRAL, GEAR_LIMIT_S)):
        kit.state(names.GEAR, names.PARK)
        yield from kit.hold("gear.chatter", 1.0)
    else:
        kit.skip("gear.chatter", "NEUTRAL was not engaged")
    yield from kit.reports("gear.again", names.GEAR_STATUS, names.PARK, GEAR_LIMIT_S)
    yield from kit.wait(SHIFT_PAUSE_S)
    for name, number in (("none", names.NONE), ("undefined", names.UNDEFINED)):
        yield from kit.quiet()
        kit.state(names.GEAR, number)
        yield from kit.hold(f"gear.{name}", REPORT_S)
        kit.state(names.GEAR, names.PARK)
    yield from _gear(kit, names.PARK)


def lamps(kit: Conductor) -> Script:
    """Indicators and hazard lights."""
    for name, number in (("LEFT", 2), ("RIGHT", 3), ("DISABLE", 1)):
        kit.state(names.TURN, number)
        yield from kit.reports(f"turn.{name}", names.TURN_STATUS, number, LAMP_LIMIT_S)
        yield from kit.hold(f"turn.steady.{name}", IGNORED_S)
    for name, number in (("ENABLE", 2), ("DISABLE", 1), ("ENABLE", 2)):
        kit.state(names.HAZARD, number)
        yield from kit.reports(f"hazard.{name}", names.HAZARD_STATUS, number, LAMP_LIMIT_S)
        yield from kit.hold(f"hazard.steady.{name}", IGNORED_S)
    kit.state(names.TURN, names.ENABLE_LEFT)
    yield from kit.hold("hazard.priority", IGNORED_S)
    kit.state(names.HAZARD, names.HAZARD_DISABLE)
    yield from kit.reports("hazard.off", names.HAZARD_STATUS, 1, LAMP_LIMIT_S)
    yield from kit.reports("turn.again", names.TURN_STATUS, names.ENABLE_LEFT, LAMP_LIMIT_S)
    kit.state(names.HAZARD, names.HAZARD_ENABLE)
    yield from kit.reports("hazard.again", names.HAZARD_STATUS, 2, LAMP_LIMIT_S)
    for topic, word in ((names.TURN, "turn"), (names.HAZARD, "hazard")):
        for name, number in (("none", names.NONE), ("undefined", names.UNDEFINED)):
            yield from kit.quiet()
            kit.state(topic, number)
            yield from kit.hold(f"{word}.{name}", REPORT_S)
        kit.state(topic, names.DISABLE)
    yield from kit.wait(1.0)


def rates(kit: Conductor) -> Script:
    """Control commands that come too seldom and too often, at standstill."""
    control, options = kit.streams[names.CONTROL], kit.options
    for name, rate_hz in (("low", options.too_low_hz), ("high", options.too_high_hz)):
        yield from kit.quiet()
        control.rate_hz = rate_hz
        yield from kit.hold(f"control.rate.{name}", REPORT_S)
        control.rate_hz = names.CONTROL_RATE_HZ
        yield from kit.wait(1.0)
    yield from engage(kit, "engage.rates")


def requests(kit: Conductor) -> Script:
    """What is no mode."""
    for name, number in (("none", names.NONE), ("undefined", names.UNDEFINED)):
        yield from kit.enter(f"request.{name}", number, IGNORED_S, IGNORED_S)


def _ask_all(kit: Conductor, part: str, gear: int) -> Script:
    """Command something else in every group; hazard lights last, they may hide the indicators."""
    kit.drive(kit.options.speed_mps, kit.options.steer_rad)
    kit.state(names.GEAR, gear)
    kit.state(names.TURN, names.ENABLE_LEFT)
    yield from kit.hold(part, REPORT_S)
    kit.state(names.HAZARD, names.HAZARD_ENABLE)
    yield from kit.hold(f"{part}.hazard", LAMP_LIMIT_S)


def _ask_nothing(kit: Conductor) -> None:
    kit.drive(0.0)
    kit.state(names.TURN, names.DISABLE)
    kit.state(names.HAZARD, names.HAZARD_DISABLE)


def manual(kit: Conductor) -> Script:
    """In MANUAL every command is ignored, at standstill; afterwards AUTONOMOUS is granted again."""
    yield from _gear(kit, names.DRIVE)
    if (yield from kit.enter("request.MANUAL", names.MANUAL, MODE_LIMIT_S, IGNORED_S)):
        yield from kit.wait(2.0)
        yield from _ask_all(kit, "manual", names.REVERSE)
    else:
        kit.skip("manual", "MANUAL was not entered")
    _ask_nothing(kit)
    kit.state(names.GEAR, names.PARK)
    yield from kit.wait(1.0)
    yield from engage(kit, "request.AUTONOMOUS")


def partial_modes(kit: Conductor) -> Script:
    """AUTONOMOUS_STEER_ONLY and AUTONOMOUS_VELOCITY_ONLY, where the vehicle has them."""
    modes = (("STEER_ONLY", names.STEER_ONLY), ("VELOCITY_ONLY", names.VELOCITY_ONLY))
    for word, number in modes:
        yield from _gear(kit, names.DRIVE)
        name = f"request.{word}"
        if kit.options.by_hand:
            kit.hold_by_hand(True)
            yield from kit.wait(1.0)
        yield from kit.enter(name, number, MODE_LIMIT_S, IGNORED_S)
        if not kit.record.answers[name].success:
            kit.skip(f"partial.{word}", f"{word} is refused, which the page allows")
            kit.hold_by_hand(False)
            continue
        yield from kit.wait(1.0)
        if number == names.VELOCITY_ONLY:
            yield from _gear(kit, names.NEUTRAL, f"partial.{word}.gear")
            yield from _gear(kit, names.DRIVE)
        gear = names.DRIVE if number == names.VELOCITY_ONLY else names.REVERSE
        yield from _ask_all(kit, f"partial.{word}", gear)
        _ask_nothing(kit)
        yield from engage(kit, "engage.partial")
        kit.hold_by_hand(False)
        yield from _stand(kit)
    yield from _gear(kit, names.DRIVE)


def _stand(kit: Conductor) -> Step:
    kit.drive(0.0)
    done = yield from kit.until("stand", lambda: abs(_speed(kit)) < STANDS_MPS, MOTION_LIMIT_S)
    return done


def _accelerate(kit: Conductor, name: str) -> Step:
    """Reach the speed with 1 m/s2, then hold it."""
    yield from engage(kit, f"engage.{name}")
    kit.state(names.GEAR, names.DRIVE)
    yield from kit.reports("gear.change", names.GEAR_STATUS, names.DRIVE, GEAR_LIMIT_S)
    kit.drive(FAST_MPS, 0.0, accel_mps2=1.0)
    speed_mps = kit.options.speed_mps
    done = yield from kit.until(name, lambda: _speed(kit) >= speed_mps, MOTION_LIMIT_S)
    kit.drive(speed_mps)
    return done


def driving(kit: Conductor) -> Script:
    """Speed, steering, order of receipt, limits, gears at speed, time-out, reverse."""
    if not (yield from _accelerate(kit, "drive.accelerate")):
        for prefix in ("drive", "control.", "gear.moving", "request.unsafe"):
            kit.skip(prefix, NO_DRIVE)
        return
    yield from _steering(kit)
    yield from _bad_numbers(kit)
    kit.state(names.GEAR, names.REVERSE)
    yield from kit.hold("gear.moving", IGNORED_S)
    kit.state(names.GEAR, names.DRIVE)
    yield from kit.wait(1.0)
    yield from _timeout(kit)
    yield from _unsafe_request(kit)
    yield from _stand(kit)
    yield from engage(kit, "engage.reverse")
    if not (yield from _gear(kit, names.REVERSE)):
        kit.skip("drive.reverse", "REVERSE was not engaged")
        return
    kit.drive(-1.5)
    yield from kit.until("drive.reverse", lambda: abs(_speed(kit)) > 1.0, MOTION_LIMIT_S)
    yield from _stand(kit)


def _steering(kit: Conductor) -> Script:
    speed_mps, angle_rad = kit.options.speed_mps, kit.options.steer_rad
    for name, target_rad in (("left", angle_rad), ("right", -angle_rad)):
        kit.drive(speed_mps, target_rad)

        def is_there(target_rad: float = target_rad) -> bool:
            return abs(_steer(kit) - target_rad) < 0.3 * angle_rad

        yield from kit.until(f"drive.{name}", is_there, MODE_LIMIT_S)
        yield from kit.hold(f"drive.bend.{name}", 1.5)
    # A command with a later stamp first: by order of receipt the second one counts.
    control = kit.streams[names.CONTROL]
    control.stamp_offset_s = 10.0
    yield from kit.wait(1.0)
    control.stamp_offset_s = 0.0
    kit.drive(speed_mps, angle_rad)
    yield from kit.until("drive.order", lambda: _steer(kit) > 0.5 * angle_rad, 3.0)
    kit.drive(speed_mps, 0.0)
    yield from kit.wait(10.0 if _steer(kit) < 0.0 else 1.0)


def _bad_numbers(kit: Conductor) -> Script:
    speed_mps, control = kit.options.speed_mps, kit.streams[names.CONTROL]
    yield from kit.quiet()
    kit.drive(speed_mps, FULL_LOCK_RAD)
    yield from kit.hold("drive.clamped", REPORT_S)
    kit.drive(speed_mps, 0.0)
    yield from kit.wait(2.0)
    yield from kit.quiet()
    control.every_other = (math.nan, math.nan, math.nan)
    yield from kit.hold("drive.not_finite", REPORT_S)
    control.every_other = None
    yield from kit.wait(1.0)


def _timeout(kit: Conductor) -> Script:
    kit.silence()
    yield from kit.until("drive.timeout", lambda: abs(_speed(kit)) < STANDS_MPS, STOP_LIMIT_S)
    kit.drive(0.0)
    yield from _stand(kit)


def _unsafe_request(kit: Conductor) -> Script:
    """A moving car in MANUAL, and a steering command far from its wheels."""
    if not (yield from _accelerate(kit, "request.accelerate")):
        kit.skip("request.unsafe", NO_DRIVE)
        return
    if not (yield from kit.enter("request.in_motion", names.MANUAL, MODE_LIMIT_S, 0.0)):
        kit.skip("request.unsafe", "MANUAL was not entered in motion")
        return
    kit.drive(kit.options.speed_mps, 3.0 * kit.options.steer_rad)
    yield from kit.wait(0.3)
    if not abs(_speed(kit)) > 1.0:
        kit.skip("request.unsafe", "the car stood before the request could be made")
    else:
        yield from kit.enter("request.unsafe", names.AUTONOMOUS, 0.5, 0.5)
    kit.drive(0.0)
    yield from kit.wait(1.0)


def causes(kit: Conductor) -> Script:
    """What only a command of the caller provokes: a lost link, faults, undefined reports."""
    for cause in names.CAUSES:
        if cause not in kit.options.causes:
            kit.skip(f"cause.{cause}", f"no --provoke {cause}=COMMAND was given")
            continue
        yield from engage(kit, "engage.cause")
        if cause == names.NOT_FOLLOWED and not (yield from _accelerate(kit, "cause.accelerate")):
            kit.skip(f"cause.{cause}", NO_DRIVE)
            continue
        yield from kit.quiet()
        began_s = kit.now
        begun = yield from kit.provoke(cause, True)
        if cause == names.NOT_FOLLOWED:
            kit.drive(FAST_MPS, 2.0 * kit.options.steer_rad, accel_mps2=1.0)
        yield from kit.hold(f"cause.{cause}.on", 2.0 * REPORT_S)
        kit.record.probes[f"cause.{cause}"] = Probe(f"cause.{cause}", began_s, kit.now)
        if not begun:
            kit.fail_part(f"cause.{cause}", f"the command of --provoke {cause} failed")
        yield from kit.provoke(cause, False)
        kit.drive(0.0)
        begin_s = kit.now
        yield from kit.until("cause.ended", partial(_is_back, kit, begin_s), MOTION_LIMIT_S)
        yield from _stand(kit)


def _is_back(kit: Conductor, since_s: float) -> bool:
    arrivals = kit.record.arrivals
    return all(items[-1].time_s > since_s for items in arrivals.values())


def park(kit: Conductor) -> Script:
    """Leave the car as it was: at rest in PARK, lamps off, MANUAL."""
    yield from _stand(kit)
    _ask_nothing(kit)
    yield from engage(kit, "engage.park")
    yield from _gear(kit, names.PARK)
    yield from kit.request("end", names.MANUAL)


def to_rest(kit: Conductor) -> Script:
    """The end of a drive that was interrupted."""
    kit.drive(0.0)
    yield from park(kit)
