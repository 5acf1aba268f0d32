"""Perform the ``$(...)`` in parameter files and in XML and YAML launch files."""

from __future__ import annotations

from collections.abc import Callable

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
    NotEqualsSubstitution,
    NotSubstitution,
    OrSubstitution,
    PythonExpression,
    SubstitutionFailure,
    TextSubstitution,
    ThisLaunchFile,
    ThisLaunchFileDir,
)

from launch import LaunchContext, Substitution

from .substitutions import ExecutableInPackage, FindPackagePrefix, FindPackageShare

_MAKERS: dict[str, Callable[..., Substitution]] = {
    "var": lambda name, default=None: LaunchConfiguration(name, default=default),
    "env": lambda name, default=None: EnvironmentVariable(name, default_value=default),
    "find-pkg-share": FindPackageShare,
    "find-pkg-prefix": FindPackagePrefix,
    "exec-in-pkg": ExecutableInPackage,
    "dirname": ThisLaunchFileDir,
    "filename": ThisLaunchFile,
    "eval": PythonExpression,
    "command": lambda command, on_stderr="fail": Command(command, on_stderr=on_stderr),
    "find-exec": lambda name: FindExecutable(name=name),
    "launch_log_dir": LaunchLogDir,
    "log_dir": LaunchLogDir,
    "anon": AnonName,
    "any": AnySubstitution,
    "all": AllSubstitution,
    "file-content": FileContent,
    "not": NotSubstitution,
    "and": AndSubstitution,
    "or": OrSubstitution,
    "equals": EqualsSubstitution,
    "not-equals": NotEqualsSubstitution,
    "if": IfElseSubstitution,
}
_QUOTES = "'\""


class MarkedText(Substitution):
    """A text with ``$(...)`` in it, performed when the launch visits it."""

    def __init__(self, text: str) -> None:
        self.__text = text

    def describe(self) -> str:
        """Return a readable description."""
        return f"'{self.__text}'"

    def perform(self, context: LaunchContext) -> str:
        """Return the text with every ``$(...)`` replaced by its value."""
        return perform_text(self.__text, context)


def as_substitution(text: str) -> Substitution:
    """Return the substitution that a text of a launch file stands for."""
    return MarkedText(text) if "$(" in text else TextSubstitution(text=text)


def split_words(text: str) -> list[str]:
    """Split a command line at blanks outside quotes and ``$(...)``; remove the quotes."""
    return _words(text)


def perform_text(text: str, context: LaunchContext) -> str:
    """Return ``text`` with every ``$(name arguments)`` replaced by its value."""
    done = []
    position = 0
    while (start := text.find("$(", position)) >= 0:
        end = _closing(text, start + 2)
        done += [text[position:start], _perform_one(text[start + 2 : end], context)]
        position = end + 1
    return "".join([*done, text[position:]])


def _closing(text: str, start: int) -> int:
    depth, quote = 1, ""
    for index in range(start, len(text)):
        letter = text[index]
        if quote:
            quote = "" if letter == quote else quote
        elif letter in _QUOTES:
            quote = letter
        elif letter == "(":
            depth += 1
        elif letter == ")":
            depth -= 1
            if depth == 0:
                return index
    raise SubstitutionFailure(f"'$({text[start : start + 30]}' is not closed")


def _perform_one(inner: str, context: LaunchContext) -> str:
    name, *arguments = [perform_text(word, context) for word in _words(inner)] or [""]
    if name not in _MAKERS:
        raise SubstitutionFailure(
            f"$({name} ...) is not supported here (only {', '.join(_MAKERS)}); "
            "it needs the ROS 2 package 'launch'"
        )
    try:
        substitution = _MAKERS[name](*arguments)
    except TypeError as error:
        raise SubstitutionFailure(f"$({inner}): {error}") from error
    return substitution.perform(context)


def _words(inner: str) -> list[str]:
    """Split at blanks outside quotes and nested parentheses; remove the quotes."""
    words: list[str] = []
    word, depth, quote = "", 0, ""
    for letter in inner + " ":
        if quote and letter == quote and depth == 0:
            quote = ""
        elif not quote and letter in _QUOTES and depth == 0:
            quote = letter
        elif letter.isspace() and not quote and depth == 0:
            words += [word] if word else []
            word = ""
        else:
            depth += {"(": 1, ")": -1}.get(letter, 0) if not quote else 0
            word += letter
    return words
