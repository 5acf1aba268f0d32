"""The interface and its guard on a VDS1 link: a car that reports 4 m/s whatever it receives.

The ramp of the soft stop is as steep as it may be (`safety.stop_jerk_mps3` 100, the limits of the
jerk 1000), so that its first packet already brakes: what is measured is when the stop begins.
"""

from __future__ import annotations

import dataclasses
import math
import random
import struct
import zlib
from collections.abc import Mapping
from typing import ClassVar

from vdsim_interface.extras.stages.staged_vehicle import StagedVehicleSide
from vdsim_interface.guard import frames
from vdsim_interface.guard.frames import FrameWriter
from vdsim_interface.guard.guard import Guard
from vdsim_interface.guard.setup import flat_values
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.pipeline.safety_side import SafetySide
from vdsim_interface.platforms.peer import PeerMotion
from vdsim_interface.platforms.spec import Address, Datagram, Endpoint, PlatformSetup
from vdsim_interface.platforms.vds1 import SPEC
from vdsim_interface.platforms.vds1.contract_peer import SOURCE, Peer
from vdsim_interface.platforms.vds1.parameters import Vds1Parameters
from vdsim_interface.platforms.vds1.platform import ENDPOINT, Vds1Platform
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import (
    CabinState,
    Command,
    HighLevelCommand,
    SafeCommand,
    VehicleCommand,
)

from vdsim_campaign.ftti.world import World
from vdsim_protocol import vds1

ASKED_MPS2 = 0.5
SPEED_MPS = 4.0
PERIOD_S = 0.01
STRANGER: Address = ("127.0.0.1", 9)
_ENDS_OF_CRC = -4
_SPEED_OFFSET = 72


class VehicleWorld(World):
    """The vehicle's end of the wire, and a stack that commands at 50 Hz."""

    PERIODS_S: ClassVar[dict[str, float]] = {"command": 0.02, "state": 0.005, "tick": PERIOD_S}

    def __init__(self, fault: str, draws: random.Random) -> None:
        super().__init__(fault, draws)
        safety = SafetyParameters(
            auto_engage=True,
            rig="driverless",
            cabin_required=fault == "cabin_source_silent",
            driver_switch_required=fault == "switch_source_silent",
            stop_jerk_mps3=100.0,
            brake_jerk_max_mps3=1000.0,
            jerk_max_mps3=1000.0,
        )
        self.parameters = InterfaceParameters(control_command="vehicle", safety=safety)
        self.vds1 = Vds1Parameters(version=5, plant_state_port=SOURCE[1])
        self._sender = vds1.Sender(version=5)
        ((report, _),) = Peer().report(PeerMotion(velocity_mps=SPEED_MPS), 0.0)
        packet = vds1.decode(report.data)
        assert isinstance(packet, vds1.Packet)
        self._state = packet.body
        self._last_state = b""
        self._applied = (0.0, 0.0, 0.0)

    # ---- for subclasses --------------------------------------------------------------------------

    def take_state(self, datagram: bytes, source: Address) -> None:
        """A datagram of the vehicle arrives."""
        raise NotImplementedError

    def leave(self, datagrams: tuple[Datagram, ...]) -> None:
        """Packets leave for the vehicle."""
        for each in datagrams:
            packet = vds1.decode(each.data)
            assert isinstance(packet, vds1.Packet), packet
            body = packet.body
            self._applied = (body.throttle, body.brake, body.steering_tire_angle_rad)
            self.sent(safe=body.throttle == 0.0 and body.brake > 0.0)

    # ---- events ----------------------------------------------------------------------------------

    def state(self) -> None:
        """STATE, 200 Hz, with the faults of reports."""
        fault = self.has
        if fault == "report_silent":
            return
        # The pedals and the wheel angle in effect are those that were sent, or none.
        follows = fault != "vehicle_does_not_follow"
        throttle, brake, angle_rad = self._applied if follows else (0.0, 0.0, 0.0)
        body = dataclasses.replace(
            self._state, throttle_applied=throttle, brake_applied=brake,
            steering_tire_angle_applied_rad=angle_rad,
        )  # fmt: skip
        data = self._sender.state(body, self.now)
        if fault == "report_damaged":
            data = _flip(data, self.draws)
        elif fault == "report_not_finite":
            data = _not_finite(data)
        elif fault == "report_repeated":
            data = self._last_state
        self._last_state = data
        self.take_state(data, STRANGER if fault == "report_of_a_stranger" else SOURCE)

    def asked(self) -> Command | None:
        """What the stack sends now, with the faults of commands; None: nothing."""
        fault = self.has
        if fault == "command_silent":
            return None
        if fault == "command_of_another_level":
            return HighLevelCommand(self.now, 5.0, 0.0)
        accel = math.nan if fault == "command_not_finite" else ASKED_MPS2
        return VehicleCommand(self.now, accel, 0.05)


