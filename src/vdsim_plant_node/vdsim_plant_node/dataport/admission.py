"""Who is let in: Host, Origin and token of a request. Pure.

Without a token the port is loopback only, and what remains to be kept out is the browser of the
user of this machine, working for a foreign page:

- DNS rebinding (a foreign name that resolves to 127.0.0.1): Host must be one of our own names.
- Forged requests: what a browser marks as coming from another origin is refused. Programs send
  neither Origin nor Sec-Fetch-Site and are not concerned.

With a token every request must carry it: `Authorization: Bearer`, or the cookie that opening
`/?token=` sets. A foreign name has no such cookie, so any Host will do.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass

COOKIE = "vdsim_token"
_OWN_NAMES = ("localhost", "127.0.0.1", "[::1]")
_OWN_SITES = ("same-origin", "none")


@dataclass(frozen=True)
class Refusal:
    """Why a request is not served."""

    status: int
    reason: str


@dataclass(frozen=True)
class Admission:
    """The rule of one data port."""

    bind_ip: str
    token: str | None = None

    def refusal(
        self, method: str, headers: Mapping[str, str], *, cookie: str | None, query: str | None
    ) -> Refusal | None:
        """None when the request is let in. `query` is the token of the address line."""
        host = headers.get("Host", "")
        return (
            self._wrong_host(host)
            or _wrong_origin(method, host, headers)
            or self._wrong_token(headers.get("Authorization", ""), cookie, query)
        )

    def _wrong_host(self, host: str) -> Refusal | None:
        if self.token is not None:
            return None
        names = (*_OWN_NAMES, self.bind_ip)
        if host_name(host) in names:
            return None
        allowed = ", ".join(dict.fromkeys(names))
        return Refusal(403, f"Host={host[:80]!r}: must be one of {allowed}")

    def _wrong_token(
        self, authorization: str, cookie: str | None, query: str | None
    ) -> Refusal | None:
        if self.token is None:
            return None
        scheme, _, bearer = authorization.partition(" ")
        given = bearer.strip() if scheme.lower() == "bearer" else (cookie or query or "")
        if hmac.compare_digest(_bytes_of(given), _bytes_of(self.token)):
            return None
        return Refusal(
            401, "token: is missing or wrong; send Authorization: Bearer TOKEN, or open /?token="
        )


def _bytes_of(text: str) -> bytes:
    """The bytes as they came: a header that is no UTF-8 holds surrogates in their place."""
    return text.encode("utf-8", "surrogateescape")


def _wrong_origin(method: str, host: str, headers: Mapping[str, str]) -> Refusal | None:
    """Refuse what a browser sends for another site; following a link to the page is fine."""
    origin = headers.get("Origin")
    if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
        return Refusal(403, f"Origin={origin[:80]!r}: must be the dashboard's own page")
    site = headers.get("Sec-Fetch-Site", "none")
    follows_link = method == "GET" and headers.get("Sec-Fetch-Mode") == "navigate"
    if site not in _OWN_SITES and not follows_link:
        return Refusal(403, f"Sec-Fetch-Site={site[:80]!r}: must be the dashboard's own page")
    return None


def host_name(host: str) -> str:
    """The Host header without the port, in lower case."""
    if host.startswith("["):
        return host.partition("]")[0].lower() + "]"
    return host.partition(":")[0].lower()
