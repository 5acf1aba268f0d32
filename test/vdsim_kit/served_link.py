"""The whole interface and a server that speaks one version, in virtual time, without a socket."""

from __future__ import annotations

from vdsim_interface.parameters.vehicle import VehicleGeometry
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.platforms.spec import PlatformSetup
from vdsim_interface.platforms.vds1 import SPEC
from vdsim_interface.platforms.vds1.parameters import Vds1Parameters
from vdsim_interface.platforms.vds1.platform import Vds1Platform
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import Command, Notice, VehicleCommand

from vdsim_kit.one_version_server import ADDRESS, CLIENT, Client, OneVersionServer
from vdsim_kit.plant_loop import geometry_of
from vdsim_protocol import vds1

GO = VehicleCommand(0.0, 1.0, 0.0, 0.0)
PERIOD_S = 0.01


def kinds(notices: tuple[Notice, ...]) -> list[str]:
    """The kinds of notices."""
    return [str(notice.kind) for notice in notices]


class ServedLink:
    """One interface at a server. `sent`: when, in which version, what."""

    def __init__(
        self,
        server: OneVersionServer,
        *,
        configured: int | str = "auto",
        vehicle_id: int = 0,
        auto_engage: bool = False,
        rig: str = "driver",
        car: str = "",
        level: str = "vehicle",
        client: Client = CLIENT,
    ) -> None:
        """`car`: of config/cars, by its name; empty: the parameters' defaults."""
        self.server = server
        self.client = client
        parameters = InterfaceParameters(
            control_command=level,
            safety=SafetyParameters(auto_engage=auto_engage, rig=rig),
            vehicle=geometry_of(car) if car else VehicleGeometry(),
        )
        pedals = {"pedal_map": car} if car else {}
        values = Vds1Parameters(version=configured, vehicle_id=vehicle_id, **pedals)
        platform = Vds1Platform(values, PlatformSetup(parameters.vehicle, PERIOD_S))
        self.pipeline = Pipeline(parameters, platform, SPEC.capabilities)
        self.vehicle_id = vehicle_id
        self.now = 50.0
        self.sent: list[tuple[float, int, vds1.Command]] = []
        self.notices: list[str] = []

    def run(self, seconds: float, *, command: bool = True, order: Command = GO) -> None:
        """Run on; the order is sent again in every period."""
        for _ in range(round(seconds / PERIOD_S)):
            self.now += PERIOD_S
            datagrams = self.server.step(self.now, PERIOD_S)
            self.period(datagrams, order if command else None)

    def period(self, datagrams: list[bytes], order: Command | None) -> None:
        """One period, at `now`, with what the server has sent."""
        for datagram in datagrams:
            self.hear(datagram)
        if order is not None:
            self.pipeline.on_command(order._replace(stamp_s=self.now), self.now)
        output = self.pipeline.tick(self.now)
        self.notices += kinds(output.notices)
        for out in output.datagrams:
            packet = vds1.decode(out.data)
            assert isinstance(packet, vds1.Packet)
            assert isinstance(packet.body, vds1.Command)
            self.sent.append((self.now, packet.header.version, packet.body))
            self.server.receive(out.data, self.now, self.client)

    def hear(self, datagram: bytes, source: Client = ADDRESS) -> None:
        """A datagram arrives at the interface's socket."""
        received = self.pipeline.on_datagram(datagram, source, "vds1", self.now)
        self.notices += kinds(received.notices)

    def engage(self) -> bool:
        """Ask for autonomy; whether it was granted."""
        return self.pipeline.safety_side.on_change_mode(True, self.now)[0].success

    @property
    def speed_mps(self) -> float:
        """Of this interface's vehicle."""
        return self.server.speeds_mps[self.vehicle_id]

    @property
    def figures(self) -> dict[str, float]:
        """The link's statistics."""
        return dict(self.pipeline.vehicle_side.link_statistics(self.now))
