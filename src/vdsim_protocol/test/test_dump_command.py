"""vdsim_dump on files, standard input and live loopback traffic."""

import io
import json
import os
import re
import runpy
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from vdsim_kit.ports import free_ports
from vdsim_protocol.cli import dump
from vdsim_protocol.cli.dump import main
from vdsim_protocol.dissector import dissector
from vdsim_protocol_kit.capture import frame, pcap
from vdsim_protocol_kit.vds1 import COMMAND, STATE, VECTORS, encode, patched

from vdsim_protocol import morai

PACKAGE = Path(dump.__file__).parents[2]
LIMIT_S = 60.0
TRAFFIC = VECTORS / "traffic.hex"


def lines_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert main(list(arguments)) == 0
    return capsys.readouterr().out.splitlines()


def test_a_hex_file(capsys: pytest.CaptureFixture[str]) -> None:
    lines = lines_of(capsys, str(TRAFFIC))
    assert len(lines) == 9
    assert " VDS1 CMD version=3 seq=1 " in lines[0]
    assert sum("REJECT" in line for line in lines) == 3


def test_a_capture_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "x.pcap"
    path.write_bytes(pcap([(1.5, frame(encode(COMMAND)))]))
    (line,) = lines_of(capsys, str(path))
    assert line.startswith("1.500000 127.0.0.1:5000 > 127.0.0.1:7001 VDS1 CMD")


def test_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(encode(COMMAND).hex()))
    assert len(lines_of(capsys, "-")) == 1


def test_json_lines_and_chosen_fields(capsys: pytest.CaptureFixture[str]) -> None:
    lines = lines_of(capsys, str(TRAFFIC), "--json", "--fields", "throttle,vx_mps")
    records = [json.loads(line) for line in lines]
    assert records[0]["fields"] == {"throttle": 0.3}
    assert set(records[3]["fields"]) == {"vx_mps"}


def test_only_rejects(capsys: pytest.CaptureFixture[str]) -> None:
    lines = lines_of(capsys, str(TRAFFIC), "--rejects")
    assert len(lines) == 3
    assert all("REJECT" in line for line in lines)


def test_statistics_and_count(capsys: pytest.CaptureFixture[str]) -> None:
    lines = lines_of(capsys, str(TRAFFIC), "--count", "3", "--stats", "--fields", "brake")
    assert len(lines) == 4
    link = json.loads(lines[3])
    assert link["link"] == "CMD vehicle 0"
    assert (link["accepted"], link["lost"], link["rejected"]) == (2, 0, {"duplicate": 1})
    assert link["clock"]["skew_ppm"] == 0.0


def test_statistics_without_an_accepted_packet(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "x.hex"
    path.write_text(patched(encode(COMMAND), 16, bytes.fromhex("000000000000f87f")).hex())
    link = json.loads(lines_of(capsys, str(path), "--stats")[-1])
    assert (link["accepted"], link["clock"], link["rejected"]) == (0, None, {"non_finite": 1})


def test_the_dissector_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--dissector"]) == 0
    assert capsys.readouterr().out == dissector()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give a file, --listen or --relay"),
        (["/nowhere/x.pcap"], "/nowhere/x.pcap: No such file or directory"),
        (["--listen", "7001"], "--listen='7001': must be host:port"),
        (["--relay", "127.0.0.1:0"], "--relay='': must be host:port"),
        ([str(Path(__file__))], "line 1: not hex: "),
    ],
)
def test_an_error_is_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith(f"vdsim_dump: {message}")


def test_live_for_a_while(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--listen", "127.0.0.1:0", "--duration", "0.05"]) == 0
    assert "listening on 127.0.0.1:" in capsys.readouterr().err


class Live:
    """vdsim_dump as a process of its own."""

    def __init__(self, *arguments: str) -> None:
        environ = {**os.environ, "PYTHONPATH": str(PACKAGE)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "vdsim_protocol.cli.dump", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environ,
        )

    def address(self) -> tuple[str, int]:
        """The address that it prints."""
        assert self.process.stderr is not None
        match = re.search(r"listening on (.+):(\d+)$", self.process.stderr.readline())
        assert match
        return match[1], int(match[2])

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def end(self, number: int = signal.SIGINT) -> str:
        self.process.send_signal(number)
        output, errors = self.process.communicate(timeout=LIMIT_S)
        assert (self.process.returncode, errors) == (0, "")
        return output


@pytest.fixture
def peer() -> "socket.socket":  # type: ignore[misc]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(("127.0.0.1", 0))
        sock.settimeout(LIMIT_S)
        yield sock


def test_live_copy(peer: socket.socket) -> None:
    live = Live("--listen", "127.0.0.1:0", "--stats")
    host, port = live.address()
    peer.sendto(encode(COMMAND), (host, port))
    source = f"127.0.0.1:{peer.getsockname()[1]}"
    assert f" {source} > {host}:{port} VDS1 CMD version=3 seq=0" in live.line()
    peer.sendto(morai.encode(morai.LampControl(0, 1)), (host, port))
    assert "MORAI Turn Signal Lamp Control" in live.line()
    assert '"accepted": 1' in live.end(signal.SIGTERM)


def test_live_relay(peer: socket.socket) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as plant:
        plant.bind(("127.0.0.1", 0))
        plant.settimeout(LIMIT_S)
        target = f"127.0.0.1:{plant.getsockname()[1]}"
        live = Live("--relay", f"127.0.0.1:0={target}")
        address = live.address()
        peer.sendto(encode(COMMAND), address)
        datagram, via = plant.recvfrom(2000)
        assert datagram == encode(COMMAND)
        assert f"> {target} VDS1 CMD" in live.line()
        plant.sendto(b"#nonsense", via)
        assert peer.recv(2000) == b"#nonsense"
        assert f"{target} > 127.0.0.1:{address[1]} MORAI ? REJECT identifier" in live.line()
        live.end()


def test_a_reader_that_leaves_early_is_no_error() -> None:
    live = Live(str(TRAFFIC), "--json")
    assert live.process.stdout is not None
    assert live.process.stderr is not None
    live.process.stdout.close()
    with live.process.stderr as errors:
        assert errors.read() == ""
    assert live.process.wait(LIMIT_S) == 0


def test_main_shows_live_traffic_both_ways(
    peer: socket.socket, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same within this process: a relay that is talked to until it has shown enough."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as plant:
        plant.bind(("127.0.0.1", 0))
        plant.settimeout(LIMIT_S)
        address = ("127.0.0.1", *free_ports(1))
        target = f"127.0.0.1:{plant.getsockname()[1]}"

        def talk() -> None:
            via = None
            while via is None:
                peer.sendto(encode(COMMAND), address)
                plant.settimeout(0.1)
                with suppress(TimeoutError, ConnectionRefusedError):
                    _, via = plant.recvfrom(2000)
            while not stop.wait(0.02):
                plant.sendto(encode(STATE), via)

        stop = threading.Event()
        talking = threading.Thread(target=talk)
        talking.start()
        relay = f"{address[0]}:{address[1]}={target}"
        lines = lines_of(capsys, "--relay", relay, "--count", "20", "--fields", "yaw_rad")
        stop.set()
        talking.join()
    assert "VDS1 CMD" in lines[0]
    assert any("VDS1 STATE" in line and f"{target} > " in line for line in lines)


def test_the_file_is_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["vdsim_dump", "--dissector"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(dump.__file__, run_name="__main__")
    assert ended.value.code == 0
