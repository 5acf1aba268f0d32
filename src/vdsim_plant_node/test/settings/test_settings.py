"""Settings and options: what is refused, with which words; how the rates settle."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pytest
from vdsim_plant.ground import Ground
from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant.vehicle import Vehicle
from vdsim_plant_node.live.sessions import build_wire_vehicles, road_of
from vdsim_plant_node.settings.options import OPTIONS, add_options, server_settings
from vdsim_plant_node.settings.server_settings import Endpoint, ServerSettings, VehicleSettings


def settings_of(*arguments: str) -> ServerSettings:
    parser = argparse.ArgumentParser()
    add_options(parser)
    return server_settings(vars(parser.parse_args(arguments)))


def test_the_defaults_are_the_contracts() -> None:
    settings = settings_of()
    vehicle = settings.vehicles[0]
    assert (settings.cmd_ip, settings.cmd_port) == ("127.0.0.1", 7001)
    assert settings.state_to == (Endpoint("127.0.0.1", 7002),)
    assert settings.state_rate_hz == 200.0
    assert settings.tick_s == pytest.approx(0.005)
    assert settings.protocol_version is None
    assert (vehicle.vehicle, vehicle.level) == ("ioniq5_awd", "l2")
    assert vehicle.failsafe.timeout_s == 0.1
    assert vehicle.failsafe.brake == 0.3
    assert vehicle.failsafe.steer == "hold"


@pytest.mark.parametrize(
    ("rate", "tick_hz", "ticks_per_state"),
    [("200", 200, 1), ("100", 200, 2), ("1000", 1000, 1), ("60", 240, 4), ("150", 300, 2)],
)
def test_ticks_are_a_whole_multiple_of_states(
    rate: str, tick_hz: float, ticks_per_state: int
) -> None:
    settings = settings_of("--rate", rate)
    assert settings.tick_hz == pytest.approx(tick_hz)
    assert settings.ticks_per_state == ticks_per_state


@pytest.mark.parametrize("rate", ["1", "60", "150", "200", "333", "1000", "2000"])
def test_the_substep_divides_the_tick_and_is_not_longer_than_asked(rate: str) -> None:
    settings = settings_of("--rate", rate, "--substep", "0.0005")
    substeps = settings.tick_s / settings.substep_s
    assert substeps == pytest.approx(round(substeps))
    assert settings.substep_s <= 0.0005 * (1 + 1e-9)


def test_several_destinations_collapse_when_the_same() -> None:
    settings = settings_of("--state-to", "127.0.0.1:7002", "--state-to", "10.0.0.9:7003")
    assert settings.state_to == (Endpoint("127.0.0.1", 7002), Endpoint("10.0.0.9", 7003))


def test_state_port_zero_means_no_fixed_destination() -> None:
    assert settings_of("--state-port", "0").state_to == ()


EVERY_OPTION = """
--level l1 --mu 0.5 --seed 4 --charge 0.5 --vehicle-id 3 --x0 1 --y0 2 --yaw0 0.1
--vx0 9 --vy0 0.5 --r0 0.2 --origin-x 100 --origin-y 200 --origin-z 3 --cmd-timeout 0.2
--failsafe-brake 0.5 --failsafe-steer straight --cmd-port 0 --substep 0.001
--protocol-version 4 --allow-from 127.0.0.1 --session-release 5 --precise --record a.vds
--ground g.yaml --actuator a.yaml --sensor s.yaml --tick-rate 400 --allow-coarse-substep
--fmu car.fmu --fmu-names names.yaml
"""


def test_every_option_reaches_its_setting() -> None:
    settings = settings_of(*EVERY_OPTION.split())
    vehicle = settings.vehicles[0]
    assert (vehicle.level, vehicle.mu, vehicle.seed, vehicle.charge) == ("l1", 0.5, 4, 0.5)
    assert (vehicle.vehicle_id, vehicle.ground) == (3, "g.yaml")
    assert (vehicle.actuator, vehicle.sensor) == ("a.yaml", "s.yaml")
    assert (vehicle.fmu, vehicle.fmu_names) == ("car.fmu", "names.yaml")
    assert (vehicle.start.x_m, vehicle.start.y_m, vehicle.start.vx_mps) == (1.0, 2.0, 9.0)
    assert (vehicle.start.yaw_rad, vehicle.origin.z_m) == (0.1, 3.0)
    assert (vehicle.start.vy_mps, vehicle.start.yaw_rate_radps) == (0.5, 0.2)
    assert (vehicle.origin.x_m, vehicle.origin.y_m) == (100.0, 200.0)
    assert (vehicle.failsafe.timeout_s, vehicle.failsafe.brake) == (0.2, 0.5)
    assert vehicle.failsafe.steer == "straight"
    assert (settings.cmd_port, settings.protocol_version) == (0, 4)
    assert (settings.allow_from, settings.precise) == (("127.0.0.1",), True)
    assert settings.session_release_s == 5.0
    assert (settings.record, settings.tick_hz) == ("a.vds", 400.0)
    assert settings.substep_s == pytest.approx(0.000833333, rel=1e-3)
    assert settings.allow_coarse_substep


def test_the_same_port_of_another_machine_is_no_conflict() -> None:
    elsewhere = settings_of(*["--state-ip", "10.0.0.5", "--state-port", "7001"])
    assert elsewhere.state_to[0].address == ("10.0.0.5", 7001)


@pytest.mark.parametrize(
    ("given", "level"),
    [
        ("--level=L2", "l2"),
        ("--level=L3", "l3"),
        ("--level=L1", "l1"),
        ("--level=Kinematic", "kinematic"),
    ],
)
def test_a_level_may_be_written_in_capitals(given: str, level: str) -> None:
    [vehicle] = settings_of(given).vehicles
    assert vehicle.level == level
    assert Vehicle(level=level.upper()).level == level


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--cmd-port 70000", "cmd_port=70000: must be a whole number within 0..65535"),
        ("--cmd-ip localhost", "cmd_ip='localhost': must be an IPv4 address such as 127.0.0.1"),
        ("--state-to 127.0.0.1", "state_to='127.0.0.1': must be IP:PORT"),
        ("--state-to 127.0.0.1:0", "state_to=0: must be a whole number within 1..65535"),
        ("--state-ip ::1", "state_ip='::1': must be an IPv4 address"),
        ("--state-ip 0.0.0.0", "state_ip='0.0.0.0': must be the address of one machine, not 0.0"),
        ("--state-to 0.0.0.0:70", "state_to='0.0.0.0:70': must be the address of one machine"),
        ("--r0 11", "r0=11.0: must be >= -10 and <= 10"),
        ("--rate 0", "rate=0.0: must be >= 1 and <= 2000 Hz"),
        ("--rate nan", "rate=nan: must be"),
        ("--rate 200 --tick-rate 300", "tick_rate=300: must be a whole multiple of"),
        ("--rate 200 --tick-rate 100", "tick_rate=100: must be a whole multiple of"),
        ("--tick-rate 1e9", "tick_rate=1000000000.0: must be >= 1 and <= 2000 Hz"),
        ("--cmd-timeout 0", "cmd_timeout=0.0: must be >= 0.001 and <= 60 s"),
        ("--failsafe-brake 1.5", "failsafe_brake=1.5: must be >= 0 and <= 1"),
        ("--failsafe-steer left", "failsafe_steer='left': must be one of hold, straight"),
        ("--level l9", "level='l9': must be one of kinematic, l1, l2, l3"),
        ("--protocol-version 6", "protocol_version=6: must be within 1..5, or auto"),
        ("--protocol-version new", "protocol_version='new': must be within 1..5, or auto"),
        ("--vx0 inf", "vx0=inf: must be"),
        ("--allow-from everyone", "allow_from='everyone': must be an IPv4 address"),
        ("--allow-from 127.0.0.1:x", "allow_from='127.0.0.1:x': must be IP or IP:PORT"),
        ("--allow-from 127.0.0.1:0", "allow_from=0: must be a whole number within 1..65535"),
        ("--cmd-ip 0.0.0.0", "cmd_ip=0.0.0.0: needs allow_from, because other machines reach it"),
        ("--session-release -1", "session_release=-1.0: must be >= 0 and <= 3600 s"),
        ("--substep 1e-12", "substep=1e-12: must be >= 1e-06 and <= 0.1 s"),
        ("--substep 0.0021", "substep=0.0021: must be <= 0.002 s, because braking in a turn "),
        ("--substep 0.2 --allow-coarse-substep", "substep=0.2: must be >= 1e-06 and <= 0.1 s"),
        (
            "--cmd-port 6001 --state-port 6001",
            "cmd_port=6001: must not be where STATE goes (127.0.0.1:6001, state_port or state_to)",
        ),
        ("--cmd-port 6001 --state-to 127.0.0.1:6001", "cmd_port=6001: must not be where STATE"),
        (
            "--cmd-ip 0.0.0.0 --allow-from 10.0.0.1 --state-port 7001",
            "cmd_port=7001: must not be where STATE goes",
        ),
        ("--cmd-port 8090 --http 127.0.0.1:8090", "http=8090: must not be the port of cmd_port"),
        ("--http 7002", "http=7002: must not be the port of state_port, or state_to too"),
        ("--vehicle-id 65536", "vehicle_id=65536: must be <= 65535"),
        ("--mu 7 --ground split_mu", "mu=7.0: must be > 0 and <= 1.2"),
        ("--mu 0", "mu=0.0: must be > 0 and <= 1.2"),
        ("--charge 2", "charge=2.0: must be >= 0 and <= 1"),
    ],
)
def test_a_wrong_value_is_refused_by_name(arguments: str, message: str) -> None:
    with pytest.raises(ParameterError) as error:
        settings_of(*arguments.split())
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_the_senders_are_addresses_with_or_without_a_port() -> None:
    assert settings_of().allowed_sources is None
    named = settings_of(*["--allow-from", "10.0.0.7", "--allow-from", "127.0.0.1:7002"])
    assert named.allowed_sources == ("10.0.0.7", ("127.0.0.1", 7002))
    assert settings_of(*["--cmd-ip", "0.0.0.0", "--allow-from", "10.0.0.7"]).cmd_ip == "0.0.0.0"


def test_two_vehicles_cannot_have_one_number() -> None:
    twice = (VehicleSettings(vehicle_id=2), VehicleSettings(vehicle_id=2))
    with pytest.raises(ParameterError, match="vehicle_id=2: is there more than once"):
        ServerSettings(vehicles=twice)


def test_two_vehicles_cannot_name_one_port() -> None:
    twice = (VehicleSettings(0, cmd_port=7001), VehicleSettings(1, cmd_port=7001))
    with pytest.raises(ParameterError, match="cmd_port=7001: is there more than once"):
        ServerSettings(vehicles=twice)


def test_option_names_are_unique_and_described() -> None:
    names = [option.name for option in OPTIONS]
    assert len(set(names)) == len(names)
    assert all(option.help for option in OPTIONS)


FLEET = """
defaults: {level: l1, start: {vx_mps: 5.0}, failsafe: {brake: 0.6}}
vehicles:
  - {vehicle_id: 4, start: {x_m: 10.0}}
  - {vehicle_id: 9, level: l2, cmd_port: 7055, state_to: ["127.0.0.1:7056"]}
