"""What authors of launch files derive and read: own actions, substitutions, properties."""

from __future__ import annotations

from typing import Any

import pytest
from launch.actions import (
    AppendEnvironmentVariable,
    DeclareLaunchArgument,
    EmitEvent,
    ExecuteProcess,
    GroupAction,
    IncludeLaunchDescription,
    LogInfo,
    OpaqueFunction,
    PopEnvironment,
    PopLaunchConfigurations,
    PushEnvironment,
    PushLaunchConfigurations,
    RegisterEventHandler,
    SetEnvironmentVariable,
    TimerAction,
    UnsetLaunchConfiguration,
)
from launch.event_handlers import OnProcessExit, OnProcessStart
from launch.events import Shutdown
from launch.events.process import ProcessStarted, matches_executable, matches_pid
from launch.substitutions import (
    EnvironmentVariable,
    IfElseSubstitution,
    LaunchConfiguration,
    NotSubstitution,
    PythonExpression,
    SubstitutionFailure,
    TextSubstitution,
)
from launch.utilities import (
    is_a,
    is_a_subclass,
    normalize_to_list_of_entities,
    perform_substitutions,
)

from launch import Action, LaunchContext, LaunchDescription, LaunchDescriptionSource, Substitution


class Upper(Substitution):
    """A text in capitals, in the context of the launch."""

    def __init__(self, name: str) -> None:
        self._name = name

    def perform(self, context: LaunchContext) -> str:
        return context.launch_configurations[self._name].upper()


class SetTwice(Action):
    """An action that leads to others."""

    def execute(self, context: LaunchContext) -> list[Any]:
        context.launch_configurations["word"] *= 2
        return [LogInfo(msg=Upper("word"))]


def test_own_action_and_substitution(run_launch: Any) -> None:
    assert run_launch(SetTwice(), word="ab").printed("[launch.user]: ABAB")
    assert Upper("x").describe() == "Upper()"


def test_what_does_not_define_its_purpose_says_so(run_launch: Any) -> None:
    assert run_launch(LogInfo(msg=Substitution())).printed("Substitution does not define perform()")
    source = LaunchDescriptionSource(location="x")
    assert run_launch(IncludeLaunchDescription(source)).printed("cannot load 'x'")


def test_completion_future_keeps_the_launch_waiting(run_launch: Any) -> None:
    order: list[str] = []

    def wait(context: LaunchContext) -> None:
        assert context.asyncio_loop is not None
        future = context.asyncio_loop.create_future()
        context.add_completion_future(future)
        context.asyncio_loop.call_later(
            0.2, lambda: (order.append("done"), future.set_result(None))
        )

    assert run_launch(OpaqueFunction(function=wait)).code == 0
    assert order == ["done"]


def test_texts_of_actions_can_be_read() -> None:
    context = LaunchContext(argv=["a:=1"], noninteractive=True)
    assert (context.argv, context.noninteractive) == (["a:=1"], True)
    set_variable = SetEnvironmentVariable("A", ["b", "c"])
    assert perform_substitutions(context, set_variable.name) == "A"
    assert perform_substitutions(context, set_variable.value) == "bc"
    assert perform_substitutions(context, LogInfo(msg="hi").msg) == "hi"
    argument = DeclareLaunchArgument("a", default_value="1", choices=["1"])
    assert (argument.name, argument.choices) == ("a", ["1"])
    timer = TimerAction(period=1.0, actions=[argument])
    assert (timer.period, timer.actions) == (1.0, [argument])
    assert GroupAction([argument]).get_sub_entities() == [argument]
    process = ExecuteProcess(cmd=["a", ["b", "c"]], shell=True, output="both")
    assert [perform_substitutions(context, part) for part in process.cmd] == ["a", "bc"]
    assert (process.shell, process.output, process.name) == (True, "both", None)
    assert EmitEvent(event=Shutdown(reason="why")).event.reason == "why"  # type: ignore[attr-defined]


