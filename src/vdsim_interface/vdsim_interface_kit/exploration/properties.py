"""What must hold in every step of every exploration.

Each property has a formula and a function of one step; `G` is "always", `X` the next period. The
function knows the inputs (World) and what the side puts out, never the side's own state. Words:
stale(x) is age(x) > its time-out; drive is the acceleration in the direction that the gear gives.
"""

from collections.abc import Callable
from typing import NamedTuple

from vdsim_interface.safety.authority import Rig
from vdsim_interface.values import Authority, Gear, Mode, travel_direction

from vdsim_interface_kit.exploration.scene import (
    CABIN_N,
    FAR,
    PEDALS,
    REPEATS_N,
    Scene,
    Step,
)

EPSILON = 1e-6


class Property(NamedTuple):
    """One thing that must hold."""

    name: str
    formula: str
    holds: Callable[[Scene, Step], bool]


def drive_mps2(step: Step) -> float:
    """The commanded acceleration in the direction of the gear; of motion in P and N."""
    assert step.safe is not None
    command = step.safe.command
    return travel_direction(command.body.gear, step.after.speed) * command.vehicle.long_accel_mps2


def pushes(step: Step) -> bool:
    """Whether this period asks the vehicle for throttle."""
    if step.safe is None or step.safe.command.authority is Authority.SILENT:
        return False
    raw = step.safe.command.raw
    return bool(raw is not None and raw.throttle) or drive_mps2(step) > EPSILON


def command_stale(scene: Scene, step: Step) -> bool:
    """The latest accepted command is too old."""
    return step.after.command_age > scene.command_n


def link_stale(scene: Scene, step: Step) -> bool:
    """The latest report is too old."""
    return step.after.report_age > scene.report_n


def input_dead(scene: Scene, step: Step) -> bool:
    """The required input has no publisher, was never there, or ceased to repeat itself."""
    if not scene.parameters.safety.cabin_required:
        return False
    world = step.after
    silent = world.repeats >= REPEATS_N and world.cabin_age >= CABIN_N
    return not world.publishers or world.cabin_age == FAR or silent


def _link(scene: Scene, step: Step) -> bool:
    lost = step.after.report_age > scene.link_n
    return step.safe is None or step.mode is not Mode.AUTONOMOUS or not lost


def _person_at_once(scene: Scene, step: Step) -> bool:
    acts = step.event in (*PEDALS, "switch on")
    return not acts or step.mode in (Mode.MANUAL, Mode.DISENGAGED)


def _person_keeps(scene: Scene, step: Step) -> bool:
    return not step.after.taken or step.mode is not Mode.AUTONOMOUS


def _asked(scene: Scene, step: Step) -> bool:
    starts = step.mode is Mode.AUTONOMOUS and step.mode_before is not Mode.AUTONOMOUS
    return not starts or step.before.asked or scene.parameters.safety.auto_engage


def _silence(scene: Scene, step: Step) -> bool:
    return step.mode is not Mode.AUTONOMOUS or step.after.stood_n <= scene.rest_n


def _no_push_in_a_stop(scene: Scene, step: Step) -> bool:
    return not pushes(step) or not (command_stale(scene, step) or link_stale(scene, step))


def _no_push_unasked(scene: Scene, step: Step) -> bool:
    if not pushes(step):
        return True
    return step.mode is Mode.AUTONOMOUS and step.after.wants != 0.0


def _silent_rows(scene: Scene, step: Step) -> bool:
    if step.safe is None or step.mode is Mode.AUTONOMOUS:
        return True
    with_driver = scene.parameters.safety.rig == Rig.DRIVER.value
    silent = with_driver and step.after.how in ("start", "person", "asked")
    return (step.safe.command.authority is Authority.SILENT) == silent


def _only_autonomy(scene: Scene, step: Step) -> bool:
    if step.safe is None:
        return True
    command = step.safe.command
    passes = command.authority is Authority.COMMAND
    return passes == (step.mode is Mode.AUTONOMOUS) and (passes or command.raw is None)


def _held(scene: Scene, step: Step) -> bool:
    stops = command_stale(scene, step) or link_stale(scene, step)
    if step.safe is None or step.mode is not Mode.AUTONOMOUS or not stops:
        return True
    front = step.safe.command.vehicle.front_wheel_angle_rad
    return abs(front - step.before.front) < EPSILON


def _brakes(scene: Scene, step: Step) -> bool:
    """The first period of a stop brakes already, as the jerk is not limited here."""
    if step.safe is None or step.safe.command.authority is Authority.SILENT:
        return True
    stops = command_stale(scene, step) or link_stale(scene, step)
    return not stops or drive_mps2(step) < -EPSILON


