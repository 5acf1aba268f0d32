"""Hostile ROS messages on every topic that is subscribed to, and requests to every service."""

from __future__ import annotations

import random
import time
from array import array
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import SetParameters
from rosidl_parser import definition

from vdsim_campaign.attack.judging import attack_in_batches, memory_ends
from vdsim_campaign.attack.rig import NAMESPACE, RECOVERY_S, Rig
from vdsim_campaign.attack.row import Row

BATCH_S = 3.0
FLOATS = (0.0, -0.0, 1e-300, -1.0, 1.3, 1e30, -1e30, float("nan"), float("inf"), -float("inf"))
TEXTS = ("", "\0", "x" * 10_000, "%n%s", "../../etc", "\x1b[2J", "ü" * 300, "autonomy")
COUNTS = (0, 1, 2, 7, 300, 5000)
NOT_SENT = ("emergency_stop", "/lock", "driver_override", "cabin_state")
"""A stop, a person, an open door: each is no attack, has a test, and would end every drive here."""
NOT_CALLED = ("set_parameters", "change_state", "set_pause", "pause", "reset", "step")
"""Parameters are a kind of their own; the others do to our own car what they say."""
LARGE_BYTES = 1_000_000
"""A larger request is decoded by rclpy for seconds, or dropped for want of memory."""
PATIENCE_S = 10.0


def message_class(kind: str) -> Any:
    """The class of `package/msg/Name`."""
    package, folder, name = kind.split("/")
    return getattr(import_module(f"{package}.{folder}"), name)


def filled(kind: Any, chance: random.Random, depth: int = 0) -> Any:
    """A message with extreme values in some of its fields."""
    message = kind()
    fields = zip(kind.get_fields_and_field_types(), kind.SLOT_TYPES, strict=True)
    for name, of in fields:
        if chance.random() < 0.2 or depth > 6:
            continue
        try:
            setattr(message, name, _value(of, chance, depth))
        except (AssertionError, ValueError, TypeError, OverflowError):
            continue  # what the message itself cannot hold
    return message


def _value(of: Any, chance: random.Random, depth: int) -> Any:
    if isinstance(of, definition.BasicType):
        return _basic(of.typename, chance)
    if isinstance(of, definition.AbstractGenericString):
        return chance.choice(TEXTS)
    if isinstance(of, definition.NamespacedType):
        module = import_module(".".join(of.namespaces))
        return filled(getattr(module, of.name), chance, depth + 1)
    if isinstance(of, definition.Array):
        return [_value(of.value_type, chance, depth + 1) for _ in range(of.size)]
    count = chance.choice(COUNTS if depth == 0 else COUNTS[:4])
    if isinstance(of, definition.BoundedSequence):
        count = min(count, of.maximum_size)
    one = _value(of.value_type, chance, depth + 1)
    return [one] * count


