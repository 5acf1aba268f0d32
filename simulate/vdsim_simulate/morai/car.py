"""The simulator's side of the wire: the shipped emulator with the car of the scene."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from vdsim_plant_node.live.sessions import initial_state
from vdsim_plant_node.morai.settings import EmulatorSettings
from vdsim_plant_node.morai.world import World
from vdsim_plant_node.settings.server_settings import StartState

from vdsim_protocol import morai
from vdsim_simulate.agenda import Action
from vdsim_simulate.car import Address, laden_session, sample_of, server_settings
from vdsim_simulate.morai.reading import COMMAND_HEAD
from vdsim_simulate.record import Sample
from vdsim_simulate.scene import Scene

PERSON = "127.0.0.1:7010"


def _scenario(*, load_ego: bool, set_pause: bool) -> morai.ScenarioLoad:
    return morai.ScenarioLoad("scene", False, False, load_ego, False, False, False, set_pause)


class MoraiCar:
    """The emulator; `tick` is one tick of its car. `send`: its Ego Vehicle Status, every 20 ms.

    What a person orders at the simulator is read at the end of a period, after the commands of that
    period: the emulator reads its ports once a period, that of commands first.
    """

    def __init__(self, scene: Scene, send: Callable[[bytes], None]) -> None:
        settings = server_settings(scene)
        own = settings.vehicles[0]
        # A scenario that is loaded again has a car that stands.
        stands = replace(own, start=StartState())
        session = laden_session(stands, scene.laden, settings.substep_s)
        session.reset(initial_state(own.start))
        self._emulator = World(EmulatorSettings(release=scene.release), session)
        if scene.start_mps:
            self._emulator.driver.put(morai.Gear.DRIVE, morai.CtrlMode.AUTO)
        self._send = send
        self._orders: list[bytes] = []
        self._on_loaded: list[Action] = []

    @property
    def is_paused(self) -> bool:
        """Whether its time stands still; it sends on."""
        return self._emulator.paused

    def pause(self, *, is_on: bool) -> None:
        """A scenario is loaded of which no part counts but the pause."""
        self._orders.append(morai.encode(_scenario(load_ego=False, set_pause=is_on)))

    def load_scenario(self, then: Action) -> None:
        """The car is where it was at the start, parked, on the simulator's keyboard; `then`."""
        self._on_loaded.append(then)
        self._orders.append(morai.encode(_scenario(load_ego=True, set_pause=False)))

    def choose_keyboard(self) -> None:
        """The simulator's keyboard drives the car, until a command asks for the other mode."""
        keyboard = morai.EgoCtrlCmd(
            morai.CtrlMode.KEYBOARD, self._emulator.driver.gear, morai.CmdType.PEDALS
        )
        self._orders.append(morai.encode(keyboard))

    def arrive(self, data: bytes, source: Address) -> bool:
        """A datagram reaches the emulator; return whether it commands the car."""
        self._emulator.receive(data, "{}:{}".format(*source))
        return data.startswith(COMMAND_HEAD)

    def tick(self) -> None:
        """Advance by one tick; send what is due."""
        if not self._emulator.tick():
            return
        orders, self._orders = self._orders, []
        for order in orders:
            self._emulator.receive(order, PERSON)
        loaded, self._on_loaded = self._on_loaded, []
        for then in loaded:
            then()
        status = next(self._emulator.messages())  # the interface receives no other
        self._send(status.data)

    def sample(self, time_s: float) -> Sample:
        """Return the true motion."""
        return sample_of(self._emulator.session, time_s)
