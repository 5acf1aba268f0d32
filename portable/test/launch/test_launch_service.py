"""The launch as a whole: from Python, from threads, and its signals."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pty
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from launch.actions import (
    DeclareLaunchArgument,
    ExecuteProcess,
    GroupAction,
    LogInfo,
    RegisterEventHandler,
    Shutdown,
    TimerAction,
)
from launch.conditions import IfCondition
from launch.event_handlers import OnProcessStart
from launch.events import Shutdown as ShutdownEvent

from launch import LaunchDescription, LaunchIntrospector, LaunchService

LAUNCHES_A_SLEEPER = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import ExecuteProcess
service = LaunchService()
service.include_launch_description(LaunchDescription([
    ExecuteProcess(cmd=["sh", "-c", "echo $$ > " + sys.argv[1] + "; sleep 1000 & wait"])
]))
sys.exit(service.run())
"""


def test_idle_launch_ends() -> None:
    assert LaunchService().run() == 0


def test_shutdown_from_another_thread() -> None:
    service = LaunchService()
    process = ExecuteProcess(cmd=["sleep", "100"])
    service.include_launch_description(LaunchDescription([process]))
    started = threading.Event()
    handler = OnProcessStart(target_action=process, on_start=lambda event, context: started.set())
    service.include_launch_description(LaunchDescription([RegisterEventHandler(handler)]))

    def end() -> None:
        started.wait(60.0)
        service.shutdown()

    ending = threading.Thread(target=end)
    ending.start()
    assert service.run() == 0
    ending.join()
    assert process.return_code == -2


def test_run_in_another_thread_and_include_later(capfd: Any) -> None:
    service = LaunchService()
    started = threading.Event()
    codes: list[int] = []
    first = ExecuteProcess(cmd=["sleep", "100"])
    handler = OnProcessStart(target_action=first, on_start=lambda event, context: started.set())
    service.include_launch_description(LaunchDescription([RegisterEventHandler(handler), first]))
    thread = threading.Thread(target=lambda: codes.append(service.run()))
    thread.start()
    assert started.wait(60.0)
    service.include_launch_description(LaunchDescription([LogInfo(msg="later")]))
    service.emit_event(ShutdownEvent(reason="test"))
    thread.join(60.0)
    assert codes == [0]
    assert "later" in capfd.readouterr().out


def test_not_ending_when_idle() -> None:
    service = LaunchService()
    timer = threading.Timer(0.3, service.shutdown)
    timer.start()
    start = time.monotonic()
    assert service.run(shutdown_when_idle=False) == 0
    timer.join()
    assert time.monotonic() - start > 0.2


def test_shutdown_of_a_launch_that_does_not_run_does_nothing() -> None:
    service = LaunchService()
    service.shutdown()
    assert service.run() == 0


def test_a_cancelled_task_ends_its_processes() -> None:
    process = ExecuteProcess(cmd=["sleep", "100"])

    async def main() -> None:
        service = LaunchService()
        service.include_launch_description(LaunchDescription([process]))
        task = asyncio.ensure_future(service.run_async())
        while process.process_details is None:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert process.return_code == -2


def test_signal_handlers_are_given_back() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    LaunchService().run()
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_service_can_run_again(run_launch: Any) -> None:
    action = LogInfo(msg="hello")
    assert run_launch(action).printed("hello")
    assert run_launch(action).printed("hello")


def test_debug_brings_the_traceback(run_launch: Any) -> None:
    from launch.logging import launch_config

    level = launch_config.level
    LaunchService(debug=True)
    try:
        outcome = run_launch(DeclareLaunchArgument("needed", condition=IfCondition("true")))
    finally:
        launch_config.level = level
    assert outcome.printed("Traceback (most recent call last)")
    assert outcome.lines[-1].startswith("[ERROR] [launch]: Caught exception in launch")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_to_the_launch_ends_everything(number: signal.Signals, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    launch = subprocess.Popen(
        [sys.executable, "-c", LAUNCHES_A_SLEEPER, str(pid_file)],
        stdout=subprocess.PIPE,
        text=True,
    )
    group = await_group(pid_file)
    launch.send_signal(number)
    output, _ = launch.communicate(timeout=60.0)
    assert launch.returncode == 0, output
    assert not is_alive(group)


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM])
def test_a_launch_whose_terminal_is_closed_ends(number: signal.Signals, tmp_path: Path) -> None:
    """A dropped connection closes the terminal: every write fails from then on."""
    pid_file = tmp_path / "pid"
    terminal, its_end = pty.openpty()
    launch = subprocess.Popen(
        [sys.executable, "-c", LAUNCHES_A_SLEEPER, str(pid_file)],
        stdin=its_end,
        stdout=its_end,
        stderr=its_end,
        start_new_session=True,
    )
    os.close(its_end)
    group = await_group(pid_file)
    os.close(terminal)
    launch.send_signal(number)
    try:
        assert launch.wait(timeout=60.0) == 0
        assert not is_alive(group)
    finally:
        launch.kill()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)


def test_nohup_keeps_a_launch_when_its_terminal_is_closed(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    launch = subprocess.Popen(
        ["nohup", sys.executable, "-c", LAUNCHES_A_SLEEPER, str(pid_file)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    group = await_group(pid_file)
    launch.send_signal(signal.SIGHUP)
    launch.send_signal(signal.SIGINT)
    output, _ = launch.communicate(timeout=60.0)
    assert launch.returncode == 0, output
    assert "SIGINT" in output
    assert "SIGHUP" not in output
    assert not is_alive(group)


def await_group(pid_file: Path) -> int:
    """Return the group of the sleeper once it runs."""
    deadline = time.monotonic() + 60.0
    while not (pid_file.exists() and pid_file.read_text().strip()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return int(pid_file.read_text())


def is_alive(group: int) -> bool:
    """Return whether a process of the group runs."""
    fields = (stat.rpartition(")")[2].split() for stat in all_process_states())
    return any(field[2] == str(group) and field[0] not in "ZX" for field in fields)


def all_process_states() -> list[str]:
    states = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            states.append(path.read_text())
        except (FileNotFoundError, ProcessLookupError):
            continue
    return states


def test_a_reader_that_went_away_does_not_stop_the_launch(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from launch import LaunchDescription, LaunchService\n"
        "from launch.actions import ExecuteProcess\n"
        "service = LaunchService()\n"
        "cmd = ['sh', '-c', 'for i in 1 2 3 4; do echo $i; sleep .1; done; touch ' + sys.argv[1]]\n"
        "service.include_launch_description(LaunchDescription([\n"
        "    ExecuteProcess(cmd=cmd, output='screen')]))\n"
        "sys.exit(service.run())\n"
    )
    done = tmp_path / "done"
    launch = subprocess.Popen(
        [sys.executable, "-c", code, str(done)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert launch.stdout is not None
    launch.stdout.readline()
    launch.stdout.close()
    launch.wait(60.0)
    assert done.exists()


def test_introspection() -> None:
    description = LaunchDescription(
        [
            ExecuteProcess(cmd=["a", "b"], on_exit=Shutdown()),
            GroupAction([LogInfo(msg="x")], condition=IfCondition("true")),
            TimerAction(period=2.0, actions=[ExecuteProcess(cmd=["late"])]),
        ]
    )
    text = LaunchIntrospector().format_launch_description(description)
    assert text.splitlines()[1] == "├── ExecuteProcess(cmd=['a', 'b'], shell=False)"
    assert "when IfCondition('true')" in text
    assert text.splitlines()[-1].endswith("└── ExecuteProcess(cmd=['late'], shell=False)")
