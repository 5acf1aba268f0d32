"""Arguments of a batch, checked: counts, rows of numbers, and which cars are meant."""

from __future__ import annotations

import operator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vdsim_plant.parameters.errors import ParameterError, wrong_value

Array = NDArray[np.float64]
Cars = NDArray[np.int64]


def checked_count(key: str, value: object) -> int:
    """Return a whole number that is at least 1; those of numpy count."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise wrong_value(key, value, "a whole number, at least 1") from None
    if number < 1:
        raise wrong_value(key, value, "a whole number, at least 1")
    return number


def number_rows(key: str, given: ArrayLike, n: int, width: int, chosen: int = 0) -> Array:
    """Return n rows of numbers: given as one row for all, as n rows, or each as a column.

    `chosen`: how many cars are meant where that is another number; then as many rows will do.
    """
    if type(given) is np.ndarray and given.shape == (n, width) and given.dtype == np.float64:
        return given
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(key, "must be rows of numbers") from None
    if values.ndim and values.shape[-1] == 1 and values.shape != (n, width):
        values = values[..., 0]  # columns, as solvers return them
    if values.shape not in ((width,), (n, width), (chosen or n, width)):
        shape = np.shape(given)
        raise ParameterError(key, f"has shape {shape}: must be ({n}, {width}) or ({width},)")
    return np.broadcast_to(values, (n, width)) if values.ndim == 1 else values


def finite_rows(key: str, given: ArrayLike, n: int, width: int) -> Array:
    """Return rows as `number_rows`, all of them finite."""
    values = number_rows(key, given, n, width)
    finite = np.isfinite(values)
    if b"\0" in finite.tobytes():  # in a small batch half the time of asking the array
        row, column = (int(place) for place in np.argwhere(~finite)[0])
        raise ParameterError(f"{key}[{row}][{column}]", f"={values[row, column]}: must be finite")
    return values


def rollout_rows(inputs: ArrayLike, n: int) -> Array:
    """Return the inputs of a rollout, n x T x 2, without a copy where they are float64."""
    try:
        values = np.asarray(inputs, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError("inputs", "must be rows of numbers") from None
    if values.shape == (n, 2) and n > 1:
        raise ParameterError(
            "inputs",
            f"has shape {values.shape}, which may be a row for each car or one for each period: "
            "give inputs[:, None] for a period of each car, inputs[None] for the same of all cars",
        )
    if values.ndim == 2:
        values = values[None]
    if values.ndim != 3 or values.shape[0] not in (1, n) or values.shape[2] != 2:
        problem = f"has shape {np.shape(inputs)}: must be ({n}, T, 2) or (T, 2)"
        raise ParameterError("inputs", problem)
    values = np.broadcast_to(values, (n, *values.shape[1:]))
    finite = np.isfinite(values)
    if not finite.all():
        car, period, column = (int(place) for place in np.argwhere(~finite)[0])
        key = f"inputs[{car}][{period}][{column}]"
        raise ParameterError(key, f"={values[car, period, column]}: must be finite")
    return values


def rows_for(shape: tuple[int, ...], out: NDArray[np.floating] | None) -> NDArray[np.floating]:
    """Return the array to write into: a new one of this shape, or the caller's."""
    if out is None:
        return np.empty(shape)
    if not isinstance(out, np.ndarray) or out.dtype not in (np.float64, np.float32):
        raise ParameterError("out", "must be an array of float64 or float32")
    if out.shape != shape:
        raise ParameterError("out", f"has shape {out.shape}: must be {shape}")
    return out


def chosen_cars(mask: ArrayLike, n: int) -> Cars:
    """Return the numbers of the cars that a mask of n truth values chooses."""
    chosen = np.asarray(mask)
    if chosen.dtype != np.bool_ or chosen.shape != (n,):
        kind = f"of {chosen.dtype} and shape {chosen.shape}"
        raise ParameterError("mask", f"is {kind}: must be {n} of True or False")
    return np.flatnonzero(chosen)


def car_numbers(cars: ArrayLike, n: int) -> Cars:
    """Return the numbers of some of n cars as an array."""
    try:
        numbers = np.asarray(cars)
    except (TypeError, ValueError):
        numbers = np.empty((1, 1))
    whole = np.issubdtype(numbers.dtype, np.integer) or numbers.size == 0
    if not whole or numbers.ndim != 1:
        raise wrong_value("cars", cars, "a list of numbers of cars, as [0, 5]")
    wrong = numbers[(numbers < 0) | (numbers >= n)]
    if len(wrong):
        raise ParameterError("cars", f"={wrong[0]}: must be 0 to {n - 1}")
    return numbers.astype(np.int64, copy=False)


def kind_numbers(given: ArrayLike, cars: int, kinds: int) -> Cars:
    """Return for each car which of the kinds it is."""
    try:
        numbers = np.asarray(given)
    except (TypeError, ValueError):
        numbers = np.empty(0)
    if not np.issubdtype(numbers.dtype, np.integer) or numbers.shape not in ((), (cars,)):
        raise ParameterError("kinds", f"must be one whole number, or one for each of {cars} cars")
    wrong = np.atleast_1d(numbers)
    wrong = wrong[(wrong < 0) | (wrong >= kinds)]
    if len(wrong):
        raise ParameterError("kinds", f"={wrong[0]}: must be 0 to {kinds - 1}")
    return np.broadcast_to(numbers.astype(np.int64), (cars,))
