"""Defects that are planted in memory, to see that seeds find them: `./ws simulate --planted all`.

Each row replaces one function of the product for as long as its seeds run. What is found is any
oracle that breaks; the time is that of one core.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

from vdsim_interface.longitudinal import acceleration_loop
from vdsim_interface.pipeline.intake import Intake
from vdsim_interface.pipeline.safety_side import SafetySide
from vdsim_interface.safety.safety import Safety
from vdsim_interface.standstill.parking import Parking
from vdsim_interface.values import ChangeModeResult
from vdsim_protocol.vds1.ownership import Ownership

from vdsim_simulate.draw import scene_of
from vdsim_simulate.oracles import Violation
from vdsim_simulate.runs import outcome_of
from vdsim_simulate.steering import steered

gate = import_module("vdsim_interface.gate.gate")
"""The module: its package exports the function of that name."""
Clock = Callable[[], float]


class Planted(NamedTuple):
    """`owner.name` is replaced by what `make` returns for the one that was there."""

    what: str
    owner: Any
    name: str
    make: Callable[[Any], Any]
    composition: str = "single"


class Found(NamedTuple):
    """What found a planted defect. `took_s`: processor time."""

    seeds_n: int
    seed: int
    took_s: float
    violation: Violation | None


def _nothing(_before: Any) -> Callable[..., Any]:
    return lambda *_given, **_named: None


def _no_notices(_before: Any) -> Callable[..., Any]:
    return lambda *_given, **_named: ()


def _without_disengage(before: Any) -> Callable[..., Any]:
    def on_change_mode(self: SafetySide, engage: bool, now: float) -> Any:
        return before(self, engage, now) if engage else (ChangeModeResult(True, "", self.mode), ())

    return on_change_mode


def _without_reason(before: Any) -> Callable[..., Any]:
    def on_change_mode(self: SafetySide, engage: bool, now: float) -> Any:
        result, notices = before(self, engage, now)
        return result if result.success else ChangeModeResult(False, "", result.mode), notices

    return on_change_mode


def _leaking(before: Any) -> Callable[..., Any]:
    def on_command(self: SafetySide, command: Any, now: float) -> Any:
        self.__dict__.setdefault("leaked", []).append([command, [now], [now + 1.0]])
        return before(self, command, now)

    return on_command


def _refusing(_before: Any) -> Callable[..., Any]:
    return lambda self, who, now: (False, "not now", self.tick(now))


PLANTED = {
    "switch_unheard": Planted(
        "the driver's switch is not heard", SafetySide, "on_driver_override", _no_notices
    ),
    "door_unheard": Planted("the cabin is not heard", Safety, "on_cabin", _nothing),
    "emergency_unheard": Planted(
        "the safety side and the gate do not hear of an emergency stop",
        SafetySide,
        "on_emergency",
        _nothing,
    ),
    "disengage_unheard": Planted(
        "a request to disengage is answered and not done",
        SafetySide,
        "on_change_mode",
        _without_disengage,
    ),
    "no_reason": Planted(
        "a refused engage gives no reason", SafetySide, "on_change_mode", _without_reason
    ),
    "leak": Planted("every command is kept", SafetySide, "on_command", _leaking),
    "give_back_refused": Planted("give_back is refused", Intake, "give_back", _refusing),
    "parked_for_ever": Planted(
        "what was parked at rest is not released", Parking, "_release", _nothing
    ),
    "stranger_owns": Planted(
        "a stranger takes the wheel over", Ownership, "may_take_over", lambda _: lambda *_: True
    ),
    "gate_open": Planted(
        "the gate lets every drive pass", gate, "_may_drive", lambda _: lambda *_a, **_b: True
    ),
    "gate_steers": Planted(
        "the gate does not limit what one packet steers",
        gate,
        "_steered",
        lambda _: lambda state, command, *_a, **_b: (command, ()),
    ),
    "friction_learnt": Planted(
        "static friction is learnt as a push",
        acceleration_loop,
        "OWN_BRAKE_MPS2",
        lambda _: 1e9,
    ),
}


@contextmanager
def planted(row: Planted) -> Iterator[None]:
    """Replace, and put back."""
    before = getattr(row.owner, row.name)
    setattr(row.owner, row.name, row.make(before))
    try:
        yield
    finally:
        setattr(row.owner, row.name, before)


def find(row: Planted, most_s: float, clock: Clock, first_seed: int = 0) -> Found:
    """Run seeds until an oracle breaks or the time of `clock` is over."""
    began_s = clock()
    seeds = steered(range(first_seed, 1_000_000_000), row.composition)
    for seeds_n, seed in enumerate(seeds, start=1):
        scene = scene_of(seed, row.composition)
        with planted(row):
            violations = outcome_of(scene).violations
        if violations:  # what breaks without it, too, is not what was planted
            anyway = {violation.oracle for violation in outcome_of(scene).violations}
            violations = tuple(v for v in violations if v.oracle not in anyway)
        took_s = clock() - began_s
        if violations or took_s > most_s:
            return Found(seeds_n, seed, took_s, violations[0] if violations else None)
    raise AssertionError("there are always more seeds")
