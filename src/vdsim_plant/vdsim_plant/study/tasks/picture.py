"""A picture of a task from above: road, friction, line and car, as an array of pixels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vdsim_plant.ground import Ground, compile_ground
from vdsim_plant.ground.lookup import mu_at
from vdsim_plant.study.tasks.reference import Reference

Array = NDArray[np.float64]
Pixels = NDArray[np.uint8]

HEIGHT, WIDTH = 240, 400
_METRES_PER_PIXEL = 0.2
_PATCH = 8  # pixels a side that share one look at the friction
_SLIPPERY, _GRIPPY = np.array([150.0, 185.0, 215.0]), np.array([95.0, 95.0, 98.0])
_LINE, _BODY, _GLASS, _TYRE = (235, 200, 60), (190, 40, 45), (40, 45, 55), (20, 20, 20)
_HALF_LENGTH_M, _HALF_WIDTH_M = 2.3, 0.95
_WHEELS_M = ((1.45, 0.8), (1.45, -0.8), (-1.45, 0.8), (-1.45, -0.8))


def picture(
    ground: Ground, line: Reference, pose: tuple[float, float, float], steer: float
) -> Pixels:
    """Return HEIGHT x WIDTH x 3 pixels round a car at (x, y, yaw) with this wheel angle [rad].

    North is up. The darker the road the more friction it has.
    """
    x, y, yaw = pose
    east: Array = x + (np.arange(WIDTH, dtype=np.float64) - WIDTH / 2 + 0.5) * _METRES_PER_PIXEL
    north: Array = y - (np.arange(HEIGHT, dtype=np.float64) - HEIGHT / 2 + 0.5) * _METRES_PER_PIXEL
    pixels = _road(ground, east, north)
    _draw_line(pixels, line, east, north)
    ahead, left = _turned(east[np.newaxis, :] - x, north[:, np.newaxis] - y, yaw)
    for wheel_x, wheel_y in _WHEELS_M:
        angle = steer if wheel_x > 0.0 else 0.0
        along, across = _turned(ahead - wheel_x, left - wheel_y, angle)
        pixels[(np.abs(along) < 0.4) & (np.abs(across) < 0.2)] = _TYRE
    pixels[(np.abs(ahead) < _HALF_LENGTH_M) & (np.abs(left) < _HALF_WIDTH_M - 0.15)] = _BODY
    pixels[(np.abs(ahead - 0.5) < 0.5) & (np.abs(left) < _HALF_WIDTH_M - 0.3)] = _GLASS
    return pixels


def _road(ground: Ground, east: Array, north: Array) -> Pixels:
    arrays = compile_ground(ground)
    rows, columns = north[_PATCH // 2 :: _PATCH], east[_PATCH // 2 :: _PATCH]
    mu = np.array([[mu_at(float(x), float(y), arrays) for x in columns] for y in rows])
    grip = np.clip(mu, 0.0, 1.0)[:, :, np.newaxis]
    coarse = (_SLIPPERY + grip * (_GRIPPY - _SLIPPERY)).astype(np.uint8)
    pixels: Pixels = coarse.repeat(_PATCH, axis=0).repeat(_PATCH, axis=1)
    return pixels


def _draw_line(pixels: Pixels, line: Reference, east: Array, north: Array) -> None:
    points = line.points(float(east[0]), float(east[-1]))
    steps = np.diff(points, axis=0)
    for point, step in zip(points, steps, strict=False):
        count = max(2, int(np.abs(step).max() / _METRES_PER_PIXEL) + 2)
        places = point + np.linspace(0.0, 1.0, count)[:, np.newaxis] * step
        columns = np.round((places[:, 0] - east[0]) / _METRES_PER_PIXEL).astype(np.int64)
        rows = np.round((north[0] - places[:, 1]) / _METRES_PER_PIXEL).astype(np.int64)
        shown = (columns >= 0) & (columns < WIDTH) & (rows >= 0) & (rows < HEIGHT)
        pixels[rows[shown], columns[shown]] = _LINE


def _turned(x: Array, y: Array, angle: float) -> tuple[Array, Array]:
    """Return coordinates in a frame that is turned by an angle [rad]."""
    c, s = np.cos(angle), np.sin(angle)
    return c * x + s * y, c * y - s * x
