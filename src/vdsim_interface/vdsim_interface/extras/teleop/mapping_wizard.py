"""Builds a mapping for an unknown device by requesting one movement after the other. Pure.

`prompt` is the current instruction; `on_sample` receives samples; a movement counts when the
control was moved and released. `on_enter` continues from the first prompt, and later skips a step
that the device has no control for. The first prompt requests that everything is moved once: until
then a trigger may report any value.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from vdsim_interface.extras.teleop.joystick import JoySample
from vdsim_interface.teleop.mapping import (
    Action,
    GamepadMapping,
    PedalAxis,
    SteerAxis,
    Switch,
)

_MOVED = 0.6
"""An axis counts as moved when it leaves its rest by this part of half its range."""
_RETURNED = 0.2
_SETTLE_S = 0.4
"""The device counts as released after this time without a change."""

_PROMPTS = {
    "steer": "Steer fully LEFT, then release",
    "throttle": "Press the THROTTLE fully, then release",
    "brake": "Press the BRAKE fully, then release",
    "deadman": "Press the button to HOLD WHILE DRIVING (dead-man), then release",
}
_REQUIRED = ("steer", "throttle", "brake")
_STEPS = (*_PROMPTS, *(action.value for action in Action))


@dataclass
class _Movement:
    """What has moved since the step started."""

    extremes: dict[int, float] = field(default_factory=dict)  # axis -> farthest value from rest
    pressed: list[int] = field(
        default_factory=list
    )  # buttons, in the order in which they were pressed


class MappingWizard:
    """One run of the wizard, from the first prompt to the mapping."""

    def __init__(self, device_name: str) -> None:
        self._name = device_name
        self._step = 0
        self._ready = False
        self._rest: tuple[float, ...] | None = None
        self._last: JoySample | None = None
        self._still_since = 0.0
        self._movement = _Movement()
        self._parts: dict[str, SteerAxis | PedalAxis | Switch] = {}
        self.problem = ""

    @property
    def done(self) -> bool:
        """True when no step is left."""
        return self._step >= len(_STEPS)

    @property
    def prompt(self) -> str:
        """What the user should do now."""
        if self._rest is None:
            return (
                "Release everything"
                if self._ready
                else "Press every trigger and pedal once, release everything, then press Enter"
            )
        step = _STEPS[self._step]
        if step in _PROMPTS:
            text = _PROMPTS[step]
        else:
            text = f"Press the button for {step.upper()} (to combine two, hold the other one first)"
        return text if step in _REQUIRED else f"{text}; Enter skips it"

    def on_sample(self, sample: JoySample, now: float) -> None:
        """Receive a sample. Call it at least ten times a second, also without a change."""
        self.problem = ""
        if self._last is None or sample != self._last:
            self._last, self._still_since = sample, now
        still = now - self._still_since >= _SETTLE_S
        if self._rest is None or len(self._rest) != len(sample.axes):
            if self._ready and still and not any(sample.buttons):
                self._rest = sample.axes
            return
        self._record(sample)
        released = not any(sample.buttons) and self._returned(sample)
        if still and released and (self._movement.extremes or self._movement.pressed):
            self._finish(sample)

    def on_enter(self) -> None:
        """Continue from the first prompt; later, skip a step that the device has no control for."""
        self._ready = True
        if self.done or self._rest is None:
            return
        if _STEPS[self._step] in _REQUIRED:
            self.problem = "this control is required"
        else:
            self._next()

    def result(self) -> GamepadMapping:
        """Return the mapping."""
        assert self._last is not None, "the result exists when the wizard is done"
        actions = {Action(step): self._parts[step] for step in _STEPS[4:] if step in self._parts}
        steer, deadman = self._parts["steer"], self._parts.get("deadman")
        throttle, brake = self._parts["throttle"], self._parts["brake"]
        assert isinstance(steer, SteerAxis)
        assert not isinstance(throttle, SteerAxis)
        assert not isinstance(brake, SteerAxis)
        return GamepadMapping(
            name=self._name,
            match=(self._name,),
            axes=len(self._last.axes),
            buttons=len(self._last.buttons),
            steer=steer,
            throttle=throttle,
            brake=brake,
            deadman=deadman if isinstance(deadman, Switch) else None,
            actions={a: part for a, part in actions.items() if isinstance(part, Switch)},
        )

    def _record(self, sample: JoySample) -> None:
        assert self._rest is not None, "movements are measured from a known rest"
        for axis, (value, rest) in enumerate(zip(sample.axes, self._rest, strict=True)):
            farthest = abs(self._movement.extremes.get(axis, rest) - rest)
            if abs(value - rest) >= max(_MOVED, farthest):
                self._movement.extremes[axis] = value
        for button, on in enumerate(sample.buttons):
            if on and button not in self._movement.pressed:
                self._movement.pressed.append(button)

    def _returned(self, sample: JoySample) -> bool:
        """True when no moved axis is near its extreme any more."""
        return all(
            abs(sample.axes[axis] - extreme) >= _MOVED - _RETURNED
            for axis, extreme in self._movement.extremes.items()
        )

    def _finish(self, sample: JoySample) -> None:
        step, movement = _STEPS[self._step], self._movement
        self._movement = _Movement()
        self._rest = sample.axes
        part = _part(step, movement, sample)
        if part is None:
            self.problem = "ambiguous: move only the requested control"
        elif part in self._parts.values():
            self.problem = "this control is already assigned"
        else:
            self._parts[step] = part
            self._next()

    def _next(self) -> None:
        self._step += 1
        self._movement = _Movement()


def _part(
    step: str, movement: _Movement, released: JoySample
) -> SteerAxis | PedalAxis | Switch | None:
    if step == "steer":
        return _steer(movement)
    return _pedal(movement, released) if step in _REQUIRED else _switch(movement)


def _steer(movement: _Movement) -> SteerAxis | None:
    if len(movement.extremes) != 1:
        return None
    ((axis, extreme),) = movement.extremes.items()
    return SteerAxis(axis, invert=extreme < 0.0)


def _pedal(movement: _Movement, released: JoySample) -> PedalAxis | Switch | None:
    """Return the axis, when one moved (triggers often press a button too), else the button."""
    if len(movement.extremes) == 1:
        ((axis, extreme),) = movement.extremes.items()
        return PedalAxis(axis=axis, rest=round(released.axes[axis], 2), pressed=round(extreme, 2))
    if not movement.extremes and len(movement.pressed) == 1:
        return Switch(button=movement.pressed[0])
    return None


def _switch(movement: _Movement) -> Switch | None:
    """Return a button or a pushed axis, possibly with one button that was held first."""
    held = movement.pressed[0] if movement.pressed else None
    if len(movement.extremes) == 1 and len(movement.pressed) <= 1:
        ((axis, extreme),) = movement.extremes.items()
        return Switch(axis=axis, beyond=0.5 if extreme > 0.0 else -0.5, with_button=held)
    if not movement.extremes and len(movement.pressed) == 1:
        return Switch(button=movement.pressed[0])
    if not movement.extremes and len(movement.pressed) == 2:
        return Switch(button=movement.pressed[1], with_button=held)
    return None
