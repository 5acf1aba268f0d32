"""Interface and car on one bus, on virtual time: the shipped pipeline, platform, ECUs and plant."""

from __future__ import annotations

from collections.abc import Callable

from vdsim_can.car import CarFile
from vdsim_can.ecu.driven_car import DrivenCar
from vdsim_can.ecu.ecus import Ecus
from vdsim_can.ecu.orders import Order
from vdsim_can.frame import Frame, packed, unpacked
from vdsim_can.platform.car_parts import capabilities_of
from vdsim_can.platform.parameters import CanParameters
from vdsim_can.platform.platform import CanPlatform
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.platforms.pedal_table import load_pedal_map
from vdsim_interface.platforms.spec import PlatformSetup
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import ChangeModeResult, HighLevelCommand, Mode, Notice
from vdsim_plant.session import SimSession

from vdsim_can_kit.dbw_car import dbw_car

PERIOD_S, TICK_S = 0.01, 0.005
SOURCE = ("can0", 0)
Frames = list[tuple[str, Frame]]


class World:
    """A car and its interface. `sent`: frames of the interface in the last period.

    `stands`: the process of the interface does nothing for now; frames of the car wait for it.
    """

    def __init__(
        self,
        *orders: Order,
        car: CarFile | None = None,
        auto_engage: bool = True,
        session: SimSession | None = None,
        tick_s: float = TICK_S,
        rig: str = "driver",
    ) -> None:
        self.car = dbw_car() if car is None else car
        self.parameters = InterfaceParameters(
            safety=SafetyParameters(auto_engage=auto_engage, rig=rig)
        )
        setup = PlatformSetup(self.parameters.vehicle, PERIOD_S)
        self.platform = CanPlatform(CanParameters(), setup, self.car)
        capabilities = capabilities_of(self.car)
        self.pipeline = Pipeline(self.parameters, self.platform, capabilities)
        self.ecus = Ecus(self.car, tick_s, orders)
        session = SimSession("ioniq5_awd") if session is None else session
        self.driven = DrivenCar(session, self.ecus, load_pedal_map("ioniq5_awd"), tick_s)
        self.now, self._tick_s = 0.0, tick_s
        self.sent: Frames = []
        self.notices: list[Notice] = []
        self.speed_mps = 5.0
        self.curvature_1pm = 0.0
        self.stack_lives = True
        self.interface_lives, self.stands = True, False
        self._waiting: Frames = []
        self.pass_on: Callable[[str, Frame], bool] = lambda bus, frame: True

    def run(self, seconds: float) -> World:
        """Run for a time."""
        for _ in range(round(seconds / PERIOD_S)):
            self.period()
        return self

    def period(self) -> None:
        """One period of the interface: the ticks of the car in it, then the command."""
        for _ in range(round(PERIOD_S / self._tick_s)):
            self.now += self._tick_s
            for bus, frame in self.driven.tick(self.now):
                if self.interface_lives and self.pass_on(bus, frame):
                    self._arrive(bus, frame)
        self.sent = []
        if self.stands or not self.interface_lives:
            return
        if self.stack_lives:
            command = HighLevelCommand(self.now, self.speed_mps, self.curvature_1pm)
            self.notices += self.pipeline.on_command(command, self.now)
        output = self.pipeline.tick(self.now)
        self.notices += output.notices
        for datagram in output.datagrams:
            sent = unpacked(datagram.data)
            assert isinstance(sent, Frame)
            self.sent.append((datagram.endpoint, sent))
            self.driven.receive(datagram.endpoint, sent, self.now)

    def _arrive(self, bus: str, frame: Frame) -> None:
        self._waiting.append((bus, frame))
        if self.stands:
            return
        for endpoint, each in self._waiting:
            received = self.pipeline.on_datagram(packed(each), SOURCE, endpoint, self.now)
            self.notices += received.notices
        self._waiting.clear()

    def inject(self, bus: str, frame: Frame) -> None:
        """Somebody puts a frame on the bus."""
        self._arrive(bus, frame)

    def engage(self) -> ChangeModeResult:
        """Ask to engage."""
        answer, notices = self.pipeline.safety_side.on_change_mode(True, self.now)
        self.notices += notices
        return answer

    @property
    def mode(self) -> Mode:
        """Who drives."""
        return self.pipeline.vehicle_side.mode

    @property
    def is_driving(self) -> bool:
        """Whether the stack drives the car through the bus."""
        return self.mode is Mode.AUTONOMOUS and self.ecus.command(self.now) is not None

    @property
    def fault(self) -> str:
        """What the last report says is wrong."""
        report = self.pipeline.vehicle_side.report
        return "" if report is None else report.fault

    @property
    def true_speed_mps(self) -> float:
        """The speed of the car."""
        return self.driven.session.output().motion.vx_mps

    def reasons(self) -> str:
        """All changes of the mode, as they were published."""
        return "\n".join(each.text for each in self.notices if each.kind == "mode_changed")
