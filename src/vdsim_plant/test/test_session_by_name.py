"""A session made from public names, with VDSimPlant's words, checks and layers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from vdsim_plant.actuator import ActuatorLayer, ActuatorParameters
from vdsim_plant.layer_files import load_actuator, load_sensor
from vdsim_plant.motion import InitialState, PedalInput
from vdsim_plant.parameters import load_vehicle
from vdsim_plant.parameters.files import VEHICLE_FOLDER
from vdsim_plant.sensor import SensorLayer
from vdsim_plant.vehicle import Vehicle

from vdsim_plant import ParameterError, RealTimeRunner, SimSession, VDSimPlant


def driven(session: SimSession) -> str:
    session.set_input(PedalInput(0.03, 0.4))
    for _ in range(100):
        session.tick(0.005)
    return session.state_hash()


def test_names_files_parameters_and_layers_make_the_same_session() -> None:
    # [VS-1.2.5]
    by_name = SimSession("ioniq5_awd", actuators="passenger_car", sensors="automotive", seed=3)
    by_parts = SimSession(
        vehicle=Vehicle(load_vehicle("ioniq5_awd")),
        actuators=ActuatorLayer(load_actuator("passenger_car")),
        sensors=SensorLayer(load_sensor("automotive"), seed=3),
    )
    by_files = SimSession(
        VEHICLE_FOLDER / "ioniq5_awd.yaml",
        actuators=load_actuator("passenger_car"),
        sensors=load_sensor("automotive"),
        seed=3,
    )
    assert by_name.fingerprint() == by_parts.fingerprint() == by_files.fingerprint()
    assert driven(by_name) == driven(by_parts) == driven(by_files)
    other_noise = SimSession("ioniq5_awd", actuators="passenger_car", sensors="automotive")
    assert driven(other_noise) != driven(by_name)


def test_without_arguments_it_is_the_plants_car_without_layers() -> None:
    session = SimSession()
    session.set_input(PedalInput(0.02, 0.3))
    session.tick(0.005)
    output = session.output()
    assert output.commanded == output.realized
    assert session.vehicle.identity == VDSimPlant().vehicle.identity


def test_it_runs_in_real_time_by_names_alone() -> None:
    session = SimSession("sport_rwd", initial=InitialState(vx_mps=5.0), actuators="passenger_car")
    now = [0.0]
    runner = RealTimeRunner(session, clock=lambda: now[0], sleep=lambda s: None)
    ticks = iter(range(10))

    def stopped() -> bool:
        now[0] += 0.005
        return next(ticks, None) is None

    runner.run(stopped)
    assert session.output().tick > 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"vehicle": "ionic5"}, r"vehicle='ionic5': must be a \.yaml file or one of"),
        ({"vehicle": 5}, "vehicle=5: must be a preset name, a path or VehicleParameters"),
        (
            {"actuators": "nope"},
            "actuators='nope': must be a .yaml file or one of ideal, passenger_car",
        ),
        ({"actuators": 3}, "actuators=3: must be a preset name, a path or ActuatorParameters"),
        ({"sensors": Path("/no/such.yaml")}, "sensors='/no/such.yaml': must be a .yaml file"),
        ({"sensors": "automotive", "seed": -1}, "seed=-1"),
    ],
)
def test_a_wrong_argument_is_named_as_the_plant_names_it(
    arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(ParameterError) as caught:
        SimSession(**arguments)
    assert message.replace("\\", "") in str(caught.value)
    theirs = {"config" if key == "vehicle" else key: of for key, of in arguments.items()}
    with pytest.raises(ParameterError) as as_plant:
        VDSimPlant(**theirs)
    assert str(as_plant.value).replace("config=", "vehicle=") == str(caught.value)


def test_ideal_layers_by_parameters_change_nothing_that_is_driven() -> None:
    with_layer = SimSession("ioniq5_awd", actuators=ActuatorParameters())
    without = SimSession("ioniq5_awd")
    for session in (with_layer, without):
        driven(session)
    assert with_layer.state() == without.state()


def loaded_by(code: str, module: str) -> bool:
    code = f"import sys, vdsim_plant\n{code}\nprint({module!r} in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return run.stdout == "True\n"


def test_what_steps_a_car_loads_no_thread_and_no_clock() -> None:
    use = "for name in {*vdsim_plant.__all__} - {'RealTimeRunner'}: getattr(vdsim_plant, name)"
    assert not loaded_by(use, "vdsim_plant.realtime.runner")
    assert loaded_by("vdsim_plant.RealTimeRunner", "vdsim_plant.realtime.runner")


def test_who_reads_the_file_of_a_car_does_not_load_the_batch() -> None:
    assert not loaded_by("import vdsim_plant.parameters", "vdsim_plant.batch")
