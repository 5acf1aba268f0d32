"""SetFault's requests -> the relay's orders: every fault by its path, refusals in one line."""

import json
import re
from dataclasses import asdict, replace

import pytest
from vdsim_interface.extras.link_faults.requests import (
    READ,
    FaultParameters,
    FaultRefusedError,
    FaultRequest,
    active_faults,
    parse_response,
    relay_request,
)
from vdsim_interface.parameters.fields import ParameterError
from vdsim_protocol.faults import Blackout, BurstLoss, LinkFaults, RelayControl, plan_from_mapping

PARAMETERS = FaultParameters()
EVERY_FAULT = LinkFaults(
    loss=0.125,
    burst=BurstLoss(0.25, 0.5, 0.75, 0.0625),
    delay_s=0.01,
    jitter_s=0.02,
    reorder=0.5,
    reorder_delay_s=0.25,
    duplicate=0.375,
    bit_flip=0.0625,
    truncate=0.125,
    blackouts=(Blackout(1.0, 0.5), Blackout(2.0, 0.25, 4.0)),
    clock_skew_ppm=-50.0,
)


class Relay:
    """The relay's own core, without its sockets."""

    def __init__(self) -> None:
        routes = [
            {"name": name, "listen": "127.0.0.1:0", "target": "127.0.0.1:9"}
            for name in ("cmd", "state")
        ]
        self.control = RelayControl(plan_from_mapping({"routes": routes}), 0.0)
        self.orders_n = 0

    def request(self, *fields: object, **more: object) -> dict[str, float]:
        """What the service does, and answers."""
        request = FaultRequest(*fields, **more)  # type: ignore[arg-type]
        snapshot = parse_response(self.control.answer(READ, 0.0))
        change = relay_request(request, snapshot, PARAMETERS)
        if change is not None:
            self.orders_n += 1
            snapshot = parse_response(self.control.answer(change, 0.0))
        return dict(active_faults(request, snapshot, PARAMETERS))

    def faults(self, route: str) -> LinkFaults:
        """The faults that packets meet."""
        return self.control._links[route, "to"].faults


def test_one_fault_of_one_direction() -> None:
    relay = Relay()
    assert relay.request("command", ("loss",), (0.5,)) == {"loss": 0.5}
    assert relay.faults("cmd") == LinkFaults(loss=0.5)
    assert relay.faults("state") == LinkFaults()


def test_both_directions_are_named_in_the_answer() -> None:
    relay = Relay()
    relay.request("state", ("delay_s",), (0.25,))
    sent = relay.orders_n
    assert relay.request("both", ("loss",), (0.5,)) == {
        "command.loss": 0.5,
        "state.loss": 0.5,
        "state.delay_s": 0.25,
    }
    assert relay.orders_n == sent + 1, "one request, so that no direction is left behind"


def test_what_is_not_named_stays() -> None:
    relay = Relay()
    relay.request("command", ("loss", "delay_s"), (0.5, 0.25))
    assert relay.request("command", ("loss",), (0.0,)) == {"delay_s": 0.25}


def test_clear_takes_all_away_first() -> None:
    relay = Relay()
    relay.request("both", ("loss", "delay_s"), (0.5, 0.25))
    assert relay.request("both", ("jitter_s",), (0.125,), True) == {
        "command.jitter_s": 0.125,
        "state.jitter_s": 0.125,
    }
    assert relay.request(clear=True) == {}
    assert relay.faults("cmd") == relay.faults("state") == LinkFaults()


def test_without_a_name_it_only_reads() -> None:
    relay = Relay()
    relay.request("command", ("loss",), (0.5,))
    sent = relay.orders_n
    assert relay.request("command") == {"loss": 0.5}
    assert relay.orders_n == sent


def test_every_fault_there_is_can_be_read_and_set_again() -> None:
    relay = Relay()
    relay.control.set_faults("cmd", "to", EVERY_FAULT, 0.0)
    read = relay.request("command")
    assert read["burst.enter"] == 0.25
    assert read["blackouts.1.every_s"] == 4.0
    relay.request("command", clear=True)
    assert relay.request("command", tuple(read), tuple(read.values())) == read
    assert relay.faults("cmd") == EVERY_FAULT
    assert relay.faults("cmd") != replace(EVERY_FAULT, loss=0.0)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (("front",), "link='front': must be one of command, state, both"),
        (("both", ("loss",), ()), "names and values: must be equally many, not 1 and 0"),
        (("command", ("lose",), (0.5,)), "command.lose: unknown, must be one of loss, burst, "),
        (("state", ("loss",), (1.5,)), "state.loss=1.5: must be in 0..1"),
        (("state", ("delay_s",), (float("nan"),)), "state.delay_s=nan: must be >= 0"),
        (("command", ("burst",), (0.5,)), "command.burst=0.5: must be a mapping"),
        (("command", ("burst.enter",), (0.5,)), "command.burst={'enter': 0.5}: needs enter, leave"),
        (("command", ("burst", "burst.enter"), (0.5, 0.5)), "burst.enter: burst is a number"),
        (("command", ("blackouts",), (0.5,)), "command.blackouts=0.5: must be a list"),
        (
            ("command", ("blackouts.first.start_s",), (0.5,)),
            "blackouts.first: must be numbered from 0 on",
        ),
        (
            ("command", ("blackouts.0.start_s",), (0.5,)),
            "command.blackouts={'start_s': 0.5}: needs",
        ),
    ],
)
def test_refusals_are_one_clear_line_and_change_nothing(
    fields: tuple[object, ...], message: str
) -> None:
    relay = Relay()
    before = relay.request("both", ("duplicate",), (0.5,))
    with pytest.raises(FaultRefusedError, match=re.escape(message)):
        relay.request(*fields)
    assert relay.request("both") == before


def test_one_wrong_direction_leaves_the_other_alone() -> None:
    relay = Relay()
    snapshot = parse_response(relay.control.answer(READ, 0.0))
    parameters = replace(PARAMETERS, state_route="odometry")
    message = "state_route=odometry: the relay has no odometry/to, it has cmd/to, cmd/back, state/"
    with pytest.raises(FaultRefusedError, match=re.escape(message)):
        relay_request(FaultRequest("both", ("loss",), (0.5,)), snapshot, parameters)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (b"\xff", "is not valid"),
        (b"[]", "is not valid"),
        (b'{"error": "seed: no"}', "the relay refuses: seed: no"),
    ],
)
def test_answers_that_are_none(answer: bytes, message: str) -> None:
    with pytest.raises(FaultRefusedError, match=message):
        parse_response(answer)


def test_a_program_that_is_no_relay_is_told_apart() -> None:
    for answer in ({}, {"cmd/to": 1}, {"cmd/to": {"faults": {"loss": "much"}}}):
        with pytest.raises(FaultRefusedError, match="the relay has no cmd/to"):
            relay_request(
                FaultRequest("command"), parse_response(json.dumps(answer).encode()), PARAMETERS
            )


def test_the_address_is_checked_at_start() -> None:
    with pytest.raises(ParameterError, match=r"relay=nowhere: must be HOST:PORT"):
        FaultParameters(relay="nowhere")
    assert asdict(FaultParameters(relay="127.0.0.1:1"))["relay"] == "127.0.0.1:1"
