"""A signal while a node imports rclpy: it ends in order, without a traceback."""

from __future__ import annotations

import inspect
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
from launch.launch_description_sources import PythonLaunchDescriptionSource
from vdsim_interface.extras.cli import entry_points as extras
from vdsim_interface.nodes import entry_points as core
from vdsim_interface.parameters.fields import ParameterError
from vdsim_interface.ros import beside as adapters

from launch import LaunchContext

LAUNCH = Path(__file__).resolve().parents[2] / "launch"

COMMANDS = [
    (module.__name__, name)
    for module in (core, extras)
    for name, value in vars(module).items()
    if inspect.isfunction(value) and value.__module__ == module.__name__ and name != "start_node"
]
WAITS = """
import sys, time
from vdsim_interface.nodes import entry_points
from {module} import {command}
def waits(name):
    print(name, flush=True)
    while True:  # one long sleep is not interrupted by a signal that has arrived just before it
        time.sleep(0.01)
entry_points.import_module = waits
sys.exit({command}())
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(("module", "command"), COMMANDS)
def test_a_signal_ends_it_while_it_imports(
    module: str, command: str, number: signal.Signals
) -> None:
    importing = subprocess.Popen(
        [sys.executable, "-c", WAITS.format(module=module, command=command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert importing.stdout is not None
    assert importing.stdout.readline().endswith(f".nodes.{command}\n")
    importing.send_signal(number)
    out, err = importing.communicate(timeout=60.0)
    assert (importing.returncode, out, err) == (0, "", "")


@pytest.mark.parametrize(("module", "command"), COMMANDS)
def test_each_starts_its_node(module: str, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    def note(name: str) -> SimpleNamespace:
        started.append(name)
        return SimpleNamespace(main=lambda: 3)

    monkeypatch.setattr(core, "end_on_signals", lambda: None)
    monkeypatch.setattr(core, "end_with_launch", lambda: None)
    monkeypatch.setattr(core, "import_module", note)
    assert getattr(import_module(module), command)() == 3
    assert callable(import_module(started[0]).main)


WITHOUT = """
import sys
sys.modules["vdsim_autoware"] = None
from vdsim_interface.nodes.entry_points import {command}
sys.exit({command}())
"""


@pytest.mark.parametrize("command", ["autoware_interface", "simulated_localization"])
def test_without_the_package_that_has_it_one_sentence_names_it(command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT.format(command=command)],
        capture_output=True,
        text=True,
        check=False,
    )
    sentence = f"{command}: needs the package vdsim_autoware: not installed\n"
    assert (done.returncode, done.stderr) == (2, sentence)


def test_an_adapter_that_no_package_has_is_a_parameter_that_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(adapters, "entry_points", lambda **_: ())
    sentence = "process.adapter=autoware: needs the package vdsim_autoware: not installed"
    with pytest.raises(ParameterError, match=sentence):
        adapters.beside("autoware")


def test_its_launch_file_names_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vdsim_autoware", None)
    monkeypatch.delitem(sys.modules, "vdsim_autoware.adapter", raising=False)
    source = PythonLaunchDescriptionSource(str(LAUNCH / "autoware.launch.py"))
    with pytest.raises(RuntimeError, match="needs the package vdsim_autoware: not installed"):
        source.get_launch_description(LaunchContext())
