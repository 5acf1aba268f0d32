"""A question of the exam: what is planted, and what the answer must say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from vdsim_interface.extras.doctor.snapshot import Snapshot

from vdsim_simulate.scene import ENGAGES_S, Leg, Scene
from vdsim_simulate.world import World

DRIVE = Scene(
    seed=1,
    legs=(Leg(2.0, 5.0),),
    heals_s=1000.0,
    ends_s=1000.0,
)
"""A person engages at 0.5 s, and from 2 s on the stack asks for 5 m/s. Nothing heals by itself."""
PLANTED_S, ASKED_S = 5.0, 8.0
Act = Callable[[World], None]
Change = Callable[[Snapshot], Snapshot]


class Key(NamedTuple):
    """What a right answer is: one of these causes, with words that match this pattern."""

    causes: tuple[str, ...]
    says: str


def key(*causes: str, says: str) -> Key:
    """A key; `says` is a regular expression without regard to case."""
    return Key(causes, says)


@dataclass(frozen=True, kw_only=True)
class Question:
    """One planted cause.

    `act`: does it to a drive at `planted_s` [s]. `change`: does it to the graph. `engages_s`: when
    a person engages, None: nobody does. `is_doctored`: whether the graph alone answers, because no
    interface is heard. `source`: where the cause is from.
    """

    name: str
    text: str
    key: Key
    act: Act | None = None
    change: Change | None = None
    scene: Scene = field(default_factory=lambda: DRIVE)
    engages_s: float | None = ENGAGES_S
    planted_s: float = PLANTED_S
    asked_s: float = ASKED_S
    is_doctored: bool = False
    source: str = ""
