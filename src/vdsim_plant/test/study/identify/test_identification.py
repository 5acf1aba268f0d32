"""Cars that the fit does not know: what it finds, what it says of it, and its files."""

from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from vdsim_plant.actuator import ActuatorParameters
from vdsim_plant.cli.identify import main
from vdsim_plant.layer_files import load_actuator
from vdsim_plant.parameters import ParameterError, load_tyre, load_vehicle
from vdsim_plant.parameters.files import read_yaml
from vdsim_plant.parameters.provenance import label_of, provenance_of
from vdsim_plant.study.identify import fitting
from vdsim_plant.study.identify.drive_log import DriveLog, make_log, sliding_wheels
from vdsim_plant.study.identify.drives import DRIVES
from vdsim_plant.study.identify.identification import IdentifiedCar, identify
from vdsim_plant.study.identify.maps import accel_map, brake_map, steer_map
from vdsim_plant.study.identify.next_drives import advise, driven
from vdsim_plant.study.identify.report import fit_figure, page, parameters_figure
from vdsim_plant.study.identify.written import car_files
from vdsim_plant_kit.hidden_cars import (
    MU,
    hidden_actuators,
    hidden_car,
    hidden_tyre,
    noisy_log,
    truth,
)

from vdsim_plant import VDSimPlant

SEED = 1
OFFSET_RAD = 0.006
SHORT = tuple(
    drive
    for drive in DRIVES
    if drive.name
    in ("brake_steps", "limit_braking", "slow_bends", "sine_sweep", "step_steer", "limit_cornering")
)
STEPS = tuple(drive for drive in DRIVES if drive.name in ("brake_steps", "step_steer"))


def log_of(columns: dict[str, np.ndarray]) -> DriveLog:
    return make_log(columns["time_s"], {k: v for k, v in columns.items() if k != "time_s"})


@pytest.fixture(scope="module")
def columns() -> dict[str, np.ndarray]:
    return noisy_log(
        hidden_car(SEED),
        hidden_tyre(SEED),
        hidden_actuators(SEED),
        duration_s=100.0,
        seed=SEED,
        steer_offset_rad=OFFSET_RAD,
        drives=SHORT,
    )


@dataclass(frozen=True)
class Run:
    """One run of the command."""

    code: int
    said: str
    out: Path
    car: IdentifiedCar


