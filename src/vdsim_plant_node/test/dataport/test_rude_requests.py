"""Requests that no library sends: each gets a reason, and none of them is worth a traceback."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterator

import pytest
from vdsim_plant_node_kit.dataport import LIMIT_S, LivePort, live_port

TOKEN = "correct-horse-battery"


@pytest.fixture(scope="module")
def port() -> Iterator[LivePort]:
    with live_port() as opened:
        yield opened


@pytest.fixture(autouse=True)
def _not_a_line_is_logged(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """What a stranger sends is not worth a line, let alone a traceback."""
    yield
    assert [record.getMessage() for record in caplog.get_records("call")] == []


def raw(port: LivePort, request: bytes) -> bytes:
    """The answer to these bytes, read until the other side closes or its body is whole."""
    with socket.create_connection(("127.0.0.1", port.number)) as opened:
        opened.settimeout(LIMIT_S)
        opened.sendall(request)
        answer = b""
        while not is_whole(answer) and (part := opened.recv(4096)):
            answer += part
        return answer


def is_whole(answer: bytes) -> bool:
    """Whether the body has the length that its header gives."""
    head, _, body = answer.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)^content-length: (\d+)", head, re.MULTILINE)
    return length is not None and len(body) >= int(length[1])


def post_io(body: bytes, *headers: str) -> bytes:
    head = "\r\n".join(["POST /api/io HTTP/1.1", "Host: localhost", *headers, "", ""])
    return head.encode() + body


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer \xff\xfe"},
        {"Cookie": "vdsim_token=\xff"},
        {"Cookie": 'vdsim_token="\\377"'},
        {"Authorization": "\xff"},
    ],
)
def test_a_token_that_is_no_text_is_a_wrong_token(headers: dict[str, str]) -> None:
    with live_port(TOKEN) as guarded:
        answer = guarded.post("/api/io", {}, **headers)
        assert answer.status == 401
        assert answer.error.startswith("token: is missing or wrong")


def test_a_token_on_the_address_line_that_is_no_text_is_a_wrong_token() -> None:
    with live_port(TOKEN) as guarded:
        assert guarded.get("/?token=%ff%fe").status == 401


@pytest.mark.parametrize("name", ["Host", "Origin", "Sec-Fetch-Site"])
def test_a_header_that_is_no_text_is_refused(port: LivePort, name: str) -> None:
    answer = port.post("/api/io", {}, **{name: "\xff\xfe"})
    assert answer.status == 403
    assert answer.error.startswith(f"{name}='\\udcff\\udcfe'")


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_body_that_cannot_be_decoded_is_refused(port: LivePort, coding: str) -> None:
    answer = port.request("POST", "/api/io", b"\xff\xff\xff\xff", Content_Encoding=coding)
    assert (answer.status, answer.error) == (400, "body: cannot be decoded")


@pytest.mark.parametrize("path", ["/api/io", "/api/io/targets", "/api/reset", "/api/pause"])
def test_every_body_is_read_with_the_same_care(port: LivePort, path: str) -> None:
    answer = port.request("POST", path, b"{}", Content_Encoding="gzip")
    assert (answer.status, answer.error) == (400, "body: cannot be decoded")


@pytest.mark.parametrize(
    "request_bytes",
    [
        post_io(b"zz\r\n{}\r\n0\r\n\r\n", "Transfer-Encoding: chunked"),
        post_io(b"", "Content-Length: -1"),
        post_io(b"{}", "Content-Length: 2", "Transfer-Encoding: chunked"),
        b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: gzip\r\n"
        b"Content-Length: 2\r\n\r\n{}",
        b"GET / HTTP/9.9.9\r\n\r\n",
        b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nno header\r\n\r\n",
    ],
)
def test_what_is_no_http_is_answered_and_nothing_more(port: LivePort, request_bytes: bytes) -> None:
    answer = raw(port, request_bytes)
    assert answer.startswith((b"HTTP/1.1 400 ", b"HTTP/1.0 400 ", b"HTTP/1.1 200 ")), answer
    assert b"Traceback" not in answer
    assert port.get("/api/vehicles").status == 200


def test_whoever_hangs_up_in_the_middle_of_a_body_is_forgotten(port: LivePort) -> None:
    for head in ("Content-Length: 99", "Transfer-Encoding: chunked"):
        with socket.create_connection(("127.0.0.1", port.number)) as rude:
            rude.sendall(post_io(b"5\r\n{", head))
    end = time.monotonic() + LIMIT_S
    while port.get("/api/vehicles").status != 200:
        assert time.monotonic() < end
    before = port.live.snapshot().ticks
    port.live.wait_for(lambda s: s.ticks > before + 20)


def test_silent_connections_keep_nobody_out(port: LivePort) -> None:
    """More than are open at once: the longest silent ones give way."""
    silent = [socket.create_connection(("127.0.0.1", port.number)) for _ in range(200)]
    try:
        for opened in silent[::2]:
            opened.sendall(b"GET /api/vehicles HTTP/1.1\r\nHost: local")
        assert port.get("/api/vehicles").status == 200
    finally:
        for opened in silent:
            opened.close()


def test_a_head_request_takes_no_stream(port: LivePort) -> None:
    assert port.request("HEAD", "/api/stream", b"").status == 405


def test_wrong_tokens_are_slowed_and_the_right_one_is_not() -> None:
    with live_port(TOKEN) as guarded:
        wrong = {"Authorization": "Bearer wrong-horse-battery"}
        answers = [guarded.post("/api/io", {}, **wrong).status for _ in range(60)]
        assert answers[0] == 401
        assert 429 in answers
        right = guarded.post("/api/io", {}, Authorization=f"Bearer {TOKEN}")
        assert right.status == 200