"""


def fleet_file(folder: Path, text: str) -> Path:
    path = folder / "fleet.yaml"
    path.write_text(text)
    return path


def test_a_fleet_shares_its_defaults(tmp_path: Path) -> None:
    settings = settings_of("--vehicles", str(fleet_file(tmp_path, FLEET)))
    first, second = settings.vehicles
    assert (first.vehicle_id, first.level) == (4, "l1")
    assert (first.start.x_m, first.start.vx_mps) == (10.0, 5.0)
    assert (first.cmd_port, first.state_to) == (None, ())
    assert (second.vehicle_id, second.level, second.cmd_port) == (9, "l2", 7055)
    assert second.state_to == (Endpoint("127.0.0.1", 7056),)
    assert {vehicle.failsafe.brake for vehicle in settings.vehicles} == {0.6}


def test_mu_is_the_friction_that_a_ground_file_leaves_open(tmp_path: Path) -> None:
    patches = tmp_path / "patches.yaml"
    patches.write_text("x_patches: [[5, 9, 0.2]]\n")

    def road(*arguments: str) -> Ground:
        return road_of(settings_of(*arguments).vehicles[0])

    assert road().base_mu == 0.9
    assert road("--mu", "0.5").base_mu == 0.5
    assert road("--ground", str(patches)).base_mu == 0.9
    assert road("--ground", str(patches), "--mu", "0.5").base_mu == 0.5
    assert road("--ground", "split_mu").base_mu == 0.7
    with pytest.raises(ParameterError) as caught:
        road("--ground", "split_mu", "--mu", "0.5")
    expected = "split_mu.yaml: base_mu: is in the file, and mu=0.5 is given as well: give one of"
    assert str(caught.value).startswith(expected)


def test_mu_and_a_stated_friction_are_refused_in_a_fleet_too(tmp_path: Path) -> None:
    path = fleet_file(tmp_path, "defaults: {mu: 0.5}\nvehicles: [{}, {ground: split_mu}]")
    with pytest.raises(ParameterError, match=r"split_mu\.yaml: base_mu: is in the file"):
        build_wire_vehicles(settings_of("--vehicles", str(path)))


def test_vehicles_without_a_number_are_counted(tmp_path: Path) -> None:
    path = fleet_file(tmp_path, "vehicles: [{}, {}, {}]")
    settings = settings_of("--vehicles", str(path))
    assert [vehicle.vehicle_id for vehicle in settings.vehicles] == [0, 1, 2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("vehicles: []", "fleet.yaml: vehicles: must be a list of 1 to 1000 vehicles"),
        ("vehicles: {a: 1}", "fleet.yaml: vehicles: must be a list of 1 to 1000 vehicles"),
        ("cars: []", "fleet.yaml: cars: unknown key; known are defaults, vehicles"),
        ("[1, 2]", "fleet.yaml: document: must be a group of keys"),
        ("vehicles: [{speed: 1}]", "fleet.yaml: vehicles[0].speed: unknown key"),
        ("vehicles: [3]", "fleet.yaml: vehicles[0]=3: must be a group of keys"),
        ("vehicles: [{start: {vx_mps: fast}}]", "fleet.yaml: vehicles[0].start.vx_mps='fast': "),
        ("vehicles: [{state_to: [x]}]", "fleet.yaml: vehicles[0].state_to[0]='x': must be IP:PORT"),
        ("vehicles: [{state_to: x}]", "fleet.yaml: vehicles[0].state_to='x': must be a list of"),
        ("vehicles: [{cmd_port: -1}]", "fleet.yaml: vehicles[0].cmd_port=-1: must be a whole"),
        ("defaults: 3\nvehicles: [{}]", "fleet.yaml: defaults=3: must be a group of keys"),
        ("vehicles: [", "fleet.yaml: "),
    ],
)
def test_a_wrong_fleet_is_refused_by_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ParameterError) as error:
        settings_of("--vehicles", str(fleet_file(tmp_path, text)))
    assert str(error.value).startswith(message)


def test_a_fleet_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="cannot be read: No such file"):
        settings_of("--vehicles", str(tmp_path / "none.yaml"))


def test_vehicle_options_do_not_go_with_a_fleet(tmp_path: Path) -> None:
    path = fleet_file(tmp_path, FLEET)
    with pytest.raises(ParameterError, match="vx0: cannot go with a fleet file"):
        settings_of("--vehicles", str(path), "--vx0", "3")


def given(**values: Any) -> dict[str, Any]:
    return values


def test_vehicle_and_tyre_are_taken_by_name() -> None:
    settings = server_settings(given(vehicle="compact_fwd", tyre="mf96"))
    assert (settings.vehicles[0].vehicle, settings.vehicles[0].tyre) == ("compact_fwd", "mf96")
