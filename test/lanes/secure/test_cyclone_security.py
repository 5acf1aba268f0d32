"""A middleware with security reads our keystore and enforces it: Cyclone DDS with its plugins.

The peer (peer.c) is a participant of the distribution's Cyclone DDS; each runs in a process of its
own, as one enclave. Without ROS 2: what is judged are certificates, signatures and names of DDS.
"""

from __future__ import annotations

import os
import queue
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from itertools import chain
from pathlib import Path

import pytest
from workspace.secure import keystore
from workspace.secure.documents import Validity, permissions
from workspace.secure.policy import ROLES, Places, rights
from workspace.secure.table import table

HERE = Path(__file__).parent
PLUGINS = next(Path("/usr/lib").glob("*/libddsc*/libdds_security_auth.so")).parent
PATIENCE_S = 60.0
QUIET_S = 3.0
LAST_LINES = 10_000
"""Empty ones after the last, so that who waits for more fails at once."""
COMMAND = "rt/vehicle/high_level_command"
STATUS = "rt/vehicle/odometry"
LOOPBACK = (
    '<General><AllowMulticast>false</AllowMulticast><Interfaces><NetworkInterface name="lo"/>'
    "</Interfaces></General><Discovery><ParticipantIndex>auto</ParticipantIndex>"
    '<MaxAutoParticipantIndex>30</MaxAutoParticipantIndex><Peers><Peer address="127.0.0.1"/>'
    "</Peers></Discovery>"
)


def _library(kind: str, function: str) -> str:
    start, end = f"init_{function}", f"finalize_{function}"
    path = PLUGINS / f"libdds_security_{kind}.so"
    return f'<Library path="{path}" initFunction="{start}" finalizeFunction="{end}"/>'


def uri(enclave: Path | None) -> str:
    """The configuration of a participant; without an enclave it has no security."""
    if enclave is None:
        return f"<CycloneDDS><Domain>{LOOPBACK}</Domain></CycloneDDS>"
    security = (
        f"<Authentication>{_library('auth', 'authentication')}"
        f"<IdentityCA>file:{enclave}/identity_ca.cert.pem</IdentityCA>"
        f"<IdentityCertificate>file:{enclave}/cert.pem</IdentityCertificate>"
        f"<PrivateKey>file:{enclave}/key.pem</PrivateKey></Authentication>"
        f"<AccessControl>{_library('ac', 'access_control')}"
        f"<PermissionsCA>file:{enclave}/permissions_ca.cert.pem</PermissionsCA>"
        f"<Governance>file:{enclave}/governance.p7s</Governance>"
        f"<Permissions>file:{enclave}/permissions.p7s</Permissions></AccessControl>"
        f"<Cryptographic>{_library('crypto', 'crypto')}</Cryptographic>"
    )
    return f"<CycloneDDS><Domain>{LOOPBACK}<Security>{security}</Security></Domain></CycloneDDS>"


