"""Find the launch file, parse the arguments for it, and show those that it declares."""

from __future__ import annotations

from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
from launch.substitutions import LaunchConfiguration, PythonExpression, TextSubstitution
from launch.utilities import describe_substitutions, perform_substitutions

from launch import LaunchContext, LaunchDescription, Substitution


class LaunchFileError(RuntimeError):
    """The requested launch file cannot be launched; the message gives the reason."""


def find_launch_file(first: str, second: str | None, rest: list[str]) -> tuple[str, list[str]]:
    """Return the path of the launch file and the remaining words, which are its arguments.

    ``first`` is the path of a launch file, else a package; then ``second`` is the name of one of
    its launch files.
    """
    if Path(first).is_file():
        return str(Path(first).absolute()), [*([second] if second is not None else []), *rest]
    if "/" in first or first.endswith((".py", ".xml", ".yaml", ".yml")):
        raise LaunchFileError(f"launch file '{first}' does not exist")
    if second is None or ":=" in second:
        raise LaunchFileError(
            f"'{first}' is no launch file; for a package give the launch file's name after it"
        )
    return _in_package(first, second), rest


def _in_package(package: str, file_name: str) -> str:
    try:
        share = Path(get_package_share_directory(package))
    except (PackageNotFoundError, ValueError) as error:
        why = " ".join(str(arg) for arg in error.args)
        raise LaunchFileError(f"Package '{package}' not found: {why}") from error
    found = sorted(path for path in share.rglob(file_name) if path.is_file())
    if not found:
        raise LaunchFileError(
            f"file '{file_name}' was not found in the share directory of package '{package}' "
            f"which is at '{share}'"
        )
    if len(found) > 1:
        raise LaunchFileError(
            f"file '{file_name}' was found more than once in the share directory of package "
            f"'{package}': {', '.join(str(path) for path in found)}"
        )
    return str(found[0])


def parse_launch_arguments(words: list[str]) -> list[tuple[str, str]]:
    """Return names and values of ``<name>:=<value>``; the last of several values applies."""
    arguments: dict[str, str] = {}
    for word in words:
        name, separator, value = word.partition(":=")
        if not separator or not name:
            raise LaunchFileError(
                f"malformed launch argument '{word}', expected format '<name>:=<value>'"
            )
        arguments[name] = value
    return list(arguments.items())


def arguments_as_text(description: LaunchDescription) -> str:
    """Return name, description and default of every argument that a caller may set."""
    lines = ["Arguments (pass arguments as '<name>:=<value>'):"]
    arguments = description.get_launch_arguments()
    context = LaunchContext()
    for argument in arguments:
        lines += ["", f"    '{argument.name}':", f"        {argument.description}"]
        if argument.default_value is not None:
            shown = _default(context, argument.name, argument.default_value)
            lines.append(f"        (default: {shown})")
    if not arguments:
        lines += ["", "  No arguments."]
    return "\n".join(lines)


def _default(context: LaunchContext, name: str, default: list[Substitution]) -> str:
    """The default of an argument: its value where it follows from those of other arguments."""
    described = describe_substitutions(default)
    if not _is_computed_alone(default):
        return described
    try:
        value = perform_substitutions(context, default)
    except Exception:  # an expression is any code, and may need what is not there yet
        return described
    context.launch_configurations[name] = value
    is_text = all(isinstance(part, TextSubstitution) for part in default)
    return described if is_text else f"'{value}', follows from the other arguments"


def _is_computed_alone(parts: list[Substitution]) -> bool:
    """Return whether these only compute: no program is run, no file or package looked up."""
    return all(
        isinstance(part, (TextSubstitution, LaunchConfiguration))
        or (isinstance(part, PythonExpression) and _is_computed_alone(part.expression))
        for part in parts
    )
