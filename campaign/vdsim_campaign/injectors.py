"""The injectors by name: each is a context in which its fault is there."""

from __future__ import annotations

import dataclasses
import os
import shutil
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from itertools import chain
from types import MappingProxyType

from rcl_interfaces.srv import GetParameters, ListParameters
from vdsim_protocol.faults import LinkFaults

from vdsim_campaign.lies import LIES
from vdsim_campaign.peers import environment_of, python_with
from vdsim_campaign.system import PLANT, ROLES, ROOT
from vdsim_campaign.trial import Trial
from vdsim_campaign.wire_tap import COMMAND, PERFECT, STATE
from vdsim_msgs.msg import HighLevelControlCommand, VehicleStateCommand
from vdsim_protocol import vds1

LOOPBACK = "127.0.0.1"
Injector = Callable[[Trial], AbstractContextManager[None]]
FOREIGN_PEER = ROOT / "bench" / "interface" / "foreign_peer.py"
NODE = {"processes": "safety_state_machine"}
"""The node with the parameters asked for, where it is not vehicle_interface."""


@contextmanager
def nothing(trial: Trial) -> Iterator[None]:
    """The fault is in the road or the plant."""
    yield


# ---- link ----------------------------------------------------------------------------------------


@contextmanager
def link(trial: Trial) -> Iterator[None]:
    """Faults of the link in one direction, or in both."""
    values = {k: v for k, v in trial.cell.values.items() if k != "direction"}
    chosen = trial.word("direction")
    directions = (COMMAND, STATE) if chosen == "both" else (chosen,)
    for direction in directions:
        trial.system.tap.set_faults(direction, LinkFaults(**values))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for direction in directions:
            trial.system.tap.set_faults(direction, PERFECT)


@contextmanager
def command_stamps(trial: Trial) -> Iterator[None]:
    """The stack's clock is wrong."""
    trial.driver.stamp_with(trial.value("offset_s"))
    try:
        yield
    finally:
        trial.driver.stamp_with(None)


# ---- processes -----------------------------------------------------------------------------------


@contextmanager
def kill(trial: Trial) -> Iterator[None]:
    """End the process by SIGKILL; start it again at the end."""
    process = trial.cell.process
    trial.killed.add(process)
    trial.system.kill(process)
    # Not the signal: others learn of it when the system has taken the process down.
    trial.began_s = time.monotonic()
    try:
        yield
    finally:
        trial.system.start(process)


@contextmanager
def terminate(trial: Trial) -> Iterator[None]:
    """End the process by SIGTERM; start it again at the end."""
    process = trial.cell.process
    trial.killed.add(process)
    trial.system.send_signal(process, signal.SIGTERM)
    try:
        yield
    finally:
        trial.system.end(process, signal.SIGTERM)
        trial.system.start(process)


@contextmanager
def freeze(trial: Trial) -> Iterator[None]:
    """SIGSTOP, and SIGCONT at the end."""
    trial.system.send_signal(trial.cell.process, signal.SIGSTOP)
    try:
        yield
    finally:
        trial.system.send_signal(trial.cell.process, signal.SIGCONT)


@contextmanager
def restart_all(trial: Trial) -> Iterator[None]:
    """Kill everything in one order, start it in another."""
    roles = [PLANT, *ROLES[trial.cell.composition]]
    draws = trial.random
    trial.killed.update(roles)
    for role in draws.sample(roles, len(roles)):
        trial.system.end(role, signal.SIGKILL)
    try:
        yield
    finally:
        for role in draws.sample(roles, len(roles)):
            trial.system.start(role)


@contextmanager
def planner_silent(trial: Trial) -> Iterator[None]:
    """The stack publishes nothing."""
    command = trial.driver.current
    trial.driver.fall_silent()
    try:
        yield
    finally:
        trial.driver.resume(command)


@contextmanager
def planner_slow(trial: Trial) -> Iterator[None]:
    """The stack publishes seldom."""
    trial.driver.publish_every(trial.value("period_s"))
    try:
        yield
    finally:
        trial.driver.publish_every(0.0)


