"""Tests for a platform of your own: the contract of every platform, and the peer that it needs."""

from vdsim_interface.platforms.peer import Peer, PeerMotion, ReceivedCommand
from vdsim_interface.testing.platform_contract import CHECKS, check_platform
from vdsim_interface.testing.subject import ContractError

__all__ = ["CHECKS", "ContractError", "Peer", "PeerMotion", "ReceivedCommand", "check_platform"]
