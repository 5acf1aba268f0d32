"""vdsim_chaos with real sockets on loopback: two processes' link, spoiled on purpose."""

import builtins
import json
import os
import re
import runpy
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from vdsim_protocol.cli import chaos
from vdsim_protocol.cli.chaos import ChaosRelay, PlanFile, load_plan, main
from vdsim_protocol.faults import BACK, TO, LinkFaults, RelayPlan, Route
from vdsim_protocol_kit.vds1 import COMMAND, STATE

from vdsim_protocol import vds1

LOCAL = ("127.0.0.1", 0)
LIMIT_S = 60.0
PACKAGE = Path(chaos.__file__).parents[2]


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Two peers, each with a socket of its own."""
    peers = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
    for peer in peers:
        peer.bind(LOCAL)
        peer.settimeout(LIMIT_S)
    yield peers[0], peers[1]
    for peer in peers:
        peer.close()


def save(path: Path, text: str) -> None:
    """Replace a file in one step: a reader beside sees the old text or the new, never a part."""
    beside = path.with_suffix(".new")
    beside.write_text(text)
    beside.replace(path)


def plan_to(target: socket.socket, **faults: LinkFaults) -> RelayPlan:
    return RelayPlan((Route("link", LOCAL, target.getsockname(), **faults),), seed=2)


def run_until_quiet(relay: ChaosRelay, datagrams: int) -> list[Any]:
    """Step until so many datagrams came in and everything in flight is out."""
    passed: list[Any] = []
    deadline = time.monotonic() + LIMIT_S
    while len(passed) < datagrams or relay.control.next_deadline() is not None:
        assert time.monotonic() < deadline
        passed += relay.step(0.05)
    return passed


def test_datagrams_pass_both_ways(ends: tuple[socket.socket, socket.socket]) -> None:
    driver, plant = ends
    with closing(ChaosRelay(plan_to(plant), None, time.monotonic())) as relay:
        front = relay.addresses()["link"]
        assert relay.control_address() is None
        command = vds1.Sender().command(COMMAND, 1.0)
        driver.sendto(command, front)
        (passage,) = run_until_quiet(relay, 1)
        assert (passage.way, passage.datagram, passage.sender) == (
            *(TO, command),
            driver.getsockname(),
        )
        received, from_relay = plant.recvfrom(2000)
        assert received == command
        state = vds1.Sender().state(STATE, 1.0)
        plant.sendto(state, from_relay)
        (answer,) = run_until_quiet(relay, 1)
        assert answer.way == BACK
        assert driver.recvfrom(2000) == (state, front)


def test_faults_act_on_real_traffic(ends: tuple[socket.socket, socket.socket]) -> None:
    driver, plant = ends
    faults = LinkFaults(loss=0.3, duplicate=0.1, delay_s=0.01, bit_flip=0.1)
    with closing(ChaosRelay(plan_to(plant, to=faults), None, time.monotonic())) as relay:
        sender, receiver = vds1.Sender(), vds1.Receiver(vds1.Command)
        for step in range(300):
            driver.sendto(sender.command(COMMAND, step / 100), relay.addresses()["link"])
            relay.step(0.0)
        run_until_quiet(relay, 0)
        counts = relay.control.snapshot()["link/to"]["counters"]
        assert counts["offered"] == 300
        for _ in range(counts["delivered"]):
            receiver.receive(plant.recv(2000), ("127.0.0.1", 1), 0.0)
        counters = receiver.counters()
        assert counters.rejected[vds1.Reason.CRC] > 0
        assert counters.accepted + counters.rejected_total == counts["delivered"]
        assert 150 < counters.accepted < 260


def test_an_answer_before_any_question_goes_nowhere(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    driver, plant = ends
    with closing(ChaosRelay(plan_to(plant), None, time.monotonic())) as relay:
        rear = relay._lines["link"].rear.getsockname()
        plant.sendto(b"unasked", rear)
        run_until_quiet(relay, 1)
        driver.settimeout(0.05)
        with pytest.raises(TimeoutError):
            driver.recv(100)


def test_a_target_that_is_not_there_stops_nothing(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    driver, plant = ends
    plan = plan_to(plant)
    plant.close()
    with closing(ChaosRelay(plan, None, time.monotonic())) as relay:
        for _ in range(3):  # the kernel reports the closed port on the following calls
            driver.sendto(b"hello", relay.addresses()["link"])
            run_until_quiet(relay, 1)
        assert relay.control.snapshot()["link/to"]["counters"]["delivered"] == 3


def test_socket_errors_stop_nothing(ends: tuple[socket.socket, socket.socket]) -> None:
    """An ICMP error can surface on either call, whenever the kernel likes."""

    class Broken:
        def recvfrom(self, size: int) -> Any:
            raise ConnectionRefusedError

        def sendto(self, datagram: bytes, address: Any) -> int:
            raise OSError(101, "Network is unreachable")

    _, plant = ends
    with closing(ChaosRelay(plan_to(plant), None, time.monotonic())) as relay:
        line = relay._lines["link"]
        assert relay._receive(Broken(), (line, TO)) is None
        rear, line.rear = line.rear, Broken()  # type: ignore[assignment]
        relay._pass_on(line, TO, b"x")
        line.rear = rear


def test_an_order_that_cannot_be_answered_stops_nothing(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    """The source of a forged datagram can be port 0, to which nothing can be sent."""

    class Forged(socket.socket):
        def recvfrom(self, *_: int) -> Any:
            return b"{}", ("127.0.0.1", 0)

    _, plant = ends
    with (
        closing(ChaosRelay(plan_to(plant), None, time.monotonic())) as relay,
        Forged(socket.AF_INET, socket.SOCK_DGRAM) as control,
    ):
        assert relay._receive(control, None) is None


def test_a_port_in_use_is_one_clear_line(ends: tuple[socket.socket, socket.socket]) -> None:
    driver, plant = ends
    host, port = driver.getsockname()
    plan = RelayPlan((Route("link", (host, port), plant.getsockname()),))
    with pytest.raises(ValueError, match=f"^{host}:{port}: cannot listen: Address already in use"):
        ChaosRelay(plan, None, 0.0)


def test_control_by_datagram(ends: tuple[socket.socket, socket.socket]) -> None:
    driver, plant = ends
    with closing(ChaosRelay(plan_to(plant), LOCAL, time.monotonic())) as relay:
        address = relay.control_address()
        assert address is not None
        request = {"route": "link", "faults": {"loss": 1.0}}
        driver.sendto(json.dumps(request).encode(), address)
        deadline = time.monotonic() + LIMIT_S
        while relay.control.snapshot()["link/to"]["faults"]["loss"] != 1.0:
            assert time.monotonic() < deadline
            assert relay.step(0.05) == []
        answer = json.loads(driver.recv(65535))
        assert answer["link/to"]["faults"]["loss"] == 1.0


PLAN = """\
seed: 1
routes:
  - name: link
    listen: 127.0.0.1:0
    target: 127.0.0.1:9
    to: {loss: %s}