# ---- floods --------------------------------------------------------------------------------------


@contextmanager
def command_flood(trial: Trial) -> Iterator[None]:
    """The same command far too often."""
    driver = trial.driver
    message = HighLevelControlCommand(velocity_mps=driver.velocity_mps, curvature=driver.curvature)
    publish = driver.publisher(HighLevelControlCommand, "high_level_command")
    with trial.repeated(lambda: publish(message), trial.value("rate_hz")):
        yield
    driver.withdraw("high_level_command")


@contextmanager
def state_command_flood(trial: Trial) -> Iterator[None]:
    """State commands that change nothing but the lamps."""
    publish = trial.driver.publisher(VehicleStateCommand, "state_command")
    draws = trial.random

    def send() -> None:
        publish(VehicleStateCommand(headlight=draws.randrange(3), gear=0, mode=2))

    with trial.repeated(send, trial.value("rate_hz")):
        yield
    trial.driver.withdraw("state_command")


def parameter_flood(trial: Trial) -> AbstractContextManager[None]:
    """Requests to the services that list and read parameters."""
    node = NODE.get(trial.cell.composition, "vehicle_interface")
    path = f"{trial.driver.namespace}/{node}"
    ask_list = trial.driver.client(ListParameters, f"{path}/list_parameters")
    ask_values = trial.driver.client(GetParameters, f"{path}/get_parameters")

    def send() -> None:
        ask_list.call_async(ListParameters.Request())
        ask_values.call_async(GetParameters.Request(names=["rate_hz", "no_such"]))

    return trial.repeated(send, trial.value("rate_hz"))


def engage_flood(trial: Trial) -> AbstractContextManager[None]:
    """Requests to engage while it is engaged."""
    return trial.repeated(lambda: trial.driver.request_mode(True), trial.value("rate_hz"))


@contextmanager
def junk(trial: Trial) -> Iterator[None]:
    """Random bytes of all lengths, some with a true beginning, from a port of its own."""
    to_plant = trial.word("port") == COMMAND
    port = trial.system.plant_port if to_plant else trial.system.interface_port
    draws = trial.random
    heads = (b"", struct.pack("<IHH", vds1.MAGIC, 5, 1 if to_plant else 2))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:

        def send() -> None:
            data = draws.choice(heads) + draws.randbytes(draws.randrange(1, 600))
            _send(sock, data, port)

        with trial.repeated(send, trial.value("rate_hz")):
            yield


# ---- strangers -----------------------------------------------------------------------------------


@contextmanager
def stranger_commands(trial: Trial) -> Iterator[None]:
    """Full throttle and a turned wheel, valid in every byte, from another port."""
    draws = trial.random
    numbers = iter(range(1 << 30, 1 << 31, 1 << 16))
    full = vds1.Command(0.4, 1.0, 0.0, 1, False)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:

        def send() -> None:
            stamp_s = draws.uniform(0.0, 1e6)
            data = vds1.encode_command(full, seq=next(numbers), timestamp_s=stamp_s, version=5)
            _send(sock, data, trial.system.plant_port)

        with trial.repeated(send, trial.value("rate_hz")):
            yield


@contextmanager
def stranger_in_silence(trial: Trial) -> Iterator[None]:
    """The same while nothing of the owner arrives."""
    trial.system.tap.set_faults(COMMAND, LinkFaults(loss=1.0))
    try:
        with stranger_commands(trial):
            yield
    finally:
        trial.system.tap.set_faults(COMMAND, PERFECT)


@contextmanager
def replay(trial: Trial) -> Iterator[None]:
    """Old packets of the interface, from another port."""
    old = [seen.data for seen in trial.system.tap.directions[COMMAND].entered[-500:]]
    packets = chain.from_iterable(old for _ in iter(int, 1))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        work = lambda: _send(sock, next(packets), trial.system.plant_port)  # noqa: E731
        with trial.repeated(work, trial.value("rate_hz")):
            yield


