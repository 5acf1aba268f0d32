"""The emulator as a program: real sockets, options, files, and what a user gets wrong."""

from __future__ import annotations

import socket
import threading
from dataclasses import fields
from pathlib import Path

import pytest
import yaml
from vdsim_kit.ports import free_ports
from vdsim_plant.parameters import ParameterError
from vdsim_plant_node.cli.morai_emulator import main
from vdsim_plant_node.morai.emulator import Emulator, Sockets
from vdsim_plant_node.morai.settings import EmulatorSettings, Ports, load_settings

from vdsim_protocol import morai

ROOT = Path(__file__).resolve().parents[4]


def ports() -> Ports:
    names = [item.name for item in fields(Ports)]
    return Ports(**dict(zip(names, free_ports(len(names)), strict=True)))


def test_the_shipped_file_shows_the_defaults() -> None:
    path = ROOT / "src/vdsim_interface/config/morai_emulator.yaml"
    shown = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert set(shown) == {item.name for item in fields(EmulatorSettings)}
    assert set(shown["ports"]) == {item.name for item in fields(Ports)}
    assert load_settings(path, {}) == EmulatorSettings()


def test_orders_and_messages_go_over_real_sockets() -> None:
    settings = EmulatorSettings(ports=ports())
    sockets = Sockets(settings)
    emulator = Emulator(settings, sockets, print)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ours:
        ours.bind(("127.0.0.1", settings.ports.status))
        ours.settimeout(60.0)
        order = morai.EgoCtrlCmd(2, 4, morai.CmdType.PEDALS, accel=0.5)
        ours.sendto(morai.encode(order), ("127.0.0.1", settings.ports.control))
        speeds = []
        for frame in range(25):
            emulator.tick(0.02 * frame)
            packet = morai.decode(ours.recv(65535))
            assert isinstance(packet, morai.Packet)
            speeds.append(packet.body.signed_velocity_kph)
    sockets.close()
    assert speeds[-1] > 1.0


def test_a_flood_of_nonsense_is_a_line_a_second() -> None:
    settings = EmulatorSettings(ports=ports())
    sockets = Sockets(settings)
    lines: list[str] = []
    emulator = Emulator(settings, sockets, lines.append)
    order = morai.encode(morai.EgoCtrlCmd(2, 4, morai.CmdType.PEDALS, accel=0.5))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ours:
        for frame in range(101):
            for _ in range(10):
                ours.sendto(b"nonsense", ("127.0.0.1", settings.ports.control))
            if frame == 1:
                ours.sendto(order, ("127.0.0.1", settings.ports.control))
            emulator.tick(0.02 * frame)
    emulator.end()
    sockets.close()
    dropped = [line for line in lines if line.startswith("dropped a datagram from 127.0.0.1:")]
    assert all(": identifier: " in line for line in dropped)
    assert [line.rpartition(" (")[2] for line in dropped] == [
        "the last of 10)", "the last of 500)", "the last of 500)",
    ]  # fmt: skip
    found = [line for line in lines if line.startswith("control mode AUTO from 127.0.0.1:")]
    assert len(found) == 1, "not lost among them"
    assert len(lines) == 4


def test_it_runs_for_a_while_and_leaves_the_launchs_arguments_unread(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    names = ports()
    scene = tmp_path / "scene.yaml"
    scene.write_text(yaml.safe_dump({"ports": vars(names)}), encoding="utf-8")
    assert threading.current_thread() is threading.main_thread(), "it takes over the signals"
    arguments = ["--scene", str(scene), "--duration", "0.2", "--ros-args", "-r", "__node:=x"]
    assert main(arguments) == 0
    assert f"to 127.0.0.1:{names.status}" in capfd.readouterr().out


def test_the_help_shows_what_each_release_sends(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    shown = capfd.readouterr().out
    assert "--release 21|22.R2|23.R1|24.R2|25.S4|26.R1" in shown
    assert "2160 inferred" in shown


@pytest.mark.parametrize("duration", ["nan", "-1", "0", "inf"])
def test_a_duration_that_is_none_is_one_line(
    duration: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["--duration", duration]) == 2
    said = capfd.readouterr().err
    assert said.startswith("morai_emulator: duration=")
    assert said.endswith(": must be finite and > 0 s\n")


def test_a_taken_port_is_one_line(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    names = ports()
    scene = tmp_path / "scene.yaml"
    scene.write_text(yaml.safe_dump({"ports": vars(names)}), encoding="utf-8")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", names.lamps))
        assert main(["--scene", str(scene)]) == 1
    assert f"UDP 127.0.0.1:{names.lamps}: Address already in use" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ports: {contrl: 1}", "must be one of control, multi_ego"),
        ("ports: {control: 0}", "ports.control=0"),
        ("boxes: [[1, 2, 3]]", "boxes[0]"),
        ("boxes: [[1, x]]", "boxes[0]"),
        ("generation: 6", "generation=6"),
        ("release: 24", "release"),
        ("release: 24.R1", "release='24.R1'"),
        ("steer_positive: up", "steer_positive='up'"),
        ("host: nowhere", "host"),
        ("wheels: 5", "wheels"),
    ],
)
def test_a_wrong_file_is_one_line(
    text: str, words: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    scene = tmp_path / "scene.yaml"
    scene.write_text(text, encoding="utf-8")
    assert main(["--scene", str(scene)]) == 2
    said = capfd.readouterr().err
    assert words in said
    assert said.count("\n") == 1


def test_options_outrank_the_file(tmp_path: Path) -> None:
    scene = tmp_path / "scene.yaml"
    scene.write_text("ports: {control: 5001, status: 5002}\nmu: 0.5\n", encoding="utf-8")
    seen = load_settings(scene, {"control_port": 6001, "mu": None, "vehicle": "sport_rwd"})
    assert (seen.ports.control, seen.ports.status) == (6001, 5002)
    assert (seen.mu, seen.vehicle) == (0.5, "sport_rwd")
    scene.write_text("release: 21\n", encoding="utf-8")
    assert load_settings(scene, {}).as_release.name == "21"
    assert load_settings(scene, {"release": "26.R1"}).as_release.name == "26.R1"
    with pytest.raises(ParameterError):
        load_settings(None, {"status_port": 70000})
    with pytest.raises(ParameterError, match=r"ports\.status=9093: must not be ports\.control too"):
        load_settings(None, {"status_port": 9093})
    with pytest.raises(
        ParameterError, match=r"ports\.lamps=7604: must not be ports\.multi_ego too"
    ):
        EmulatorSettings(ports=Ports(lamps=7604))
