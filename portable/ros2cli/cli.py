"""The `ros2` command: find the verb in the catalogue, import only its module and run it."""

from __future__ import annotations

import importlib
import io
import os
import signal
import sys
from collections.abc import Mapping, Sequence

from ros2cli.arguments import USAGE_ERROR, CliError, VerbParser, did_you_mean
from ros2cli.catalogue import ALIASES, COMMANDS, UPSTREAM_ONLY, Command, Program, Verb
from ros2cli.prefix import add_own_prefix

HELP_OPTIONS = ("-h", "--help")
KEEP_BUFFERING = "--use-python-default-buffering"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return the exit code."""
    add_own_prefix(os.environ)
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == [KEEP_BUFFERING]:
        arguments.pop(0)
    else:
        _flush_every_line()
    try:
        return _run_command(arguments)
    except CliError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return int(signal.SIGINT)
    except BrokenPipeError:  # `ros2 topic list | head -1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if type(error).__name__ != "ExternalShutdownException":  # rclpy may not be imported
            raise
        return int(signal.SIGTERM)


def _flush_every_line() -> None:
    """Flush each line, so that a program at the other end of a pipe receives messages at once."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)


def _run_command(arguments: list[str]) -> int:
    if not arguments or arguments[0] in HELP_OPTIONS:
        print(_overview())
        return 0
    name = ALIASES.get(arguments[0], arguments[0])
    command = COMMANDS.get(name)
    if command is None:
        return _unknown_command(name)
    if isinstance(command, Program):
        return _run_program(name, command, arguments[1:])
    return _run_verb(name, command, arguments[1:])


def _run_program(name: str, program: Program, argv: list[str]) -> int:
    module = importlib.import_module(program.module)
    return int(module.main(argv))


def _run_verb(name: str, command: Command, argv: list[str]) -> int:
    # `ros2 topic --include-hidden-topics list` is `ros2 topic list --include-hidden-topics`.
    position = next((i for i, a in enumerate(argv) if not a.startswith("-")), len(argv))
    leading_options, rest = argv[:position], argv[position:]
    if not rest:
        unknown = [option for option in leading_options if option not in HELP_OPTIONS]
        if unknown:
            return _complain(f"ros2 {name}: error: a verb is missing after {' '.join(unknown)}")
        print(_group_help(name, command))
        return 0
    verb = command.verbs.get(rest[0])
    if verb is None:
        return _unknown_verb(name, rest[0], command)
    if any(option in HELP_OPTIONS for option in leading_options):
        print(_group_help(name, command))
        return 0
    module = importlib.import_module(verb.module)
    parser = VerbParser(f"ros2 {name} {verb.name}", verb.summary, command.upstream)
    getattr(module, f"add_{verb.name}_arguments")(parser)
    args = parser.parse_args(leading_options + rest[1:])
    return int(getattr(module, f"run_{verb.name}")(args))


def _unknown_command(name: str) -> int:
    if name in UPSTREAM_ONLY:
        return _complain(
            f"ros2: error: '{name}' is not in this ros2: "
            f"it comes with upstream's package {UPSTREAM_ONLY[name]}"
        )
    near = did_you_mean(name, COMMANDS)
    return _complain(
        f"ros2: error: unknown command '{name}' (choose from {', '.join(COMMANDS)}){near}"
    )


def _unknown_verb(name: str, verb: str, command: Command) -> int:
    if verb in command.missing:
        return _complain(
            f"ros2 {name}: error: '{verb}' is not in this ros2: "
            f"it comes with upstream's package {command.upstream}"
        )
    return _complain(
        f"ros2 {name}: error: unknown verb '{verb}' (choose from {', '.join(command.verbs)})"
        f"{did_you_mean(verb, command.verbs)}"
    )


def _complain(line: str) -> int:
    print(line, file=sys.stderr)
    return USAGE_ERROR


def _overview() -> str:
    return (
        "usage: ros2 [-h] Call `ros2 <command> -h` for more detailed usage. ...\n\n"
        "ros2 is a command-line tool for ROS 2. This is the part of upstream's ros2cli that works\n"
        "on rclpy alone.\n\n"
        f"Commands:\n{_table(COMMANDS)}\n\n"
        f"With upstream's packages only: {', '.join(UPSTREAM_ONLY)}\n\n"
        "  Call `ros2 <command> -h` for more detailed usage."
    )


def _group_help(name: str, command: Command) -> str:
    return (
        f"usage: ros2 {name} [-h] Call `ros2 {name} <command> -h` for more detailed usage. ...\n\n"
        f"{command.summary}\n\n"
        f"Commands:\n{_table(command.verbs)}\n\n"
        f"  Call `ros2 {name} <command> -h` for more detailed usage."
    )


def _table(entries: Mapping[str, Command | Program] | Mapping[str, Verb]) -> str:
    width = max(map(len, entries))
    return "\n".join(
        f"  {name:{width}}  {entry.summary}" for name, entry in sorted(entries.items())
    )
