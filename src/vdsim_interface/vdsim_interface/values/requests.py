"""What the reader of state messages must know of the safety side to tell a request from a copy."""

from typing import NamedTuple

from vdsim_interface.values.enums import Gear
from vdsim_interface.values.vehicle import NOT_YET_REPORTED, BodyState


class RequestContext(NamedTuple):
    """From the safety side to the intake.

    `body`: as the vehicle reports it. `refused_gear`, `hand_brake_refused`: what could not be done
    yet. `gear_before_park`: the gear that PARK replaced where it is ours. `parked_before`: it was
    ours before the present autonomy, or there is none. `hand_brake_is_ours`: we have set it at
    rest. `autonomous`: the latest request that named autonomy asked for it.
    """

    body: BodyState = NOT_YET_REPORTED
    refused_gear: Gear | None = None
    hand_brake_refused: bool = False
    gear_before_park: Gear | None = None
    parked_before: bool = False
    hand_brake_is_ours: bool = False
    autonomous: bool = False


NO_CONTEXT = RequestContext()
