"""What a launch file reads from parameter files before it starts anything."""

from pathlib import Path

import pytest
from vdsim_interface.ros.launching import checked, value_in_files

from launch import LaunchContext

NESTED = "/**:\n  ros__parameters: {vehicle: {wheelbase_m: 2.0}}\n"
DOTTED = "/car/node:\n  ros__parameters: {vehicle.wheelbase_m: 3.0}\n"
OTHER = "/**:\n  ros__parameters: {rate_hz: 50.0}\n"


def written(folder: Path, *texts: str) -> list[str]:
    files = [folder / f"{number}.yaml" for number in range(len(texts))]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text, encoding="utf-8")
    return [str(file) for file in files]


@pytest.mark.parametrize(
    ("texts", "value"),
    [
        ([NESTED], 2.0),
        ([NESTED, OTHER], 2.0),
        ([NESTED, DOTTED], 3.0),
        ([DOTTED, NESTED], 2.0),
        (["\ufeff" + NESTED], 2.0),
        ([OTHER], None),
        (["/**: {}\n"], None),
        ([], None),
    ],
)
def test_the_last_file_that_says_it_counts(
    tmp_path: Path, texts: list[str], value: float | None
) -> None:
    assert value_in_files(written(tmp_path, *texts), "vehicle.wheelbase_m") == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [1", "is no YAML"),
        ("only words", "must say NODE: ros__parameters: ..."),
        ("", "must say NODE: ros__parameters: ..."),
    ],
)
def test_a_file_that_is_none_is_named(tmp_path: Path, text: str, said: str) -> None:
    [file] = written(tmp_path, text)
    with pytest.raises(RuntimeError, match=f"parameter file {file}.*{said}"):
        value_in_files([file], "x")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"none\.yaml: No such file"):
        value_in_files([str(tmp_path / "none.yaml")], "x")


def refused(numbers: dict[str, type], files: tuple[str, ...], **given: str) -> str:
    context = LaunchContext()
    context.launch_configurations.update(given)
    try:
        checked(numbers, files).execute(context)
    except RuntimeError as error:
        return str(error)
    return ""


def test_arguments_are_checked_before_anything_starts(tmp_path: Path) -> None:
    [file] = written(tmp_path, NESTED)
    assert refused({"rate": float, "port": int}, ("file",), rate="1e2", port="0", file=file) == ""
    assert refused({}, ("file",), file="") == "", "none is given"
    assert refused({"rate": float}, (), rate="abc") == "rate:=abc: must be a number"
    assert refused({"port": int}, (), port="7.5") == "port:=7.5: must be a whole number"
    nowhere = str(tmp_path / "none.yaml")
    assert refused({}, ("file",), file=nowhere) == f"file:={nowhere}: there is no such file"