def _preconditions(scene: Scene, step: Step) -> bool:
    starts = step.mode is Mode.AUTONOMOUS and step.mode_before is not Mode.AUTONOMOUS
    after = step.after
    met = (
        after.secured
        and after.ready
        and not after.person
        and not link_stale(scene, step)
        and not command_stale(scene, step)
        and not input_dead(scene, step)
        and not after.stopped
    )
    return not starts or met


def _held_with_hand_brake(scene: Scene, step: Step) -> bool:
    if step.safe is None or step.after.held_n <= scene.park_n:
        return True
    body = step.safe.command.body
    return body.hand_brake and body.gear in (Gear.PARK, Gear.NEUTRAL)


def _raw(scene: Scene, step: Step) -> bool:
    if step.safe is None or step.safe.command.raw is None:
        return True
    insecure = not step.after.secured or input_dead(scene, step)
    stale = command_stale(scene, step) or link_stale(scene, step)
    return step.mode is Mode.AUTONOMOUS and not insecure and not stale


def _gear(scene: Scene, step: Step) -> bool:
    if step.safe is None or step.safe.command.authority is not Authority.COMMAND:
        return True
    gear, speed = step.safe.command.body.gear, step.after.speed
    if gear is step.before.out_gear or step.mode_before is not Mode.AUTONOMOUS:
        return True
    known = not link_stale(scene, step)
    if gear is Gear.PARK:
        return known and speed == 0.0
    return gear is Gear.NEUTRAL or (known and travel_direction(gear, 0.0) * speed >= 0.0)


def _blocked_drive(scene: Scene, step: Step) -> bool:
    if not pushes(step) or step.safe is None or step.safe.command.raw is not None:
        return True
    commanded, reported = step.safe.command.body, step.after
    moves = commanded.gear not in (Gear.PARK, Gear.NEUTRAL)
    return moves and commanded.gear is reported.gear and not reported.hand_brake


def _insecure(scene: Scene, step: Step) -> bool:
    return not pushes(step) or (step.after.secured and not input_dead(scene, step))


PROPERTIES = (
    Property("link lost", "G(age(report) > link_lost_s -> mode != AUTONOMOUS)", _link),
    Property("a person at once", "G(person acts -> mode in {MANUAL, DISENGAGED})", _person_at_once),
    Property(
        "a person keeps the car",
        "G(person acts or disengages -> (mode != AUTONOMOUS W engage accepted))",
        _person_keeps,
    ),
    Property(
        "only when asked",
        "G(not auto_engage -> (mode != AUTONOMOUS W engage accepted))",
        _asked,
    ),
    Property(
        "silence at rest",
        "G(at rest and stale(command) for command_lost_s -> X mode != AUTONOMOUS)",
        _silence,
    ),
    Property(
        "no throttle in a stop",
        "G(stale(command) or stale(report) -> drive <= 0 and no raw throttle)",
        _no_push_in_a_stop,
    ),
    Property(
        "no throttle unasked",
        "G(drive > 0 -> AUTONOMOUS and a command asks for motion)",
        _no_push_unasked,
    ),
    Property(
        "a stop brakes",
        "G(not SILENT and (stale(command) or stale(report)) -> drive < 0)",
        _brakes,
    ),
    Property(
        "a stop holds the steering",
        "G(AUTONOMOUS and (stale(command) or stale(report)) -> wheel angle = the one before)",
        _held,
    ),
    Property(
        "silent rows",
        "G(mode != AUTONOMOUS -> (SILENT <-> rig driver and (start or person or disengage)))",
        _silent_rows,
    ),
    Property(
        "commands pass in autonomy only",
        "G(authority = COMMAND <-> AUTONOMOUS) and G(not AUTONOMOUS -> no raw command)",
        _only_autonomy,
    ),
    Property(
        "preconditions",
        "G(becomes AUTONOMOUS -> secured, ready, nobody acts, both fresh, inputs live)",
        _preconditions,
    ),
    Property(
        "a hold parks",
        "G(at rest in authority IDLE for stop_park_after_s -> hand brake and PARK)",
        _held_with_hand_brake,
    ),
    Property(
        "raw is blocked as a whole",
        "G(raw passes -> AUTONOMOUS, fresh, secured, inputs live)",
        _raw,
    ),
    Property(
        "gear interlocks",
        "G(gear becomes PARK -> at rest) and G(gear becomes D, L, R -> not against the motion)",
        _gear,
    ),
    Property(
        "no throttle without drive",
        "G(drive > 0 -> gear in {D, L, R}, reported as commanded, hand brake released)",
        _blocked_drive,
    ),
    Property(
        "no throttle unsecured",
        "G(cabin open or a required input dead -> drive <= 0)",
        _insecure,
    ),
)
NO_DEAD_END = "AG(not deactivated -> EF by legitimate inputs AUTONOMOUS)"
"""Every state that is not deactivated; judged on the whole graph, see explore.py."""
