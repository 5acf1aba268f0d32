"""Where the data port listens and who may use it: options `http`, `http_token`. Pure."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from vdsim_plant.parameters.errors import ParameterError, wrong_value

from vdsim_plant_node.settings.server_settings import (
    Endpoint,
    checked_ip,
    checked_port,
    is_loopback,
)

DEFAULT_IP = "127.0.0.1"
DEFAULT_PORT = 8090
DEFAULT_ADDRESS = f"{DEFAULT_IP}:{DEFAULT_PORT}"
OFF = "off"
SHORTEST_TOKEN = 16
_ALLOWED = f"HOST:PORT, for example {DEFAULT_ADDRESS}, a port alone, or {OFF}"


@dataclass(frozen=True)
class HttpAddress:
    """An address to listen on, and the token that a client needs."""

    ip: str = DEFAULT_IP
    port: int = DEFAULT_PORT
    """0: any free one."""
    token: str | None = None

    def __post_init__(self) -> None:
        checked_ip("http", self.ip)
        checked_port("http", self.port, lowest=0)
        _check_token(self.token)
        if self.token is None and not is_loopback(self.ip):
            raise ParameterError(
                "http",
                f"={self.ip}:{self.port}: needs http_token, because other machines reach it; "
                f"without one it must be a loopback address such as {DEFAULT_IP}",
            )


def parse_http(value: str | None, token: str | None = None) -> HttpAddress | None:
    """Read the option; nothing given means the default, `off` means no data port (None)."""
    if value == OFF:
        return None
    if value is None or not value:
        return HttpAddress(token=token)
    ip, _, port = value.rpartition(":")
    ip = ip or DEFAULT_IP
    if ip == "localhost":
        ip = DEFAULT_IP
    if not (port.isascii() and port.isdigit()):
        raise wrong_value("http", value, _ALLOWED)
    return HttpAddress(ip, int(port), token)


def checked_target(key: str, ip: object, port: object, *, loopback_only: bool) -> Endpoint:
    """Return an address that telemetry may be sent to, or raise a ParameterError."""
    if not isinstance(ip, str):
        raise wrong_value(f"{key}.ip", ip, "an IPv4 address such as 127.0.0.1")
    endpoint = Endpoint(checked_ip(f"{key}.ip", ip), checked_port(f"{key}.port", port))
    address = ipaddress.IPv4Address(endpoint.ip)
    if loopback_only and not address.is_loopback:
        raise wrong_value(f"{key}.ip", ip, "a loopback address; others need a server http_token")
    if address.is_multicast or address.is_unspecified or int(address) == 0xFFFFFFFF:
        raise wrong_value(f"{key}.ip", ip, "the address of one machine")
    return endpoint


def _check_token(token: str | None) -> None:
    if token is None:
        return
    good = token.isascii() and token.isprintable() and not set(token) & set(' ";,\\')
    if not good or len(token) < SHORTEST_TOKEN:
        # The token itself stays out of the message: it would end up in logs.
        raise ParameterError(
            "http_token",
            f"must have at least {SHORTEST_TOKEN} characters, printable ASCII without blanks, "
            "quotes, commas, semicolons and backslashes",
        )