def test_events_carry_the_process(run_launch: Any) -> None:
    events: list[ProcessStarted] = []
    process = ExecuteProcess(cmd=["sleep", "0.1"], cwd="/", additional_env={"TEST_Z": "1"})
    handler = OnProcessStart(on_start=lambda event, context: events.append(event))
    assert RegisterEventHandler(handler).event_handler is handler
    run_launch(RegisterEventHandler(handler), process)
    (event,) = events
    assert event.action is event.execute_process_action is process
    assert (event.process_name, event.cmd, event.cwd) == ("sleep-1", ["sleep", "0.1"], "/")
    assert event.env is not None
    assert event.env["TEST_Z"] == "1"
    assert matches_pid(event.pid)(process)
    assert not matches_pid(event.pid + 1)(process)
    assert matches_executable("sleep")(process)


def test_description_grows_and_can_be_deprecated(run_launch: Any) -> None:
    description = LaunchDescription(deprecated_reason="use the other")
    description.add_action(LogInfo(msg="one"))
    description.add_entity(LogInfo(msg="two"))
    assert description.deprecated
    outcome = run_launch(description)
    assert outcome.printed("this launch description is deprecated: use the other")
    assert outcome.printed("two")


@pytest.mark.parametrize(
    ("substitution", "description"),
    [
        (TextSubstitution(text="a"), "'a'"),
        (LaunchConfiguration(["a", "b"]), "LaunchConfig('a' + 'b')"),
        (EnvironmentVariable("A"), "EnvVar('A')"),
        (PythonExpression("1"), "PythonExpr('1')"),
        (NotSubstitution("1"), "NotSubstitution('1')"),
        (IfElseSubstitution("1", "a"), "IfElseSubstitution('1', 'a', '')"),
    ],
)
def test_descriptions(substitution: Substitution, description: str) -> None:
    assert substitution.describe() == description


def test_misuse_is_refused() -> None:
    with pytest.raises(TypeError, match="expected an action"):
        OnProcessExit(on_exit="text")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must be an Event"):
        EmitEvent(event="text")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must be callable"):
        OpaqueFunction(function="text")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expects 'text' to be str"):
        TextSubstitution(text=3)  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="if_value or an else_value"):
        IfElseSubstitution("true")
    with pytest.raises(SubstitutionFailure, match="IfElseSubstitution: 'x'"):
        IfElseSubstitution("x", "a").perform(LaunchContext())


def test_context_scopes_and_locals() -> None:
    context = LaunchContext()
    context.extend_globals({"everywhere": 1})
    context.extend_locals({"here": 2})
    assert (context.locals.everywhere, context.locals.here) == (1, 2)
    with pytest.raises(AttributeError, match="no local 'there'"):
        context.locals.there  # noqa: B018
    with pytest.raises(AttributeError, match="extend_locals"):
        context.locals.here = 3
    for pop in (
        context._pop_locals,
        context._pop_environment,
        context._pop_launch_configurations,
    ):
        with pytest.raises(RuntimeError, match="cannot pop the outermost scope"):
            pop()


def test_helpers() -> None:
    action = LogInfo(msg="x")
    assert normalize_to_list_of_entities([[action], action]) == [action, action]
    assert is_a(action, Action)
    assert is_a_subclass(LogInfo, Action)
    assert not is_a_subclass(int, Action)


def test_scopes_of_configurations_and_environment(
    run_launch: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_PATH", "b")
    shown = LogInfo(
        msg=[LaunchConfiguration("a", default="unset"), EnvironmentVariable("TEST_PATH")]
    )
    outcome = run_launch(
        PushLaunchConfigurations(),
        PushEnvironment(),
        UnsetLaunchConfiguration("a"),
        AppendEnvironmentVariable("TEST_PATH", "c"),
        AppendEnvironmentVariable("TEST_PATH", "a", prepend=True, separator="-"),
        shown,
        PopEnvironment(),
        PopLaunchConfigurations(),
        shown,
        a="1",
    )
    assert outcome.printed("unseta-b:c")
    assert outcome.printed("1b")
