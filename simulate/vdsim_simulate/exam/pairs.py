"""Twenty pairs of causes that are planted at once, and drives in which nothing is planted. Pure."""

from __future__ import annotations

import random
from dataclasses import replace

from vdsim_simulate.exam.question import DRIVE, Question
from vdsim_simulate.scene import ENGAGES_S, Leg, Scene

PAIRS: tuple[tuple[str, str], ...] = (
    ("emergency_stop", "two_publishers"),
    ("emergency_stop", "state_link_lost"),
    ("page_stops", "door_opens"),
    ("locked", "memory_short"),
    ("locked", "no_stamps"),
    ("door_opens", "state_link_lost"),
    ("gamepad_drives", "two_publishers"),
    ("remote_drives", "two_poses"),
    ("gamepad_let_go", "mixed_clocks"),
    ("planner_silent", "two_interfaces"),
    ("planner_not_finite", "two_publishers"),
    ("wrong_level", "two_clocks"),
    ("nobody_engaged", "two_publishers"),
    ("nobody_engaged", "other_vendor"),
    ("disengaged", "old_stamps"),
    ("state_link_lost", "two_clocks"),
    ("plant_paused", "two_interfaces"),
    ("hand_brake", "no_stamps"),
    ("neutral", "two_publishers"),
    ("lateral_limit", "mixed_clocks"),
)


def both(one: Question, other: Question) -> Question:
    """A question in which both causes are planted; the key is the first one's.

    The scene, and when it is asked, are those of the one whose drive is special.
    """
    scene = one.scene if other.scene == DRIVE else other.scene
    engages_s = one.engages_s if other.engages_s == ENGAGES_S else other.engages_s

    def act(world: object) -> None:
        for each in (one, other):
            if each.act is not None:
                delay_s = each.planted_s - first_s
                do = each.act
                world.agenda.after(delay_s, lambda do=do: do(world))  # type: ignore[attr-defined]

    first_s = min(one.planted_s, other.planted_s)
    changes = [each.change for each in (one, other) if each.change is not None]
    question = replace(
        one,
        name=f"{one.name} and {other.name}",
        act=act,
        planted_s=first_s,
        scene=scene,
        engages_s=engages_s,
        asked_s=max(one.asked_s, other.asked_s),
    )
    if not changes:
        return question
    if len(changes) == 1:
        return replace(question, change=changes[0])
    return replace(question, change=lambda graph: changes[1](changes[0](graph)))


SETTLES_S = 4.0
"""From the engagement to the first moment that is judged [s]."""
HEALTHY_S = 60.0


TURNS_S, TURN_STEP_S = 1.0, 0.02
"""A stack turns into a bend, and out of it, within this time, by a step with each command [s]."""


def healthy(seed: int) -> Scene:
    """A minute of driving in which nothing is wrong: nothing is asked for beyond a limit.

    As a planner does, it changes the speed on the straight, and turns when the speed is reached.
    With the slope that it adds, it asks for 2.99 m/s2 at most, of 3.
    """
    draws = random.Random(f"healthy {seed}")
    legs, at_s, before_mps = [], 1.0, 0.0
    while at_s < HEALTHY_S:
        speed_mps, decel_mps2 = draws.uniform(1.0, 14.0), draws.uniform(1.0, 2.0)
        legs.append(Leg(at_s, speed_mps, decel_mps2))
        at_s += 3.0 + abs(speed_mps - before_mps)
        bend_1pm = draws.uniform(-1.0, 1.0) * min(0.08, 1.2 / (speed_mps + 4.0) ** 2)
        legs += _turn(Leg(at_s, speed_mps, decel_mps2), 0.0, bend_1pm)
        at_s += draws.uniform(3.0, 8.0)
        legs += _turn(Leg(at_s, speed_mps, decel_mps2), bend_1pm, 0.0)
        at_s += TURNS_S + 1.0
        before_mps = speed_mps
    return replace(
        DRIVE,
        seed=seed,
        level=draws.choice(("high_level", "vehicle")),
        grade=draws.uniform(-0.04, 0.05),
        laden=draws.uniform(0.95, 1.15),
        legs=tuple(legs),
    )


def _turn(leg: Leg, from_1pm: float, to_1pm: float) -> list[Leg]:
    """The legs that lead from one curvature to another, at the speed of a leg."""
    steps_n = round(TURNS_S / TURN_STEP_S)
    return [
        replace(
            leg,
            at_s=leg.at_s + n * TURN_STEP_S,
            curvature_1pm=from_1pm + (to_1pm - from_1pm) * n / steps_n,
        )
        for n in range(1, steps_n + 1)
    ]
