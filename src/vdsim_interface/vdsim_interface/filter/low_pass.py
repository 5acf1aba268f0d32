"""Second stage of the pipeline: VehicleCommand -> VehicleCommand, low-passed.

Time policy: one `step` is one sample of the design rate, independent of the time between two calls;
the pipeline's StepClock catches up missed ticks, so the samples keep the true rate.
A filter resets to its input when it starts, when a command stream restarts and when autonomy
starts: no old value affects the new drive, and there is no start-up delay. A command that no car
could follow passes by, to be limited or rejected by the next stage, and is not kept.
"""

from vdsim_interface.filter.design import SampleFilter, design
from vdsim_interface.filter.parameters import FilterParameters
from vdsim_interface.values import Mode, VehicleCommand, make_vehicle_command

AUTONOMOUS = Mode.AUTONOMOUS
MOST = 100.0
"""No car follows a larger number [SI units]: a filter that kept one would repeat it for seconds."""


class LowPassFilter:
    """One filter for each channel ([VI-3.1]); a channel that is off passes through unchanged."""

    def __init__(
        self, parameters: FilterParameters, period_s: float, command_timeout_s: float
    ) -> None:
        self._off = parameters.is_off()
        self._command_timeout_s = command_timeout_s
        self._channels = tuple(
            SampleFilter(design(channel, period_s)) for channel in parameters.channels()
        )
        self._mode = Mode.MANUAL
        self._settled = False

    def on_mode(self, mode: Mode) -> None:
        """Receive the mode; outside AUTONOMOUS the output equals the input."""
        self._mode = mode

    def step(self, command: VehicleCommand | None, now: float) -> VehicleCommand | None:
        """Return the filtered command, or None when there is none to filter."""
        if command is None or now - command.stamp_s > self._command_timeout_s:
            self._settled = False
            return None
        if self._off or not command.is_finite() or max(map(abs, command[1:])) > MOST:
            return command
        accel, front, rear = self._channels
        if not self._settled or self._mode is not AUTONOMOUS:
            for channel, value in zip(self._channels, command[1:], strict=True):
                channel.reset(value)
            self._settled = True
        stamp_s, long_accel, front_rad, rear_rad = command
        return make_vehicle_command(
            stamp_s,
            accel.step(long_accel) if accel.filters else long_accel,
            front.step(front_rad) if front.filters else front_rad,
            rear.step(rear_rad) if rear.filters else rear_rad,
        )