"""


def test_a_saved_plan_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN % 0.0)
    plan_file = PlanFile(path)
    with closing(ChaosRelay(plan_file.plan, None, 0.0)) as relay:
        assert not plan_file.changed()
        path.write_text(PLAN % "0.625")
        assert plan_file.changed()
        assert not plan_file.changed()
        assert plan_file.reload(relay, 1.0) == f"{path}: new faults"
        assert relay.control.snapshot()["link/to"]["faults"]["loss"] == 0.625
        path.write_text(PLAN % "much")
        assert plan_file.changed()
        kept = f"kept the old faults: {path}: routes[0].to.loss='much': must be in 0..1"
        assert plan_file.reload(relay, 2.0) == kept
        path.unlink()
        assert not plan_file.changed()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("plan.json", "{", "plan.json: not JSON: Expecting property name"),
        ("plan.yaml", "a: [", "plan.yaml: line 1: not YAML: "),
        ("plan.yaml", "a: 1", "plan: must be a mapping with a list of routes"),
    ],
)
def test_unusable_plans(tmp_path: Path, name: str, content: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(ValueError, match=re.escape(message)):
        load_plan(path)


def test_json_plans_need_no_yaml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real_import = builtins.__import__

    def without_yaml(name: str, *rest: Any) -> Any:
        if name == "yaml":
            raise ImportError(name)
        return real_import(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_yaml)
    plan = {"routes": [{"name": "a", "listen": "127.0.0.1:0", "target": "127.0.0.1:9"}]}
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    assert load_plan(tmp_path / "plan.json").routes[0].name == "a"
    (tmp_path / "plan.yaml").write_text(PLAN % 0.0)
    with pytest.raises(ValueError, match=r"plan.yaml: reading YAML needs PyYAML \(pip install"):
        load_plan(tmp_path / "plan.yaml")


def test_the_example_plan_is_usable(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--example"]) == 0
    path = tmp_path / "plan.yaml"
    path.write_text(capfd.readouterr().out)
    assert [route.name for route in load_plan(path).routes] == ["cmd", "state"]


def test_main_runs_for_a_while(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN % 0.0)
    assert main([str(path), "--duration", "0.05", "--control", "127.0.0.1:0"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[0].startswith("link: listening on 127.0.0.1:")
    assert lines[1].startswith("control: listening on 127.0.0.1:")
    assert json.loads(lines[2].removeprefix("link/to: "))["offered"] == 0
    assert lines[3].startswith("link/back: {")


def test_routes_can_stand_on_the_command_line(capfd: pytest.CaptureFixture[str]) -> None:
    routes = [["--route", name, "127.0.0.1:0", "127.0.0.1:9"] for name in ("cmd", "state")]
    assert main([*routes[0], *routes[1], "--duration", "0.05"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines[:3]] == ["cmd", "state", "cmd/to"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["/nowhere/plan.yaml"], "/nowhere/plan.yaml: No such file or directory"),
        (["PLAN", "--control", "x"], "--control='x': must be host:port with a port up to 65535"),
        ([], "plan: must be given, or else --route"),
        (["PLAN", "--route", "a", "b", "c"], "plan: must be given, or else --route"),
        (
            ["--route", "a", "127.0.0.1:0", "here"],
            "routes[0].target='here': must be host:port with a port up to 65535",
        ),
    ],
)
def test_an_error_is_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN % 0.0)
    assert main([str(path) if a == "PLAN" else a for a in arguments]) == 2
    assert capfd.readouterr().err == f"vdsim_chaos: {message}\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_process_reloads_and_ends_quietly(tmp_path: Path, number: int) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN % 0.0)
    environ = {**os.environ, "PYTHONPATH": str(PACKAGE), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        [sys.executable, "-m", "vdsim_protocol.cli.chaos", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environ,
    ) as process:
        assert process.stdout is not None
        assert "listening" in process.stdout.readline()
        save(path, PLAN % "0.125")
        assert process.stdout.readline() == f"{path}: new faults\n"
        process.send_signal(number)
        output, errors = process.communicate(timeout=LIMIT_S)
    assert (process.returncode, errors) == (0, "")
    assert output.startswith("link/to: {")


def test_every_further_signal_leaves_the_exit_code_alone(tmp_path: Path) -> None:
    """Ctrl-C in the terminal of a launch comes twice: from the terminal and from the launch."""
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN % 0.0)
    environ = {**os.environ, "PYTHONPATH": str(PACKAGE), "PYTHONUNBUFFERED": "1"}
    code = "import sys; from vdsim_protocol.cli.chaos import main; sys.exit(main())"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True, env=environ
    ) as process:
        assert process.stdout is not None
        assert "listening" in process.stdout.readline()
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            time.sleep(0.0005)
    assert process.returncode == 0


def test_main_reloads_until_a_signal(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same within this process: a plan saved while it runs, then SIGTERM."""
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN % 0.0)
    monkeypatch.setattr(chaos, "POLL_S", 0.01)
    reload = PlanFile.reload

    def reload_and_stop(self: PlanFile, relay: ChaosRelay, now: float) -> str:
        os.kill(os.getpid(), signal.SIGTERM)
        return reload(self, relay, now)

    monkeypatch.setattr(PlanFile, "reload", reload_and_stop)
    saving = threading.Timer(0.1, save, [path, PLAN % 0.125])
    saving.start()
    before = signal.getsignal(signal.SIGTERM)
    assert main([str(path)]) == 0
    saving.join()
    assert signal.getsignal(signal.SIGTERM) is before
    assert f"{path}: new faults\n" in capfd.readouterr().out


