"""Each substitution performed in a context of its own."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest
from launch.events import Shutdown
from launch.substitutions import (
    AllSubstitution,
    AndSubstitution,
    AnonName,
    AnySubstitution,
    Command,
    EnvironmentVariable,
    EqualsSubstitution,
    FileContent,
    FindExecutable,
    IfElseSubstitution,
    LaunchConfiguration,
    LaunchLogDir,
    LocalSubstitution,
    NotEqualsSubstitution,
    NotSubstitution,
    OrSubstitution,
    PathJoinSubstitution,
    PythonExpression,
    SubstitutionFailure,
    TextSubstitution,
    ThisLaunchFileDir,
)
from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions

from launch import LaunchContext, Substitution


def perform(substitution: Substitution, **configurations: str) -> str:
    context = LaunchContext()
    context.launch_configurations.update(configurations)
    return substitution.perform(context)


CASES = [
    (TextSubstitution(text="a b"), "a b"),
    (LaunchConfiguration("speed"), "10"),
    (LaunchConfiguration(["spe", TextSubstitution(text="ed")]), "10"),
    (LaunchConfiguration("missing", default="d"), "d"),
    (LaunchConfiguration("missing", default=["d", TextSubstitution(text="e")]), "de"),
    (LaunchConfiguration("missing", default=3.5), "3.5"),
    (PathJoinSubstitution(["a", LaunchConfiguration("speed"), ["b", ".yaml"]]), "a/10/b.yaml"),
    (PathJoinSubstitution(["a", "/abs", "c"]), "/abs/c"),
    (EnvironmentVariable("TEST_TEST_SET"), "yes"),
    (EnvironmentVariable("TEST_TEST_UNSET", default_value="no"), "no"),
    (PythonExpression(["1 + ", LaunchConfiguration("speed")]), "11"),
    (PythonExpression("math.ceil(pi)"), str(math.ceil(math.pi))),
    (PythonExpression("sys.byteorder", ["sys"]), sys.byteorder),
    (NotSubstitution("true"), "false"),
    (NotSubstitution("0"), "true"),
    (AndSubstitution("true", "1"), "true"),
    (AndSubstitution("true", "False"), "false"),
    (OrSubstitution("false", "True"), "true"),
    (OrSubstitution("0", "no"), "false"),
    (AnySubstitution("0", "no", "1"), "true"),
    (AnySubstitution(), "false"),
    (AllSubstitution("1", "yes", "true"), "true"),
    (AllSubstitution("1", "no"), "false"),
    (EqualsSubstitution(LaunchConfiguration("speed"), "10"), "true"),
    (EqualsSubstitution("1", "1.0"), "true"),
    (EqualsSubstitution("true", True), "true"),
    (EqualsSubstitution("a", "b"), "false"),
    (EqualsSubstitution("nan", "nan"), "false"),
    (EqualsSubstitution("", None), "true"),
    (NotEqualsSubstitution("a", "b"), "true"),
    (NotEqualsSubstitution("2", "2"), "false"),
    (IfElseSubstitution("true", "x", "y"), "x"),
    (IfElseSubstitution("false", "x", "y"), "y"),
    (FindExecutable(name="sh"), "/bin/sh"),
    (Command(["echo ", "'a b'"]), "a b\n"),
    (Command("sh -c 'echo on; echo err >&2'", on_stderr="capture"), "on\nerr\n"),
    (Command("sh -c 'echo on; echo err >&2'", on_stderr="ignore"), "on\n"),
]


@pytest.mark.parametrize(("substitution", "text"), CASES)
def test_text(substitution: Substitution, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_TEST_SET", "yes")
    monkeypatch.setenv("PATH", "/bin:/usr/bin")
    assert perform(substitution, speed="10") == text


FAILURES = [
    (LaunchConfiguration("nope"), "launch configuration 'nope' does not exist"),
    (EnvironmentVariable("TEST_TEST_UNSET"), "environment variable 'TEST_TEST_UNSET'"),
    (PythonExpression("1 +"), "SyntaxError"),
    (PythonExpression("unknown_name"), "NameError"),
    (NotSubstitution("maybe"), "'maybe'"),
    (AndSubstitution("false", "maybe"), "'maybe'"),
    (FindExecutable(name="no_such_program"), "'no_such_program' not found"),
    (Command("no_such_program"), "'no_such_program'"),
    (Command("false"), "failed with 1"),
    (Command("sh -c 'echo oops >&2'"), "oops"),
    (Command("true", on_stderr="whatever"), "on_stderr='whatever'"),
    (ThisLaunchFileDir(), "outside of a launch file"),
]


@pytest.mark.parametrize(
    ("substitution", "message"), FAILURES, ids=[case[0].describe() for case in FAILURES]
)
def test_failure_says_why(substitution: Substitution, message: str) -> None:
    with pytest.raises(SubstitutionFailure, match=message.replace("(", r"\(")):
        perform(substitution)


def test_command_can_warn_about_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    assert perform(Command("sh -c 'echo on; echo err >&2'", on_stderr="warn")) == "on\n"
    assert "err" in capsys.readouterr().out


def test_log_folder_is_made_on_demand(log_folder: Path) -> None:
    assert not log_folder.exists()
    assert Path(perform(LaunchLogDir())).parent == log_folder


def test_only_the_chosen_text_is_performed() -> None:
    assert perform(IfElseSubstitution("true", "x", LaunchConfiguration("nope"))) == "x"


@pytest.mark.parametrize("wrong", [3, [3], None])
def test_what_is_no_text_is_refused(wrong: object) -> None:
    with pytest.raises(TypeError, match="expected text or"):
        normalize_to_list_of_substitutions(wrong)  # type: ignore[arg-type]


def test_mixed_lists_are_joined() -> None:
    parts = normalize_to_list_of_substitutions(["a", TextSubstitution(text="b")])
    assert perform_substitutions(LaunchContext(), parts) == "ab"


def test_anonymous_name_is_unique_and_stays() -> None:
    context = LaunchContext()
    name = AnonName("talker").perform(context)
    assert name.startswith("talker_")
    assert AnonName("talker").perform(context) == name
    assert AnonName("other").perform(context) != name
    assert AnonName("talker").perform(LaunchContext()) != name


def test_content_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("content")
    assert perform(FileContent([str(tmp_path), "/a.txt"])) == "content"
    with pytest.raises(SubstitutionFailure, match=r"b.txt' cannot be read: "):
        perform(FileContent(str(tmp_path / "b.txt")))


def test_local() -> None:
    context = LaunchContext()
    context.extend_locals({"event": Shutdown(reason="because")})
    assert LocalSubstitution("event.reason").perform(context) == "because"
    with pytest.raises(SubstitutionFailure, match=r"local 'event\.speed': "):
        LocalSubstitution("event.speed").perform(context)