class PipelineWorld(VehicleWorld):
    """The whole interface in one process."""

    PERIODS_S: ClassVar[dict[str, float]] = {**VehicleWorld.PERIODS_S, "inputs": 0.1}

    def __init__(self, fault: str, draws: random.Random) -> None:
        super().__init__(fault, draws)
        setup = PlatformSetup(self.parameters.vehicle, self.parameters.period_s)
        platform = Vds1Platform(self.vds1, setup)
        self.pipeline = Pipeline(self.parameters, platform, SPEC.capabilities)
        self.pipeline.safety_side.on_input_publishers(1, 1)
        if fault in ("cabin_source_silent", "switch_source_silent"):
            self.warm_up_s = 0.5  # until they are known to repeat themselves
        elif fault == "vehicle_does_not_follow":
            self.warm_up_s = 1.3  # until a second of commands can be compared

    def take_state(self, datagram: bytes, source: Address) -> None:
        """Into the pipeline."""
        self.pipeline.on_datagram(datagram, source, ENDPOINT, self.now)

    def command(self) -> None:
        """A command of the stack."""
        asked = self.asked()
        if asked is not None:
            self.pipeline.on_command(asked, self.now)

    def inputs(self) -> None:
        """Cabin and driver's switch repeat at 10 Hz."""
        if self.has != "cabin_source_silent":
            secured = self.has != "cabin_unsecured"
            self.pipeline.safety_side.on_cabin(CabinState(secured, secured, secured), self.now)
        if self.has != "switch_source_silent":
            self.pipeline.safety_side.on_driver_override(self.has == "driver_switch", self.now)

    def tick(self) -> None:
        """One period."""
        self.leave(self.pipeline.decide(self.now))
        self.pipeline.after_send(self.now)

    def begin_fault(self) -> None:
        """Faults that happen at one moment."""
        super().begin_fault()
        pipeline, now = self.pipeline, self.now
        if self.fault == "driver_switch":
            pipeline.safety_side.on_driver_override(True, now)
        elif self.fault == "cabin_unsecured":
            pipeline.safety_side.on_cabin(CabinState(False, False, False), now)
        elif self.fault == "disengage_requested":
            pipeline.safety_side.on_change_mode(False, now)
        elif self.fault == "time_jumped_back":
            pipeline.restart()
        elif self.fault == "deactivated":
            self.leave(pipeline.stop(now).encoded.datagrams)


