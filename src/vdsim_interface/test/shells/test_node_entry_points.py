"""A signal while a node imports rclpy: it ends in order, without a traceback."""

from __future__ import annotations

import inspect
import signal
import subprocess
import sys
from importlib import import_module

import pytest
from vdsim_interface.cli import node_entry_points

COMMANDS = [
    name
    for name, value in vars(node_entry_points).items()
    if inspect.isfunction(value)
    and value.__module__ == node_entry_points.__name__
    and not name.startswith("_")
]
WAITS = """
import sys, time
from vdsim_interface.cli import node_entry_points
def waits(name):
    print(name, flush=True)
    time.sleep(60)
node_entry_points.import_module = waits
sys.exit(node_entry_points.{command}())
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_signal_ends_it_while_it_imports(command: str, number: signal.Signals) -> None:
    importing = subprocess.Popen(
        [sys.executable, "-c", WAITS.format(command=command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert importing.stdout is not None
    assert importing.stdout.readline() == f"vdsim_interface.nodes.{command}\n"
    importing.send_signal(number)
    out, err = importing.communicate(timeout=60.0)
    assert (importing.returncode, out, err) == (0, "", "")


@pytest.mark.parametrize("command", COMMANDS)
def test_each_starts_its_node(command: str) -> None:
    assert callable(import_module(f"vdsim_interface.nodes.{command}").main)
