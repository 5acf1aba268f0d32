"""`vehicle_state_filtered`: velocities, accelerations and rates through a low pass."""

from dataclasses import replace

from vdsim_interface.autohyu.vehicle_state import VehicleState
from vdsim_interface.filter.design import design
from vdsim_interface.filter.parameters import ChannelParameters
from vdsim_interface.filter.sections import SampleFilter

STATE_CHANNELS = ("vx", "vy", "vz", "ax", "ay", "roll_vel", "pitch_vel", "yaw_vel")
CAN_CHANNELS = ("lateral_accel", "longitudinal_accel", "yaw_rate")


class StateFilter:
    """One low pass a channel; position and attitude pass unchanged."""

    def __init__(self, channel: ChannelParameters, period_s: float) -> None:
        sections = design(channel, period_s)
        self._filters = {name: SampleFilter(sections) for name in (*STATE_CHANNELS, *CAN_CHANNELS)}
        self._settled = False

    def reset(self) -> None:
        """Start anew from the next value, without a jump."""
        self._settled = False

    def step(self, values: VehicleState) -> VehicleState:
        """Filter one period's values."""
        state, can = dict(values.state), dict(values.can)
        for content, names in ((state, STATE_CHANNELS), (can, CAN_CHANNELS)):
            for name in names:
                if not self._settled:
                    self._filters[name].reset(content[name])
                content[name] = self._filters[name].step(content[name])
        self._settled = True
        return replace(values, state=state, can=can)
