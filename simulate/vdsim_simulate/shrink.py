"""A failure's scene with everything left out that the failure does not need.

Greedy: each step tries one simpler scene and keeps it when the same oracle still breaks; steps
repeat until none helps. The simplest value of everything is that of a scene without arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from vdsim_simulate.oracles import Violation
from vdsim_simulate.scene import Event, Scene

Judge = Callable[[Scene], Violation | None]
PLAIN = Scene()
PLAIN_FIELDS = (
    *(
        "car",
        "model",
        "actuator",
        "wire_version",
        "state_rate_hz",
        "grade",
        "mu",
        "mu_left",
        "rig",
        "auto_engage",
    ),
    *("level", "start_mps", "release", "cmd_type"),
)
LEAVES_S = 0.5
ROUNDS_N = 4


def shrink(scene: Scene, breaks: Judge) -> Scene:
    """Return the simplest scene found that still breaks; `breaks` returns how."""
    violation = breaks(scene)
    if violation is None:
        raise ValueError(f"seed {scene.seed}: holds, there is nothing to shrink")
    for _ in range(ROUNDS_N):
        before = scene
        # Shorter runs first: every later try is then cheaper.
        for change in (_shorter, _fewer_events, _fewer_legs, _fewer_parameters, _plainer, _rounder):
            scene, violation = _tried(scene, violation, change, breaks)
        if scene == before:
            break
    return scene


def _tried(
    scene: Scene,
    violation: Violation,
    change: Callable[[Scene, Violation], Iterator[Scene]],
    breaks: Judge,
) -> tuple[Scene, Violation]:
    """Keep the first simpler scene that breaks, and go on from there."""
    while True:
        for simpler in change(scene, violation):
            found = None if simpler == scene else breaks(simpler)
            if found is not None:
                scene, violation = simpler, found
                break
        else:
            return scene, violation


def _shorter(scene: Scene, violation: Violation) -> Iterator[Scene]:
    ends_s = round(violation.time_s + LEAVES_S, 2)
    if ends_s < scene.ends_s - LEAVES_S:
        yield replace(scene, ends_s=ends_s)
    last_s = max([0.0, *(event.at_s for event in scene.events)])
    for heals_s in (round(last_s + 3.0, 1), round(last_s + 6.0, 1)):
        if heals_s < scene.heals_s < violation.time_s:
            yield replace(scene, heals_s=heals_s, ends_s=scene.ends_s - scene.heals_s + heals_s)


def _fewer_events(scene: Scene, _violation: Violation) -> Iterator[Scene]:
    for n in range(len(scene.events)):
        yield replace(scene, events=scene.events[:n] + scene.events[n + 1 :])


def _fewer_legs(scene: Scene, _violation: Violation) -> Iterator[Scene]:
    for n in range(1, len(scene.legs)):
        yield replace(scene, legs=scene.legs[:n] + scene.legs[n + 1 :])


def _plainer(scene: Scene, _violation: Violation) -> Iterator[Scene]:
    for name in PLAIN_FIELDS:
        if getattr(scene, name) != getattr(PLAIN, name):
            yield replace(scene, **{name: getattr(PLAIN, name)})


def _fewer_parameters(scene: Scene, _violation: Violation) -> Iterator[Scene]:
    for name in scene.parameters:
        left = {other: value for other, value in scene.parameters.items() if other != name}
        yield replace(scene, parameters=left)


def _rounder(scene: Scene, _violation: Violation) -> Iterator[Scene]:
    for n, event in enumerate(scene.events):
        values = {k: round(v, 1) if isinstance(v, float) else v for k, v in event.values.items()}
        simpler = Event(round(event.at_s, 1), event.name, values)
        if simpler != event:
            yield replace(scene, events=(*scene.events[:n], simpler, *scene.events[n + 1 :]))
