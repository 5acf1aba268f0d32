"""Starting and ending a node process, on real ROS."""

import signal
import subprocess
import sys
import time

import pytest
from rclpy.clock_type import ClockType
from vdsim_interface.ros.timers import every, every_real
from vdsim_interface_kit.teleop_ros import Lab

PROGRAM = """
import sys, time, rclpy
from vdsim_interface.ros.node_main import run
def make():
    node = rclpy.create_node("ending")
    ENDING
    node.create_timer(0.05, lambda: print("spins", flush=True))
    return [node]
sys.exit(run("ending", make, sys.argv))
"""


def started(ending: str, *arguments: str) -> subprocess.Popen[str]:
    """The program in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM.replace("ENDING", ending), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(ending: str, number: int) -> tuple[int, str]:
    """Run until it spins, send a signal and Ctrl-C; exit code and what was said on stderr."""
    child = started(ending)
    assert child.stdout is not None
    assert child.stdout.readline() == "spins\n"
    child.send_signal(number)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60.0)
    return child.returncode, said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_lets_the_node_say_its_last_word(number: int) -> None:
    code, said = ended('node.end = lambda: print("last word", file=sys.stderr)', number)
    assert (code, said) == (0, "last word\n")


def test_signals_that_come_again_do_not_kill_it_while_python_shuts_down() -> None:
    child = started("pass")
    assert child.stdout is not None
    assert child.stdout.readline() == "spins\n"
    deadline = time.monotonic() + 60.0
    while child.poll() is None and time.monotonic() < deadline:
        child.send_signal(signal.SIGINT)
        time.sleep(0.0005)
    _, said = child.communicate(timeout=60.0)
    assert (child.returncode, said) == (0, "")


def test_a_middleware_that_never_lets_go_is_named_and_left() -> None:
    begun = time.monotonic()
    code, said = ended("node.destroy_node = lambda: time.sleep(600.0)", signal.SIGINT)
    assert code == 1
    assert "in run" in said, said
    assert time.monotonic() - begun < 30.0


@pytest.mark.parametrize("kind", ["ValueError", "OSError", "KeyError"])
def test_a_defect_in_a_callback_keeps_its_traceback(kind: str) -> None:
    child = started(
        f"def fail(): raise {kind}('in a callback')\n"
        "    node.create_timer(0.05, fail)\n"
        '    node.end = lambda: print("last word", file=sys.stderr)'
    )
    _, said = child.communicate(timeout=60.0)
    assert child.returncode == 1
    assert "Traceback" in said
    assert "in fail" in said
    assert "last word" in said


def test_what_a_user_got_wrong_is_one_line() -> None:
    child = started("raise ValueError('colour=blue: must be red')")
    _, said = child.communicate(timeout=60.0)
    assert (child.returncode, said) == (2, "ending: colour=blue: must be red\n")


def test_timers_keep_to_the_steady_clock_unless_time_is_simulated() -> None:
    for simulated, expected in ((False, ClockType.STEADY_TIME), (True, ClockType.ROS_TIME)):
        lab = Lab("-p", f"use_sim_time:={str(simulated).lower()}")
        timer = every(lab.probe, 0.01, lambda: None)
        assert timer.clock.clock_type == expected
        real = every_real(lab.probe, 0.01, lambda: None)
        assert real.clock.clock_type == ClockType.STEADY_TIME
        lab.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_simulation_that_never_begins_does_not_hold_up_the_end(number: int) -> None:
    ending = 'node.end = lambda: print("last word", file=sys.stderr)'
    child = started(ending, "--ros-args", "-p", "use_sim_time:=true")
    assert child.stderr is not None
    assert "nothing publishes /clock" in child.stderr.readline()
    begun = time.monotonic()
    child.send_signal(number)
    _, said = child.communicate(timeout=60.0)
    assert (child.returncode, said) == (0, "last word\n")
    assert time.monotonic() - begun < 5.0
