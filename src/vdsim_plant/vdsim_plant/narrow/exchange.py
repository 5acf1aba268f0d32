"""The exchange with blocks of float32: the same functions, with as many lanes."""

from __future__ import annotations

from vdsim_plant.compiled.variants import variant
from vdsim_plant.kernel import exchange
from vdsim_plant.narrow import layout as more

_LANES = {"LANES": more.LANES}

hold_narrow_axles = variant(exchange.hold_axles, _LANES)
show_narrow_cars = variant(exchange.show_cars, _LANES)
show_narrow_chosen = variant(exchange.show_chosen, _LANES)
