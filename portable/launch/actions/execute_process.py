"""Run a process, at most until the end of the launch."""

from __future__ import annotations

import asyncio
import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from .._process_output import OutputOption
from .._process_runner import Escalation, ProcessRunner, RespawnPolicy, RunnerOptions
from ..base import Condition, LaunchContext, LaunchDescriptionEntity, Substitution
from ..event_handlers import OnProcessExit
from ..events.process import ProcessAction
from ..some_substitutions_type import SomeEntitiesType, SomeSubstitutionsType
from ..substitutions.values import LaunchConfiguration
from ..utilities import (
    BoolOrSubstitutions,
    FloatOrSubstitutions,
    describe_substitutions,
    normalize_to_list_of_substitutions,
    perform_bool,
    perform_float,
    perform_text,
)

EnvironmentOption = Mapping[SomeSubstitutionsType, SomeSubstitutionsType] | None


@dataclass(frozen=True)
class ProcessTexts:
    """The text options, not yet performed."""

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
    """Return the name of the program, without its folder and, for a shell, its arguments."""
    program = cmd[0].split()[0] if shell and cmd[0].strip() else cmd[0]
    return PurePath(program).name or "process"


def with_prefix(
    context: LaunchContext, prefix: SomeSubstitutionsType | None, cmd: list[str], base_name: str
) -> list[str]:
    """Return the command after its prefix, its own or that of the whole launch."""
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
    """Return the output option as text or a mapping of texts, or the user's override."""
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


OnExit = SomeEntitiesType | Callable[..., Any]


