"""From the recording of a bus to the car that drove it: the command's values beside the truth."""

import math
from pathlib import Path

import pytest
from vdsim_can.bus.recording import Recording
from vdsim_can.car.reading import load_car
from vdsim_can.data import example
from vdsim_can.frame import Frame
from vdsim_can_kit.world import World
from vdsim_plant.cli.identify import main
from vdsim_plant.layer_files import load_actuator
from vdsim_plant.parameters import load_tyre, load_vehicle
from vdsim_plant_kit.hidden_cars import hidden_actuators, hidden_car

from vdsim_plant import SimSession

SEED, SECONDS = 3, 60
CAR = hidden_car(SEED, spread=0.1)
ACTUATORS = hidden_actuators(SEED)


def asked(time_s: float) -> tuple[float, float]:
    """Return the speed [m/s] and the curvature [1/m] that the stack asks for."""
    if time_s < 14.0:
        return (16.0 if time_s < 10.0 else 5.0), 0.0
    if time_s < 22.0:
        return 6.0, 0.09 if time_s < 18.0 else -0.09
    if time_s < 44.0:
        since_s = max(time_s - 30.0, 0.0)
        return 14.0, 0.018 * math.sin(2.0 * math.pi * (0.15 + 0.06 * since_s) * since_s)
    if time_s < 50.0:
        return 14.0, 0.02 if int(time_s) % 2 else -0.02
    return (3.0 if time_s < 53.0 else 12.0), 0.0


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bus of a car that only this test knows, driven by the shipped interface."""
    path = tmp_path_factory.mktemp("bus") / "drive.blf"
    world = World(car=load_car(example("vdsim_dbw")), session=SimSession(CAR, actuators=ACTUATORS))
    written = Recording(path, ("main",))
    receive, arrive = world.driven.receive, world._arrive

    def sent(bus: str, frame: Frame, now: float) -> None:
        written.add(bus, frame, 1.7e9 + now, is_sent=True)
        receive(bus, frame, now)

    def reported(bus: str, frame: Frame) -> None:
        written.add(bus, frame, 1.7e9 + world.now, is_sent=False)
        arrive(bus, frame)

    world.driven.receive, world._arrive = sent, reported  # type: ignore[method-assign]
    for _ in range(100 * SECONDS):
        world.speed_mps, world.curvature_1pm = asked(world.now)
        world.period()
    written.close()
    return path


def test_the_car_is_found_from_the_recording_of_its_bus(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mass = f"body.mass_kg={CAR.body.mass_kg}"
    words = ["--car", "vdsim_dbw", "--known", mass, "--threads", "1", "--out", str(tmp_path)]
    assert main([str(recording), *words]) == 0
    said = capsys.readouterr().out
    assert "NOT CONVERGED" not in said
    assert "Noise alone is left" in said
    found = load_vehicle(tmp_path / "vehicle.yaml")
    for value, truth, share in (
        (found.wheels.radius_m, CAR.wheels.radius_m, 0.002),
        (found.brakes.max_torque_nm, CAR.brakes.max_torque_nm, 0.02),
        (found.body.cg_to_front_axle_m, CAR.body.cg_to_front_axle_m, 0.02),
        (
            found.axles.cornering_stiffness_front_n_per_rad,
            CAR.axles.cornering_stiffness_front_n_per_rad,
            0.05,
        ),
        (found.drivetrain.motor_torque_curve[0][1], CAR.drivetrain.motor_torque_curve[0][1], 0.02),
    ):
        assert value == pytest.approx(truth, rel=share)
    assert load_tyre(tmp_path / "tyre.yaml").rolling_resistance == pytest.approx(0.012, rel=0.05)
    actuators = load_actuator(tmp_path / "actuators.yaml")
    for name in ("steering", "throttle", "brake"):
        channel, truth = getattr(actuators, name), getattr(ACTUATORS, name)
        assert channel.lag_s == pytest.approx(truth.lag_s, abs=0.004), name
        # A command counts from its frame on: in the next row it would be up to 10 ms late.
        assert channel.delay_s == pytest.approx(truth.delay_s, abs=0.003), name
