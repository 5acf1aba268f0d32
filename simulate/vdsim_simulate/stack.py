"""The stack: a planner that follows its legs, as a process of its own."""

from __future__ import annotations

import math
from collections.abc import Callable

from vdsim_interface.values import Command, HighLevelCommand, RawCommand, VehicleCommand

from vdsim_simulate.record import Wanted
from vdsim_simulate.scene import MOST_LATERAL_MPS2, Leg, Scene
from vdsim_simulate.senders import COUNTS, REMOTE_MPS, pedals_of

PERIOD_S = 0.02
STANDS_MPS = 0.05
TURNS_S = 0.5
"""So long it commands nothing at rest before it asks for the other direction."""
SETS_OUT_MPS = 0.5
"""Below this it asks for enough to set out, downhill too."""
_GAIN_1PS = 2.0
_MOST_ACCEL_MPS2 = 2.5
_FADES_MPS = 0.5
HOLDS_MPS2 = 1.0
"""What a stack brakes with that holds the car at rest itself."""
_STARTS_MPS2 = 0.5
"""Less asks for no gear."""
G_MPS2 = 9.81
USES, TURNS_RADPS = 0.4, 0.6
"""The share of friction that it uses, and how fast it turns the wheels: nobody limits it."""
BACKWARDS_MPS = -0.2
"""A car that rolls back faster is braked, and not driven."""


def wanted_of(command: Command, time_s: float) -> Wanted:
    """Return what a command asks for."""
    if isinstance(command, HighLevelCommand):
        return Wanted(time_s, command.velocity_mps, command.curvature_1pm)
    if isinstance(command, VehicleCommand):
        accel_mps2, angle_rad = command.long_accel_mps2, command.front_wheel_angle_rad
        return Wanted(time_s, accel_mps2=accel_mps2, angle_rad=angle_rad)
    throttle, brake, front = (count / COUNTS for count in command[1:4])
    return Wanted(time_s, angle_rad=front, throttle=throttle, brake=brake)


