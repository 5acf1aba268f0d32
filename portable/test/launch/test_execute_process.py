"""Processes: output, environment, ends, starts again. All are real."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import launch.events
import pytest
from launch.actions import (
    EmitEvent,
    ExecuteProcess,
    LogInfo,
    RegisterEventHandler,
    Shutdown,
    TimerAction,
)
from launch.event_handlers import OnProcessExit, OnProcessIO
from launch.events.process import ShutdownProcess, SignalProcess, matches_action, matches_name
from launch.substitutions import LaunchConfiguration


def python(code: str, **options: Any) -> ExecuteProcess:
    options.setdefault("output", "screen")
    return ExecuteProcess(cmd=[sys.executable, "-c", code], **options)


SLEEPER = "import time; print('up', flush=True); time.sleep(100)"


def test_lines_have_the_name_in_front(run_launch: Any) -> None:
    outcome = run_launch(
        python("import sys as s; print('1\\n2'); print('3', end=''); print('e', file=s.stderr)"),
        ExecuteProcess(cmd=["sh", "-c", "echo four"], output="screen"),
        ExecuteProcess(cmd=["sh", "-c", "echo five"], output="screen", name="named"),
    )
    assert outcome.code == 0
    assert {"[python-1] 1", "[python-1] 2", "[python-1] 3", "[python-1] e"} <= {
        line.replace(Path(sys.executable).name, "python") for line in outcome.lines
    }
    assert "[sh-2] four" in outcome.lines
    assert "[named-3] five" in outcome.lines


def test_default_output_is_the_log(run_launch: Any, log_folder: Path) -> None:
    outcome = run_launch(ExecuteProcess(cmd=["sh", "-c", "echo quiet; echo loud >&2"]))
    assert not outcome.printed("quiet")
    assert outcome.printed("[sh-1] loud")
    (file,) = log_folder.glob("*/launch.log")
    assert "[sh-1] quiet" in file.read_text()


def test_own_log_and_override(run_launch: Any, log_folder: Path, monkeypatch: Any) -> None:
    process = ExecuteProcess(cmd=["sh", "-c", "echo text"], output="own_log")
    assert not run_launch(process).printed("text")
    (file,) = log_folder.glob("*/sh-1-stdout.log")
    assert file.read_text() == "text\n"
    monkeypatch.setenv("OVERRIDE_LAUNCH_PROCESS_OUTPUT", "screen")
    assert run_launch(process).printed("[sh-1] text")


def test_exit_code_is_reported_and_does_not_fail_the_launch(run_launch: Any) -> None:
    outcome = run_launch(ExecuteProcess(cmd=["sh", "-c", "exit 3"]))
    assert outcome.code == 0
    assert outcome.printed("process has died [pid ")
    assert outcome.printed("exit code 3, cmd 'sh -c exit 3'].")


@pytest.mark.parametrize(("exit_code", "launch_code"), [(0, 0), (3, 1)])
def test_required_process(run_launch: Any, exit_code: int, launch_code: int) -> None:
    start = time.monotonic()
    outcome = run_launch(
        ExecuteProcess(cmd=["sh", "-c", f"exit {exit_code}"], on_exit=Shutdown()),
        python(SLEEPER),
    )
    assert outcome.code == launch_code
    assert outcome.printed("process[sh-1] was required: shutting down launched system")
    assert time.monotonic() - start < 60.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cmd": ["no_such_program", "x"]}, "executable 'no_such_program': No such file"),
        ({"cmd": ["/etc/passwd"]}, "executable '/etc/passwd': Permission denied"),
        ({"cmd": ["true"], "cwd": "/nowhere"}, "cwd '/nowhere': No such file"),
        ({"cmd": ["true"], "output": "paper"}, "output='paper': must be one of"),
        ({"cmd": ["true"], "sigterm_timeout": "-1"}, "sigterm_timeout=-1.0: must be >= 0"),
        ({"cmd": ["true"], "respawn": "often"}, "respawn='often': must be true or false"),
        ({"cmd": []}, "cmd is empty"),
    ],
)
def test_a_process_that_cannot_be_started_fails_the_launch(
    run_launch: Any, options: dict[str, Any], message: str
) -> None:
    other = ExecuteProcess(cmd=["sleep", "100"])
    outcome = run_launch(other, ExecuteProcess(**options))
    assert outcome.code == 1
    assert outcome.printed(message)
    assert other.return_code is not None


def test_environment_and_folder(run_launch: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("TEST_OUTER", "outer")
    show = "import os; print(os.environ.get('TEST_OUTER'), os.environ.get('TEST_X'), os.getcwd())"
    added = {"TEST_X": LaunchConfiguration("x")}
    outcome = run_launch(
        python(show, additional_env=added, cwd=str(tmp_path)),
        python(show, env={"TEST_X": "only"}),
        x="7",
    )
    assert outcome.printed(f"outer 7 {tmp_path}")
    assert outcome.printed("None only ")


def test_shell_prefix_and_terminal(run_launch: Any) -> None:
    outcome = run_launch(
        ExecuteProcess(cmd=["echo $((1 + 2))", "| cat"], shell=True, output="screen"),
        ExecuteProcess(cmd=["echo", "wrapped"], prefix="env A='b c'", output="screen"),
        python("import sys; print('tty', sys.stdout.isatty())", emulate_tty=True),
        python("import sys; print('tty', sys.stdout.isatty())"),
    )
    assert outcome.printed("[echo-1] 3")
    assert outcome.printed("[echo-2] wrapped")
    assert outcome.printed("tty True")
    assert outcome.printed("tty False")


def test_prefix_of_the_whole_launch_and_its_filter(run_launch: Any) -> None:
    processes = [ExecuteProcess(cmd=["true"], name=name, log_cmd=True) for name in ("aa", "bb")]
    outcome = run_launch(*processes, **{"launch-prefix": "nice -n 1", "launch-prefix-filter": "a"})
    assert outcome.printed("cmd 'nice -n 1 true'")
    assert outcome.printed("cmd 'true'")


def test_cached_output(run_launch: Any) -> None:
    process = ExecuteProcess(cmd=["sh", "-c", "echo o; echo e >&2"], cached_output=True)
    run_launch(process)
    assert (process.get_stdout(), process.get_stderr()) == ("o\n", "e\n")
    with pytest.raises(RuntimeError, match="cached_output=True"):
        ExecuteProcess(cmd=["true"]).get_stdout()


def test_respawn_until_the_retries_are_used_up(run_launch: Any) -> None:
    codes: list[int] = []
    process = ExecuteProcess(
        cmd=["sh", "-c", "exit 4"],
        respawn=True,
        respawn_max_retries=2,
        on_exit=lambda event, context: codes.append(event.returncode),
    )
    outcome = run_launch(process)
    assert codes == [4, 4, 4]
    assert sum("process started with pid" in line for line in outcome.lines) == 3


def test_respawn_waits_and_the_shutdown_cuts_it_short(run_launch: Any) -> None:
    start = time.monotonic()
    process = ExecuteProcess(cmd=["true"], respawn=True, respawn_delay=100.0)
    outcome = run_launch(process, TimerAction(period=0.5, actions=[Shutdown()]))
    assert sum("process started with pid" in line for line in outcome.lines) == 1
    assert time.monotonic() - start < 60.0


def test_respawned_process_is_ended_by_the_shutdown(run_launch: Any, tmp_path: Path) -> None:
    """Its first run ends by itself; the second one says so and would run on."""
    script = f"if test -e {tmp_path}/ran; then echo again; exec sleep 100; fi; touch {tmp_path}/ran"
    process = ExecuteProcess(cmd=["sh", "-c", script], respawn=True)
    ends = OnProcessIO(on_stdout=lambda event: Shutdown() if b"again" in event.text else None)
    outcome = run_launch(RegisterEventHandler(ends), process)
    assert outcome.code == 0
    assert process.return_code == -2
    assert sum("process started with pid" in line for line in outcome.lines) == 2


@pytest.mark.parametrize("matches", [matches_action, launch.events.matches_action])
def test_events_can_signal_and_end_a_process(run_launch: Any, matches: Any) -> None:
    catches = (
        "import os, signal, time\n"
        "signal.signal(signal.SIGUSR1, lambda *_: os.write(1, b'usr1\\n'))\n"
        "os.write(1, b'up\\n')\n"
        "while True: time.sleep(0.1)"
    )
    process = python(catches, name="catcher")
    signals = EmitEvent(
        event=SignalProcess(signal_number="SIGUSR1", process_matcher=matches_name("catcher-1"))
    )
    ends = EmitEvent(event=ShutdownProcess(process_matcher=matches(process)))
    steps = {b"up": signals, b"usr1": ends}
    answer = OnProcessIO(on_stdout=lambda event: [steps[word] for word in event.text.split()])
    outcome = run_launch(
        RegisterEventHandler(answer),
        process,
        RegisterEventHandler(OnProcessExit(target_action=process, on_exit=[LogInfo(msg="gone")])),
        TimerAction(period=60.0, actions=[LogInfo(msg="too late"), Shutdown()]),
        RegisterEventHandler(OnProcessExit(target_action=process, on_exit=[Shutdown()])),
    )
    assert not outcome.printed("too late")
    assert outcome.printed("[catcher-1] usr1")
    assert outcome.printed("gone")
    assert process.return_code == -2


def test_a_process_started_during_the_shutdown_is_not_started(run_launch: Any) -> None:
    late = ExecuteProcess(cmd=["true"])
    follow_up = [Shutdown(), TimerAction(period=0, actions=[late], cancel_on_shutdown=False)]
    first = ExecuteProcess(cmd=["true"], on_exit=follow_up)
    run_launch(first)
    assert late.process_details is None


def test_the_same_action_twice_at_once_is_refused(run_launch: Any) -> None:
    process = ExecuteProcess(cmd=["sleep", "100"])
    outcome = run_launch(process, process)
    assert outcome.code == 1
    assert outcome.printed("process[sleep-1] is executed a second time while it runs")
