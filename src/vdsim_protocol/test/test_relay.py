"""The relay's core: plans, control and routing on virtual time."""

import json
from typing import Any

import pytest
from vdsim_protocol.faults import (
    BACK,
    TO,
    LinkFaults,
    RelayControl,
    RelayPlan,
    Route,
    parse_address,
    plan_from_mapping,
)

ROUTE: dict[str, Any] = {"name": "cmd", "listen": "127.0.0.1:17001", "target": "127.0.0.1:7001"}


def control(**faults: LinkFaults) -> RelayControl:
    routes = (
        Route("cmd", ("127.0.0.1", 1), ("127.0.0.1", 2), **faults),
        Route("state", ("127.0.0.1", 3), ("127.0.0.1", 4)),
    )
    return RelayControl(RelayPlan(routes, seed=1), 0.0)


def test_each_direction_has_its_own_link() -> None:
    relay = control(to=LinkFaults(delay_s=0.2), back=LinkFaults(loss=1.0))
    assert relay.next_deadline() is None
    relay.send("cmd", TO, b"a", 1.0)
    relay.send("cmd", BACK, b"b", 1.0)
    relay.send("state", TO, b"c", 1.0)
    assert relay.next_deadline() == 1.0
    assert relay.due(1.0) == [("state", TO, b"c")]
    assert relay.next_deadline() == 1.2
    assert relay.due(1.2) == [("cmd", TO, b"a")]
    snapshot = relay.snapshot()
    assert set(snapshot) == {"cmd/to", "cmd/back", "state/to", "state/back"}
    assert snapshot["cmd/back"]["counters"]["lost"] == 1
    assert snapshot["cmd/to"]["faults"]["delay_s"] == 0.2


def test_links_draw_from_streams_of_their_own() -> None:
    relay = control(to=LinkFaults(loss=0.5), back=LinkFaults(loss=0.5))
    for way in (TO, BACK):
        for number in range(64):
            relay.send("cmd", way, bytes([number]), 0.0)
    arrived = relay.due(0.0)
    there = [data for _, way, data in arrived if way == TO]
    back = [data for _, way, data in arrived if way == BACK]
    assert there != back
    assert control(to=LinkFaults(loss=0.5)).plan.seed == 1


def test_set_faults_changes_one_direction() -> None:
    relay = control()
    relay.set_faults("cmd", BACK, LinkFaults(loss=1.0), 5.0)
    relay.send("cmd", TO, b"a", 5.0)
    relay.send("cmd", BACK, b"b", 5.0)
    assert relay.due(5.0) == [("cmd", TO, b"a")]


@pytest.mark.parametrize(("route", "way"), [("cmd", "up"), ("cmdx", TO)])
def test_set_faults_knows_its_names(route: str, way: str) -> None:
    message = (
        f"^route={route}/{way}: unknown, must be one of cmd/to, cmd/back, state/to, state/back"
    )
    with pytest.raises(ValueError, match=message):
        control().set_faults(route, way, LinkFaults(), 0.0)


def test_a_changed_plan_only_touches_what_changed() -> None:
    relay = control(to=LinkFaults(delay_s=0.5))
    link = relay._links["cmd", TO]
    link._is_bad = True
    first, second = relay.plan.routes
    changed = Route(second.name, second.listen, second.target, to=LinkFaults(loss=1.0))
    plan = RelayPlan((first, changed), 1)
    relay.apply(plan, 3.0)
    assert relay.plan is plan
    assert link._is_bad  # untouched
    relay.send("state", TO, b"x", 3.0)
    assert relay.due(3.0) == []
    back = Route(first.name, first.listen, first.target, first.to, LinkFaults(loss=1.0))
    relay.apply(RelayPlan((back, changed), 1), 4.0)
    assert relay.snapshot()["cmd/back"]["faults"]["loss"] == 1.0


def test_addresses_cannot_change_while_running() -> None:
    relay = control()
    for routes in (
        relay.plan.routes[:1],
        (relay.plan.routes[0], Route("state", ("127.0.0.1", 9), ("127.0.0.1", 4))),
    ):
        with pytest.raises(ValueError, match=r"^routes: names and addresses cannot change"):
            relay.apply(RelayPlan(routes), 0.0)


def test_requests_are_answered() -> None:
    relay = control()
    request = {"route": "cmd", "way": "back", "faults": {"loss": 0.25}}
    answer = json.loads(relay.answer(json.dumps(request).encode(), 1.0))
    assert answer["cmd/back"]["faults"]["loss"] == 0.25
    assert answer["cmd/to"]["faults"]["loss"] == 0.0
    assert json.loads(relay.answer(b"{}", 1.0)) == answer
    toward = json.loads(relay.answer(b'{"route": "state", "faults": {"delay_s": 1}}', 1.0))
    assert toward["state/to"]["faults"]["delay_s"] == 1


