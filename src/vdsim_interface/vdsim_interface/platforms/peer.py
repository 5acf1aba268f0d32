"""The peer that a platform's folder supplies for the contract suite: the vehicle at the other end.

A platform with a wire has a module `contract_peer.py` with a class `Peer`. The contract
(extras/contract/platform_contract.py) drives the platform against it.
"""

from typing import NamedTuple, Protocol

from vdsim_interface.platforms.wire import Address, Datagram


class PeerMotion(NamedTuple):
    """A motion for the peer to report; world ENU, body ISO 8855."""

    velocity_mps: float
    front_wheel_angle_rad: float = 0.0
    accel_mps2: float = 0.0
    x_m: float = 0.0
    y_m: float = 0.0
    yaw_rad: float = 0.0


class ReceivedCommand(NamedTuple):
    """A command as the peer decoded it. `push`: +1 forward, -1 backward, 0 no throttle."""

    front_wheel_angle_rad: float
    push: int
    brakes: bool
    hand_brake: bool


class Peer(Protocol):
    """The vehicle at the other end of a wire."""

    def report(self, motion: PeerMotion, now: float) -> tuple[tuple[Datagram, Address], ...]:
        """Return the datagrams with which the vehicle reports a motion, each with its source."""

    def receive(self, datagrams: tuple[Datagram, ...], now: float) -> ReceivedCommand | None:
        """Decode the platform's datagrams; None when there is none."""
