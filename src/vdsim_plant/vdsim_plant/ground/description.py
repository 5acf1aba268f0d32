"""Ground: the whole road surface as a frozen description, checked when it is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from vdsim_plant.ground.grid import MuGrid
from vdsim_plant.ground.heights import HeightGrid
from vdsim_plant.ground.limits import (
    ParameterError,
    checked_mu,
    checked_number,
    checked_sequence,
)
from vdsim_plant.ground.shapes import PolygonPatch, SplitMu, XPatch
from vdsim_plant.parameters.errors import wrong_value
from vdsim_plant.parameters.fields import shown_fields
from vdsim_plant.parameters.other_names import names_ours


@names_ours
@dataclass(frozen=True, kw_only=True, repr=False)
class Ground:
    """A plane with a friction map, in the world frame (ENU).

    Painted in this order, each over the one before: `base_mu`, `split`, `grid`, `x_patches`,
    `polygons`; within a list the later one wins. `transition_m` is the width over which friction
    changes at every edge, centred on it (0: a step). `slope_x` and `slope_y` are the rise of the
    road along +x and +y, metre per metre. `heights` above that plane need level l3.
    """

    base_mu: float = 0.9
    split: SplitMu | None = None
    grid: MuGrid | None = None
    x_patches: tuple[XPatch, ...] = ()
    polygons: tuple[PolygonPatch, ...] = ()
    transition_m: float = 0.0
    slope_x: float = 0.0
    slope_y: float = 0.0
    heights: HeightGrid | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "base_mu", checked_mu("base_mu", self.base_mu))
        object.__setattr__(self, "x_patches", tuple(self.x_patches))
        object.__setattr__(self, "polygons", tuple(self.polygons))
        for key in ("transition_m", "slope_x", "slope_y"):
            object.__setattr__(self, key, checked_number(key, getattr(self, key)))
        if self.transition_m < 0.0:
            raise ParameterError("transition_m", f"={self.transition_m:g}: must be >= 0")
        for key in ("slope_x", "slope_y"):
            if abs(getattr(self, key)) > 1.0:
                raise ParameterError(key, f"={getattr(self, key):g}: must be -1 to 1 (rise/run)")

    def __repr__(self) -> str:
        return shown_fields(self, "heights")


def flat(mu: float = 0.9) -> Ground:
    """Return a level road with the same friction everywhere."""
    return Ground(base_mu=mu)


def x_patches_from(friction_map: object, *, key: str = "friction_map") -> tuple[XPatch, ...]:
    """Return strips from `[(x0, x1, mu), ...]`; a fault names the entry: friction_map[1]: ..."""
    if friction_map is None:
        return ()
    patches = []
    for index, entry in enumerate(checked_sequence(key, friction_map, "a list of (x0, x1, mu)")):
        item = f"{key}[{index}]"
        triple = checked_sequence(item, entry, "(x0, x1, mu)")
        if len(triple) != 3:
            raise ParameterError(item, f"has {len(triple)} values: must be (x0, x1, mu)")
        try:
            patches.append(XPatch(*triple))  # type: ignore[arg-type]
        except ParameterError as error:
            raise error.within(item) from None
    return tuple(patches)


def polygons_from(
    friction_map_2d: object, *, key: str = "friction_map_2d"
) -> tuple[PolygonPatch, ...]:
    """Return polygons from `[{"polygon": [(x, y), ...], "mu": mu}, ...]`, the lowest friction last.

    The later one is painted over the one before, so where several overlap the lowest counts.
    """
    if friction_map_2d is None:
        return ()
    patches = []
    what = "a list of {polygon, mu}"
    for index, entry in enumerate(checked_sequence(key, friction_map_2d, what)):
        item = f"{key}[{index}]"
        if not isinstance(entry, Mapping) or set(entry) != {"polygon", "mu"}:
            raise wrong_value(item, entry, "{polygon: [[x, y], ...], mu: ...}")
        try:
            patches.append(PolygonPatch(entry["polygon"], entry["mu"]))
        except ParameterError as error:
            named = error.key.replace("points_m", "polygon")
            raise ParameterError(named, error.problem).within(item) from None
    return tuple(sorted(patches, key=lambda patch: -patch.mu))