class ExecuteProcess(ProcessAction):
    """Starts ``cmd`` and handles its output, signals, exit and respawns.

    Each process has its own group; ending it ends everything that it started.
    """

    def __init__(
        self,
        *,
        cmd: Iterable[SomeSubstitutionsType],
        prefix: SomeSubstitutionsType | None = None,
        name: SomeSubstitutionsType | None = None,
        cwd: SomeSubstitutionsType | None = None,
        env: Mapping[SomeSubstitutionsType, SomeSubstitutionsType] | None = None,
        additional_env: Mapping[SomeSubstitutionsType, SomeSubstitutionsType] | None = None,
        shell: BoolOrSubstitutions = False,
        sigterm_timeout: FloatOrSubstitutions | None = None,
        sigkill_timeout: FloatOrSubstitutions | None = None,
        emulate_tty: BoolOrSubstitutions = False,
        output: SomeSubstitutionsType | Mapping[str, Any] | None = None,
        output_format: str = "[{name}] {line}",
        cached_output: bool = False,
        log_cmd: BoolOrSubstitutions = False,
        on_exit: OnExit | None = None,
        respawn: BoolOrSubstitutions = False,
        respawn_delay: FloatOrSubstitutions | None = 0.0,
        respawn_max_retries: int = -1,
        condition: Condition | None = None,
    ) -> None:
        super().__init__(condition=condition)
        self.__cmd = [normalize_to_list_of_substitutions(part) for part in cmd]
        self.__texts = ProcessTexts(
            prefix=prefix, name=name, cwd=cwd, env=env, additional_env=additional_env
        )
        self.__shell = shell
        self.__sigterm_timeout = _or_configuration(sigterm_timeout, "sigterm_timeout", "5")
        self.__sigkill_timeout = _or_configuration(sigkill_timeout, "sigkill_timeout", "5")
        self.__emulate_tty = _or_configuration(emulate_tty or None, "emulate_tty", "false")
        self.__output = output if output is not None else "log"
        self.__output_format = output_format
        self.__cached_output = cached_output
        self.__log_cmd = log_cmd
        self.__on_exit = on_exit
        self.__respawn = respawn
        self.__respawn_delay = 0.0 if respawn_delay is None else respawn_delay
        self.__respawn_max_retries = respawn_max_retries
        self.__runner: ProcessRunner | None = None
        self.__done: asyncio.Future[None] | None = None

    @property
    def cmd(self) -> list[list[Substitution]]:
        """Return the command, not yet performed."""
        return self.__cmd

    @property
    def shell(self) -> BoolOrSubstitutions:
        """Return whether a shell interprets the command."""
        return self.__shell

    @property
    def output(self) -> SomeSubstitutionsType | Mapping[str, Any]:
        """Return the output option."""
        return self.__output

    @property
    def name(self) -> str | None:
        """Return the unique name, such as ``talker-1``, once started."""
        return None if self.__runner is None else self.__runner.name

    @property
    def process_details(self) -> dict[str, Any] | None:
        """Return name, cmd, cwd, env and pid of the process, once started."""
        return None if self.__runner is None else self.__runner.details

    @property
    def return_code(self) -> int | None:
        """Return the exit code once the process has ended."""
        return None if self.__runner is None else self.__runner.return_code

    def get_stdout(self) -> str:
        """Return all of the standard output so far (needs ``cached_output=True``)."""
        return self._cached(1)

    def get_stderr(self) -> str:
        """Return all of the standard error so far (needs ``cached_output=True``)."""
        return self._cached(2)

    def _cached(self, stream: int) -> str:
        if not self.__cached_output:
            raise RuntimeError("the output of this process is kept only with cached_output=True")
        if self.__runner is None:
            return ""
        return b"".join(self.__runner.cache[stream]).decode(errors="replace")

    def describe(self) -> str:
        """Return a readable description."""
        cmd = ", ".join(describe_substitutions(part) for part in self.__cmd)
        return f"{self.__class__.__name__}(cmd=[{cmd}], shell={self.__shell})"

    def describe_conditional_sub_entities(
        self,
    ) -> list[tuple[str, Iterable[LaunchDescriptionEntity]]]:
        """Return the entities of ``on_exit`` that are known in advance."""
        if self.__on_exit is None or callable(self.__on_exit):
            return []
        return [
            (
                f"{self.__class__.__name__} exits",
                OnProcessExit(on_exit=self.__on_exit).describe()[1],
            )
        ]

    def get_asyncio_future(self) -> asyncio.Future[None] | None:
        """Return a future that is done after the last exit of the process."""
        return self.__done

    def execute(self, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        """Start the process, unless the launch is shutting down."""
        if context.is_shutdown:
            return None
        if self.__runner is not None and not self.__runner.is_over:
            raise RuntimeError(f"process[{self.name}] is executed a second time while it runs")
        self.__runner = ProcessRunner(self, context, self._options(context))
        handlers = self.__runner.handlers()
        if self.__on_exit is not None:
            handlers.append(OnProcessExit(target_action=self, on_exit=self.__on_exit))
        for handler in handlers:
            context.register_event_handler(handler)
        self.__runner.start()
        self.__done = asyncio.ensure_future(self.__runner.follow(handlers))
        return None

    def _perform_cmd(self, context: LaunchContext) -> list[str]:
        """Return the command line; subclasses add to it."""
        parts = ("".join(sub.perform(context) for sub in part) for part in self.__cmd)
        return list(parts)

    def _options(self, context: LaunchContext) -> RunnerOptions:
        cmd = self._perform_cmd(context)
        if not cmd:
            raise ValueError("ExecuteProcess: cmd is empty")
        texts = self.__texts
        shell = perform_bool(context, self.__shell, "shell")
        base_name = texts.perform_name(context) or default_process_name(cmd, shell)
        output: OutputOption = perform_output(context, self.__output)
        return RunnerOptions(
            name=f"{base_name}-{context._next_process_number()}",
            cmd=with_prefix(context, texts.prefix, cmd, base_name),
            cwd=texts.perform_cwd(context),
            env=perform_environment(context, texts.env, texts.additional_env),
            shell=shell,
            emulate_tty=perform_bool(context, self.__emulate_tty, "emulate_tty"),
            output=output,
            output_format=self.__output_format,
            keeps_output=self.__cached_output,
            logs_cmd=perform_bool(context, self.__log_cmd, "log_cmd"),
            escalation=Escalation(
                perform_float(context, self.__sigterm_timeout, "sigterm_timeout"),
                perform_float(context, self.__sigkill_timeout, "sigkill_timeout"),
            ),
            respawn=RespawnPolicy(
                wanted=perform_bool(context, self.__respawn, "respawn"),
                delay_s=perform_float(context, self.__respawn_delay, "respawn_delay"),
                max_retries=self.__respawn_max_retries,
            ),
        )


def _or_configuration(value: Any, name: str, default: str) -> Any:
    return LaunchConfiguration(name, default=default) if value is None else value
