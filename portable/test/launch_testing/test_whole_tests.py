"""Whole launch tests: what passes, what fails and how it is printed."""

from __future__ import annotations

import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

GOOD = """
@pytest.mark.launch_test
@launch_testing.parametrize("word", ["a", "b"])
def generate_test_description(word):
    process = looper(word, LaunchConfiguration("extra"))
    description = launch.LaunchDescription([
        DeclareLaunchArgument("extra", default_value="none", description="one more word"),
        process,
        ReadyToTest(),
    ])
    return description, {"process": process, "number": 3}


class TestWhileItRuns(unittest.TestCase):
    @classmethod
    def setUpClass(cls, process):
        cls.kept = process

    def setUp(self, number):
        self.number = number

    def test_output(self, proc_output, process, word):
        proc_output.assertWaitFor("Loop 5", process=process, timeout=60.0, stream="stdout")
        proc_output.assertWaitFor("Error 5", timeout=60.0)
        self.assertTrue(proc_output.waitFor(["Loop 1", "Loop 3"], process, stream="stdout"))
        self.assertFalse(proc_output.waitFor("never", process, timeout=0.1))
        self.assertIn(word, ("a", "b"))
        self.assertIs(process, self.kept)
        self.assertEqual(self.number, 3)

    def test_processes(self, proc_info, test_args):
        proc_info.assertWaitForStartup("looper", timeout=60.0)
        self.assertIn("looper-1", proc_info.process_names())
        self.assertEqual(test_args["extra"], "EXTRA")
        self.assertIn("EXTRA", proc_info["looper"].cmd)
        with self.assertRaises(AssertionError):
            proc_info.assertWaitForShutdown("looper", timeout=0.1)

    def test_another_process(self, launch_service, proc_info, proc_output):
        action = ExecuteProcess(cmd=["sh", "-c", "echo hi; exec sleep 100"])
        with launch_testing.tools.launch_process(
            launch_service, action, proc_info, proc_output
        ) as other:
            self.assertTrue(other.wait_for_output(lambda text: "hi" in text, timeout=60.0))
            with self.assertRaises(TypeError):
                other.wait_for_output("hi")
            self.assertTrue(other.running)
        self.assertTrue(other.terminated)
        self.assertEqual(other.exit_code, -2)


@launch_testing.post_shutdown_test()
class TestAfterwards(unittest.TestCase):
    def test_exit_codes(self, proc_info):
        assertExitCodes(proc_info, process="looper")
        assertExitCodes(proc_info, [EXIT_OK, -2])
        with self.assertRaisesRegex(AssertionError, "sh-2 exited with code -2"):
            assertExitCodes(proc_info)

    def test_output(self, process):
        assertInStdout(self.proc_output, "Loop 2", process)
        assertInStderr(self.proc_output, "Error 2", "looper", cmd_args=["EXTRA"])
        with assertSequentialStdout(self.proc_output, process) as output:
            output.assertInStdout("Loop 1")
            output.assertInStdout("Loop 3")
            with self.assertRaisesRegex(AssertionError, "not found in sequence"):
                output.assertInStdout("Loop 2\\n")
"""


