"""A stand-in for rospy: the few names that the ROS 1 shell uses, in one thread. It is no ROS 1.

Messages have exactly the fields of the .msg files: setting another one is an error, as with the
classes that ROS 1 generates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "autohyu_msgs" / "msg"
PACKAGE = "autohyu_msgs"
NODE = "/autohyu_bridge"


class Stamp:
    """genpy.Time and rospy.Time: seconds."""

    system_s = 1000.0

    def __init__(self, seconds: float = 0.0) -> None:
        self._seconds = seconds

    @classmethod
    def now(cls) -> Stamp:
        return cls(cls.system_s)

    @classmethod
    def from_sec(cls, seconds: float) -> Stamp:
        return cls(seconds)

    def to_sec(self) -> float:
        return self._seconds


class Message:
    """Base of the messages; fields are slots."""

    __slots__ = ()
    _md5sum = "of the stand-in"
    MAKES: Mapping[str, Callable[[], Any]] = {}

    def __init__(self) -> None:
        for name, make in self.MAKES.items():
            setattr(self, name, make())


class StandInError(Exception):
    """rospy.ROSException."""


class Header(Message):
    """std_msgs/Header of ROS 1."""

    __slots__ = ("frame_id", "seq", "stamp")
    MAKES: Mapping[str, Callable[[], Any]] = {"seq": int, "stamp": Stamp, "frame_id": str}


def _message(name: str, known: dict[str, Callable[[], Any]]) -> type:
    """Make the class of a .msg file; of constants it has none."""
    lines = (FOLDER / f"{name}.msg").read_text(encoding="utf-8").splitlines()
    words = [line.partition("#")[0].split() for line in lines if "=" not in line.partition("#")[0]]
    makes = {field: known[kind] for kind, field in (pair for pair in words if pair)}
    body = {"__slots__": tuple(makes), "MAKES": makes}
    return type(name, (Message,), body)


def messages() -> SimpleNamespace:
    """The classes, by name."""
    known: dict[str, Callable[[], Any]] = {
        "std_msgs/Header": Header,
        **dict.fromkeys(("float64",), float),
        **dict.fromkeys(("uint8", "uint16"), int),
        "string": str,
    }
    for name in ("WGS84", "Reference", "VehicleCAN", "VehicleState"):
        known[name] = _message(name, known)
    return SimpleNamespace(
        Float32=SimpleNamespace,
        Reference=known["Reference"],
        VehicleState=known["VehicleState"],
    )


class Publisher:
    """Keeps what was published."""

    def __init__(self, *, latch: bool) -> None:
        self.latch = latch
        self.is_closed = False
        self.sent: list[Any] = []

    def publish(self, message: Any) -> None:
        if self.is_closed:
            raise StandInError("publish() to a closed topic")
        self.sent.append(message)


class StandIn:
    """The module. `parameters`: the tree of the node's private ones."""

    Time = Stamp
    ROSException = StandInError

    def __init__(self, parameters: Mapping[str, object] | None = None) -> None:
        self._parameters = parameters
        self.node = ""
        self.logged: list[tuple[str, str]] = []
        self.publishers: dict[str, Publisher] = {}
        self.callbacks: dict[str, Callable[[Any], None]] = {}
        self.ends_after = 0
        """How often is_shutdown is False."""

    def init_node(self, name: str) -> None:
        self.node = name

    def get_param(self, name: str, default: Any) -> Any:
        assert name == "~"
        return default if self._parameters is None else self._parameters

    def get_name(self) -> str:
        return NODE

    def is_shutdown(self) -> bool:
        self.ends_after -= 1
        return self.ends_after < 0

    def loginfo(self, text: str) -> None:
        self.logged.append(("info", text))

    def logwarn(self, text: str) -> None:
        self.logged.append(("warn", text))

    def logerr(self, text: str) -> None:
        self.logged.append(("error", text))

    def Publisher(  # noqa: N802
        self, name: str, kind: type, *, queue_size: int, latch: bool = False
    ) -> Publisher:
        assert queue_size > 0
        self.publishers[name] = Publisher(latch=latch)
        return self.publishers[name]

    def Subscriber(  # noqa: N802
        self,
        name: str,
        kind: type,
        callback: Callable[[Any], None],
        *,
        queue_size: int,
        tcp_nodelay: bool,
    ) -> None:
        self.callbacks[name] = callback

    def receive(self, name: str, value: float) -> None:
        """A Float32 arrives on a topic."""
        self.callbacks[name](SimpleNamespace(data=value))
