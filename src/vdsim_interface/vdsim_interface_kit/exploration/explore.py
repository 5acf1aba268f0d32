"""The search: breadth first over the canonical forms of the real state."""

import random
from array import array
from collections.abc import Callable
from typing import NamedTuple

from vdsim_interface.values import Mode

from vdsim_interface_kit.exploration.properties import NO_DEAD_END, PROPERTIES, Property
from vdsim_interface_kit.exploration.scene import LEGITIMATE, Scene, State, Step, World
from vdsim_interface_kit.exploration.state import Keyed

MERGES_KEPT = 400
Key = tuple[tuple[int, ...], World]


class Violation(NamedTuple):
    """What does not hold, and the inputs that lead there from the start."""

    name: str
    formula: str
    inputs: tuple[str, ...]
    found: str

    def __str__(self) -> str:
        path = " > ".join(_shortened(self.inputs))
        return f"{self.name}: {self.formula} does not hold after\n  {path}\n  {self.found}"


class Explored(NamedTuple):
    """What a search has covered. `depth`: the most inputs that a new state took."""

    states: int
    transitions: int
    depth: int
    modes: dict[str, int]
    merges: int
    violation: Violation | None


class Search:
    """One exploration of a scene over an alphabet."""

    def __init__(
        self,
        scene: Scene,
        alphabet: tuple[str, ...],
        properties: tuple[Property, ...] = PROPERTIES,
        seed: int = 1,
    ) -> None:
        self._scene = scene
        self._properties = properties
        self._alphabet = alphabet
        self._known: dict[Key, int] = {}
        self._keys: list[tuple[int, ...]] = []
        self._states: list[State] = []
        self._parents: list[tuple[int, str]] = []
        self._depths: list[int] = []
        self._modes: list[Mode] = []
        self._edges: tuple[array[int], array[int]] = (array("L"), array("L"))
        self._random = random.Random(seed)
        self._merges: list[tuple[int, State]] = []
        self._merges_n = 0

    def run(self, states_max: int, note: Callable[[int, int], None] | None = None) -> Explored:
        """Explore to the end or to the first violation; ValueError beyond `states_max` states."""
        scene = self._scene
        start = scene.start()
        self._add((scene.key(start), start.world), start, -1, "")
        transitions = number = 0
        while number < len(self._states):
            if len(self._states) > states_max:
                grown = sorted(scene.objects.kinds().items(), key=lambda item: -item[1])[:5]
                raise ValueError(f"more than {states_max} states; most forms: {grown}")
            state = self._states[number]
            near = Keyed(state.concrete, state.now, self._keys[number])
            for name in self._alphabet:
                scene.restore(state)
                step = scene.apply(name)
                transitions += 1
                violation = self._judge(step, number, name)
                if violation is not None:
                    return self._explored(transitions, violation)
                self._reach(number, name, near)
            number += 1
            if note is not None and number % 10_000 == 0:
                note(number, len(self._states))
        return self._explored(transitions, self.dead_end())

    def _reach(self, number: int, name: str, near: Keyed) -> None:
        state = self._scene.state()
        key = self._scene.key(state, near), state.world
        target = self._known.get(key)
        if target is None:
            target = len(self._states)
            self._add(key, state, number, name)
        elif self._states[target].concrete != state.concrete:
            self._keep_merge(target, state)
        if name in LEGITIMATE:
            self._edges[0].append(number)
            self._edges[1].append(target)

    def _add(self, key: Key, state: State, parent: int, name: str) -> None:
        self._known[key] = len(self._states)
        self._states.append(state)
        self._keys.append(key[0])
        self._parents.append((parent, name))
        self._depths.append(0 if parent < 0 else self._depths[parent] + 1)
        self._modes.append(self._scene.side.mode)

    def _judge(self, step: Step, number: int, name: str) -> Violation | None:
        for item in self._properties:
            if not item.holds(self._scene, step):
                found = f"{step.mode_before.name} -> {step.mode.name}, {step.after}"
                if step.safe is not None:
                    found += f", {step.safe.command}"
                return Violation(item.name, item.formula, (*self._path(number), name), found)
        return None

    def _path(self, number: int) -> tuple[str, ...]:
        inputs = []
        while number > 0:
            number, name = self._parents[number]
            inputs.append(name)
        return tuple(reversed(inputs))

    def dead_end(self) -> Violation | None:
        """A state from which legitimate inputs do not lead to autonomy; None: there is none."""
        back: list[list[int]] = [[] for _ in self._states]
        for source, target in zip(*self._edges, strict=True):
            back[target].append(source)
        pending = [i for i, mode in enumerate(self._modes) if mode is Mode.AUTONOMOUS]
        leads = set(pending)
        while pending:
            for source in back[pending.pop()]:
                if source not in leads:
                    leads.add(source)
                    pending.append(source)
        for number, state in enumerate(self._states):
            if number not in leads and not state.world.stopped:
                found = f"{self._modes[number].name}, {state.world}"
                return Violation("no dead end", NO_DEAD_END, self._path(number), found)
        return None

    def check_merges(self) -> int:
        """Show on a sample that states of one canonical form have the same successors.

        Return how many were compared; AssertionError names two that differ.
        """
        scene = self._scene
        for target, other in self._merges:
            for name in self._alphabet:
                results = []
                for state in (self._states[target], other):
                    scene.restore(state)
                    step = scene.apply(name)
                    after = scene.state()
                    sent = None if step.safe is None else _timeless(step)
                    results.append((scene.key(after), step.mode, sent))
                assert results[0] == results[1], (self._path(target), name, results)
        return len(self._merges)

    def _keep_merge(self, target: int, state: State) -> None:
        # Reservoir sampling: every merge has the same chance to be kept.
        self._merges_n += 1
        if len(self._merges) < MERGES_KEPT:
            self._merges.append((target, state))
            return
        place = self._random.randrange(self._merges_n)
        if place < MERGES_KEPT:
            self._merges[place] = (target, state)

    def _explored(self, transitions: int, violation: Violation | None) -> Explored:
        modes = {mode.name: self._modes.count(mode) for mode in Mode}
        states, depth = len(self._states), max(self._depths)
        return Explored(states, transitions, depth, modes, self._merges_n, violation)


def _timeless(step: Step) -> object:
    assert step.safe is not None
    command = step.safe.command
    raw = None if command.raw is None else command.raw[1:]
    vehicle = command.vehicle._replace(stamp_s=0.0)
    return command._replace(vehicle=vehicle, raw=raw, engage_wanted=False)  # type: ignore[arg-type]


def _shortened(inputs: tuple[str, ...]) -> list[str]:
    """Repeated inputs as one with their number."""
    short: list[tuple[str, int]] = []
    for name in inputs:
        if short and short[-1][0] == name:
            short[-1] = (name, short[-1][1] + 1)
        else:
            short.append((name, 1))
    return [name if count == 1 else f"{count} x {name}" for name, count in short]