def _basic(name: str, chance: random.Random) -> Any:
    if name == "boolean":
        return chance.random() < 0.5
    if name in ("float", "double", "long double"):
        return chance.choice(FLOATS)
    if name in ("octet", "char", "wchar"):
        return bytes([chance.choice((0, 255))])
    bits = int("".join(filter(str.isdigit, name)))
    top = 2**bits
    if name.startswith("u"):
        return chance.choice((0, 1, 3, 7, top // 2, top - 1))
    return chance.choice((0, 1, -1, 5, top // 2 - 1, -(top // 2)))


def messages(seed: int) -> Callable[[Rig, Callable[[], bool]], Row]:
    """Messages and requests of any content, beside the stack that drives."""

    def attack(rig: Rig, is_over: Callable[[], bool]) -> Row:
        chance = random.Random(f"{seed} messages")
        row = Row(f"ROS messages and requests ({rig.composition})")
        node = rig.stack._node

        def batch(_: int) -> int:
            names = dict(_subscribed(node))
            publishers = [
                (node.create_publisher(message_class(kind), name, 10), message_class(kind))
                for name, kind in names.items()
            ]
            calls = [
                (node.create_client(message_class(kind), name), message_class(kind))
                for name, [kind, *_] in node.get_service_names_and_types()
                if f"/{NAMESPACE}/" in name and not name.endswith(NOT_CALLED)
            ]
            rig.stack.spin(0.5)
            tried, end = 0, time.monotonic() + BATCH_S
            while time.monotonic() < end:
                for publisher, kind in publishers:
                    publisher.publish(filled(kind, chance))
                    tried += 1
                for client, kind in calls:
                    if client.service_is_ready():
                        client.call_async(filled(kind.Request, chance))
                        tried += 1
                rig.stack.spin(0.05)
            for publisher, _ in publishers:
                node.destroy_publisher(publisher)
            for client, _ in calls:
                node.destroy_client(client)
            row.notes[:] = [f"{len(publishers)} topics, {len(calls)} services"]
            return tried

        return attack_in_batches(row, rig, is_over, batch)

    return attack


def _subscribed(node: Any) -> Iterator[tuple[str, str]]:
    for name, kinds in node.get_topic_names_and_types():
        ours = name.startswith(f"/{NAMESPACE}/") or "/plant" in name
        if ours and not name.endswith(NOT_SENT) and node.count_subscribers(name):
            yield name, kinds[0]


def parameters(seed: int) -> Callable[[Rig, Callable[[], bool]], Row]:
    """Requests to set parameters, well formed and not, to every node that offers the service."""

    def attack(rig: Rig, is_over: Callable[[], bool]) -> Row:
        chance = random.Random(f"{seed} parameters")
        row = Row(f"parameter requests ({rig.composition})")
        large = Large()

        def batch(_: int) -> int:
            node = rig.stack._node
            names = [
                name
                for name, [kind, *_] in node.get_service_names_and_types()
                if kind == "rcl_interfaces/srv/SetParameters" and "test_stack" not in name
            ]
            clients = {name: node.create_client(SetParameters, name) for name in names}
            rig.stack.spin(0.5)
            tried, end = 0, time.monotonic() + BATCH_S
            while time.monotonic() < end:
                tried += _round(rig, clients, chance, large, row)
            for client in clients.values():
                node.destroy_client(client)
            row.notes[:] = [f"{len(names)} nodes", large.text()]
            return tried

        return attack_in_batches(row, rig, is_over, batch)

    return attack


@dataclass
class Large:
    """Requests that rclpy decodes for long, or has no memory for, before a node sees them."""

    tried: int = 0
    unanswered: int = 0
    slowest_s: float = 0.0

    def text(self) -> str:
        """A note for the table."""
        return (
            f"of {self.tried} larger than {LARGE_BYTES // 1_000_000} MB {self.unanswered} had no "
            f"answer (rclpy decodes them), and the next small one had its own within "
            f"{self.slowest_s:.1f} s"
        )


def _round(
    rig: Rig, clients: Mapping[str, Any], chance: random.Random, large: Large, row: Row
) -> int:
    """A request to each node; those of usual size must be answered, and after a large one too."""
    ended = memory_ends(rig)
    ready = {name: each for name, each in clients.items() if each.service_is_ready()}
    asked = {name: _parameters(chance) for name in ready}
    futures = {
        name: client.call_async(SetParameters.Request(parameters=asked[name]))
        for name, client in ready.items()
    }
    _wait(rig, futures.values(), PATIENCE_S)
    for name, future in futures.items():
        if memory_ends(rig) > ended:  # who was asked has ended meanwhile
            break
        if bytes_n(asked[name]) <= LARGE_BYTES:
            if not future.done():
                row.fell.append(f"{name}: no answer within {PATIENCE_S:g} s")
            continue
        large.tried += 1
        large.unanswered += not future.done()
        begun = time.monotonic()
        if not _answers(rig, ready[name]) and memory_ends(rig) == ended:
            row.fell.append(f"{name}: no answer within {RECOVERY_S:g} s of a large request")
        large.slowest_s = max(large.slowest_s, time.monotonic() - begun)
    return len(futures)


def _answers(rig: Rig, client: Any) -> bool:
    """Whether a small request is answered."""
    small = SetParameters.Request(parameters=[Parameter(name="x")])
    return _wait(rig, [client.call_async(small)], RECOVERY_S)


def _wait(rig: Rig, futures: Collection[Any], limit_s: float) -> bool:
    end = time.monotonic() + limit_s
    while not all(future.done() for future in futures) and time.monotonic() < end:
        rig.stack.spin(0.01)
    return all(future.done() for future in futures)


def _parameters(chance: random.Random) -> list[Parameter]:
    names = ("x", "n" * 10_000, "use_sim_time", "process.data_growth_mb", "no.such", "")
    large = ParameterValue(type=8, double_array_value=array("d", bytes(8 * 100_000)))
    values = (
        ParameterValue(type=chance.randrange(256)),
        ParameterValue(type=3, double_value=chance.choice(FLOATS)),
        ParameterValue(type=4, string_value=chance.choice(TEXTS)),
        ParameterValue(type=9, string_array_value=["x"] * chance.choice(COUNTS)),
        large if chance.random() < 0.05 else ParameterValue(type=1, bool_value=True),
    )
    value = chance.choice(values)
    # More than one of the large ones would be gigabytes, which our own middleware does not send.
    count = 1 if value is large else chance.choice((1, 1, 1, 10, 1001))
    return [Parameter(name=chance.choice(names), value=value)] * count


def bytes_n(parameters: list[Parameter]) -> int:
    """About how large a request is on the wire; all its parameters are the same one."""
    one = parameters[0]
    texts = (one.name, one.value.string_value, *one.value.string_array_value)
    each = sum(len(text) + 8 for text in texts) + 8 * len(one.value.double_array_value)
    return len(parameters) * each
