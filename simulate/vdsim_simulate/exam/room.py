"""A simulated drive in which one thing goes wrong and nothing heals by itself."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from vdsim_interface.values import Command

from vdsim_protocol import vds1
from vdsim_simulate.people import CABIN_PERIOD_S
from vdsim_simulate.scene import Scene
from vdsim_simulate.world import World

State = Callable[[vds1.State], vds1.State]


class Room(World):
    """`engages_s`: when a person engages; None: nobody does."""

    def __init__(self, scene: Scene, engages_s: float | None) -> None:
        self._engages_s = engages_s
        self._alter: Callable[[bytes], bytes] | None = None
        self.commands_s: list[float] = []
        """When the stack has published."""
        super().__init__(scene)

    def alter_state(self, alter: Callable[[bytes], bytes]) -> None:
        """From now on every STATE on its way to the interface becomes another one."""
        self._alter = alter

    def publish_command(self, command: Command) -> None:
        """A stack publishes a command."""
        self.commands_s.append(self.agenda.now)
        super().publish_command(command)

    def _state_arrives(self, data: bytes) -> None:
        super()._state_arrives(data if self._alter is None else self._alter(data))

    def _schedule(self) -> None:
        self.stack_process.every(CABIN_PERIOD_S, 0.0, self._watch_mode)
        if self._engages_s is not None:
            self.agenda.at(self._engages_s, lambda: self.people.change_mode(engage=True))


def lying(change: State) -> Callable[[bytes], bytes]:
    """A STATE that says something else, with a checksum that fits."""

    def alter(data: bytes) -> bytes:
        packet = vds1.decode(data)
        assert isinstance(packet, vds1.Packet), packet
        assert isinstance(packet.body, vds1.State), packet
        header = packet.header
        return vds1.encode_state(
            change(packet.body),
            seq=header.seq,
            timestamp_s=header.timestamp_s,
            version=header.version,
            vehicle_id=header.vehicle_id,
        )

    return alter


def repeating() -> Callable[[bytes], bytes]:
    """The first packet again and again, whatever comes."""
    first: list[bytes] = []

    def alter(data: bytes) -> bytes:
        first.append(data)
        del first[1:]
        return first[0]

    return alter


def with_speed(share: float) -> State:
    """The speed times this share; the wheels say the truth."""
    return lambda state: dataclasses.replace(state, vx_mps=share * state.vx_mps)


def with_throttle(throttle: float) -> State:
    """A pedal that nobody has pressed."""
    return lambda state: dataclasses.replace(state, throttle_applied=throttle)


def with_wheel_angle(angle_rad: float) -> State:
    """A front wheel that does not move."""
    return lambda state: dataclasses.replace(state, steering_tire_angle_applied_rad=angle_rad)