def test_the_file_is_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["vdsim_chaos", "--example"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(chaos.__file__, run_name="__main__")
    assert ended.value.code == 0


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{after}: &{after} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, after in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("plan.yaml", b"routes: {{ speed }}"),
        ("plan.yaml", b"seed: 2020-13-45"),
        ("plan.yaml", b"seed: !!int x"),
        ("plan.yaml", b"\xff\xfe\x00"),
        ("plan.yaml", b"[" * 5000),
        ("plan.yaml", BOMB.encode()),
        ("plan.yaml", (BOMB + "routes: *i").encode()),
        ("plan.yaml", f"seed: {'9' * 5000}".encode()),
        ("plan.yaml", b"x: 1\n" * 300_000),
        ("plan.json", b"[" * 100_000),
        ("plan.json", b"\x00"),
    ],
)
def test_a_hostile_plan_is_one_line(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r".") as error:
        load_plan(path)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 1000


def test_a_plan_that_never_ends_is_refused() -> None:
    with pytest.raises(ValueError, match="/dev/zero: is no regular file"):
        load_plan(Path("/dev/zero"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "--route a 127.0.0.1:21 127.0.0.1:22 --route b 127.0.0.1:21 127.0.0.1:23",
            "listen of route b=127.0.0.1:21: must not be the port of listen of route a",
        ),
        (
            "--route a 127.0.0.1:21 127.0.0.1:21",
            "target of route a=127.0.0.1:21: must not be the port of listen of route a",
        ),
        (
            "--route a 127.0.0.1:21 127.0.0.1:22 --control 0.0.0.0:21",
            "--control=0.0.0.0:21: must not be the port of listen of route a",
        ),
        (
            "--route a 127.0.0.1:21 127.0.0.1:22 --control 127.0.0.1:22",
            "--control=127.0.0.1:22: must not be the port of target of route a",
        ),
    ],
)
def test_two_options_with_one_port_are_refused_in_one_line(
    arguments: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments.split()) == 2
    assert capsys.readouterr().err == f"vdsim_chaos: {message}\n"
