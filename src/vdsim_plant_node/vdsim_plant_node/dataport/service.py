"""Opens and closes the data port: its socket immediately, its thread and loop next to the server's.

Nothing here can stop the plant: a fault ends the data port alone, with one line.
"""

from __future__ import annotations

import asyncio
import errno
import socket
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Protocol

from vdsim_plant.parameters.errors import ParameterError

from vdsim_plant_node.dataport.joy import JoyOutput
from vdsim_plant_node.interface.state import InterfaceOutput
from vdsim_plant_node.live.server import PlantServer
from vdsim_plant_node.live.udp_sockets import PortTakenError
from vdsim_plant_node.settings.http_address import DEFAULT_ADDRESS, HttpAddress, parse_http
from vdsim_plant_node.settings.server_settings import ServerSettings

if TYPE_CHECKING:
    from aiohttp import web

    from vdsim_plant_node.dataport.faults import FaultLog
    from vdsim_plant_node.dataport.front import Front

_START_TIMEOUT_S = 10.0
_STOP_TIMEOUT_S = 2.0
_CLEANUP_TIMEOUT_S = 0.5
# The longest that the server's thread waits for Python's lock while this one computes.
# The default of 5 ms is a whole tick at 200 Hz.
_SWITCH_INTERVAL_S = 5e-4


@dataclass(frozen=True)
class DataPortSocket:
    """Where a data port will listen; connections wait until it is served."""

    address: HttpAddress
    socket: socket.socket


class App(Protocol):
    """What is served."""

    front: Front

    def application(self) -> web.Application:
        """What an aiohttp runner serves."""

    def close(self) -> None:
        """End what would go on by itself."""


class HttpService:
    """An application that is served on a thread of its own."""

    def __init__(
        self,
        claimed: DataPortSocket,
        make_app: Callable[[HttpAddress, FaultLog], App],
        *,
        log: Callable[[str], None] = lambda line: None,
    ) -> None:
        """Serve what `make_app` makes on that thread; an OSError when that cannot begin."""
        self._address = claimed.address
        self._make_app = make_app
        self._log = log
        self._socket = claimed.socket
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._started = threading.Event()
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="data port", daemon=True)
        sys.setswitchinterval(min(sys.getswitchinterval(), _SWITCH_INTERVAL_S))
        self._thread.start()
        self._started.wait(_START_TIMEOUT_S)
        if self._failure is not None:
            where = f"http={claimed.address.ip}:{claimed.address.port}"
            raise OSError(f"{where}: the data port cannot be served: {self._failure!r}")

    @property
    def url(self) -> str:
        """Address of the dashboard."""
        ip, port = self._socket.getsockname()
        return f"http://{ip}:{port}/"

    def close(self) -> None:
        """Close the port; end streams and telemetry."""
        if self._loop is not None and self._stop is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(_STOP_TIMEOUT_S)
        self._socket.close()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except Exception as error:  # a viewer must not stop the plant
            if self._started.is_set():
                self._log(f"the data port has ended: {error!r}")
            self._failure = error
        finally:
            self._started.set()

    async def _serve(self) -> None:
        from aiohttp import web

        from vdsim_plant_node.dataport.connections import Connections
        from vdsim_plant_node.dataport.faults import FaultLog

        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        faults = FaultLog(self._log)
        app = self._make_app(self._address, faults)
        runner = web.AppRunner(app.application(), access_log=None, logger=faults.logger())
        self._loop.set_exception_handler(
            lambda _, context: faults.report(context["message"], context.get("exception"))
        )
        listener: asyncio.Server | None = None
        try:
            await runner.setup()
            assert runner.server is not None
            app.front.connections = connections = Connections(runner.server)
            listener = await self._loop.create_server(connections, sock=self._socket)
            self._started.set()
            await self._stop.wait()
        finally:
            if listener is not None:
                listener.close()
            app.close()
            await asyncio.wait(
                (asyncio.ensure_future(runner.cleanup()),), timeout=_CLEANUP_TIMEOUT_S
            )


