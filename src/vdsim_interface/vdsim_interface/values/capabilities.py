"""What a vehicle's wire carries, as its platform declares it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from vdsim_interface.values.enums import Source


class Reported(NamedTuple):
    """Where a value of the reports comes from.

    `since`: the first version of the wire for which that is so; `before`: with the versions before.
    """

    source: Source = Source.VEHICLE
    since: int = 0
    before: Source = Source.ABSENT

    def at(self, version: int) -> Source:
        """Return the source with a version of the wire."""
        return self.source if version >= self.since else self.before


@dataclass(frozen=True)
class Capabilities:
    """What the wire carries. A body model holds and reports the rest.

    `commands`, `reports`: names of BodyCommand / BodyState fields on the wire. `driver_activity`:
    whether the vehicle reports that a person uses its controls. `rear_steering`: whether it steers
    its rear wheels on command. `slope_from`: which quantity of its reports holds the slope of the
    road: "pitch" (`pitch_rad` includes it), "specific_force" (`sensors.accel_x_mps2` is that of an
    accelerometer, which also measures gravity) or "" (none). `pedals_overlap`: drive and brake can
    act at the same time (`PlatformCommand.hold_mps2`). `signals`: names of SIGNALS, which the
    vehicle measures and reports; what the platform makes up is not one of them. `reported`: names
    of REPORTED, with where each comes from; a name of `signals` need not be repeated. Both lists of
    names are in platforms/vocabulary.py.
    """

    commands: frozenset[str] = frozenset()
    reports: frozenset[str] = frozenset()
    driver_activity: bool = False
    auxiliary: tuple[str, ...] = ()
    rear_steering: bool = False
    slope_from: str = ""
    pedals_overlap: bool = False
    signals: frozenset[str] = frozenset()
    reported: Mapping[str, Reported] = field(default_factory=dict)


NO_EXTRAS = Capabilities()
"""What a platform can do that declares nothing."""
