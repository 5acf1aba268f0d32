"""Parameters of a VDS1 link, for every component that has one."""

from dataclasses import dataclass

from vdsim_protocol.port_rule import same_machine
from vdsim_protocol.vds1 import VERSIONS
from vdsim_protocol.vds1.messages import FIRST_VERSION_WITH_VEHICLE_ID

from vdsim_interface.parameters.fields import Parameters, flag, host, whole, whole_or

AUTO = "auto"
"""The value of `version` that follows STATE."""


@dataclass(frozen=True)
class Vds1LinkParameters(Parameters):
    """Addresses and protocol version; base class of a component's own parameters."""

    plant_host: str = host("127.0.0.1", "host that receives CMD and sends STATE")
    plant_port: int = whole(7001, "UDP port that receives CMD", at_least=1, at_most=65535)
    listen_host: str = host("127.0.0.1", "address on which STATE is received")
    listen_port: int = whole(
        7002, "UDP port on which STATE is received; 0: any free one", at_least=0, at_most=65535
    )
    only_from_plant: bool = flag(True, "reject STATE from hosts other than plant_host")
    plant_state_port: int = whole(
        0,
        "UDP port from which plant_host sends STATE; 0: that of the first valid packet",
        at_least=0,
        at_most=65535,
    )
    version: int | str = whole_or(
        AUTO,
        (AUTO,),
        "protocol version of the CMD packets; auto: that of STATE",
        at_least=1,
        at_most=VERSIONS[-1],
    )
    accept_newer: bool = flag(
        False, "read a STATE of a version above the known ones by its known fields, with a warning"
    )
    measure_round_trip: bool = flag(
        False,
        "send ten probes a second, which a plant of ours answers; another one discards them",
    )
    vehicle_id: int = whole(
        0, "vehicle number in a server with several; from version 4", at_least=0, at_most=4294967295
    )

    @property
    def state_sources(self) -> tuple[str | tuple[str, int], ...] | None:
        """The senders whose STATE counts, as a receiver expects them; None: any."""
        if not self.only_from_plant:
            return None
        port = self.plant_state_port
        return ((self.plant_host, port) if port else self.plant_host,)

    def may_send_state(self, source: tuple[str, int]) -> bool:
        """Whether what comes from there may be the vehicle's."""
        allowed = self.state_sources
        return allowed is None or source in allowed or source[0] in allowed

    def check_together(self) -> None:
        """Check ports, that the version carries a vehicle number, and a pinned port its host."""
        if self.plant_state_port and not self.only_from_plant:
            self.refuse("plant_state_port", "must be 0 unless only_from_plant is true")
        if same_machine(self.plant_host, self.listen_host):
            own = self.name_of("plant_port"), self.name_of("plant_state_port")
            if self.listen_port == self.plant_port:
                self.refuse("listen_port", f"must not be {own[0]}, or CMD goes to ourselves")
            if self.listen_port and self.listen_port == self.plant_state_port:
                self.refuse("listen_port", f"must not be {own[1]}, which is the vehicle's")
        fixed = self.version if isinstance(self.version, int) else VERSIONS[-1]
        if self.vehicle_id and fixed < FIRST_VERSION_WITH_VEHICLE_ID:
            self.refuse("vehicle_id", f"must be 0 below version {FIRST_VERSION_WITH_VEHICLE_ID}")