@pytest.fixture(scope="module")
def run(columns: dict[str, np.ndarray], tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The command identifies the hidden car, once for all tests: a fit takes a minute of a core."""
    folder = tmp_path_factory.mktemp("run")
    log = written(folder / "drive.csv", columns, 10_000)
    found: list[IdentifiedCar] = []

    def kept(*given: Any, **named: Any) -> IdentifiedCar:
        found.append(identify(*given, **named))
        return found[-1]

    out, said = folder / "car", io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(said):
        patch.setattr("vdsim_plant.cli.identify.identify", kept)
        code = main([log, "--out", str(out)])
    return Run(code, said.getvalue(), out, found[0])


@pytest.fixture(scope="module")
def found(run: Run) -> IdentifiedCar:
    return run.car


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


def test_a_car_that_noise_alone_separates_from_its_log_leaves_nothing_unexplained(
    found: IdentifiedCar,
) -> None:
    assert found.unexplained == []
    assert "Noise alone is left" in page(found, None, pictures=False)


def test_without_noise_the_hidden_car_comes_out_exact() -> None:
    clean = noisy_log(
        hidden_car(SEED),
        hidden_tyre(SEED),
        hidden_actuators(SEED),
        duration_s=60.0,
        seed=SEED,
        noise=0.0,
        steer_offset_rad=OFFSET_RAD,
        drives=SHORT,
    )
    car = identify(log_of(clean), load_vehicle("ioniq5_awd"), load_tyre("mf96"))
    assert car.converged
    hidden = truth(SEED, car.fit.problem.start, OFFSET_RAD)
    exact = [
        *("body.mass_kg", "body.yaw_inertia_kgm2", "body.cg_to_front_axle_m", "road.mu"),
        *(f"axles.cornering_stiffness_{axle}_n_per_rad" for axle in ("front", "rear")),
        *("wheels.radius_m", "brakes.max_torque_nm", "brakes.front_share"),
    ]
    for key in exact:
        assert car.estimates[key].value == pytest.approx(hidden[key], rel=1e-3), key


def test_a_car_with_springs_is_explained_in_part_and_the_report_says_so() -> None:
    """It rolls, pitches and heaves on four springs, of which the fit knows one swing."""
    columns = noisy_log(
        hidden_car(SEED),
        hidden_tyre(SEED),
        hidden_actuators(SEED),
        duration_s=40.0,
        seed=SEED,
        steer_offset_rad=OFFSET_RAD,
        drives=SHORT,
        level="l3",
    )
    car = identify(log_of(columns), load_vehicle("ioniq5_awd"), load_tyre("mf96"))
    assert any("times its noise" in line or "pieces" in line for line in car.unexplained)
    assert "does not explain all of the log" in page(car, None, pictures=False)
    for key in ("body.mass_kg", "wheels.radius_m", "brakes.max_torque_nm"):
        true = truth(SEED, car.fit.problem.start)[key]
        assert car.estimates[key].value == pytest.approx(true, rel=0.03), key


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


def test_what_the_log_hardly_shows_is_the_start_s_and_is_not_called_identified(
    straight: IdentifiedCar,
) -> None:
    kept = {key: e for key, e in straight.estimates.items() if e.kept}
    assert set(kept) >= {"actuator.steering.delay_s", "actuator.steering.lag_s"}
    assert "tyre.mf96.lateral_curvature" in kept
    for e in kept.values():
        assert not e.identified
        assert e.value == pytest.approx(e.start)
    assert straight.actuators.steering.lag_s == pytest.approx(0.08)
    text = car_files(straight, name="mine", before={})["actuators.yaml"]
    labels = yaml.safe_load(text)["provenance"]
    assert labels["steering.lag_s"] == "assumed: as at the start, the log hardly shows it"
    assert "the log hardly shows it; steps of the steering |" in page(
        straight, None, pictures=False
    )


def test_actuators_without_delay_and_lag_are_found_at_their_bounds() -> None:
    ideal = noisy_log(
        hidden_car(SEED),
        hidden_tyre(SEED),
        ActuatorParameters(),
        duration_s=40.0,
        seed=SEED,
        drives=STEPS,
    )
    car = identify(log_of(ideal), load_vehicle("ioniq5_awd"), load_tyre("mf96"))
    assert car.converged
    for name in ("steering", "throttle", "brake"):
        assert car.estimates[f"actuator.{name}.delay_s"].value < 0.003
        assert car.estimates[f"actuator.{name}.lag_s"].value < 0.003
    assert car.estimates["brakes.max_torque_nm"].value == pytest.approx(
        hidden_car(SEED).brakes.max_torque_nm, rel=0.01
    )


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


def written(path: Path, columns: dict[str, np.ndarray], rows: int) -> str:
    table = np.stack([values[:rows] for values in columns.values()], axis=1)
    np.savetxt(path, table, delimiter=",", header=",".join(columns), comments="", fmt="%.8g")
    return str(path)


def test_the_command_writes_a_car_that_drives_as_the_hidden_one(run: Run) -> None:
    out = run.out
    assert run.code == 0
    assert run.said.count("  converged after") == 2
    assert {"report.md", "accel_map.csv"} <= {path.name for path in out.iterdir()}
    plants = (
        VDSimPlant(
            hidden_car(SEED), tyre=hidden_tyre(SEED), actuators=hidden_actuators(SEED), base_mu=MU
        ),
        VDSimPlant(out / "vehicle.yaml", actuators=out / "actuators.yaml", base_mu=MU),
        VDSimPlant("ioniq5_awd", base_mu=MU),
    )
    hidden, identified, start = (driven_plant(plant) for plant in plants)
    assert np.allclose(identified, hidden, rtol=0.01, atol=0.02)
    assert not np.allclose(start, hidden, rtol=0.01, atol=0.02)


def driven_plant(plant: VDSimPlant) -> np.ndarray:
    """Steer, accelerate and brake; return vx, vy and yaw rate after each second."""
    plant.reset((0.0, 0.0, 0.0, 15.0, 0.0, 0.0))
    seen = []
    for tick in range(100):
        force = 4000.0 if tick < 50 else -6000.0
        o = plant.step((0.03, force))
        if tick % 20 == 19:
            seen.append([o["vx"], o["vy"], o["r"]])
    return np.array(seen)


def test_a_fit_that_does_not_converge_says_so_and_claims_nothing(
    columns: dict[str, np.ndarray],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(fitting, "MOST_STEPS", 1)
    log = written(tmp_path / "drive.csv", columns, 1500)
    assert main([log, "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert said.count("  NOT CONVERGED after 1 step\n") == 2
    assert "vdsim_identify: NOT CONVERGED: discard all values" in said
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "did not converge: discard all values" in text
    assert "Noise alone is left" not in said + text
    rows = [line for line in said.splitlines() if "NOT TOLD" in line]
    assert rows
    assert all(line.endswith("NOT TOLD: the fit did not converge") for line in rows)
    assert "| only within" not in text
    assert "identified:" not in (tmp_path / "vehicle.yaml").read_text(encoding="utf-8")


def test_a_piece_that_begins_with_a_spinning_wheel_is_simulated_from_there() -> None:
    drive = next(drive for drive in DRIVES if drive.name == "full_throttle")
    vehicle, tyre = hidden_car(4), hidden_tyre(4)
    columns = driven(
        vehicle, tyre, hidden_actuators(4), mu=MU, drives=(drive,), duration_s=8.0, once=True
    )
    rolling = columns["vx_mps"] / vehicle.wheels.radius_m
    slip = columns["wheel_spin_radps_fl"] - rolling
    first = int(np.argmax(slip))
    assert slip[first] > 30.0
    log = log_of(columns)
    wheels = sliding_wheels(log, np.array([first, len(rolling) - 100]))
    assert wheels[0, 0] == pytest.approx(columns["wheel_spin_radps_fl"][first], rel=0.05)
    assert np.isnan(wheels[1]).all()


def test_a_log_that_shows_nothing_ends_in_one_line(
    columns: dict[str, np.ndarray], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    still = {**columns, "vx_mps": np.zeros_like(columns["vx_mps"])}
    assert main([written(tmp_path / "still.csv", still, 3000)]) == 2
    assert capsys.readouterr().err.startswith("vdsim_identify: log: has no 2 s without a gap")
    huge = {**columns, "vx_mps": np.full_like(columns["vx_mps"], 1e300)}
    assert main([written(tmp_path / "huge.csv", huge, 3000)]) == 2
    said = capsys.readouterr().err
    assert said == "vdsim_identify: huge.csv: vx_mps[0]=1e+300: must be finite, -150 to 150 m/s\n"


def test_values_that_lead_to_no_car_do_not_end_the_fit(
    columns: dict[str, np.ndarray], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows_n = 600
    zero = {name: np.zeros(rows_n) for name in columns}
    nothing = {**zero, "time_s": columns["time_s"][:rows_n], "vx_mps": np.full(rows_n, 10.0)}
    assert main([written(tmp_path / "nothing.csv", nothing, rows_n)]) == 0
    assert "NOT TOLD" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("known", "error"),
    [
        ("body.mass_kg=-5", "known=mass_kg=-5.0: must be >= 0.1"),
        ("body.mass_kg=nan", "known=body.mass_kg=nan: must be finite"),
        ("body.cg_to_front_axle_m=99", "known=body.cg_to_front_axle_m=99: the car would have"),
        ("brakes.front_share=3", "known=brakes.front_share=3: must be finite, 0.02 to 0.98"),
    ],
)
def test_a_given_value_that_no_car_has_is_refused(
    known: str,
    error: str,
    columns: dict[str, np.ndarray],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    log = written(tmp_path / "drive.csv", columns, 3000)
    assert main([log, "--known", known]) == 2
    assert capsys.readouterr().err.startswith(f"vdsim_identify: {error}")


def test_a_folder_that_cannot_be_is_refused_before_the_fit(
    columns: dict[str, np.ndarray], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = written(tmp_path / "drive.csv", columns, 3000)
    assert main([log, "--out", log]) == 2
    said = capsys.readouterr()
    assert said.err.startswith(f"vdsim_identify: --out={log}: cannot be a folder")
    assert "step" not in said.out


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
