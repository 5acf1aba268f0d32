"""Parameters of the low-pass filter: one set for each channel, all off by default."""

from dataclasses import dataclass, field
from typing import ClassVar

from vdsim_interface.parameters.fields import Parameters, choice, real, whole

KINDS = ("off", "first_order", "butterworth", "chebyshev")


@dataclass(frozen=True)
class ChannelParameters(Parameters):
    """Filter of one channel."""

    type: str = choice("off", "kind of filter", KINDS)
    cutoff_frequency_hz: float = real(
        5.0, "-3 dB point; chebyshev: end of the ripple band [Hz]", above=0, at_most=500
    )
    order: int = whole(2, "order of butterworth and chebyshev", at_least=1, at_most=8)
    ripple_db: float = real(0.5, "pass-band ripple of chebyshev [dB]", above=0, at_most=6)


@dataclass(frozen=True)
class AccelerationFilter(ChannelParameters):
    """Filter of the longitudinal acceleration."""

    PREFIX: ClassVar[str] = "filter.long_accel"


@dataclass(frozen=True)
class FrontAngleFilter(ChannelParameters):
    """Filter of the front wheel angle."""

    PREFIX: ClassVar[str] = "filter.front_wheel_angle"


@dataclass(frozen=True)
class RearAngleFilter(ChannelParameters):
    """Filter of the rear wheel angle."""

    PREFIX: ClassVar[str] = "filter.rear_wheel_angle"


@dataclass(frozen=True)
class FilterParameters(Parameters):
    """The three channels of a vehicle command."""

    PREFIX: ClassVar[str] = "filter"

    long_accel: AccelerationFilter = field(default_factory=AccelerationFilter)
    front_wheel_angle: FrontAngleFilter = field(default_factory=FrontAngleFilter)
    rear_wheel_angle: RearAngleFilter = field(default_factory=RearAngleFilter)

    def channels(self) -> tuple[ChannelParameters, ...]:
        """Return the channels in the order of the command's fields."""
        return self.long_accel, self.front_wheel_angle, self.rear_wheel_angle

    def is_off(self) -> bool:
        """Return whether no channel is filtered."""
        return all(channel.type == "off" for channel in self.channels())