@contextmanager
def forged_state(trial: Trial) -> Iterator[None]:
    """A car that stands, in valid packets far ahead, from another port."""
    seen = trial.system.tap.directions[STATE].left[-1].data
    packet = vds1.decode(seen)
    assert isinstance(packet, vds1.Packet)
    stands = dataclasses.replace(packet.body, vx_mps=0.0, wheel_spin_radps=(0.0,) * 4)
    numbers = iter(range(packet.header.seq + 1000, 1 << 32, 100))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:

        def send() -> None:
            stamp_s = packet.header.timestamp_s + 1.0
            data = vds1.encode_state(stands, seq=next(numbers), timestamp_s=stamp_s, version=5)
            _send(sock, data, trial.system.interface_port)

        with trial.repeated(send, trial.value("rate_hz")):
            yield


@contextmanager
def second_publisher(trial: Trial) -> Iterator[None]:
    """Another publisher of the same topic that wants another speed."""
    message = HighLevelControlCommand(velocity_mps=trial.value("velocity_mps"))
    publish = trial.driver.publisher(HighLevelControlCommand, "high_level_command")
    try:
        with trial.repeated(lambda: publish(message), 50.0):
            yield
    finally:
        trial.driver.withdraw("high_level_command")


@contextmanager
def second_shell(trial: Trial) -> Iterator[None]:
    """Connect to the guard's socket, and send junk there."""
    draws = trial.random

    def connect() -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
            sock.settimeout(1.0)
            try:
                sock.connect(str(trial.system.socket))
                sock.send(draws.randbytes(draws.randrange(1, 300)))
            except OSError:
                return

    with trial.repeated(connect, 10.0):
        yield


@contextmanager
def foreign_requests(trial: Trial) -> Iterator[None]:
    """The DDS peer of `./ws bench interface/guard_attack`."""
    names = trial.driver.services()
    python = python_with(trial.cell.fault.needs, trial.system.peer_python)
    command = [python, str(FOREIGN_PEER), str(int(trial.value("requests"))), *names]
    with (trial.system.folder / "foreign_peer.log").open("ab") as log:
        peer = subprocess.Popen(
            command, stdout=log, stderr=subprocess.STDOUT, env=environment_of(python)
        )
    trial.killed.add("guarded_interface")  # its limit of memory may end it
    try:
        yield
    finally:
        ended = peer.wait(60.0)
        if "guarded_interface" in trial.system.dead():
            trial.system.start("guarded_interface")
        assert ended == 0, "the peer reached no service (foreign_peer.log)"


# ---- disk, sensors -------------------------------------------------------------------------------


@contextmanager
def remove_folder(trial: Trial) -> Iterator[None]:
    """Remove the folder into which the plant records; what is open stays open."""
    kept = trial.system.recording.with_name("kept.vds")
    os.link(trial.system.recording, kept)
    moved = trial.system.folder / "kept.vds"
    kept.rename(moved)
    shutil.rmtree(trial.system.recording.parent)
    try:
        yield
    finally:
        trial.system.recording.parent.mkdir()
        moved.rename(trial.system.recording)


@contextmanager
def lie(trial: Trial) -> Iterator[None]:
    """STATE says what is not so."""
    tap = trial.system.tap
    tap.alter(LIES[trial.word("lie")]())
    try:
        yield
    finally:
        tap.alter(None)


def _send(sock: socket.socket, data: bytes, port: int) -> None:
    try:
        sock.sendto(data, (LOOPBACK, port))
    except ConnectionError:  # nobody listens just now
        return


INJECTORS: Mapping[str, Injector] = MappingProxyType(
    {
        function.__name__: function
        for function in (
            nothing, link, command_stamps, kill, terminate, freeze, restart_all, planner_silent,
            planner_slow, command_flood, state_command_flood, parameter_flood, engage_flood, junk,
            stranger_commands, stranger_in_silence, replay, forged_state, second_publisher,
            second_shell, foreign_requests, remove_folder, lie,
        )
    }
)  # fmt: skip
