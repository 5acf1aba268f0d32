"""What the stack asks for, by the legs of the scene, and when nothing else has a hand in it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from vdsim_simulate import record as facts
from vdsim_simulate.draw import length_s
from vdsim_simulate.oracles.causes import causes
from vdsim_simulate.record import Record, once
from vdsim_simulate.scene import Leg

SETTLES_S = 1.0
"""So long what was wrong may show in the motion."""
ASKS = (
    "gear_asked",
    "neutral_and_back",
    "hand_brake_asked",
    "old_state_repeated",
    "page_button",
)
"""Whoever asks for a gear or the hand brake is obeyed, and nobody takes it back for a while."""
TAKES = (
    *("somebody_drives", "gives_back_and_drives_again", "page_drives"),
    *("page_stops", "emergency_stop", "page_lets_go", "lock_is_set"),
)
"""After these the mux holds the car until control is given back."""
DRIVES = (
    *("somebody_drives", "gives_back_and_drives_again", "two_stacks"),
    *("page_drives", "page_lets_go", "page_was_held"),
)
"""Others who ask to drive forward."""


class Wish(NamedTuple):
    """A leg, from when to when it counts, and the leg before."""

    from_s: float
    until_s: float
    leg: Leg
    before: Leg


@once
def wishes(record: Record) -> tuple[Wish, ...]:
    """Return what the stack asks for, one after the other."""
    scene = record.scene
    drives, stands = record.times(facts.DRIVES_NOW), record.times(facts.STANDS_NOW)
    healed = record.times(facts.HEALED)
    heals_s = healed[0] if healed else scene.ends_s
    legs = [(leg.at_s, leg) for leg in scene.legs if leg.at_s < heals_s]
    legs += [(time_s, Leg(time_s, 0.0, 1.0)) for time_s in healed]
    legs += [(time_s, Leg(time_s, scene.resumes_mps)) for time_s in drives]
    legs += [(time_s, Leg(time_s, 0.0)) for time_s in stands]
    every = [(0.0, Leg(0.0, 0.0)), *sorted(legs, key=lambda each: each[0]), (scene.ends_s, None)]
    return tuple(
        Wish(from_s, until_s, leg, before)
        for ((_, before), (from_s, leg)), (until_s, _) in zip(
            pairwise(every[:-1]), every[2:], strict=True
        )
        if before is not None and leg is not None
    )


def quiet(record: Record, from_s: float, to_s: float) -> bool:
    """Whether autonomy drives all the time, and nothing is wrong or has been wrong just before."""
    since_s = from_s - SETTLES_S
    asked_again = any(from_s >= drives_s for drives_s in record.times(facts.DRIVES_NOW))
    for event in record.scene.events:
        stands = event.name in (*ASKS, *TAKES) and not asked_again
        if event.at_s < to_s and (stands or event.at_s + length_s(event) > since_s):
            return False
    if any(cause.begins_s < to_s and cause.ends_s > since_s for cause in causes(record)):
        return False
    if any(who and time_s < to_s for time_s, who in _until(record.drivers, since_s)):
        return False
    shown = list(_until(record.shown, from_s))
    return bool(shown) and all(mode == "AUTONOMOUS" for time_s, mode in shown if time_s < to_s)


def _until(changes: list[tuple[float, str]], from_s: float) -> Iterator[tuple[float, str]]:
    """Return the changes from a time on, and what was so before it."""
    before = [each for each in changes if each[0] <= from_s]
    yield from before[-1:]
    yield from (each for each in changes if each[0] > from_s)


def one_even_road(record: Record) -> bool:
    """Whether the road is the same everywhere, and the car weighs what its file says."""
    scene = record.scene
    uneven = scene.patches or scene.mu_left is not None or scene.kerb_m
    return not uneven and scene.laden == 1.0
