"""The simulator's side of the wire: the shipped emulator with the car of the scene."""

from __future__ import annotations

from collections.abc import Callable

from vdsim_plant_node.morai.settings import EmulatorSettings
from vdsim_plant_node.morai.world import World

from vdsim_protocol import morai
from vdsim_simulate.car import Address, laden_session, sample_of, server_settings
from vdsim_simulate.morai.reading import COMMAND_HEAD
from vdsim_simulate.record import Sample
from vdsim_simulate.scene import Scene


class MoraiCar:
    """The emulator; `tick` is one tick of its car. `send`: its Ego Vehicle Status, every 20 ms."""

    def __init__(self, scene: Scene, send: Callable[[bytes], None]) -> None:
        settings = server_settings(scene)
        session = laden_session(settings.vehicles[0], scene.laden, settings.substep_s)
        self._emulator = World(EmulatorSettings(release=scene.release), session)
        if scene.start_mps:
            self._emulator.driver.put(morai.Gear.DRIVE, morai.CtrlMode.AUTO)
        self._send = send

    def arrive(self, data: bytes, source: Address) -> bool:
        """A datagram reaches the emulator; return whether it commands the car."""
        self._emulator.receive(data, "{}:{}".format(*source))
        return data.startswith(COMMAND_HEAD)

    def tick(self) -> None:
        """Advance by one tick; send what is due."""
        if not self._emulator.tick():
            return
        status = next(self._emulator.messages())  # the interface receives no other
        self._send(status.data)

    def sample(self, time_s: float) -> Sample:
        """Return the true motion."""
        return sample_of(self._emulator.session, time_s)
