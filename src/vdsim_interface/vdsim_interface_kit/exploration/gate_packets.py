"""Consecutive packets through the gate alone, as its tests send them."""

from __future__ import annotations

import math
from typing import Any

from vdsim_interface.gate import START, Facts, GateLimits, GateState, Wanted, gate
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import (
    NO_DRIVER,
    AccelMeaning,
    Authority,
    BodyCommand,
    Change,
    Gear,
    Mode,
    PlatformCommand,
    RawCommand,
    Stop,
    Until,
    VehicleCommand,
)

NAN, INF = math.nan, math.inf
PERIOD_S = 0.01
LIMITS = GateLimits(SafetyParameters(), PERIOD_S, 0.5, 3.0, 0.0, 0.6, 0.1)
STALE = Stop("command_timeout", 2.5, 2.5)
CABIN = Stop("cabin_unsecured", 2.5, 2.5, Until.ENGAGED)
EMERGENCY = Stop("emergency", 6.0, 50.0, Until.RELEASED)
DRIVE_BODY = BodyCommand(gear=Gear.DRIVE)


class Packets:
    """Consecutive packets of a car in D; `speed` and the rest are what the vehicle reports."""

    def __init__(self, speed: float = 10.0, limits: GateLimits = LIMITS) -> None:
        self.limits, self.speed = limits, speed
        self.state: GateState = START
        self.now = 100.0
        self.accel = self.front = 0.0
        self.hold, self.slips = 2.0, False
        self.report_age_s = self.command_age_s = 0.0
        self.gear: Gear | None = Gear.DRIVE
        self.hand_brake = False
        self.driver = NO_DRIVER
        self.stops: tuple[Stop, ...] = ()
        self.engagement, self.emergency_n = 1, 0
        self.body = DRIVE_BODY
        self.changes: tuple[Change, ...] = ()

    def send(
        self,
        accel: float = 0.0,
        front: float = 0.0,
        rear: float = 0.0,
        *,
        asked: float | None = None,
        authority: Authority = Authority.COMMAND,
        after_s: float = PERIOD_S,
        raw: RawCommand | None = None,
        **more: Any,
    ) -> PlatformCommand:
        """The command that is sent in place of an effort and an angle."""
        self.now += after_s
        vehicle = VehicleCommand(self.now - self.command_age_s, accel, front, rear)
        command = PlatformCommand(
            authority, Mode.AUTONOMOUS, vehicle, self.body, raw, AccelMeaning.KINEMATIC, **more
        )
        wanted = Wanted(
            command,
            accel if asked is None else asked,
            self.stops,
            self.engagement,
            self.emergency_n,
        )
        facts = Facts(
            self.now,
            self.now - self.command_age_s,
            self.now - self.report_age_s,
            self.speed,
            self.accel,
            self.hold,
            self.slips,
            self.front,
            0.0,
            self.gear,
            self.hand_brake,
            self.driver,
        )
        sent, self.state, self.changes = gate(self.state, wanted, facts, self.limits)
        return sent

    def send_n(self, count: int, accel: float = 0.0, **more: Any) -> PlatformCommand:
        for _ in range(count):
            sent = self.send(accel, **more)
        return sent


def effort(command: PlatformCommand) -> float:
    return command.vehicle.long_accel_mps2


def emergency(packets: Packets, count: int = 30) -> Packets:
    packets.stops = (EMERGENCY,)
    packets.send_n(count, -1.0)
    assert packets.state.emergency_mps2 == 6.0
    return packets
