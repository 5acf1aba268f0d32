"""Options `http` and `http_token`: what they mean and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from vdsim_plant.parameters.errors import ParameterError
from vdsim_plant_node.settings.http_address import HttpAddress, checked_target, parse_http
from vdsim_plant_node.settings.options import server_settings

TOKEN = "correct-horse-battery"


@pytest.mark.parametrize(
    ("value", "address"),
    [
        (None, HttpAddress("127.0.0.1", 8090)),
        ("", HttpAddress("127.0.0.1", 8090)),
        ("9000", HttpAddress("127.0.0.1", 9000)),
        (":9000", HttpAddress("127.0.0.1", 9000)),
        ("localhost:9000", HttpAddress("127.0.0.1", 9000)),
        ("127.0.0.2:0", HttpAddress("127.0.0.2", 0)),
        ("off", None),
    ],
)
def test_the_address_is_read(value: str | None, address: HttpAddress | None) -> None:
    assert parse_http(value) == address


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("here", "http='here': must be HOST:PORT, for example 127.0.0.1:8090"),
        ("127.0.0.1:", "http='127.0.0.1:': must be HOST:PORT"),
        ("127.0.0.1:70000", "http=70000: must be a whole number within 0..65535"),
        ("example.org:80", "http='example.org': must be an IPv4 address"),
        ("0.0.0.0:8090", "http=0.0.0.0:8090: needs http_token"),
        ("192.168.1.5:8090", "http=192.168.1.5:8090: needs http_token"),
    ],
)
def test_a_wrong_address_is_refused(value: str, message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        server_settings({"http": value})
    assert str(caught.value).startswith(message)


def test_a_token_opens_other_addresses() -> None:
    assert parse_http("0.0.0.0:8090", TOKEN) == HttpAddress("0.0.0.0", 8090, TOKEN)


@pytest.mark.parametrize("token", ["short", "has blanks in the middle", "semi;colon;semi;colon"])
def test_a_weak_token_is_refused_and_not_repeated(token: str) -> None:
    with pytest.raises(ParameterError, match="http_token: must have at least 16") as caught:
        server_settings({"http_token": token})
    assert token not in str(caught.value)


def test_a_token_can_stay_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(TOKEN + "\n")
    assert server_settings({"http_token": f"@{file}"}).http_token == TOKEN
    with pytest.raises(ParameterError, match="nowhere: file: cannot be read"):
        server_settings({"http_token": f"@{tmp_path}/nowhere"})


@pytest.mark.parametrize("ip", ["192.168.1.5", "8.8.8.8"])
def test_telemetry_leaves_the_machine_only_where_allowed(ip: str) -> None:
    with pytest.raises(ParameterError, match="must be a loopback address; others need"):
        checked_target("targets[0]", ip, 9000, loopback_only=True)
    assert checked_target("targets[0]", ip, 9000, loopback_only=False).ip == ip


@pytest.mark.parametrize("ip", ["224.0.0.1", "255.255.255.255", "0.0.0.0"])
def test_telemetry_goes_to_one_machine(ip: str) -> None:
    with pytest.raises(ParameterError, match="must be the address of one machine"):
        checked_target("targets[0]", ip, 9000, loopback_only=False)
