"""Run a launch test: the launch in this thread, the active tests in another."""

from __future__ import annotations

import sys
import threading
import unittest
from collections.abc import Iterable, Mapping
from typing import Any, TextIO

from launch.actions import IncludeLaunchDescription, OpaqueFunction, RegisterEventHandler
from launch.event_handlers import OnProcessExit, OnProcessIO, OnProcessStart, OnShutdown
from launch.events import Shutdown

from launch import (
    BaseEventHandler,
    EventHandler,
    LaunchDescription,
    LaunchDescriptionEntity,
    LaunchDescriptionSource,
    LaunchService,
)

from .actions import Ready
from .handlers import ActiveIoHandler, ActiveProcInfoHandler
from .loader import TestRun, with_injected
from .results import RecordingResult, RunResult

_STOPPED_EARLY = "Processes under test stopped before tests completed"
_GRACE_S = 15.0


class LaunchTestRunner:
    """Performs one run of a launch test."""

    def __init__(
        self,
        test_run: TestRun,
        launch_file_arguments: Iterable[tuple[str, str]] = (),
        *,
        verbosity: int = 1,
        stream: TextIO | None = None,
    ) -> None:
        self._run = test_run
        self._arguments = list(launch_file_arguments)
        self._verbosity = verbosity
        self._stream = stream
        self._service = LaunchService(argv=[f"{name}:={value}" for name, value in self._arguments])
        self._info = ActiveProcInfoHandler()
        self._output = ActiveIoHandler()
        self._result = RunResult(test_run.full_name)
        self._ready = threading.Event()
        self._launch_is_over = threading.Event()
        self._tests_are_done = False
        self._shutdown_reason = ""
        self._context: dict[str, Any] = {}

    def run(self) -> RunResult:
        """Run it and return the results."""
        description, self._context = self._run.describe()
        self._service.include_launch_description(self._instrumented(description))
        tests = threading.Thread(target=self._test_when_ready, daemon=True)
        tests.start()
        code = self._service.run()
        self._launch_is_over.set()
        self._ready.set()
        self._info.end()
        self._output.end()
        tests.join(_GRACE_S)
        self._judge_the_launch(code)
        self._run_cases(self._run.post_shutdown_cases)
        return self._result

    # -- the launch --------------------------------------------------------------------------

    def _instrumented(self, description: LaunchDescription) -> LaunchDescription:
        """Return the description after the handlers that record."""
        handlers: list[BaseEventHandler] = [
            OnProcessStart(on_start=lambda event, context: self._note_start(event)),
            OnProcessExit(on_exit=lambda event, context: self._info.append(event)),
            OnProcessIO(on_stdout=self._output.append, on_stderr=self._output.append),
            OnShutdown(on_shutdown=lambda event, context: self._note_shutdown(event)),
            EventHandler(
                matcher=lambda event: isinstance(event, Ready),
                entities=[OpaqueFunction(function=lambda context: self._ready.set())],
            ),
        ]
        entities: list[LaunchDescriptionEntity] = [
            RegisterEventHandler(handler) for handler in handlers
        ]
        included = IncludeLaunchDescription(
            LaunchDescriptionSource(description), launch_arguments=self._arguments
        )
        return LaunchDescription([*entities, included])

    def _note_start(self, event: Any) -> None:
        self._info.append(event)
        self._output.track(event.process_name)

    def _note_shutdown(self, event: Shutdown) -> None:
        self._shutdown_reason = self._shutdown_reason or event.reason
        self._result.was_interrupted |= event.due_to_sigint

    def _judge_the_launch(self, code: int) -> None:
        if self._tests_are_done:
            if code != 0:
                self._result.add_failure(f"The launch failed: {self._shutdown_reason}")
            return
        if code != 0 or self._shutdown_reason != "idle":
            self._result.add_failure(f"The launch ended early: {self._shutdown_reason}")
        else:
            self._result.add_failure(_STOPPED_EARLY)

    # -- the tests -----------------------------------------------------------------------------

    def _test_when_ready(self) -> None:
        try:
            if not self._ready.wait(self._run.ready_timeout_s):
                self._result.add_failure(
                    f"Timed out after {self._run.ready_timeout_s:g} s waiting for ReadyToTest"
                )
                self._tests_are_done = True
            elif not self._launch_is_over.is_set():
                self._run_cases(self._run.active_cases)
                self._tests_are_done = not self._launch_is_over.is_set()
        finally:
            self._service.shutdown()

    def _run_cases(self, cases: Iterable[type[unittest.TestCase]]) -> None:
        for case in cases:
            bound = with_injected(case, self._injected(), self._context)
            suite = unittest.TestLoader().loadTestsFromTestCase(bound)
            runner = unittest.TextTestRunner(
                stream=self._stream or sys.stderr,
                verbosity=self._verbosity,
                resultclass=RecordingResult,
            )
            outcome = runner.run(suite)
            assert isinstance(outcome, RecordingResult)
            self._result.cases.extend(outcome.cases)

    def _injected(self) -> Mapping[str, Any]:
        return {
            "proc_info": self._info,
            "proc_output": self._output,
            "launch_service": self._service,
            "test_args": dict(self._service.context.launch_configurations),
            **self._run.param_args,
        }
