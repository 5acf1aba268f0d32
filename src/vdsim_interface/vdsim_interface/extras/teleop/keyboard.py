"""Keys of a terminal -> intent and actions.

A terminal reports presses, no releases, and repeats only the key pressed last. So a press is a
step: the speed stays until changed, the steering returns to the centre when no steering key was
pressed for `steer_hold_s`. Any key is the dead-man: without one for `attention_s` the car stops.
Space stops it at once, and so does leaving or losing the terminal. Backspace is the emergency stop.
"""

from __future__ import annotations

from dataclasses import dataclass

from vdsim_interface.arbitration.safe_stop import approach
from vdsim_interface.teleop.driver import Intent
from vdsim_interface.teleop.mapping import Action
from vdsim_interface.teleop.parameters import KeyboardParameters
from vdsim_interface.teleop.station import ActionEvent
from vdsim_interface.values import ControlLevel

FASTER, SLOWER, LEFT, RIGHT, CENTRE, STOP = "faster", "slower", "left", "right", "centre", "stop"
DRIVING_KEYS = {
    "w": FASTER,
    "KEY_UP": FASTER,
    "s": SLOWER,
    "KEY_DOWN": SLOWER,
    "a": LEFT,
    "KEY_LEFT": LEFT,
    "d": RIGHT,
    "KEY_RIGHT": RIGHT,
    "c": CENTRE,
    " ": STOP,
}
"""Keys as curses names them (`getkey`)."""

ACTION_KEYS = {
    "e": Action.ENGAGE,
    "x": Action.DISENGAGE,
    "f": Action.GEAR_DRIVE,
    "r": Action.GEAR_REVERSE,
    "p": Action.GEAR_PARK,
    "n": Action.GEAR_NEUTRAL,
    "l": Action.GEAR_LOW,
    ",": Action.BLINKER_LEFT,
    ".": Action.BLINKER_RIGHT,
    "h": Action.HAZARD,
    "t": Action.HEADLIGHT,
    "y": Action.WIPER,
    "b": Action.HORN,
    "k": Action.HAND_BRAKE,
    "m": Action.LEVEL,
    "KEY_BACKSPACE": Action.EMERGENCY_STOP,
    "\x7f": Action.EMERGENCY_STOP,
    "\b": Action.EMERGENCY_STOP,
    "g": Action.GIVE_BACK,
}
QUIT_KEYS = frozenset({"q", "\x1b", "\x03"})
_HORN_S = 0.5
"""A press of the horn key sounds this long: a terminal reports no release."""


@dataclass
class _SetPoints:
    speed_mps: float = 0.0
    pedal: float = 0.0  # +1 full throttle, -1 full brake; for the levels with pedals
    steer: float = 0.0


class Keyboard:
    """Set points from the keys pressed so far."""

    def __init__(self, parameters: KeyboardParameters) -> None:
        self._parameters = parameters
        self._set = _SetPoints()
        self._driving = False
        self._why_not = "press w to drive"
        self._key_at = 0.0
        self._steer_key_at = 0.0
        self._ticked_at: float | None = None
        self._horn_until: float | None = None
        self.closed = False

    def on_key(
        self, key: str, speed_mps: float, speed_max_mps: float, now: float
    ) -> tuple[ActionEvent, ...]:
        """Receive a key. speed_mps: the car's speed along its gear, from which driving starts."""
        if self.closed:
            return ()
        self._key_at = now
        if key in QUIT_KEYS:
            self.on_closed("keyboard_teleop was quit")
        elif key in ACTION_KEYS:
            return self._on_action(ACTION_KEYS[key], now)
        elif DRIVING_KEYS.get(key) == STOP:
            self._stop("space was pressed")
        elif key in DRIVING_KEYS:
            self._on_driving_key(DRIVING_KEYS[key], speed_mps, speed_max_mps, now)
        return ()

    def on_closed(self, why: str) -> None:
        """Stop for good: the terminal was left or lost."""
        self.closed = True
        self._stop(why)

    def release(self, why: str) -> None:
        """Do not drive until a driving key is pressed again."""
        self._stop(why)

    def tick(self, now: float) -> tuple[ActionEvent, ...]:
        """Advance to `now`: dead-man, return of the steering, end of the horn."""
        dt_s = 0.0 if self._ticked_at is None else now - self._ticked_at
        self._ticked_at = now
        p = self._parameters
        if self._driving and 0.0 < p.attention_s <= now - self._key_at:
            self._stop(f"no key for {p.attention_s:g} s")
        if now - self._steer_key_at >= p.steer_hold_s:
            self._set.steer = approach(self._set.steer, 0.0, p.steer_return_ps * dt_s)
        if self._horn_until is not None and now >= self._horn_until:
            self._horn_until = None
            return (ActionEvent(Action.HORN, False),)
        return ()

    def intent(self, level: ControlLevel) -> Intent:
        """Return the current demand."""
        if not self._driving:
            return Intent(False, why=self._why_not)
        if level is ControlLevel.HIGH_LEVEL:
            return Intent(active=True, steer=self._set.steer, speed_mps=self._set.speed_mps)
        pedal = self._set.pedal
        return Intent(
            active=True,
            steer=self._set.steer,
            throttle=max(0.0, pedal),
            brake=max(0.0, -pedal),
        )

    def attention_left_s(self, now: float) -> float | None:
        """Return the time [s] until the dead-man stops the car; None while it does not apply."""
        if not self._driving or self._parameters.attention_s <= 0.0:
            return None
        return max(0.0, self._parameters.attention_s - (now - self._key_at))

    def _on_driving_key(self, key: str, speed_mps: float, speed_max_mps: float, now: float) -> None:
        if not self._driving:
            self._driving = True
            self._set = _SetPoints(speed_mps=speed_mps)
        p, target = self._parameters, self._set
        if key in (FASTER, SLOWER):
            sign = 1.0 if key == FASTER else -1.0
            target.speed_mps = _clamp(
                target.speed_mps + sign * p.speed_step_mps, 0.0, speed_max_mps
            )
            target.pedal = _clamp(target.pedal + sign * p.pedal_step, -1.0, 1.0)
        elif key == CENTRE:
            target.steer = 0.0
        else:
            sign = 1.0 if key == LEFT else -1.0
            target.steer = _clamp(target.steer + sign * p.steer_step, -1.0, 1.0)
            self._steer_key_at = now

    def _on_action(self, action: Action, now: float) -> tuple[ActionEvent, ...]:
        if action is Action.HORN:
            self._horn_until = now + _HORN_S
        return (ActionEvent(action, True),)

    def _stop(self, why: str) -> None:
        self._driving = False
        self._why_not = why
        self._set = _SetPoints()


def _clamp(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)
