"""The contract of every platform, as checks; imported as `vdsim_interface.testing`."""

from vdsim_interface.extras.contract.platform_contract import CHECKS, check_platform
from vdsim_interface.extras.contract.subject import ContractError

__all__ = ["CHECKS", "ContractError", "check_platform"]
