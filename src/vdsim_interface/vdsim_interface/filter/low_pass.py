"""Second stage of the pipeline: VehicleCommand -> VehicleCommand, low-passed.

Time policy: one `step` is one sample of the design rate, independent of the time between two calls;
the pipeline's StepClock catches up missed ticks, so the samples keep the true rate.
A filter resets to its input when it starts, when a command stream restarts and when autonomy
starts: no old value affects the new drive, and there is no start-up delay. A command that no car
could follow passes by, to be limited or rejected by the next stage, and is not kept. After a brake
an acceleration of 0 asks for nothing: a filter that overshot it would ask to drive.

A channel's parameters become second-order sections of scipy.signal, which run sample by sample in
transposed direct form II.
"""

from typing import TypeAlias

from vdsim_interface.filter.parameters import ChannelParameters, FilterParameters
from vdsim_interface.values import Mode, VehicleCommand, make_vehicle_command

Section: TypeAlias = tuple[float, float, float, float, float]
"""One second-order section, a0 = 1: b0, b1, b2, a1, a2."""
Z1, Z2 = 5, 6
"""Indices of a section's state, after its coefficients."""


class SampleFilter:
    """A cascade of sections with its state; unity gain at zero frequency.

    Without sections a value passes unchanged.
    """

    def __init__(self, sections: tuple[Section, ...]) -> None:
        self._sections, self._last = tuple([*section, 0.0, 0.0] for section in sections), 0.0

    def reset(self, value: float) -> None:
        """Set the steady state of a value: an equal next sample passes unchanged (bumpless)."""
        level = value
        for section in self._sections:
            b0, b1, b2, a1, a2, _, _ = section
            out = level * (b0 + b1 + b2) / (1.0 + a1 + a2)
            z2 = b2 * level - a2 * out
            section[Z1:] = b1 * level - a1 * out + z2, z2
            level = out

    def step(self, value: float) -> float:
        """Filter one sample. What overshoots a 0 has a sign that nobody asks for, and is 0."""
        is_zero = value == 0.0
        for section in self._sections:
            b0, b1, b2, a1, a2, z1, z2 = section
            out = b0 * value + z1
            section[Z1] = b1 * value - a1 * out + z2
            section[Z2] = b2 * value - a2 * out
            value = out
        if is_zero and value * self._last < 0.0:
            value = 0.0
            self.reset(value)
        self._last = value
        return value


def design(channel: ChannelParameters, period_s: float) -> tuple[Section, ...]:
    """Return the digital filter (bilinear transform, pre-warped) for one channel; () is off.

    InterfaceParameters has checked that the cutoff is below half the rate.
    """
    if channel.type == "off":
        return ()
    # Imported here: it takes longer than the rest of the interface, and most runs filter nothing.
    from scipy import signal

    options = {"fs": 1.0 / period_s, "output": "sos"}
    if channel.type == "chebyshev":
        rows = signal.cheby1(
            channel.order, channel.ripple_db, channel.cutoff_frequency_hz, **options
        )
        # An even order has its ripple below 1 at zero frequency; a command must pass unchanged.
        gain = 1.0
        for b0, b1, b2, _, a1, a2 in rows:
            gain *= (b0 + b1 + b2) / (1.0 + a1 + a2)
        rows[0, :3] /= gain
    else:
        order = 1 if channel.type == "first_order" else channel.order
        rows = signal.butter(order, channel.cutoff_frequency_hz, **options)
    return tuple(
        (float(b0), float(b1), float(b2), float(a1), float(a2)) for b0, b1, b2, _, a1, a2 in rows
    )


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
        samples = tuple(zip(self._channels, command[1:], strict=True))
        if not self._settled or self._mode is not AUTONOMOUS:
            for channel, value in samples:
                channel.reset(value)
            self._settled = True
        return make_vehicle_command(command.stamp_s, *(each.step(value) for each, value in samples))
