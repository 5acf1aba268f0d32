"""Opening the data port: taken ports, aiohttp only when wanted, a plant that survives it all."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from vdsim_plant_node.dataport import service
from vdsim_plant_node.dataport.service import (
    DataPort,
    DataPortSocket,
    listening_socket,
    open_data_port,
    serve_data_port,
)
from vdsim_plant_node.live.udp_sockets import PortTakenError
from vdsim_plant_node.settings.http_address import HttpAddress
from vdsim_plant_node.settings.options import server_settings
from vdsim_plant_node_kit.dataport import LIMIT_S, LivePort, live_port
from vdsim_plant_node_kit.runtime import LiveServer

SOURCES = Path(__file__).resolve().parents[3]
SEARCHED = [str(SOURCES / name) for name in ("vdsim_plant", "vdsim_plant_node", "vdsim_protocol")]


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        yield holder.getsockname()[1]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    code = f"import sys; sys.path[:0] = {SEARCHED!r}; {arguments[0]}"
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *arguments[1:]],
        capture_output=True,
        text=True,
        timeout=120.0,
    )


SERVE = "from vdsim_plant_node.cli.realtime import main; status = main(sys.argv[1:]); "
PORTS = ("--cmd-port", "0", "--state-port", "0", "--duration", "0.2")


def test_off_does_not_even_import_aiohttp() -> None:
    code = SERVE + "print('aiohttp' in sys.modules)"
    assert run(code, *PORTS, "--http", "off").stdout.endswith("False\n")
    done = run(code, *PORTS, "--http", "127.0.0.1:0")
    assert done.stdout.endswith("True\n"), done.stderr
    assert "dashboard and data port at http://127.0.0.1:" in done.stdout


def test_a_port_that_was_asked_for_and_is_taken_is_one_clear_line(taken: int) -> None:
    done = run(SERVE + "sys.exit(status)", *PORTS, "--http", f"127.0.0.1:{taken}")
    assert done.returncode == 1
    assert done.stderr == (
        f"vdsim_realtime: http=127.0.0.1:{taken}: is taken; choose another one with --http "
        "(default 127.0.0.1:8090), or --http off\n"
    )


def test_an_open_address_without_a_token_is_one_clear_line() -> None:
    done = run(SERVE + "sys.exit(status)", *PORTS, "--http", "0.0.0.0:0")
    assert done.returncode == 2
    assert done.stderr.startswith("vdsim_realtime: http=0.0.0.0:0: needs http_token")
    assert done.stderr.count("\n") == 1


def test_where_nobody_asked_the_plant_runs_without_a_dashboard(
    taken: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "parse_http", lambda *given: HttpAddress(port=taken))
    lines: list[str] = []
    with LiveServer(server_settings({"cmd_port": 0, "state_port": 0})) as live:
        assert open_data_port(live.server, log=lines.append) is None
        live.wait_for(lambda s: s.ticks > 5)
    assert lines[0].startswith(f"no dashboard: http=127.0.0.1:{taken}: is taken")


@pytest.mark.parametrize(
    ("prefix", "command"),
    [
        ("/usr", "sudo apt-get install python3-aiohttp"),
        ("/home/me/venv", 'pip install "./src/vdsim_plant_node[dashboard]"'),
    ],
    ids=["system", "venv"],
)
def test_without_aiohttp_the_plant_runs_and_says_what_to_install(
    prefix: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "find_spec", lambda name: None)
    monkeypatch.setattr(sys, "base_prefix", "/usr")
    monkeypatch.setattr(sys, "prefix", prefix)
    lines: list[str] = []
    with LiveServer(server_settings({"cmd_port": 0, "state_port": 0})) as live:
        assert open_data_port(live.server, log=lines.append) is None
    assert lines == [f"no dashboard: http: needs aiohttp: {command}"]


def test_a_second_data_port_finds_the_first() -> None:
    with live_port() as port:
        options = {"cmd_port": 0, "state_port": 0, "http": str(port.number)}
        with LiveServer(server_settings(options)) as live, pytest.raises(PortTakenError):
            open_data_port(live.server)


def test_it_closes_at_once_with_streams_open() -> None:
    with live_port() as port:
        with port.stream("?rate=60") as events:
            next(events)
            port.data_port.close()
            for _ in events:  # what was on its way, and the end
                pass
        port.live.wait_for(lambda s: s.ticks > 5)
        with pytest.raises(ConnectionRefusedError):
            port.get("/")


def test_it_closes_without_a_word_whatever_is_under_way(caplog: pytest.LogCaptureFixture) -> None:
    """Right after an event, again and again: the moment that a stream's end is easily missed."""
    with live_port() as port:
        for _ in range(15):
            opened = DataPort(
                port.live.server,
                DataPortSocket(HttpAddress(port=0), listening_socket(HttpAddress(port=0))),
                log=port.lines.append,
            )
            number = int(opened.url.rstrip("/").rpartition(":")[2])
            with socket.create_connection(("127.0.0.1", number)) as half:
                half.sendall(b"POST /api/io HTTP/1.1\r\nHost: localhost\r\n")
                half.sendall(b"Content-Length: 99\r\n\r\n{")
                with LivePort(port.live, opened, []).stream("?rate=60") as events:
                    next(events)
                    opened.close()
                    for _ in events:
                        pass
        assert [record.getMessage() for record in caplog.records] == []


def test_the_plant_ticks_on_when_a_client_breaks_off() -> None:
    with live_port() as port:
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", port.number)) as rude:
                rude.sendall(b"POST /api/io HTTP/1.1\r\nHost: localhost\r\n")
                rude.sendall(b"Content-Length: 99\r\n\r\n{")
        with socket.create_connection(("127.0.0.1", port.number)) as rude:
            rude.sendall(b"\x16\x03\x01\x00garbage\r\n\r\n")
            rude.settimeout(LIMIT_S)
            assert rude.recv(4096).startswith(b"HTTP/1.")
        before = port.live.snapshot().ticks
        port.live.wait_for(lambda s: s.ticks > before + 20)
        assert port.get("/api/vehicles").status == 200


def test_a_port_that_cannot_be_served_is_an_error_and_no_address() -> None:
    address = HttpAddress(port=0)
    claimed = DataPortSocket(address, listening_socket(address))
    claimed.socket.close()
    lines: list[str] = []
    options = {"cmd_port": 0, "state_port": 0}
    with LiveServer(server_settings(options)) as live:
        with pytest.raises(OSError, match=r"http=127.0.0.1:0: the data port cannot be served"):
            DataPort(live.server, claimed, log=lines.append)
        assert lines == []
        assert serve_data_port(live.server, claimed, log=lines.append) is None
    assert len(lines) == 1
    assert lines[0].startswith("no dashboard: http=127.0.0.1:0: the data port cannot be served")
