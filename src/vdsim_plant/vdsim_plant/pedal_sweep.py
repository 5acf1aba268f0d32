"""Drives a car through its pedals and samples what it does: the data of a pedal map.

Each pedal is held from standstill upwards and from the top speed downwards, on level ground.
"""

from __future__ import annotations

from collections.abc import Iterator

from vdsim_plant.motion import InitialState, PedalInput
from vdsim_plant.parameters.errors import wrong_value
from vdsim_plant.vehicle import Vehicle

PEDALS_N = 41
SAMPLE_S = 0.02
SETTLE_S = 0.4
"""Time until a pedal has its full effect: load transfer, wheel spin."""
LONGEST_S = 600.0
SPACING_MPS = 0.2
"""Samples are kept at this distance of speed; at a steady speed nothing new is to be seen."""
RUN_UP_MPS = 6.0
"""Speed above the top at which a downward run starts, so that it is settled at the top."""
SLOWEST_MPS = 0.3
FASTEST_TOP_MPS = 140.0
"""A car of the library starts at up to 150 m/s."""

Sample = tuple[float, float, float]


def sweep(vehicle: Vehicle, top_speed_mps: float) -> Iterator[Sample]:
    """Give samples (speed, pedal, acceleration) for every pedal, both ways."""
    if not SLOWEST_MPS < top_speed_mps <= FASTEST_TOP_MPS:
        allowed = f"> {SLOWEST_MPS:g} and <= {FASTEST_TOP_MPS:g} m/s"
        raise wrong_value("top_speed", top_speed_mps, allowed)
    for index in range(PEDALS_N):
        pedal = round(2.0 * index / (PEDALS_N - 1) - 1.0, 9)
        yield from run(vehicle, pedal, top_speed_mps + RUN_UP_MPS, top_speed_mps)
        if pedal > 0.0:
            yield from run(vehicle, pedal, 0.0, top_speed_mps)


def run(vehicle: Vehicle, pedal: float, start_mps: float, top_speed_mps: float) -> Iterator[Sample]:
    """Hold one pedal from a start speed; end at standstill, at the top, or when nothing changes."""
    vehicle.reset(InitialState(vx_mps=start_mps))
    held = PedalInput(steer_rad=0.0, throttle=max(pedal, 0.0), brake=max(-pedal, 0.0), gear=1)
    kept: float | None = None
    speed, steady_n = start_mps, 0
    for number in range(round(LONGEST_S / SAMPLE_S)):
        vehicle.step_pedals(held, SAMPLE_S)
        before, speed = speed, vehicle.motion().vx_mps
        accel, middle = (speed - before) / SAMPLE_S, 0.5 * (speed + before)
        steady_n = steady_n + 1 if abs(accel) < 1e-3 else 0
        # From standstill the pedal's onset is part of the launch; it must not wait to settle.
        settled = start_mps == 0.0 or number * SAMPLE_S >= SETTLE_S
        if settled and (kept is None or abs(middle - kept) >= SPACING_MPS):
            kept = middle
            yield middle, pedal, accel
        if steady_n > 50 or speed < SLOWEST_MPS < before or speed > top_speed_mps + RUN_UP_MPS:
            return
