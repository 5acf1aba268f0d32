"""Requests of a control mode by topic: which of them act, which repeat an answer.

Theory of operation
  Why       Service requests do not cross between DDS vendors, topics do. The twin of a service of
            modes is a topic for requests and one for answers.
  Client    A client chooses a number at its start and counts its requests. It publishes a request
            until it is answered, so that a lost message costs nothing.
  New       A sequence number ahead of the client's latest one acts.
  Repeated  The latest one again is answered again and changes nothing; nothing is sent while its
            answer is not there yet.
  Old       A number behind the latest one is refused: the message was delayed.
  Check     A request whose `check` is not the expected one is refused.
  Ending    A request that ends autonomy acts whatever check and sequence are. An old one leaves the
            client's latest number, so that no delayed request counts as new after it.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

CLIENTS_MAX = 32
"""How many clients are remembered; the one that has been silent for longest is forgotten."""
_NUMBERS = 1 << 32


class TwinRequest(NamedTuple):
    """One request; `refusal`: why its check does not count, empty when it does."""

    client: int
    sequence: int
    request: int
    refusal: str = ""


class TwinAnswer(NamedTuple):
    """The outcome of a request; `mode` as the service would answer it."""

    success: bool
    mode: int
    reason: str


class Verdict(Enum):
    """What to do with a request."""

    ACT = "act"
    ANSWER = "answer"
    WAIT = "wait"


class _Client:
    """The latest request of a client, and its answer once it is there."""

    def __init__(self, sequence: int) -> None:
        self.sequence = sequence
        self.answer: TwinAnswer | None = None


class ModeTwin:
    """The requests of all clients."""

    def __init__(self, ends_autonomy: frozenset[int]) -> None:
        """`ends_autonomy`: the requests that always act."""
        self._ends_autonomy = ends_autonomy
        self._clients: dict[int, _Client] = {}

    def on_request(self, request: TwinRequest) -> tuple[Verdict, str]:
        """Decide about a request; with ANSWER and a text it is refused for that reason."""
        client = self._clients.get(request.client)
        ahead = 1 if client is None else (request.sequence - client.sequence) % _NUMBERS
        is_old = ahead >= _NUMBERS // 2
        if request.request in self._ends_autonomy:
            if not is_old:
                self._start(request)
            return Verdict.ACT, ""
        if request.refusal:
            return Verdict.ANSWER, request.refusal
        if client is None:
            self._start(request)
            return Verdict.ACT, ""
        if ahead == 0:
            return (Verdict.WAIT if client.answer is None else Verdict.ANSWER), ""
        if is_old:
            late = f"sequence={request.sequence}: must be ahead of {client.sequence}"
            return Verdict.ANSWER, late
        self._start(request)
        return Verdict.ACT, ""

    def on_answer(self, request: TwinRequest, answer: TwinAnswer) -> None:
        """Keep the answer of the client's latest request."""
        client = self._clients.get(request.client)
        if client is not None and client.sequence == request.sequence:
            client.answer = answer

    def answer(self, request: TwinRequest) -> TwinAnswer | None:
        """Return the answer of a repeated request."""
        client = self._clients.get(request.client)
        return None if client is None else client.answer

    def _start(self, request: TwinRequest) -> None:
        self._clients.pop(request.client, None)
        self._clients[request.client] = _Client(request.sequence)
        if len(self._clients) > CLIENTS_MAX:
            del self._clients[next(iter(self._clients))]
