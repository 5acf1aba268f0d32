"""The output of a command."""

from __future__ import annotations

import shlex
import subprocess

from ..launch_context import LaunchContext
from ..logging import get_logger
from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution
from ..utilities.substitutions import (
    describe_substitutions,
    normalize_to_list_of_substitutions,
    perform_substitutions,
)
from .substitution_failure import SubstitutionFailure

_ON_STDERR = ("fail", "ignore", "warn", "capture")


class Command(Substitution):
    """What a command prints on its standard output.

    ``on_stderr`` says what text on the standard error means: 'fail', 'ignore', 'warn', or
    'capture', which takes it as part of the output.
    """

    def __init__(
        self, command: SomeSubstitutionsType, *, on_stderr: SomeSubstitutionsType = "fail"
    ) -> None:
        self.__command = normalize_to_list_of_substitutions(command)
        self.__on_stderr = normalize_to_list_of_substitutions(on_stderr)

    @property
    def command(self) -> list[Substitution]:
        """Return the command line, not yet performed."""
        return self.__command

    @property
    def on_stderr(self) -> list[Substitution]:
        """Return the policy, not yet performed."""
        return self.__on_stderr

    def describe(self) -> str:
        """Return a description for people."""
        return f"Command({describe_substitutions(self.__command)})"

    def perform(self, context: LaunchContext) -> str:
        """Run the command and return its output."""
        line = perform_substitutions(context, self.__command)
        policy = perform_substitutions(context, self.__on_stderr)
        if policy not in _ON_STDERR:
            allowed = ", ".join(_ON_STDERR)
            raise SubstitutionFailure(f"on_stderr={policy!r} of Command: must be one of {allowed}")
        error_pipe = subprocess.STDOUT if policy == "capture" else subprocess.PIPE
        try:
            done = subprocess.run(
                shlex.split(line),
                stdout=subprocess.PIPE,
                stderr=error_pipe,
                text=True,
                env=dict(context.environment),
            )
        except OSError as error:
            raise SubstitutionFailure(f"command not found: {line!r} ({error.strerror})") from error
        if done.returncode != 0:
            said = f": {done.stderr.strip()}" if done.stderr else ""
            raise SubstitutionFailure(f"command {line!r} failed with {done.returncode}{said}")
        if done.stderr:
            _judge_stderr(line, done.stderr.strip(), policy)
        return done.stdout


def _judge_stderr(line: str, said: str, policy: str) -> None:
    if policy == "fail":
        raise SubstitutionFailure(f"command {line!r} wrote on stderr: {said}")
    if policy == "warn":
        get_logger().warning(f"command {line!r} wrote on stderr: {said}")
