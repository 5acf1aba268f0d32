"""commonroad-vehicle-models, a public Python library: what one 0.5 ms Euler step costs there."""

from __future__ import annotations

from collections.abc import Callable

Step = Callable[[int], None]


def commonroad() -> dict[str, Step]:
    """Return a stepping function for each of its models; empty where it is not installed."""
    try:
        from vehiclemodels.init_mb import init_mb
        from vehiclemodels.init_st import init_st
        from vehiclemodels.init_std import init_std
        from vehiclemodels.parameters_vehicle2 import parameters_vehicle2
        from vehiclemodels.vehicle_dynamics_mb import vehicle_dynamics_mb
        from vehiclemodels.vehicle_dynamics_st import vehicle_dynamics_st
        from vehiclemodels.vehicle_dynamics_std import vehicle_dynamics_std
    except ImportError:
        return {}
    parameters = parameters_vehicle2()
    start = [0.0, 0.0, 0.03, 16.7, 0.0, 0.0, 0.0]

    def stepping(model: Callable[..., list[float]], state0: list[float]) -> Step:
        def run(steps: int) -> None:
            state = list(state0)
            for _ in range(steps):
                slope = model(state, [0.0, -0.6], parameters)
                state = [value + 5e-4 * change for value, change in zip(state, slope, strict=True)]

        return run

    return {
        "commonroad single track": stepping(vehicle_dynamics_st, init_st(start)),
        "commonroad drift": stepping(vehicle_dynamics_std, init_std(start, parameters)),
        "commonroad multi-body": stepping(vehicle_dynamics_mb, init_mb(start, parameters)),
    }