class DataPort(HttpService):
    """The data port of a running plant."""

    def __init__(
        self,
        server: PlantServer,
        claimed: DataPortSocket,
        *,
        can_pause: bool = True,
        joy: JoyOutput | None = None,
        interface: InterfaceOutput | None = None,
        log: Callable[[str], None] = lambda line: None,
    ) -> None:
        """`interface`: the vehicle interfaces beside the plant, where its node hears them."""

        def make_app(address: HttpAddress, faults: FaultLog) -> App:
            from vdsim_plant_node.dataport.app import DataPortApp
            from vdsim_plant_node.dataport.server_access import ServerAccess

            access = ServerAccess(server, can_pause=can_pause, interface=interface)
            return DataPortApp(access, address, faults, joy)

        super().__init__(claimed, make_app, log=log)


def claim_data_port(
    settings: ServerSettings, log: Callable[[str], None] = lambda line: None
) -> DataPortSocket | None:
    """Open the port that the settings ask for; None when there is none.

    The plant matters more than the view of it: without the option `http`, the default data port is
    left out with one line when its port is taken or aiohttp is missing. With the option, that is
    an error: PortTakenError, another OSError or a ParameterError.
    """
    address = parse_http(settings.http, settings.http_token)
    if address is None:
        return None
    try:
        return claimed_socket(address)
    except (OSError, ParameterError) as error:
        if settings.http is not None:
            raise
        log(f"no dashboard: {error}")
        return None


def claimed_socket(address: HttpAddress) -> DataPortSocket:
    """Open an address; PortTakenError, another OSError or a ParameterError when it cannot be."""
    if find_spec("aiohttp") is None:
        raise ParameterError("http", f"needs aiohttp: {_aiohttp_command()}")
    return DataPortSocket(address, listening_socket(address))


def serve_data_port(
    server: PlantServer,
    claimed: DataPortSocket | None,
    *,
    can_pause: bool = True,
    joy: JoyOutput | None = None,
    interface: InterfaceOutput | None = None,
    log: Callable[[str], None] = lambda line: None,
) -> DataPort | None:
    """Serve a port that is claimed. That it cannot be served is an error as above."""
    if claimed is None:
        return None
    try:
        opened = DataPort(
            server, claimed, can_pause=can_pause, joy=joy, interface=interface, log=log
        )
    except OSError as error:
        claimed.socket.close()
        if server.settings.http is not None:
            raise
        log(f"no dashboard: {error}")
        return None
    log(f"dashboard and data port at {opened.url}")
    return opened


def open_data_port(
    server: PlantServer,
    *,
    can_pause: bool = True,
    log: Callable[[str], None] = lambda line: None,
) -> DataPort | None:
    """Claim and serve the data port that the server's settings ask for."""
    claimed = claim_data_port(server.settings, log)
    return serve_data_port(server, claimed, can_pause=can_pause, log=log)


def _aiohttp_command() -> str:
    """How this Python gets aiohttp: a virtual environment does not see Debian's packages."""
    if sys.prefix != sys.base_prefix:
        return 'pip install "./src/vdsim_plant_node[dashboard]"'
    return "sudo apt-get install python3-aiohttp"


def listening_socket(address: HttpAddress) -> socket.socket:
    """Bind the address, or raise PortTakenError or another OSError."""
    opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((address.ip, address.port))
        opened.listen(64)
        opened.setblocking(False)
    except OSError as error:
        opened.close()
        where = f"http={address.ip}:{address.port}"
        if error.errno == errno.EADDRINUSE:
            hint = f"choose another one with --http (default {DEFAULT_ADDRESS}), or --http off"
            raise PortTakenError(f"{where}: is taken; {hint}") from None
        raise OSError(error.errno, f"{where}: {error.strerror}") from None
    return opened
