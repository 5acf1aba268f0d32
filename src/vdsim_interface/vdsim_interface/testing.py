"""Tests for a platform of your own: the contract of every platform, and the peer that it needs."""

from vdsim_interface.extras.contract import CHECKS, ContractError, check_platform
from vdsim_interface.platforms.peer import Peer, PeerMotion, ReceivedCommand

__all__ = ["CHECKS", "ContractError", "Peer", "PeerMotion", "ReceivedCommand", "check_platform"]
