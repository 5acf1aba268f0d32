"""Cars that the fit does not know: what it finds, what it says of it, and its files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from vdsim_plant.cli.identify import main
from vdsim_plant.identify.drive_log import DriveLog, make_log
from vdsim_plant.identify.drives import DRIVES
from vdsim_plant.identify.identification import IdentifiedCar, identify
from vdsim_plant.identify.maps import accel_map, brake_map, steer_map
from vdsim_plant.identify.next_drives import advise
from vdsim_plant.identify.report import fit_figure, page, parameters_figure
from vdsim_plant.identify.written import car_files
from vdsim_plant.layer_files import load_actuator
from vdsim_plant.parameters import ParameterError, load_tyre, load_vehicle
from vdsim_plant.parameters.files import read_yaml
from vdsim_plant.parameters.provenance import label_of, provenance_of
from vdsim_plant_kit.hidden_cars import hidden_actuators, hidden_car, hidden_tyre, noisy_log, truth

SEED = 1
OFFSET_RAD = 0.006
SHORT = tuple(
    drive
    for drive in DRIVES
    if drive.name
    in ("brake_steps", "limit_braking", "slow_bends", "sine_sweep", "step_steer", "limit_cornering")
)


def log_of(columns: dict[str, np.ndarray]) -> DriveLog:
    return make_log(columns["time_s"], {k: v for k, v in columns.items() if k != "time_s"})


@pytest.fixture(scope="module")
def columns() -> dict[str, np.ndarray]:
    return noisy_log(
        hidden_car(SEED),
        hidden_tyre(SEED),
        hidden_actuators(SEED),
        duration_s=200.0,
        seed=SEED,
        steer_offset_rad=OFFSET_RAD,
        drives=SHORT,
    )


@pytest.fixture(scope="module")
def found(columns: dict[str, np.ndarray]) -> IdentifiedCar:
    return identify(log_of(columns), load_vehicle("ioniq5_awd"), load_tyre("mf96"))


@pytest.fixture(scope="module")
def straight(columns: dict[str, np.ndarray]) -> IdentifiedCar:
    """Braking alone, no wheel torques logged, the mass from a scale."""
    kept = {k: v[:3000] for k, v in columns.items() if not k.startswith("wheel_torque")}
    mass = hidden_car(SEED).body.mass_kg
    start = load_vehicle("ioniq5_awd")
    return identify(log_of(kept), start, load_tyre("mf96"), known={"body.mass_kg": mass})


def test_what_counts_as_identified_is_within_its_limit_of_the_hidden_car(
    found: IdentifiedCar,
) -> None:
    hidden = truth(SEED, found.fit.problem.start, OFFSET_RAD)
    told = [e for e in found.estimates.values() if e.identified]
    assert {
        "body.mass_kg",
        "body.yaw_inertia_kgm2",
        "body.cg_to_front_axle_m",
        "axles.cornering_stiffness_front_n_per_rad",
        "axles.cornering_stiffness_rear_n_per_rad",
        "road.mu",
        "wheels.radius_m",
        "brakes.max_torque_nm",
        "brakes.front_share",
        "steering.offset_rad",
    } <= {e.key for e in told}
    wrong = {}
    for e in told:
        allowed = 0.004 if e.unit == "s" else max(2.0 * e.half_width, 0.02 * abs(hidden[e.key]))
        if abs(e.value - hidden[e.key]) > allowed:
            wrong[e.key] = (e.value, hidden[e.key], e.half_width)
    assert wrong == {}


def test_a_log_without_bends_and_forces_does_not_claim_what_needs_them(
    straight: IdentifiedCar,
) -> None:
    assert "body.mass_kg" not in straight.estimates
    assert straight.vehicle.body.mass_kg == pytest.approx(hidden_car(SEED).body.mass_kg)
    assert not straight.estimates["actuator.steering.lag_s"].identified
    assert not straight.estimates["actuator.steering.delay_s"].identified
    brake = straight.estimates["brakes.max_torque_nm"]
    assert brake.identified
    assert brake.value == pytest.approx(hidden_car(SEED).brakes.max_torque_nm, rel=0.03)


def test_what_to_drive_next_narrows_what_is_not_told(straight: IdentifiedCar) -> None:
    advice = advise(straight)
    assert advice
    for item in advice:
        for before, after in item.tells.values():
            assert after < 0.7 * before
    assert any("actuator.steering.lag_s" in item.tells for item in advice)


def test_the_files_are_a_car_with_the_found_values_and_their_labels(
    found: IdentifiedCar, tmp_path: Path
) -> None:
    for name, text in car_files(found, name="mine", before={}).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    vehicle = load_vehicle(tmp_path / "vehicle.yaml")
    assert vehicle.name == "mine"
    assert vehicle.body.mass_kg == pytest.approx(found.vehicle.body.mass_kg, rel=1e-5)
    tyre = load_tyre(vehicle.axles.tyre)
    assert tyre.rolling_resistance == pytest.approx(found.tyre.rolling_resistance, rel=1e-5)
    actuators = load_actuator(tmp_path / "actuators.yaml")
    assert actuators.brake.lag_s == pytest.approx(found.actuators.brake.lag_s, rel=1e-5)
    labels = provenance_of(type(vehicle), read_yaml(tmp_path / "vehicle.yaml"))
    assert label_of(labels["body.mass_kg"]) == "identified"
    assert label_of(labels["suspension.pitch_stiffness_nm_per_rad"]) == "assumed"


def test_the_maps_are_tables_that_rise_and_fall_with_the_command(found: IdentifiedCar) -> None:
    def cells(text: str) -> np.ndarray:
        rows = [line.split(",") for line in text.splitlines()]
        assert rows[0][0] == "default"
        return np.array([[float(cell) for cell in row[1:]] for row in rows[1:]])

    assert np.all(np.diff(cells(accel_map(found.vehicle, found.tyre, found.mu)), axis=0) > 0.0)
    brake = cells(brake_map(found.vehicle, found.tyre, found.mu))
    assert np.all(np.diff(brake[:5], axis=0) < 0.0)
    steer = cells(steer_map(found.actuators))
    assert np.allclose(steer[5], 0.01 / found.actuators.steering.lag_s, rtol=1e-3)


def test_the_report_names_every_parameter_and_draws_its_pictures(found: IdentifiedCar) -> None:
    text = page(found, None, pictures=True)
    for key in (*found.estimates, *found.untold):
        assert f"`{key}`" in text
    assert len(fit_figure(found.fit).axes) >= 8
    told = sum(e.identified and e.start != 0.0 for e in found.estimates.values())
    assert len(parameters_figure(found).axes[0].get_yticklabels()) == told


def test_an_unknown_key_that_is_given_names_the_known_ones(
    columns: dict[str, np.ndarray],
) -> None:
    with pytest.raises(ParameterError, match=r"known: body\.mass|known=body\.mass"):
        identify(
            log_of(columns),
            load_vehicle("ioniq5_awd"),
            load_tyre("mf96"),
            known={"body.mass": 2.0},
        )


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ([], "vdsim_identify: LOG: must be one file or more"),
        (["no.csv"], "vdsim_identify: no.csv: file: cannot be read"),
        (["a.csv", "--mu", "3"], "vdsim_identify: --mu=3: must be 0.05 to 1.2"),
        (["a.csv", "--known", "mass"], "vdsim_identify: --known='mass': must be KEY=VALUE"),
        (["a.csv", "--segment", "nan"], "vdsim_identify: --segment=nan: must be 1 to 60 s"),
    ],
)
def test_a_wrong_command_is_one_line(
    arguments: list[str], error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert said.err.startswith(error)
    assert said.err.count("\n") == 1
