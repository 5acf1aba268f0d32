"""Who is let in: hosts, origins, tokens."""

from __future__ import annotations

import pytest
from vdsim_plant_node.dataport.admission import Admission, Refusal

TOKEN = "correct-horse-battery"
OPEN = Admission("127.0.0.1")
CLOSED = Admission("0.0.0.0", TOKEN)


def refusal(
    admission: Admission,
    method: str = "POST",
    *,
    host: str = "127.0.0.1:8090",
    cookie: str | None = None,
    query: str | None = None,
    **headers: str,
) -> Refusal | None:
    named = {"Host": host, **{name.replace("_", "-"): value for name, value in headers.items()}}
    return admission.refusal(method, named, cookie=cookie, query=query)


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8090", "localhost:8090", "LOCALHOST", "[::1]:9000", "localhost:22222"]
)
def test_our_own_names_are_served(host: str) -> None:
    assert refusal(OPEN, host=host) is None


@pytest.mark.parametrize(
    "host", ["", "evil.example", "evil.example:8090", "127.0.0.1.evil.example", "localhost.evil"]
)
def test_a_rebound_name_is_refused(host: str) -> None:
    found = refusal(OPEN, "GET", host=host)
    assert found is not None
    assert found.status == 403
    assert found.reason.startswith(f"Host={host!r}: must be one of localhost")


def test_the_bound_address_is_one_of_our_names() -> None:
    assert refusal(Admission("127.0.0.2"), host="127.0.0.2:8090") is None


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1234", "http://localhost:8090"]
)
@pytest.mark.parametrize("admission", [OPEN, CLOSED])
def test_a_foreign_origin_is_refused(admission: Admission, origin: str) -> None:
    found = refusal(admission, Origin=origin, cookie=TOKEN)
    assert found is not None
    assert found.status == 403
    assert "Origin" in found.reason


def test_our_own_page_is_served() -> None:
    assert refusal(OPEN, Origin="http://127.0.0.1:8090", Sec_Fetch_Site="same-origin") is None


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_what_a_foreign_page_asks_for_is_refused(method: str, site: str) -> None:
    found = refusal(OPEN, method, Sec_Fetch_Site=site, Sec_Fetch_Mode="no-cors")
    assert found is not None
    assert found.status == 403


def test_a_link_to_the_page_can_be_followed_but_no_form_sent() -> None:
    following = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate"}
    assert refusal(OPEN, "GET", **following) is None
    assert refusal(OPEN, "POST", **following) is not None


def test_a_token_is_taken_from_header_cookie_or_address() -> None:
    assert refusal(CLOSED, Authorization=f"Bearer {TOKEN}") is None
    assert refusal(CLOSED, Authorization=f"bearer {TOKEN}") is None
    assert refusal(CLOSED, cookie=TOKEN) is None
    assert refusal(CLOSED, "GET", query=TOKEN) is None
    assert refusal(CLOSED, host="car.example:8090", cookie=TOKEN) is None


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"cookie": ""},
        {"cookie": TOKEN + "x"},
        {"cookie": "wr\u00f6ng"},
        {"cookie": "wr\udcffng"},
        {"Authorization": "Bearer \udcff\udcfe"},
        {"query": TOKEN[:-1]},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": "Bearer wrong", "cookie": TOKEN},
    ],
)
def test_without_the_token_nothing_is_served(given: dict[str, str]) -> None:
    found = refusal(CLOSED, **given)  # type: ignore[arg-type]
    assert found is not None
    assert found.status == 401
    assert TOKEN not in found.reason
