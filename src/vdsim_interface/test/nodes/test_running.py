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
sys.exit(run("ending", make, sys.argv, loop_limit_s=LIMIT))
"""


def started(ending: str, *arguments: str, loop_limit_s: float = 0.0) -> subprocess.Popen[str]:
    """The program in a process of its own."""
    code = PROGRAM.replace("ENDING", ending).replace("LIMIT", str(loop_limit_s))
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
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
    said = rest_of(child)
    return child.returncode, said


def rest_of(child: subprocess.Popen[str]) -> str:
    """What a process says on stderr up to its end, but for the line of the addresses."""
    _, said = child.communicate(timeout=60.0)
    lines = said.splitlines(keepends=True)
    return "".join(line for line in lines if "ROS listens on" not in line)


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
    said = rest_of(child)
    assert (child.returncode, said) == (0, "")


def test_a_middleware_that_never_lets_go_is_named_and_left() -> None:
    code, said = ended("node.destroy_node = lambda: time.sleep(600.0)", signal.SIGINT)
    assert code == 1
    assert "in run" in said, said


def test_no_node_of_the_process_serves_its_types() -> None:
    """Its request is a text, also where the node is of another package."""
    code, said = ended("print([each.srv_name for each in node.services], file=sys.stderr)", 2)
    assert code == 0
    assert "set_parameters" in said  # rclpy started its own services
    assert "get_type_description" not in said


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


NO_MEMORY = """
import sys, rclpy
from rclpy.node import Node
from vdsim_interface.ros.process.checked_node import CheckedNode
from vdsim_interface.ros.node_main import run
class Greedy(CheckedNode, Node):
    held = []
    def __init__(self, name):
        super().__init__(name)
        self.create_timer(0.05, self.take)
    def take(self):
        while True:
            Greedy.held.append(bytearray(1 << 20))
    def end(self):
        last = bytearray(16 << 20)  # whatever the last command needs
        print(f"{self.get_name()}: last word", flush=True)
        raise OSError("the socket is gone")
sys.exit(run("greedy", lambda: [Greedy("first"), Greedy("second")], sys.argv))
"""


def test_a_process_without_memory_sends_its_last_command_all_the_same() -> None:
    done = subprocess.run(
        [sys.executable, "-c", NO_MEMORY, "--ros-args", "-p", "process.data_growth_mb:=64"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "first: last word\nsecond: last word\n", done.stderr
    assert "MemoryError" in done.stderr
    assert "watchdog" not in done.stderr
    assert done.returncode == 1


HANGS = """
import sys, time
from rclpy.node import Node
from vdsim_interface.ros.process.checked_node import CheckedNode
from vdsim_interface.ros.node_main import run
class Hanging(CheckedNode, Node):
    def __init__(self):
        super().__init__("hanging")
        self.create_timer(0.05, self.hang)
    def hang(self):
        print("hangs", flush=True)
        while True:
            pass
sys.exit(run("container", lambda: [Hanging()], sys.argv, loop_limit_s=3.0))
"""


def test_a_loop_that_stands_still_ends_its_process_with_a_sentence() -> None:
    done = subprocess.run(
        [sys.executable, "-c", HANGS], capture_output=True, text=True, timeout=120.0, check=False
    )
    assert (done.returncode, done.stdout) == (1, "hangs\n")
    sentence = "container: its loop has stood still for 3 s, in the code above: the process ends"
    assert done.stderr.splitlines()[-1] == sentence
    assert "in hang" in done.stderr


def test_a_loop_that_turns_is_let_run() -> None:
    child = started("pass", loop_limit_s=3.0)
    assert child.stdout is not None
    for _ in range(60):
        assert child.stdout.readline() == "spins\n"
    child.send_signal(signal.SIGSTOP)
    time.sleep(4.5)
    child.send_signal(signal.SIGCONT)
    for _ in range(60):
        assert child.stdout.readline() == "spins\n"
    child.send_signal(signal.SIGINT)
    said = rest_of(child)
    assert (child.returncode, said) == (0, "")


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
    lines = iter(child.stderr.readline, "")
    assert any("nothing publishes /clock" in line for line in lines)
    child.send_signal(number)  # otherwise it would wait for ever
    said = rest_of(child)
    assert (child.returncode, said) == (0, "last word\n")


NO_MEMORY_TO_TAKE = """
import sys
from rclpy.node import Node
from vdsim_interface.ros import node_main
from vdsim_interface.ros.process.checked_node import CheckedNode
class Listening(CheckedNode, Node):
    pass
middleware = {"__name__": "rclpy.experimental"}
exec("def take(): raise MemoryError('std::bad_alloc')", middleware)
class Executor:
    tries = 0
    def spin_until_future_complete(self, future, timeout_sec):
        Executor.tries += 1
        if Executor.tries == 1:
            WHOSE()
        future.set_result(None)
def ours():
    raise MemoryError("in a callback")
node_main.make_executor = lambda nodes: Executor()
code = node_main.run("listening", lambda: [Listening("listening")], sys.argv)
print(Executor.tries)
sys.exit(code)
"""


def test_a_message_without_memory_for_it_is_lost_and_the_process_goes_on() -> None:
    code = NO_MEMORY_TO_TAKE.replace("WHOSE", "middleware['take']")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "2\n"), done.stderr
    assert "discarded a message for which there was no memory (1 so far)" in done.stderr


def test_a_callback_of_ours_without_memory_ends_the_process() -> None:
    code = NO_MEMORY_TO_TAKE.replace("WHOSE", "ours")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "in ours" in done.stderr
