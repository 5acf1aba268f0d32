"""Timers, in virtual time."""

from __future__ import annotations

from typing import Any

import pytest
from launch.actions import OpaqueFunction, Shutdown, TimerAction
from launch.substitutions import LaunchConfiguration

from launch import LaunchDescription, LaunchDescriptionEntity, LaunchService


@pytest.fixture
def times_s() -> list[float]:
    return []


def run(loop: Any, *entities: LaunchDescriptionEntity) -> int:
    service = LaunchService()
    service.context.launch_configurations["period"] = "2.5"
    service.include_launch_description(LaunchDescription(list(entities)))
    return int(loop.run_until_complete(service.run_async()))


def test_actions_come_after_the_period(virtual_loop: Any, times_s: list[float]) -> None:
    note = OpaqueFunction(function=lambda context: times_s.append(virtual_loop.time()))
    timers = [
        TimerAction(period=10.0, actions=[note]),
        TimerAction(period=LaunchConfiguration("period"), actions=[note]),
        TimerAction(period="4", actions=[TimerAction(period=1, actions=[note])]),
    ]
    assert run(virtual_loop, *timers) == 0
    assert times_s == pytest.approx([2.5, 5.0, 10.0], abs=0.01)


def test_shutdown_cancels(virtual_loop: Any, times_s: list[float]) -> None:
    note = OpaqueFunction(function=lambda context: times_s.append(virtual_loop.time()))
    ends = TimerAction(period=1.0, actions=[Shutdown(reason="enough")])
    assert run(virtual_loop, ends, TimerAction(period=5.0, actions=[note])) == 0
    assert times_s == []
    assert virtual_loop.time() < 4.0


def test_a_timer_can_outlast_the_shutdown(virtual_loop: Any, times_s: list[float]) -> None:
    note = OpaqueFunction(function=lambda context: times_s.append(virtual_loop.time()))
    late = TimerAction(period=5.0, actions=[note], cancel_on_shutdown=False)
    assert run(virtual_loop, TimerAction(period=1.0, actions=[Shutdown()]), late) == 0
    assert times_s == pytest.approx([5.0], abs=0.01)


def test_period_must_be_a_number(virtual_loop: Any, capsys: Any) -> None:
    assert run(virtual_loop, TimerAction(period="soon", actions=[])) == 1
    assert "period='soon': must be a number" in capsys.readouterr().out
