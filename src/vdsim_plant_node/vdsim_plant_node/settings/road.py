"""The road of a vehicle: a level plane, a ground file, or the keys of one among the settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vdsim_plant.ground import Ground, flat, ground_from_mapping, load_ground
from vdsim_plant.parameters.errors import ParameterError, wrong_value

FLAT = "flat"


def check_ground(ground: object, mu: float | None) -> None:
    """Raise unless it names a ground or is the keys of one; a file itself is read later."""
    if isinstance(ground, Mapping):
        make_road(ground, mu)
    elif not isinstance(ground, str) or not ground.strip():
        raise wrong_value("ground", ground, "a line of text, or a group of keys")


def make_road(ground: str | Mapping[str, Any], mu: float | None) -> Ground:
    """The ground that the settings mean, with their friction where it states none."""
    if isinstance(ground, Mapping):
        return _road_of_keys(ground, mu)
    if ground == FLAT:
        return flat() if mu is None else flat(mu)
    return load_ground(ground, base_mu=mu)


def _road_of_keys(keys: Mapping[str, Any], mu: float | None) -> Ground:
    grid = keys.get("grid")
    try:
        if isinstance(grid, Mapping) and "csv" in grid:
            raise ParameterError("grid.csv", "belongs into a ground file, from where it is found")
        return ground_from_mapping(keys, base_mu=mu)
    except ParameterError as error:
        raise error.within("ground") from None
