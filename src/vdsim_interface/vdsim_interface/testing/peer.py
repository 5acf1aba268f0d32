"""What a platform's folder gives to the contract suite: a peer, the vehicle at the other end.

A platform with a wire has a module `contract_peer.py` with a class `Peer`. The contract
(platform_contract.py) drives the platform against it.
"""

from typing import NamedTuple, Protocol

from vdsim_interface.platforms.spec import Address, Datagram


class PeerMotion(NamedTuple):
    """A motion for the peer to report; world ENU, body ISO 8855."""

    velocity_mps: float
    front_wheel_angle_rad: float = 0.0
    accel_mps2: float = 0.0
    x_m: float = 0.0
    y_m: float = 0.0
    yaw_rad: float = 0.0


class Heard(NamedTuple):
    """What the peer made of a command. `push`: +1 forward, -1 backward, 0 no throttle."""

    front_wheel_angle_rad: float
    push: int
    brakes: bool
    hand_brake: bool


class Peer(Protocol):
    """The vehicle at the other end of a wire."""

    def say(self, motion: PeerMotion, now: float) -> tuple[tuple[Datagram, Address], ...]:
        """Give the datagrams with which the vehicle reports a motion, and where they come from."""

    def hear(self, datagrams: tuple[Datagram, ...], now: float) -> Heard | None:
        """Understand what the platform sends; None when nothing was sent."""
