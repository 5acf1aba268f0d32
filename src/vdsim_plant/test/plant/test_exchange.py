"""What goes into the blocks of a batch and comes out of them, where memory and signs are odd."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from vdsim_plant.kernel import layout as at

from vdsim_plant import PlantBatch, VDSimPlant

KEYS = ("X", "t", "vx", "wheel.Fz")
COLUMNS = 7
N = 35
DTYPES = ("float64", "float32")
FORCES = (0.0, -0.0, 1.0, -1.0, 5e-324, 4000.0, -9000.0, 1e300, -1e300)
STEERS = (0.0, -0.0, 0.1, -0.1, 1.0, -1.0)


def _driven(dtype: str, **options: Any) -> PlantBatch:
    batch = VDSimPlant(**options).batch(N, dtype=dtype)
    batch.reset(
        np.column_stack([np.arange(N) * 1e3, *np.zeros((2, N)), np.full(N, 9.0), *np.zeros((2, N))])
    )
    batch.step(np.column_stack([np.linspace(-0.1, 0.1, N), np.linspace(-5e3, 5e3, N)]))
    return batch


def _rooms() -> dict[str, NDArray[Any]]:
    packed = np.zeros(N, dtype=[("flag", np.int8), ("row", np.float64, COLUMNS)])
    return {
        "row by row": np.empty((N, COLUMNS)),
        "column by column": np.empty((COLUMNS, N)).T,
        "a part": np.empty((N, 3, 2 * COLUMNS))[:, 1, ::2],
        "backwards": np.empty((N, COLUMNS))[::-1, ::-1],
        "between other bytes": packed["row"],
        "shorter numbers": np.empty((N, COLUMNS), dtype=np.float32),
    }


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", _rooms())
def test_read_fills_every_sort_of_array(dtype: str, name: str) -> None:
    batch, out = _driven(dtype), _rooms()[name]
    seen = batch.observe()
    columns = [seen["X"], seen["t"], seen["vx"], seen["wheel"]["Fz"]]
    assert batch.read(KEYS, out) is out
    assert np.array_equal(out, np.column_stack(columns).astype(out.dtype))
    some = batch.read(KEYS, cars=[34, 0, 17])
    assert np.array_equal(some, np.column_stack(columns)[[34, 0, 17]])
    for car in (0, 34):
        one = batch.observation(car)
        assert [one["X"], one["t"], one["vx"]] == [column[car] for column in columns[:3]]


def test_read_leaves_an_array_alone_that_must_not_change() -> None:
    out = np.zeros((N, COLUMNS))
    out.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        _driven("float64").read(KEYS, out)
    assert not out.any()


def test_no_columns_are_no_numbers() -> None:
    assert _driven("float64").read(()).shape == (N, 0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("differ", [False, True])
def test_inputs_are_held_as_those_of_one_car(dtype: str, differ: bool) -> None:
    """Of all cars, the lanes behind the last one included; at the limits, and at both zeros."""
    u = np.array([(steer, force) for steer in STEERS for force in FORCES])
    plant = VDSimPlant(control_dt=5e-4)
    masses = np.linspace(2000.0, 2600.0, len(u))
    splits = np.linspace(0.0, 1.0, len(u))
    names = ("body.mass_kg", "drivetrain.drive_split_front", "brakes.brake_split_front")
    values = dict(zip(names, (masses, splits, splits[::-1]), strict=True)) if differ else None
    batch = plant.batch(len(u), vary=values, dtype=dtype)
    batch.advance(u)
    held = batch._blocks.transpose(0, 2, 1).reshape(-1, batch._blocks.shape[1])
    assert np.array_equal(
        held[len(u) :, at.STEER], [held[len(u) - 1, at.STEER]] * (len(held) - len(u))
    )
    for car, (steer, force) in enumerate(u.tolist()):
        one = plant.varied({name: of[car] for name, of in values.items()}) if values else plant
        one.vehicle.hold_force(steer, force, 0)
        numbers = one.vehicle.core_arrays()[1]
        for fields in (slice(at.STEER, at.TORQUE + 4), slice(at.BRAKE, at.BRAKE + 4)):
            assert held[car, fields].tolist() == numbers[fields].astype(dtype).tolist()
    brakes = held[:, at.BRAKE : at.BRAKE + 4]
    assert not np.signbit(brakes).any()