def test_a_list_of_requests_is_one() -> None:
    relay = control()
    orders = [{"route": name, "faults": {"loss": 0.25}} for name in ("cmd", "state")]
    answer = json.loads(relay.answer(json.dumps(orders).encode(), 1.0))
    assert [answer[f"{name}/to"]["faults"]["loss"] for name in ("cmd", "state")] == [0.25, 0.25]
    assert json.loads(relay.answer(b"[]", 1.0)) == answer


@pytest.mark.parametrize(
    ("request_bytes", "message"),
    [
        (b"", "Expecting value"),
        (b"3", "request: must be a JSON object, or a list of them"),
        (b"[3]", "request: must be a JSON object, or a list of them"),
        (
            b'[{"route": "cmd", "faults": {"loss": 1}}, {"route": "x", "faults": {}}]',
            "route=x/to: unknown",
        ),
        (
            b'[{"route": "cmd", "faults": {"loss": 1}}, {"route": "cmd", "faults": {"loss": 7}}]',
            "faults.loss=7: must be in 0..1",
        ),
        (b"\xff\xfe\xfd", "codec can't decode"),
        (b'{"route": "cmd"}', "faults=None: must be a mapping"),
        (b'{"route": "x", "faults": {}}', "route=x/to: unknown"),
        (b'{"route": "cmd", "faults": {"loss": 7}}', "faults.loss=7: must be in 0..1"),
        (b"[" * 100000, "recursion"),
    ],
)
def test_bad_requests_are_answered_with_the_error(request_bytes: bytes, message: str) -> None:
    relay = control()
    before = relay.snapshot()
    answer = json.loads(relay.answer(request_bytes, 0.0))
    assert message in answer["error"]
    assert relay.snapshot() == before


def test_a_plan_from_a_mapping() -> None:
    plan = plan_from_mapping(
        {
            "seed": 4,
            "routes": [{**ROUTE, "to": {"loss": 0.5}, "back": None}, {**ROUTE, "name": "b"}],
        }
    )
    assert plan.seed == 4
    assert plan.routes[0] == Route(
        "cmd", ("127.0.0.1", 17001), ("127.0.0.1", 7001), LinkFaults(loss=0.5)
    )
    assert plan_from_mapping({"routes": [ROUTE]}).seed == 0


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        (None, "plan: must be a mapping with a list of routes"),
        ({"routes": {}}, "plan: must be a mapping with a list of routes"),
        ({"routes": []}, "routes: must hold at least one route"),
        ({"routes": [ROUTE], "speed": 1}, "speed: unknown, must be one of routes, seed"),
        ({"routes": [ROUTE], "seed": "x"}, "seed='x': must be a whole number"),
        ({"routes": [3]}, r"routes\[0\]=3: must be a mapping"),
        ({"routes": [{**ROUTE, "port": 1}]}, r"routes\[0\]\.port: unknown, must be one of name"),
        ({"routes": [{"name": "a"}]}, r"routes\[0\]\.listen: is missing"),
        ({"routes": [ROUTE, ROUTE]}, "routes: the name 'cmd' is used twice"),
        ({"routes": [ROUTE, {**ROUTE, "listen": "x"}]}, r"routes\[1\]\.listen='x': must be host:p"),
        ({"routes": [{**ROUTE, "to": {"loss": 9}}]}, r"routes\[0\]\.to\.loss=9: must be in 0"),
        ({"routes": [{**ROUTE, "back": {"x": 9}}]}, r"routes\[0\]\.back\.x: unknown"),
    ],
)
def test_bad_plans_are_refused(mapping: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        plan_from_mapping(mapping)


@pytest.mark.parametrize(
    ("text", "address"),
    [("127.0.0.1:0", ("127.0.0.1", 0)), ("localhost:65535", ("localhost", 65535))],
)
def test_addresses(text: str, address: tuple[str, int]) -> None:
    assert parse_address(text, "--x") == address


@pytest.mark.parametrize("text", ["", "host", "host:", ":7", "host:-1", "host:65536", "h:²", None])
def test_bad_addresses_are_refused(text: Any) -> None:
    with pytest.raises(ValueError, match=r"^--x=.*: must be host:port with a port up to 65535"):
        parse_address(text, "--x")
