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


Drive = Callable[[], list[tuple[float, float]]]


def braking_in_a_bend(
    speed_mps: float, steer_rad: float, decel_mps2: float, seconds: float, sample_s: float
) -> tuple[dict[str, Drive], float]:
    """Return a drive of each model, which returns its velocities in the world, and its friction."""
    from vehiclemodels.init_mb import init_mb
    from vehiclemodels.init_st import init_st
    from vehiclemodels.init_std import init_std
    from vehiclemodels.parameters_vehicle2 import parameters_vehicle2
    from vehiclemodels.vehicle_dynamics_mb import vehicle_dynamics_mb
    from vehiclemodels.vehicle_dynamics_st import vehicle_dynamics_st
    from vehiclemodels.vehicle_dynamics_std import vehicle_dynamics_std

    parameters = parameters_vehicle2()
    start = [0.0, 0.0, steer_rad, speed_mps, 0.0, 0.0, 0.0]
    steps = round(sample_s / 5e-4)

    def driving(model: Callable[..., list[float]], state0: list[float]) -> Drive:
        def drive() -> list[tuple[float, float]]:
            state, found = list(state0), []
            for _ in range(round(seconds / sample_s)):
                for _ in range(steps):
                    slope = model(state, [0.0, -decel_mps2], parameters)
                    pairs = zip(state, slope, strict=True)
                    state = [value + 5e-4 * change for value, change in pairs]
                found.append((slope[0], slope[1]))  # of x and y
            return found

        return drive

    models = {
        "CommonRoad single track, as in f1tenth_gym": driving(vehicle_dynamics_st, init_st(start)),
        "CommonRoad single track with drift": driving(
            vehicle_dynamics_std, init_std(start, parameters)
        ),
        "CommonRoad multi-body": driving(vehicle_dynamics_mb, init_mb(start, parameters)),
    }
    # The tyres have a friction for each axis; nobody can have more than the larger one.
    return models, float(max(parameters.tire.p_dx1, parameters.tire.p_dy1))
