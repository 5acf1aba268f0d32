"""Parameters of platform `morai`."""

from dataclasses import dataclass
from typing import ClassVar

from vdsim_interface.extras.morai.equal_ports import refuse_equal_ports
from vdsim_interface.parameters.fields import choice, flag, host, real, text, whole
from vdsim_interface.platforms.raw import RawScaling
from vdsim_protocol import morai

AS_COMMANDED = "as_commanded"
"""The value of `steer_reported_positive` that follows `steer_positive`."""
CMD_TYPES = {
    "pedals": morai.CmdType.PEDALS,
    "velocity": morai.CmdType.VELOCITY,
    "acceleration": morai.CmdType.ACCELERATION,
}


@dataclass(frozen=True)
class MoraiParameters(RawScaling):
    """Addresses, type of the command, scale and signs of the steering."""

    PREFIX: ClassVar[str] = "morai"

    sim_host: str = host("127.0.0.1", "host of the simulator: commands are sent there")
    control_port: int = whole(
        9093, "UDP port of the simulator for Ego Ctrl Cmd", at_least=1, at_most=65535
    )
    lamp_port: int = whole(
        9097, "UDP port of the simulator for Turn Signal Lamp Control", at_least=1, at_most=65535
    )
    listen_host: str = host("127.0.0.1", "address on which Ego Vehicle Status is received")
    status_port: int = whole(
        909, "UDP port on which Ego Vehicle Status is received; 0: any free one",
        at_least=0, at_most=65535,
    )  # fmt: skip
    only_from_sim: bool = flag(True, "reject datagrams from hosts other than sim_host")
    cmd_type: str = choice(
        "acceleration", "CmdType of Ego Ctrl Cmd; raw commands always send pedals",
        tuple(CMD_TYPES),
    )  # fmt: skip
    release: str = choice(
        "21", "release of the simulator: layouts, sign, limits (docs/morai.md)",
        tuple(morai.RELEASES),
    )  # fmt: skip
    generation: int = whole(
        0,
        "generation of Ego Ctrl Cmd: 1 has 55 bytes, 2 has 59; 0: the release's",
        at_least=0,
        at_most=2,
    )
    steer_max_deg: float = real(
        36.25, "front wheel angle of a steering command of 1 [deg]", above=0, at_most=90
    )
    steer_positive: str = choice(
        "release",
        "side of positive steering in commands; release: the release's",
        ("release", "left", "right"),
    )
    steer_reported_positive: str = choice(
        AS_COMMANDED,
        "side of a positive wheel angle in the status; as_commanded: that of steer_positive",
        (AS_COMMANDED, "left", "right"),
    )
    velocity_lead_s: float = real(
        0.5, "cmd_type velocity: the target is the speed after this time [s]", above=0, at_most=10
    )
    pedal_map: str = text("ioniq5_awd", "cmd_type pedals: name of a shipped map or a CSV file")
    range_km: float = real(
        400.0, "distance on a full tank, for the modelled fuel [km]", above=0, at_most=5000
    )
    initial_fuel_percent: float = real(
        100.0, "modelled fuel or charge at the start [%]", at_least=0, at_most=100
    )

    def check_together(self) -> None:
        """Check that each message has a port of its own."""
        super().check_together()
        refuse_equal_ports(
            self,
            dict.fromkeys(("control_port", "lamp_port"), self.sim_host),
            {"status_port": self.listen_host},
        )

    @property
    def as_release(self) -> morai.Release:
        """What the release says."""
        return morai.RELEASES[self.release]

    @property
    def command_generation(self) -> int:
        """Generation of Ego Ctrl Cmd."""
        return self.generation or self.as_release.generation(morai.EgoCtrlCmd)

    @property
    def steer_side(self) -> str:
        """Side of positive steering: left or right."""
        if self.steer_positive == "release":
            return self.as_release.steer_positive
        return self.steer_positive

    @property
    def steer_sign(self) -> float:
        """+1 where the simulator's positive side is left in commands, as in ISO 8855."""
        return 1.0 if self.steer_side == "left" else -1.0

    @property
    def reported_side(self) -> str:
        """Side of a positive reported wheel angle: left or right."""
        reported = self.steer_reported_positive
        return self.steer_side if reported == AS_COMMANDED else reported

    @property
    def reported_sign(self) -> float:
        """+1 where a positive reported wheel angle is left, as in ISO 8855."""
        return 1.0 if self.reported_side == "left" else -1.0
