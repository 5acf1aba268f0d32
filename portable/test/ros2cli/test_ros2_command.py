"""The dispatcher: help, unknown and unsupported names, exit codes."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest
from ros2cli.arguments import VerbParser
from ros2cli.catalogue import COMMANDS, UPSTREAM_ONLY, Command, Program
from ros2cli.cli import main


@pytest.mark.parametrize("arguments", [[], ["-h"], ["--help"]])
def test_overview_lists_every_command(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    for name, command in COMMANDS.items():
        assert f"  {name:9}  {command.summary}" in lines


@pytest.mark.parametrize(
    ("name", "command"),
    [(name, command) for name, command in COMMANDS.items() if isinstance(command, Command)],
)
def test_every_verb_has_help(
    name: str, command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([name]) == 0
    group_help = capsys.readouterr().out
    for verb, entry in command.verbs.items():
        assert entry.summary in group_help
        with pytest.raises(SystemExit) as left:
            main([name, verb, "--help"])
        assert left.value.code == 0
        assert capsys.readouterr().out.startswith(f"usage: ros2 {name} {verb} ")


@pytest.mark.parametrize(
    "program", [command for command in COMMANDS.values() if isinstance(command, Program)]
)
def test_every_program_can_be_called(program: Program) -> None:
    assert callable(importlib.import_module(program.module).main)


@pytest.mark.parametrize(("name", "package"), UPSTREAM_ONLY.items())
def test_unsupported_command_names_its_package(
    name: str, package: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([name, "anything"]) == 2
    assert capsys.readouterr().err == (
        f"ros2: error: '{name}' is not in this ros2: it comes with upstream's package {package}\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fly"], "ros2: error: unknown command 'fly' (choose from component, doctor, interface, "),
        (["topic", "eat"], "ros2 topic: error: unknown verb 'eat' (choose from bw, delay, "),
        (["pkg", "create"], "ros2 pkg: error: 'create' is not in this ros2: it comes with "),
        (["topic", "--all"], "ros2 topic: error: a verb is missing after --all"),
        (["doctor", "hello"], "ros2 doctor: 'hello' is not in this ros2: it comes with "),
    ],
)
def test_wrong_words_end_in_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) != 0
    error = capsys.readouterr().err
    assert error.startswith(message)
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [(["lanch"], "; did you mean launch?"), (["topic", "ehco"], "; did you mean echo?")],
)
def test_a_word_that_is_nearly_right_gets_the_right_one(
    arguments: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) != 0
    assert capsys.readouterr().err.endswith(f"{hint}\n")


def test_unknown_option_names_the_upstream_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        VerbParser("ros2 topic echo", "Output", "ros2topic").parse_args(["--colour"])
    assert left.value.code == 2
    assert capsys.readouterr().err == (
        "ros2 topic echo: error: unrecognized arguments: --colour (not in this ros2; upstream's "
        "package ros2topic may have it); see `ros2 topic echo --help`\n"
    )


def test_help_and_package_verbs_do_not_import_rclpy() -> None:
    code = (
        "import sys; from ros2cli.cli import main; main(['--help']); main(['pkg', 'list']);"
        "main(['interface', 'show', 'std_msgs/msg/Header']);"
        "sys.exit('rclpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_reader_that_leaves_is_no_error() -> None:
    program = Path(__file__).parents[2] / "bin" / "ros2"
    line = f"set -o pipefail; '{sys.executable}' '{program}' interface list | head -1"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "Messages:\n", "")