class Peer:
    """A running participant; its lines in a queue."""

    def __init__(self, program: Path, enclave: Path | None, *words: str) -> None:
        self.process = subprocess.Popen(
            [program, os.environ["ROS_DOMAIN_ID"], *words],
            env={**os.environ, "CYCLONEDDS_URI": uri(enclave)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout
        with self.process.stdout as said:
            for line in said:
                self.lines.put(line.strip())
        for _ in range(LAST_LINES):
            self.lines.put("")

    def line(self, timeout_s: float = PATIENCE_S) -> str:
        """The next line; empty at its end."""
        return self.lines.get(timeout=timeout_s)

    def is_quiet(self, duration_s: float) -> bool:
        """Whether nothing comes for this long."""
        try:
            return not self.line(duration_s)
        except queue.Empty:
            return True

    def end(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(PATIENCE_S)


@contextmanager
def peers(program: Path, *each: tuple[Path | None, str, str]) -> Iterator[list[Peer]]:
    """Running peers, whose first lines have been read by nobody."""
    started = [Peer(program, *one) for one in each]
    try:
        yield started
    finally:
        for peer in started:
            peer.end()


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("peer")
    subprocess.run(["idlc", "-l", "c", HERE / "peer.idl"], cwd=folder, check=True)
    sources = (HERE / "peer.c", folder / "peer.c")
    made = folder / "peer"
    subprocess.run(["gcc", "-O1", "-I", folder, "-o", made, *sources, "-lddsc"], check=True)
    return made


def made_keystore(folder: Path) -> Path:
    enclaves = {f"/vdsim/{role}": rights(table(), role, Places()) for role in ROLES}
    keystore.create(folder, enclaves, [], keystore.validity_of(1))
    return folder


@pytest.fixture(scope="module")
def enclaves(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_keystore(tmp_path_factory.mktemp("keys") / "store") / "enclaves/vdsim"


@pytest.mark.parametrize("role", ROLES)
def test_the_middleware_judges_every_name_of_the_table_as_we_do(
    role: str, program: Path, enclaves: Path
) -> None:
    every = [rights(table(), each, Places()) for each in ROLES]
    names = {name for each in every for name in (*each.publish, *each.subscribe)}
    names = {name.replace("*", "somebody") for name in names} | {"rt/of_nobody", COMMAND, STATUS}
    own = rights(table(), role, Places())
    expected = {
        **{f"w {name}": own.may_publish(name) for name in names},
        **{f"r {name}": own.may_read(name) for name in names},
    }
    with peers(program, (enclaves / role, "judge", "")) as (peer,):
        assert peer.process.stdin
        for line in expected:
            peer.process.stdin.write(f"{line}\n")
        peer.process.stdin.flush()
        said = [peer.line() for _ in expected]
    assert said == [f"{line} {'ok' if may else 'denied'}" for line, may in expected.items()]
    print(f"{role}: {len(said)} names, {sum(expected.values())} allowed")


def test_a_command_of_the_stack_reaches_the_vehicle(program: Path, enclaves: Path) -> None:
    talk = (enclaves / "stack", "write", COMMAND), (enclaves / "vehicle", "read", COMMAND)
    with peers(program, *talk) as (_, vehicle):
        assert vehicle.line() == "ready"
        assert vehicle.line() == "1.5"


def test_a_viewer_reads_and_does_not_command(program: Path, enclaves: Path) -> None:
    talk = (enclaves / "vehicle", "write", STATUS), (enclaves / "viewer", "read", STATUS)
    with peers(program, *talk, (enclaves / "viewer", "write", COMMAND)) as (_, viewer, commander):
        assert commander.line() == "denied"
        assert viewer.line() == "ready"
        assert viewer.line() == "1.5"


def strangers(folder: Path, enclaves: Path) -> dict[str, Path | None]:
    """Participants that must neither hear nor be heard, by what is wrong with them."""
    authority = keystore.load(enclaves.parents[1], keystore.PERMISSIONS)
    foreign = made_keystore(folder / "foreign") / "enclaves/vdsim"
    made: dict[str, Path | None] = {"no security": None, "foreign": foreign / "stack"}

    def altered(name: str, role: str = "stack") -> Path:
        copy = folder / name
        shutil.copytree(enclaves / role, copy)
        made[name] = copy
        return copy

    now = datetime.now(timezone.utc)
    past = Validity(now - timedelta(days=30), now - timedelta(days=5))
    own = rights(table(), "stack", Places())
    expired = permissions("/vdsim/stack", own, [], past)
    (altered("expired") / "permissions.p7s").write_bytes(keystore.signed(expired, authority))
    edited = altered("edited", "viewer") / "permissions.p7s"
    line = b"<topic>rt/rosout</topic>"
    text = edited.read_bytes()
    assert line in text
    edited.write_bytes(text.replace(line, f"<topic>{COMMAND}</topic>".encode(), 1))
    shutil.copy(enclaves / "stack/permissions.p7s", altered("of another", "viewer"))
    shutil.copy(foreign / "stack/permissions.p7s", altered("signed by another"))
    elsewhere = permissions("/vdsim/stack", own, [int(os.environ["ROS_DOMAIN_ID"]) + 1], past)
    elsewhere = elsewhere.replace(f"{past.end:%Y-%m-%d}", f"{now + timedelta(days=9):%Y-%m-%d}")
    signed = keystore.signed(elsewhere, authority)
    (altered("of another domain") / "permissions.p7s").write_bytes(signed)
    return made


def test_who_has_no_valid_enclave_neither_hears_nor_is_heard(
    program: Path, enclaves: Path, tmp_path: Path
) -> None:
    kinds = strangers(tmp_path, enclaves)
    outside = list(
        chain.from_iterable(
            ((enclave, "write", COMMAND), (enclave, "read", COMMAND)) for enclave in kinds.values()
        )
    )
    vehicle = (enclaves / "vehicle", "read", COMMAND)
    stack = (enclaves / "stack", "write", COMMAND)
    with peers(program, vehicle, *outside) as (car, *others):
        assert car.line() == "ready"
        states = [other.line() for other in others]
        # Those that cannot even begin say so; the rest is on the network.
        print(dict(zip((f"{name} {way}" for name in kinds for way in "wr"), states, strict=True)))
        running = {name for name, said in zip(kinds, states[1::2], strict=True) if said == "ready"}
        assert {"no security", "foreign"} <= running
        assert car.is_quiet(QUIET_S), "a stranger was heard"
        # The car is there, and hears who may speak; the strangers hear neither.
        with peers(program, stack) as (_,):
            assert car.line() == "1.5"
            end_s = time.monotonic() + QUIET_S
            while time.monotonic() < end_s:
                assert car.line() == "1.5"
            heard = [
                (name, line)
                for name, reader in zip(kinds, others[1::2], strict=True)
                for line in list(reader.lines.queue)
                if line
            ]
        # Strangers without security hear each other: that domain is no part of ours.
        assert {name for name, _ in heard} <= {"no security", "foreign"}


def test_strangers_are_really_on_the_network(program: Path) -> None:
    """So that their silence above is no mistake of theirs."""
    talk = (None, "write", COMMAND), (None, "read", COMMAND)
    with peers(program, *talk) as (_, reader):
        assert reader.line() == "ready"
        assert reader.line() == "1.5"
