"""The node of the plant goes on where there is no memory for what arrives."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from rclpy.task import Future
from vdsim_plant_node.ros import node as module


class Executor:
    """Raises once, then is asked to stop."""

    def __init__(self, where: str) -> None:
        self.tries = 0
        self._names: dict[str, Any] = {"__name__": where}
        exec("def take():\n    raise MemoryError", self._names)

    def spin_until_future_complete(self, future: Future, timeout_sec: float) -> None:
        self.tries += 1
        if self.tries == 1:
            self._names["take"]()
        future.set_result(None)


def spin(executor: Executor, monkeypatch: pytest.MonkeyPatch) -> int:
    """Serve a node that only counts; how many messages were lost."""
    lost: list[None] = []
    node = SimpleNamespace(
        create_timer=lambda *_, **__: None,
        get_logger=lambda: SimpleNamespace(info=print),
        get_parameter=lambda name: SimpleNamespace(value=0),
        start=lambda ask: None,
        note_lost=lambda: lost.append(None),
        is_closed=True,
        parameter_services="off",
    )
    stop = SimpleNamespace(asked=Future(), on_heartbeat=None, ask=None, is_spinning=False)
    monkeypatch.setattr(module, "_make_executor", lambda node: executor)
    monkeypatch.setattr(module, "settle_garbage_collector", lambda: None)
    module._spin(node, stop)  # type: ignore[arg-type]
    return len(lost)


def test_a_message_without_memory_for_it_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    executor = Executor("rclpy.executors")
    assert spin(executor, monkeypatch) == 1
    assert executor.tries == 2


def test_code_of_the_plant_without_memory_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MemoryError):
        spin(Executor("vdsim_plant_node.live.server"), monkeypatch)
