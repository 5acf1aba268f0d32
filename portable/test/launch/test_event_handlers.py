"""Handlers: who is called for what, in which order, how often."""

from __future__ import annotations

from typing import Any

import pytest
from launch.actions import (
    EmitEvent,
    ExecuteProcess,
    LogInfo,
    OpaqueFunction,
    RegisterEventHandler,
    Shutdown,
    UnregisterEventHandler,
)
from launch.event_handlers import (
    OnExecutionComplete,
    OnProcessExit,
    OnProcessIO,
    OnProcessStart,
    OnShutdown,
)

from launch import Event, EventHandler


class Ping(Event):
    """An event of this test."""

    name = "test.Ping"


def is_ping(event: Event) -> bool:
    return isinstance(event, Ping)


def test_start_exit_and_their_targets(run_launch: Any) -> None:
    one = ExecuteProcess(cmd=["true"], name="one")
    two = ExecuteProcess(cmd=["true"], name="two", condition=None)
    outcome = run_launch(
        RegisterEventHandler(OnProcessStart(target_action=one, on_start=[LogInfo(msg="1 on")])),
        RegisterEventHandler(
            OnProcessExit(
                target_action=lambda action: action is two,
                on_exit=lambda event, context: LogInfo(msg=f"{event.process_name} off"),
            )
        ),
        RegisterEventHandler(OnProcessExit(on_exit=lambda event, context: [LogInfo(msg="any")])),
        one,
        two,
    )
    assert sum("1 on" in line for line in outcome.lines) == 1
    assert outcome.printed("two-2 off")
    assert sum(line.endswith(": any") for line in outcome.lines) == 2


def test_chain_of_processes(run_launch: Any) -> None:
    second = ExecuteProcess(cmd=["sh", "-c", "echo second"], output="screen")
    first = ExecuteProcess(cmd=["true"], on_exit=[second])
    assert run_launch(first).printed("[sh-2] second")


def test_output_by_stream(run_launch: Any) -> None:
    seen: list[tuple[int, bytes]] = []
    process = ExecuteProcess(cmd=["sh", "-c", "echo out; echo err >&2"])
    run_launch(
        RegisterEventHandler(
            OnProcessIO(
                target_action=process,
                on_stdout=lambda event: seen.append((event.fd, event.text)),
                on_stderr=lambda event: seen.append((event.fd, event.text)),
            )
        ),
        process,
    )
    assert sorted(seen) == [(1, b"out\n"), (2, b"err\n")]


def test_output_can_start_something(run_launch: Any) -> None:
    process = ExecuteProcess(cmd=["sh", "-c", "echo ready; exec sleep 100"])
    handler = OnProcessIO(
        on_stdout=lambda event: [LogInfo(msg="go"), Shutdown()] if b"ready" in event.text else None
    )
    outcome = run_launch(RegisterEventHandler(handler), process)
    assert outcome.printed("go")


def test_shutdown_has_a_reason(run_launch: Any) -> None:
    reasons: list[str] = []
    handler = OnShutdown(on_shutdown=lambda event, context: reasons.append(event.reason))
    run_launch(RegisterEventHandler(handler))
    run_launch(RegisterEventHandler(handler), Shutdown(reason=["be", "cause"]))
    assert reasons == ["idle", "because"]


def test_completion_waits_for_the_process(run_launch: Any) -> None:
    process = ExecuteProcess(cmd=["sleep", "0.3"])
    outcome = run_launch(
        RegisterEventHandler(
            OnExecutionComplete(target_action=process, on_completion=[LogInfo(msg="complete")])
        ),
        process,
    )
    lines = outcome.lines
    assert [i for i, line in enumerate(lines) if "complete" in line] > [
        i for i, line in enumerate(lines) if "finished cleanly" in line
    ]


def test_custom_events_once_and_unregistered(run_launch: Any) -> None:
    always = EventHandler(matcher=is_ping, entities=[LogInfo(msg="always")])
    once = EventHandler(matcher=is_ping, entities=LogInfo(msg="once"), handle_once=True)
    gone = EventHandler(matcher=is_ping, entities=[LogInfo(msg="gone")])
    outcome = run_launch(
        *(RegisterEventHandler(handler) for handler in (always, once, gone)),
        UnregisterEventHandler(gone),
        EmitEvent(event=Ping()),
        EmitEvent(event=Ping()),
    )
    assert [line.rpartition(" ")[2] for line in outcome.lines] == ["once", "always", "always"]


def test_the_event_is_a_local_of_its_answer(run_launch: Any) -> None:
    names: list[str] = []
    note = OpaqueFunction(function=lambda context: names.append(context.locals.event.name))
    run_launch(
        RegisterEventHandler(EventHandler(matcher=is_ping, entities=[note])),
        EmitEvent(event=Ping()),
    )
    assert names == ["test.Ping"]


def test_an_error_in_a_handler_ends_the_launch(run_launch: Any) -> None:
    def fail(event: Event, context: Any) -> None:
        raise RuntimeError("handler failed")

    process = ExecuteProcess(cmd=["sleep", "100"])
    outcome = run_launch(RegisterEventHandler(OnProcessStart(on_start=fail)), process)
    assert outcome.code == 1
    assert outcome.printed("handler failed")
    assert process.return_code == -2


def test_wrong_target_is_refused() -> None:
    with pytest.raises(ValueError, match="target_action='x'"):
        OnProcessExit(target_action="x", on_exit=[])  # type: ignore[arg-type]