class Planner:
    """Sends what its leg asks for, at 50 Hz. It knows its speed and, as Autoware, the slope."""

    def __init__(self, scene: Scene, send: Callable[[Command], None]) -> None:
        self._scene = scene
        self._send = send
        self._legs = [Leg(0.0, 0.0), *scene.legs]
        self._next = 1
        self.leg = self._legs[0]
        self._direction, self._rests_s = 1.0, 0.0
        self.speed_mps = scene.start_mps
        self.heading_rad = 0.0
        """From the way up the grade."""
        self.is_in_reverse, self._brakes = False, True
        self._front_rad = 0.0
        """Of a stack of pedals: where it has the wheels."""
        self.is_silent = False
        self.says: Callable[[Command], Command] | None = None
        """What makes of its commands something wrong."""

    def follow(self, leg: Leg) -> None:
        """From now on only this leg counts."""
        self._next, self.leg = len(self._legs), leg

    def period(self, time_s: float) -> None:
        """Send the next command."""
        while self._next < len(self._legs) and self._legs[self._next].at_s <= time_s:
            self.leg = self._legs[self._next]
            self._next += 1
        if self.is_silent:
            return
        command = self._command()
        self._send(command if self.says is None else self.says(command))

    def other_command(self) -> Command:
        """What a second stack says: the other direction, and another speed."""
        leg = self.leg
        speed_mps = 0.0 if leg.speed_mps else REMOTE_MPS
        if self._scene.level == "high_level":
            return HighLevelCommand(0.0, speed_mps, -leg.curvature_1pm)
        accel_mps2 = math.copysign(2.0, -leg.speed_mps) if leg.speed_mps else 1.0
        if self._scene.is_raw:
            return RawCommand(0.0, *pedals_of(accel_mps2), round(-COUNTS * self._front_rad))
        return VehicleCommand(0.0, accel_mps2, -2.9 * leg.curvature_1pm)

    def _command(self) -> Command:
        leg = self.leg
        if self._scene.level == "high_level":
            return HighLevelCommand(0.0, leg.speed_mps, leg.curvature_1pm)
        angle_rad = 2.9 * leg.curvature_1pm
        if self._scene.is_raw:
            return self._counts(leg, angle_rad)
        return VehicleCommand(0.0, self._accel(leg), angle_rad)

    def _counts(self, leg: Leg, angle_rad: float) -> RawCommand:
        """Drive by pedals, as a careful person does: the interface keeps no limit of motion.

        A car in REVERSE is held until somebody asks for DRIVE: a throttle has no sign.
        """
        grips_mps2 = USES * self._scene.least_mu * G_MPS2
        slowest_mps = max(abs(self.speed_mps), 0.1)
        most_rad = 2.9 * min(MOST_LATERAL_MPS2, grips_mps2) / slowest_mps**2
        step_rad = min(max(angle_rad, -most_rad), most_rad) - self._front_rad
        most_step_rad = TURNS_RADPS * PERIOD_S
        self._front_rad += min(max(step_rad, -most_step_rad), most_step_rad)
        slope_mps2 = G_MPS2 * self._scene.grade * math.cos(self.heading_rad)
        rests = leg.speed_mps == 0.0 and abs(self.speed_mps) < STANDS_MPS
        if self.is_in_reverse or rests or self.speed_mps < BACKWARDS_MPS:
            accel_mps2 = -abs(slope_mps2) - HOLDS_MPS2
        else:
            own_mps2 = self._accel(leg) - slope_mps2
            accel_mps2 = slope_mps2 + min(max(own_mps2, -grips_mps2), grips_mps2)
            if leg.speed_mps and abs(self.speed_mps) < STANDS_MPS:
                accel_mps2 = max(accel_mps2, _STARTS_MPS2)  # throttle alone asks to drive
        return RawCommand(0.0, *pedals_of(accel_mps2), round(COUNTS * self._front_rad))

    def _accel(self, leg: Leg) -> float:
        slope_mps2 = G_MPS2 * self._scene.grade * math.cos(self.heading_rad)
        if leg.speed_mps == 0.0 or self._turns(leg):
            if abs(self.speed_mps) < STANDS_MPS:
                return self._at_rest_mps2(leg, slope_mps2)
            share = min(1.0, 0.3 + abs(self.speed_mps) / _FADES_MPS)
            return slope_mps2 - math.copysign(leg.decel_mps2 * share, self.speed_mps)
        self._brakes = not self.is_in_reverse
        ahead = self._direction
        wanted = ahead * _GAIN_1PS * (leg.speed_mps - self.speed_mps)
        if abs(self.speed_mps) < SETS_OUT_MPS:
            return ahead * max(ahead * slope_mps2 + _MOST_ACCEL_MPS2, _STARTS_MPS2)
        return slope_mps2 + ahead * min(max(wanted, -leg.decel_mps2), _MOST_ACCEL_MPS2)

    def _at_rest_mps2(self, leg: Leg, slope_mps2: float) -> float:
        """Leave the hold to the interface, or brake; before the other direction, nothing.

        In reverse the sign of a brake at rest would choose DRIVE where somebody has engaged again;
        a stack that has asked to turn back, and was not let, would drive on in REVERSE by it, as
        would one whose car a person has put into REVERSE.
        Uphill a stop ends with hardly any brake: the one that holds would be another sign.
        """
        brakes = self._scene.holds_by_brake and self._direction > 0.0 and slope_mps2 <= 0.0
        brakes = brakes and all(leg.speed_mps >= 0.0 for leg in self._legs)
        # The brake that it came to rest with goes on, and does not look at the gear.
        self._brakes = self._brakes and brakes and not leg.speed_mps
        return slope_mps2 - HOLDS_MPS2 if self._brakes else 0.0

    def _turns(self, leg: Leg) -> bool:
        """Whether it has to stop first, and to command nothing for a while at rest."""
        if leg.speed_mps * self._direction > 0.0:
            self._rests_s = 0.0
            return False
        self._rests_s = self._rests_s + PERIOD_S if abs(self.speed_mps) < STANDS_MPS else 0.0
        if self._rests_s >= TURNS_S:
            self._direction = -self._direction
        return True