def test_command_passes_and_reports(launch_test: Any, write_test: Any, tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    done = launch_test(
        write_test(GOOD), "extra:=EXTRA", "--junit-xml", report, "--package-name", "pkg"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    root = ET.parse(report).getroot()
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("10", "0", "0")
    suites = [suite.get("name") for suite in root]
    assert suites == ["test_written[a]", "test_written[b]"]
    assert root[0][0].get("classname") == "pkg.TestWhileItRuns"


def test_pytest_passes_and_selects(run_pytest: Any, write_test: Any) -> None:
    path = write_test(GOOD)
    done = run_pytest(path, "--launch-args", "extra:=EXTRA")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout
    done = run_pytest("-k", "launch_test[b]", path, "--launch-args", "extra:=EXTRA")
    assert "1 passed, 1 deselected" in done.stdout


def test_show_arguments(launch_test: Any, write_test: Any) -> None:
    done = launch_test(write_test(GOOD), "--show-args")
    assert done.returncode == 0
    assert "'extra':\n        one more word\n        (default: 'none')" in done.stdout


def plain(entities: str, body: str) -> str:
    return (
        "@pytest.mark.launch_test\n"
        "def generate_test_description():\n"
        f"    return launch.LaunchDescription([{entities}])\n"
        f"class TestIt(unittest.TestCase):\n    def test_it(self, proc_output):\n        {body}\n"
    )


FAILURES = {
    "an assertion fails": (plain("looper(), ReadyToTest()", "assert 1 == 2"), "assert 1 == 2"),
    "the output never comes": (
        plain(
            "looper(), ReadyToTest()",
            "proc_output.assertWaitFor('never', timeout=0.2, stream='stdout')",
        ),
        "'never' is not in the stdout of process 'None', which is:\nLoop 0",
    ),
    "the processes end first": (
        plain("ExecuteProcess(cmd=['true']), ReadyToTest()", "proc_output.assertWaitFor('never')"),
        "Processes under test stopped before tests completed",
    ),
    "the launch fails": (
        plain("ReadyToTest(), looper(), ExecuteProcess(cmd=['/nowhere'])", "pass"),
        "executable '/nowhere': No such file or directory",
    ),
    "a required process dies": (
        plain(
            "looper(), ExecuteProcess(cmd=['false'], on_exit=Shutdown()), ReadyToTest()",
            "proc_output.assertWaitFor('never')",
        ),
        "The launch ended early",
    ),
    "it is never ready": (
        plain("looper(), TimerAction(period=100.0, actions=[ReadyToTest()])", "pass").replace(
            "def gen", "@launch_testing.ready_to_test_action_timeout(0.5)\ndef gen"
        ),
        "Timed out after 0.5 s waiting for ReadyToTest",
    ),
    "nothing makes it ready": (
        plain("looper()", "pass"),
        "must return a LaunchDescription containing a ReadyToTest action",
    ),
    "a fixture fails": (
        plain("looper(), ReadyToTest()", "pass")
        + "    @classmethod\n    def setUpClass(cls):\n        raise RuntimeError('no class')\n",
        "no class",
    ),
    "it fails afterwards": (
        plain("looper(), ReadyToTest()", "pass")
        + "@launch_testing.post_shutdown_test()\nclass TestEnd(unittest.TestCase):\n"
        "    def test_end(self, proc_info):\n        assertExitCodes(proc_info, [5])\n",
        "looper-1 exited with code",
    ),
}


@pytest.mark.parametrize("name", FAILURES)
def test_failure(launch_test: Any, run_pytest: Any, write_test: Any, name: str) -> None:
    body, message = FAILURES[name]
    path = write_test(body)
    done = launch_test(path)
    assert done.returncode == 1
    assert message in done.stdout + done.stderr
    done = run_pytest(path)
    assert done.returncode == 1
    assert "1 failed" in done.stdout
    assert message in done.stdout


def test_keep_alive_and_ready_listener(launch_test: Any, write_test: Any) -> None:
    body = """
import launch_testing.markers
from launch.actions import RegisterEventHandler
from launch_testing.event_handlers import StdoutReadyListener

@launch_testing.markers.keep_alive
def generate_test_description():
    process = ExecuteProcess(cmd=["sh", "-c", "echo not yet; echo now ready"])
    listener = StdoutReadyListener(
        target_action=process, ready_txt="now ready", actions=[ReadyToTest()])
    return launch.LaunchDescription([RegisterEventHandler(listener), process])

class TestIt(unittest.TestCase):
    def test_it(self, proc_info):
        proc_info.assertWaitForShutdown("sh", timeout=60.0)

@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):
    def test_end(self, proc_info):
        assertExitCodes(proc_info)
"""
    done = launch_test(write_test(body))
    assert done.returncode == 0, done.stdout + done.stderr


def test_missing_file_and_function(launch_test: Any, write_test: Any) -> None:
    done = launch_test("/nowhere.py")
    assert done.returncode == 1
    assert done.stderr == "launch_test: launch test file '/nowhere.py' does not exist\n"
    done = launch_test(write_test("x = 1"))
    assert done.returncode == 1
    assert "has no function generate_test_description()" in done.stderr


def test_other_modules_are_left_to_pytest(run_pytest: Any, write_test: Any) -> None:
    """The marker decides, so the same text without it is an ordinary module."""
    body = (
        "def generate_test_description():\n    return 'launch_test'\n"
        "def test_ordinary():\n    assert generate_test_description() == 'launch_test'\n"
    )
    done = run_pytest(write_test(body))
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout


def test_report_of_failures(launch_test: Any, write_test: Any, tmp_path: Path) -> None:
    body = plain("looper(), ReadyToTest()", "assert 1 == 2, 'odd \\x01'") + (
        "    @unittest.skip('not now')\n    def test_skipped(self): pass\n"
        "    def test_error(self): raise RuntimeError('broken')\n"
        "    def test_parts(self):\n"
        "        for part in range(2):\n"
        "            with self.subTest(part=part): self.assertEqual(part, 0)\n"
        "    @unittest.expectedFailure\n    def test_unexpected(self): pass\n"
    )
    report = tmp_path / "report.xml"
    assert launch_test(write_test(body), "--junit-xml", report).returncode == 1
    root = ET.parse(report).getroot()
    counts = [root.get(kind) for kind in ("tests", "failures", "errors", "skipped")]
    assert counts == ["5", "3", "1", "1"]
    by_name = {case.get("name"): case for case in root[0]}
    assert "odd ?" in str(by_name["test_it"][0].text)
    assert by_name["test_error"][0].get("message") == "RuntimeError: broken"
    assert by_name["test_skipped"][0].text == "not now"
    assert by_name["test_parts"][0].tag == by_name["test_unexpected"][0].tag == "failure"


@pytest.mark.parametrize("module", ["launch_testing.launch_test", "pytest"])
def test_ctrl_c_ends_the_whole_run(
    environment: dict[str, str], write_test: Any, module: str
) -> None:
    body = plain(
        "looper(output='screen'), ReadyToTest()", "proc_output.waitFor('never', timeout=60.0)"
    )
    path = write_test(
        body.replace("description():", "description(x):").replace(
            "def gen", "@launch_testing.parametrize('x', [1, 2])\ndef gen"
        )
    )
    options = ["-s", "-p", "no:cacheprovider"] if module == "pytest" else []
    run = subprocess.Popen(
        [sys.executable, "-m", module, *options, str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
    )
    assert run.stdout is not None
    line = ""
    while "Loop 1" not in line:
        line = run.stdout.readline()
        assert line
    run.send_signal(signal.SIGINT)
    rest, _ = run.communicate(timeout=60.0)
    assert run.returncode == (2 if module == "pytest" else 1)
    assert "user interrupted with ctrl-c (SIGINT)" in rest
    assert "process started" not in rest
