"""The car of the platform `can`: the shipped ECUs and plant (`vdsim_can_car`) on a virtual bus."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from vdsim_can.ecu.driven_car import DrivenCar
from vdsim_can.ecu.ecus import Ecus
from vdsim_can.ecu.orders import Kind, Order
from vdsim_can.frame import Frame, packed, unpacked
from vdsim_interface.platforms.pedal_map import PedalMap
from vdsim_interface.platforms.pedal_table import load_pedal_map

from vdsim_simulate.car import TICK_S, Address, laden_session, sample_of, server_settings
from vdsim_simulate.record import Sample
from vdsim_simulate.scene import Scene
from vdsim_simulate.wiring.shipped import bus_by_id, can_car


class BusCar:
    """The ECUs and the car behind them; `tick` is one of its ticks. `send`: onto the bus."""

    def __init__(
        self, scene: Scene, send: Callable[[bytes], None], clock: Callable[[], float]
    ) -> None:
        settings = server_settings(scene)
        session = laden_session(settings.vehicles[0], scene.laden, settings.substep_s)
        self.file = file = can_car(scene)
        self.bus = next(iter(file.buses))
        self._bus_of = bus_by_id(file)
        self._ours = {file.message(name).can_id for name in file.send}
        self.ecus = Ecus(file, TICK_S)
        self._car = DrivenCar(session, self.ecus, _pedal_map(scene.car), TICK_S)
        self._send, self._clock = send, clock
        self._arrived: list[bytes] = []

    def arrive(self, data: bytes, source: Address) -> bool:
        """A frame reaches the ECUs, which the next tick reads; return whether a command drives."""
        del source
        self._arrived.append(data)
        return self.is_driven

    @property
    def is_driven(self) -> bool:
        """Whether a command drives the car."""
        return self.ecus.is_commanded(self._clock())

    def order(self, kind: Kind, what: str, for_s: float) -> None:
        """Let something break from now on, for a while."""
        self.ecus.order(Order(kind, what, self._clock(), for_s))

    def tick(self) -> None:
        """Read what has arrived, advance by one tick, send what is due."""
        now = self._clock()
        arrived, self._arrived = self._arrived, []
        for data in arrived:
            self._receive(data, now)
        for _, frame in self._car.tick(now):
            data = packed(frame)
            if frame.can_id in self._ours:
                self._receive(data, now)  # a stranger's: everybody on the bus gets it
            self._send(data)

    def _receive(self, data: bytes, now: float) -> None:
        frame = unpacked(data)
        if isinstance(frame, Frame) and not frame.error:
            self._car.receive(self._bus_of[frame.can_id], frame, now)

    def sample(self, time_s: float) -> Sample:
        """Return the true motion."""
        return sample_of(self._car.session, time_s)


@cache
def _pedal_map(car: str) -> PedalMap:
    return load_pedal_map(car)
