"""The understeer gradient of a car that a VDS1 server drives, in a process of its own, over UDP."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from vdsim_interface.extras.calibration.cli import bend_session, calibrate
from vdsim_interface.extras.calibration.cli.calibrate import main
from vdsim_interface.extras.calibration.understeer_fit import fit_understeer
from vdsim_kit.ports import free_ports

CAR, WHEELBASE_M, GRADIENT = "compact_fwd", "2.55", 0.00174
"""What config/cars states, which test_cars.py compares with a sweep of the car itself."""


@pytest.fixture
def ports() -> Iterator[tuple[str, str]]:
    """Those of a running server: CMD and STATE."""
    command, state = map(str, free_ports(2))
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", "vdsim_plant_node.cli.realtime", CAR),
            *("--cmd-port", command, "--state-port", state, "--http", "off"),
        ],
        stdout=subprocess.DEVNULL,
    )
    try:
        yield command, state
    finally:
        server.terminate()
        server.wait()


def test_the_gradient_of_a_car_behind_a_server_is_found(
    ports: tuple[str, str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bend_session, "NO_STATE_S", 120.0)  # the server compiles first
    command, state = ports
    bends = tmp_path / "bends.csv"
    options = ["--wheelbase", WHEELBASE_M, "--top-speed", "16", "-o", str(bends)]
    code = main(["--server", f"127.0.0.1:{command}", "--listen-port", state, *options])
    out, err = capsys.readouterr()
    assert code == 0, err
    found = re.match(r"vehicle\.understeer_gradient_rad_s2pm: ([\d.]+) {2}\(9 bends", out)
    assert found, out
    assert float(found[1]) == pytest.approx(GRADIENT, rel=0.06)
    rows = bends.read_text(encoding="utf-8").splitlines()
    assert fit_understeer(rows).gradient_rad_s2pm == pytest.approx(float(found[1]), abs=1e-5)
    assert err.splitlines() == rows[2:]


def test_a_server_that_is_not_there_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bend_session, "NO_STATE_S", 0.1)
    command, state = map(str, free_ports(2))
    server = f"127.0.0.1:{command}"
    assert main(["--server", server, "--listen-port", state, "--wheelbase", "2.5"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("vdsim_calibrate: server: no STATE of it arrives within 0.1 s; ")
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("server", "listens"),
    [
        ("127.0.0.1:7001", ("127.0.0.1", 7002)),
        ("localhost:7001", ("127.0.0.1", 7002)),
        ("192.0.2.1:7001", ("0.0.0.0", 7002)),
    ],
)
def test_state_of_another_machine_can_arrive(server: str, listens: tuple[str, int]) -> None:
    [endpoint] = bend_session._platform(server, 7002).endpoints()
    assert endpoint.listen == listens


def test_ctrl_c_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> list[str]:
        raise KeyboardInterrupt

    monkeypatch.setattr(calibrate, "drive_bends", interrupted)
    assert main(["--server", "127.0.0.1:7001", "--wheelbase", "2.5"]) == 130
    assert capsys.readouterr().err == "vdsim_calibrate: interrupted\n"


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--server", "here"], "server='here': must be host:port with a port up to 65535"),
        (["--server", "127.0.0.1:0"], "vds1.plant_port=0: must be >= 1"),
        (["--server", "127.0.0.1:7001", "--listen-port", "7001"], "vds1.listen_port=7001: must "),
        (["--server", "127.0.0.1:7001", "--top-speed", "4"], "top_speed=4: must be > 5"),
        (["--server", "127.0.0.1:7001", "--wheelbase", "-1"], "wheelbase=-1: must be > 0"),
    ],
)
def test_a_wrong_option_is_one_line(
    options: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--wheelbase", "2.5", *options]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"vdsim_calibrate: {line}")
    assert error.count("\n") == 1
