"""The texts of a process, performed: command, prefix, folder, environment, output."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from .._process.output_routes import OutputOption
from ..launch_context import LaunchContext
from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution
from ..utilities.substitutions import perform_text

EnvironmentOption = Mapping[SomeSubstitutionsType, SomeSubstitutionsType] | None


@dataclass(frozen=True)
class ProcessTexts:
    """The texts as the user gave them."""

    prefix: SomeSubstitutionsType | None
    name: SomeSubstitutionsType | None
    cwd: SomeSubstitutionsType | None
    env: EnvironmentOption
    additional_env: EnvironmentOption

    def perform_name(self, context: LaunchContext) -> str | None:
        """Return the name, or None where none was given."""
        return None if self.name is None else perform_text(context, self.name)

    def perform_cwd(self, context: LaunchContext) -> str | None:
        """Return the working folder, or None for that of the launch."""
        return None if self.cwd is None else perform_text(context, self.cwd)


def default_process_name(cmd: list[str], shell: bool) -> str:
    """Return the name of the program, without its folder; a shell's has its arguments behind."""
    program = cmd[0].split()[0] if shell and cmd[0].strip() else cmd[0]
    return PurePath(program).name or "process"


def with_prefix(
    context: LaunchContext, prefix: SomeSubstitutionsType | None, cmd: list[str], base_name: str
) -> list[str]:
    """Return the command behind its prefix, its own or that of the launch as a whole."""
    if prefix is None:
        wanted = context.launch_configurations.get("launch-prefix", "")
        chosen = context.launch_configurations.get("launch-prefix-filter")
        if chosen is not None and not re.match(chosen, base_name):
            wanted = ""
    else:
        wanted = perform_text(context, prefix)
    return [*shlex.split(wanted), *cmd]


def perform_environment(
    context: LaunchContext, env: EnvironmentOption, additional_env: EnvironmentOption
) -> dict[str, str]:
    """Return the environment: ``env`` or that of the launch, and ``additional_env`` over it."""
    result = dict(context.environment) if env is None else _perform_mapping(context, env)
    result.update(_perform_mapping(context, additional_env or {}))
    return result


def _perform_mapping(
    context: LaunchContext, mapping: Mapping[SomeSubstitutionsType, SomeSubstitutionsType]
) -> dict[str, str]:
    return {perform_text(context, key): perform_text(context, val) for key, val in mapping.items()}


def perform_output(
    context: LaunchContext, output: SomeSubstitutionsType | Mapping[str, Any]
) -> OutputOption:
    """Return the output option as text or a mapping of texts, after the user's override."""
    override = context.environment.get("OVERRIDE_LAUNCH_PROCESS_OUTPUT")
    if override:
        return override
    if not isinstance(output, Mapping):
        return perform_text(context, output)
    return {
        stream: perform_text(context, places)
        if isinstance(places, Substitution)
        else frozenset([places] if isinstance(places, str) else places)
        for stream, places in output.items()
    }
