"""`vdsim_can_car` as a process, driven over a real bus by the shipped platform and pipeline."""

import select
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from vdsim_can.cli.car import main
from vdsim_can.platform import SPEC
from vdsim_can.platform.parameters import CanParameters
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.pipeline import Pipeline
from vdsim_interface.platforms.endpoints import Endpoints
from vdsim_interface.platforms.spec import PlatformSetup
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import HighLevelCommand
from vdsim_kit.ports import free_ports


@pytest.fixture
def port() -> int:
    return free_ports(1)[0]


@pytest.fixture
def car(port: int) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "vdsim_can.cli.car", "vdsim_dbw", "--port", str(port)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    yield process
    process.terminate()
    assert process.wait() == 0
    assert process.stderr is not None
    process.stderr.close()


def test_an_interface_drives_the_car_of_another_process(
    car: subprocess.Popen[str], port: int
) -> None:
    assert car.stderr is not None
    first = car.stderr.readline()
    assert first == "vdsim_can_car: vdsim_dbw on main (udp_multicast), driven by ioniq5_awd\n"
    parameters = InterfaceParameters(safety=SafetyParameters(auto_engage=True))
    own = CanParameters(port=port)
    platform = SPEC.create(own, PlatformSetup(parameters.vehicle, parameters.period_s))
    pipeline = Pipeline(parameters, platform, SPEC.with_parameters(own).capabilities)
    endpoints = Endpoints(platform.endpoints())
    due_s = time.monotonic()
    end_s = due_s + 60.0
    while not select.select([car.stderr], [], [], max(0.0, due_s - time.monotonic()))[0]:
        now = time.monotonic()
        assert now < end_s, "the car hears nobody"
        due_s = max(due_s + parameters.period_s, now)
        for data, source, name in endpoints.drain(time.monotonic()):
            pipeline.on_datagram(data, source, name, now)
        pipeline.on_command(HighLevelCommand(now, 5.0, 0.0), now)
        endpoints.send(pipeline.tick(now).datagrams)
    assert car.stderr.readline() == "vdsim_can_car: an interface drives\n"
    endpoints.close()
    assert car.stderr.readline() == "vdsim_can_car: nobody drives any more\n"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["no_such.yaml"], "no_such.yaml"),
        (["--fault", "lost:NO"], "fault lost:NO: must be one of DBW_BODY"),
        (["--channels", "main"], "must be NAME=CHANNEL"),
        (["--vehicle", "no_such_car"], "no_such_car"),
        (["--interface", "socketcan", "--channels", "main=no_such_bus"], "socketcan no_such_bus"),
    ],
)
def test_a_wrong_argument_is_one_line(
    words: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--seconds", "0"]) == 2
    said = capsys.readouterr().err
    assert why in said
    assert said.count("\n") == 1
    assert said.startswith("vdsim_can_car: ")