class SafetySilentWorld(VehicleWorld):
    """The vehicle side as a process of its own; the safety side, which stops sending."""

    def __init__(self, fault: str, draws: random.Random) -> None:
        super().__init__(fault, draws)
        setup = PlatformSetup(self.parameters.vehicle, self.parameters.period_s)
        platform = Vds1Platform(self.vds1, setup)
        self._vehicle = StagedVehicleSide(self.parameters, platform, SPEC.capabilities)
        self._safety = SafetySide(self.parameters, rear_steering=False)
        self._safe: SafeCommand | None = None
        self._latest: VehicleCommand | None = None
        self._due_s["safety"] = self.now + draws.uniform(0.0, PERIOD_S)

    PERIODS_S: ClassVar[dict[str, float]] = {**VehicleWorld.PERIODS_S, "safety": PERIOD_S}

    def take_state(self, datagram: bytes, source: Address) -> None:
        """Into the vehicle side, and on to the safety side."""
        received = self._vehicle.on_datagram(datagram, source, ENDPOINT, self.now)
        if received.report is not None and self._vehicle.feedback is not None:
            self._safety.on_feedback(self._vehicle.feedback, self.now)

    def command(self) -> None:
        """A command, as the stages before have made it."""
        asked = self.asked()
        assert isinstance(asked, VehicleCommand)
        self._safety.on_command(asked, self.now)
        self._latest = asked

    def safety(self) -> None:
        """One period of the safety side; frozen, it sends nothing."""
        if self.is_faulty:
            return
        latest = self._latest
        for _ in range(self._safety.periods_due(self.now)):
            self._safe, _ = self._safety.step(latest, self.now, latest, latest)
            self._safety.after_step()
        if self._safe is not None:
            self._vehicle.on_safe_command(self._safe, self.now)

    def tick(self) -> None:
        """One period of the vehicle side."""
        self.leave(self._vehicle.encode_latest(self.now).datagrams)


class _Wire:
    """The guard's link to the vehicle."""

    def __init__(self, world: VehicleWorld) -> None:
        self._world = world

    def open(self, endpoints: tuple[Endpoint, ...]) -> None:
        """There is no socket."""

    def send(self, datagrams: tuple[Datagram, ...]) -> None:
        """The last packets of an end."""
        self._world.leave(datagrams)

    def close(self) -> None:
        """There is no socket."""

    def counts(self) -> Mapping[str, float]:
        """No trouble."""
        return {}


class GuardWorld(VehicleWorld):
    """The guard, and a shell that passes commands on."""

    PERIODS_S: ClassVar[dict[str, float]] = {
        "command": PERIOD_S, "state": 0.005, "tick": PERIOD_S,
    }  # fmt: skip

    def __init__(self, fault: str, draws: random.Random) -> None:
        super().__init__(fault, draws)
        self._guard = Guard(_Wire(self))
        self._writer = FrameWriter()
        self._frozen_s = math.nan
        self._guard.connect()
        activate = frames.Activate(
            platform="vds1", platform_path="", interface=flat_values(self.parameters),
            platform_values=flat_values(self.vds1),
        )  # fmt: skip
        self._send(activate)
        assert self._guard.is_active

    def _send(self, payload: frames.Payload, sent_s: float | None = None) -> None:
        _, data = self._writer.write(payload, self.now if sent_s is None else sent_s)
        if self.has == "shell_sends_garbage":
            data = _flip(data, self.draws)
        self._guard.on_frame(data, self.now)

    def take_state(self, datagram: bytes, source: Address) -> None:
        """Into the guard."""
        self._guard.on_datagram(datagram, source, ENDPOINT, self.now)

    def command(self) -> None:
        """A period of the shell."""
        if self.has in ("shell_ends", "shell_silent"):
            return
        sent_s = self._frozen_s if self.has == "shell_frames_late" else self.now
        asked = VehicleCommand(sent_s, ASKED_MPS2, 0.05)
        self._send(frames.Front(asked, asked, asked, None), sent_s)

    def tick(self) -> None:
        """One period of the guard."""
        self.leave(self._guard.decide(self.now))
        self._guard.after_send(self.now)
        self._guard.take_frames(self.now)

    def begin_fault(self) -> None:
        """The end of the shell happens at one moment."""
        super().begin_fault()
        self._frozen_s = self.now
        if self.fault == "shell_ends":
            self._guard.disconnect()


def _flip(data: bytes, draws: random.Random) -> bytes:
    damaged = bytearray(data)
    damaged[draws.randrange(len(data))] ^= 1 << draws.randrange(8)
    return bytes(damaged)


def _not_finite(data: bytes) -> bytes:
    body = bytearray(data[:_ENDS_OF_CRC])
    struct.pack_into("<d", body, _SPEED_OFFSET, math.nan)
    return bytes(body) + struct.pack("<I", zlib.crc32(body))
