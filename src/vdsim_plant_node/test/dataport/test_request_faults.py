"""A fault of our own: the client gets a reason, the log one line, the plant nothing."""

from __future__ import annotations

import http.client
import time

import pytest
from vdsim_plant_node.dataport import json_views
from vdsim_plant_node.dataport.faults import FaultLog
from vdsim_plant_node.dataport.server_access import ServerAccess
from vdsim_plant_node_kit.dataport import LIMIT_S, live_port


def fail(*_: object) -> None:
    raise ZeroDivisionError("on purpose")


def test_it_is_answered_as_json_and_is_one_line_a_second(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(json_views, "road_view", fail)
    with live_port() as port:
        began_s = time.monotonic()
        answers = [port.get("/api/road") for _ in range(10)]
        took_s = time.monotonic() - began_s
        assert {answer.status for answer in answers} == {500}
        assert {answer.error for answer in answers} == {
            "the data port failed on this request; its log has the reason"
        }
        assert answers[0].headers["Cache-Control"] == "no-store"
        assert port.get("/api/vehicles").status == 200
        assert port.lines[0] == ("data port: GET '/api/road': ZeroDivisionError('on purpose')")
        assert len(port.lines) <= 1.0 + took_s
        port.lines.clear()
    assert caplog.records == []


def test_a_stream_that_fails_breaks_off(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(ServerAccess, "neighbours", fail)
    with live_port() as port:
        connection = http.client.HTTPConnection("127.0.0.1", port.number, timeout=LIMIT_S)
        connection.request("GET", "/api/stream")
        answer = connection.getresponse()
        with pytest.raises(http.client.IncompleteRead) as caught:
            answer.read()
        connection.close()
        assert caught.value.partial == b"retry: 1000\n\n"
        assert port.lines == ["data port: GET '/api/stream': ZeroDivisionError('on purpose')"]
        port.lines.clear()
    assert caplog.records == []


def test_what_went_unsaid_is_counted() -> None:
    lines: list[str] = []
    now = 100.0
    faults = FaultLog(lines.append, clock=lambda: now)
    for _ in range(4):
        faults.report("GET '/'", ValueError("x"))
    now = 100.9
    faults.report("GET '/'", ValueError("x"))
    now = 101.0
    faults.report("GET '/api/road'", ValueError("y"))
    assert lines == [
        "data port: GET '/': ValueError('x')",
        "data port: GET '/api/road': ValueError('y') (the last of 5)",
    ]


def test_what_aiohttp_has_to_say_is_a_line_and_what_a_stranger_did_is_none() -> None:
    lines: list[str] = []
    logger = FaultLog(lines.append).logger()
    logger.info("a word")
    logger.error("Unhandled exception", exc_info=ConnectionResetError())
    assert lines == []
    logger.error("Unhandled exception", exc_info=KeyError("z"))
    assert lines == ["data port: Unhandled exception: KeyError('z')"]
