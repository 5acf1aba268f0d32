"""A scene: everything that a run depends on, as plain data that a file can hold."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Value = float | str
Setting = float | int | bool | str
COMPOSITIONS = ("single", "guarded", "processes", "two_computers")
PLATFORMS = ("vds1", "can", "morai")
RAW = "raw"
"""The level of commands in the integrator's counts."""


STATE_RATE_HZ = 200.0
"""Of a car that says nothing else."""
ENGAGES_S = 0.5
"""When a person asks to engage."""
MOST_LATERAL_MPS2 = 4.0
WAITS_FOR_THE_CAR = "stranger_waits"
"""The fault with a stranger whom the car does not know by its address."""
HOLDS = 1.2
"""Tyres can hold a car where mu cos exceeds this times the sine of the grade."""


@dataclass(frozen=True)
class Leg:
    """What the stack asks for from `at_s` on: a speed, and how hard it brakes down to it.

    A negative speed is one in reverse.
    """

    at_s: float
    speed_mps: float
    decel_mps2: float = 2.0
    curvature_1pm: float = 0.0


@dataclass(frozen=True)
class Event:
    """A fault or an act of a person, by its name in the table, with the values that were drawn."""

    at_s: float
    name: str
    values: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Scene:
    """One run. `heals_s`: from then on nothing is wrong any more, and a person sets out again.

    `ends_s`: when it ends; a scene that a failure was cut down to ends soon after it.

    `car_file`: of the platform `can`; empty: vdsim_dbw. `release`, `cmd_type`: of the platform
    `morai`, as its parameters.

    `state_rate_hz`: reports of the platform `vds1`. `model`: level of the plant. `grade`: rise
    of the road along its length, metre per metre. `mu_left`: friction under the left wheels,
    where it differs. `seed`: of what is drawn while the scene runs: phases of the timers, which
    packets a link loses.

    `patches`: strips across the road, (from, to, friction), metres along it. `kerb_m`: a step of 5
    cm that the car climbs there, 0: none; it needs level l3. `laden`: the car's mass over what its
    file and the interface say. `discovery_s`: within this time the stages' topics find each other
    at the start, each direction on its own. `plot`: what its events follow (plots.py); empty:
    nothing. `holds_by_brake`: whether a stack of accelerations holds a standing car with its brake,
    and not with an acceleration of 0. `parameters`: of the interface, by their full names; the
    others have their defaults.
    """

    seed: int = 0
    composition: str = "single"
    platform: str = "vds1"
    car_file: str = ""
    car: str = "ioniq5_awd"
    model: str = "l2"
    actuator: str = "ideal"
    wire_version: int = 5
    state_rate_hz: float = STATE_RATE_HZ
    release: str = "24.R2"
    cmd_type: str = "acceleration"
    grade: float = 0.0
    mu: float = 0.9
    mu_left: float | None = None
    patches: tuple[tuple[float, float, float], ...] = ()
    kerb_m: float = 0.0
    laden: float = 1.0
    discovery_s: float = 0.0
    level: str = "high_level"
    rig: str = "driver"
    auto_engage: bool = False
    start_mps: float = 0.0
    holds_by_brake: bool = False
    legs: tuple[Leg, ...] = ()
    events: tuple[Event, ...] = ()
    plot: str = ""
    heals_s: float = 10.0
    ends_s: float = 24.0
    resumes_mps: float = 3.0
    """What the stack asks for at the end, negative in reverse."""
    parameters: Mapping[str, Setting] = field(default_factory=dict)

    @property
    def least_mu(self) -> float:
        """Friction where there is the least of it."""
        left = self.mu if self.mu_left is None else self.mu_left
        return min(self.mu, left, *(mu for _, _, mu in self.patches))

    @property
    def is_raw(self) -> bool:
        """Whether the stack commands pedals and wheels, which no rule of motion changes."""
        return self.level == RAW

    @property
    def is_open(self) -> bool:
        """Whether the car names nobody who may drive it: it is whose session it is."""
        return any(event.name == WAITS_FOR_THE_CAR for event in self.events)

    @property
    def holds(self) -> bool:
        """Whether tyres can hold the car wherever it stands: mu cos beyond 1.2 times the sine."""
        return self.least_mu > HOLDS * abs(self.grade)

    def to_json(self) -> str:
        """Return the file's text."""
        return json.dumps(dataclasses.asdict(self), indent=1)


class SceneError(RuntimeError):
    """A run or an oracle that raises: in which scene, what was at work, and when."""

    def __init__(self, text: str, time_s: float) -> None:
        super().__init__(text, time_s)
        self.text = text
        self.time_s = time_s

    def __str__(self) -> str:
        return self.text


def scene_error(scene: Scene, time_s: float, what: str, error: Exception) -> SceneError:
    """Return what names the scene of an exception: a run of hours must not hide it."""
    where = f"{scene.composition} {scene.platform} {scene.seed}"
    return SceneError(f"{what}, {where}: {error!r}", time_s)


AFTERWARDS_S = 18.0
"""For what people do after the faults, for the drive that must then be possible, and its stop."""


def scene_from(data: Mapping[str, Any]) -> Scene:
    """Build a scene from what a file holds; a ValueError names what does not belong there."""
    known = {field.name for field in dataclasses.fields(Scene)}
    unknown = sorted(set(data) - known)
    if unknown:
        raise ValueError(f"scene: {unknown[0]} is unknown; there are {', '.join(sorted(known))}")
    values = dict(data)
    values["patches"] = tuple(tuple(patch) for patch in values.get("patches", ()))
    values["legs"] = tuple(Leg(**leg) for leg in values.get("legs", ()))
    values["events"] = tuple(Event(**event) for event in values.get("events", ()))
    scene = Scene(**values)
    if scene.composition not in COMPOSITIONS:
        allowed = ", ".join(COMPOSITIONS)
        raise ValueError(f"scene: composition={scene.composition}: must be one of {allowed}")
    if scene.platform not in PLATFORMS:
        allowed = ", ".join(PLATFORMS)
        raise ValueError(f"scene: platform={scene.platform}: must be one of {allowed}")
    if scene.is_raw and scene.composition == "two_computers":
        raise ValueError("scene: level=raw: two_computers blends speeds or accelerations")
    if scene.car_file and scene.platform != "can":
        raise ValueError(f"scene: car_file={scene.car_file}: only the platform can has one")
    return scene
