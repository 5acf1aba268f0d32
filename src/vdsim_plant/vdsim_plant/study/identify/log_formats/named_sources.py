"""Where a file has a channel: `CHANNEL=NAME`, or `CHANNEL=NAME*FACTOR` for another unit; pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.study.identify.channels import CHANNELS

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Source:
    """A column, a variable or a signal, and what makes it the channel's unit."""

    name: str
    factor: float = 1.0


def checked_sources(given: Sequence[str]) -> dict[str, Source]:
    """Return channel -> source, from the texts of a command line."""
    found = {}
    for text in given:
        channel, _, spec = text.partition("=")
        name, times, factor_text = spec.partition("*")
        try:
            factor = float(factor_text) if times else 1.0
        except ValueError:
            factor = math.nan
        if channel not in CHANNELS or not name or not math.isfinite(factor) or factor == 0.0:
            raise ParameterError(
                "field",
                f"={text!r}: must be CHANNEL=NAME or CHANNEL=NAME*FACTOR, CHANNEL as in --channels",
            )
        found[channel] = Source(name, factor)
    return found


def taken(
    variables: Mapping[str, Array], sources: Mapping[str, Source], what: str
) -> dict[str, Array]:
    """Return the channels of a file that has these variables; `what` they are, for errors.

    What has a channel's own name is that channel, if no source is given for it.
    """
    columns = {name: values for name, values in variables.items() if name in CHANNELS}
    for channel, source in sources.items():
        if source.name not in variables:
            known = ", ".join(sorted(variables)[:12])
            raise ParameterError(channel, f"={source.name}: must be a {what} of the file ({known})")
        columns[channel] = variables[source.name] * source.factor
    return columns
