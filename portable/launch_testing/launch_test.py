"""The command ``launch_test``."""

from __future__ import annotations

import argparse
import logging
import os
import sys
import traceback
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from launch.logging import launch_config
from ros2cli.prefix import add_own_prefix
from ros2launch.api import LaunchFileError, arguments_as_text, parse_launch_arguments

from .loader import TestRun, load_test_runs
from .results import RunResult, results_to_xml
from .test_runner import LaunchTestRunner


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of ``launch_test``."""
    parser = argparse.ArgumentParser(
        prog="launch_test", description="Launch integration testing tool."
    )
    parser.add_argument("launch_test_file", help="path of the launch test")
    parser.add_argument(
        "launch_arguments",
        nargs="*",
        help="'<name>:=<value>' for the launch test; of duplicates the last one applies",
    )
    parser.add_argument("--package-name", help="package of the test, for the names in reports")
    parser.add_argument("-v", "--verbose", action="store_true", help="more output")
    parser.add_argument(
        "-s",
        "--show-args",
        "--show-arguments",
        action="store_true",
        help="show the arguments of the launch test",
    )
    parser.add_argument("--junit-xml", metavar="XMLPATH", help="write a JUnit report to this path")
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run ``launch_test`` with the arguments after it; return 0 when every test passed."""
    add_own_prefix(os.environ)
    args = build_parser().parse_intermixed_args(argv)
    if args.verbose:
        launch_config.level = logging.DEBUG
    try:
        return _run(args)
    except LaunchFileError as error:
        print(f"launch_test: {error}", file=sys.stderr)
    except Exception as error:
        if args.verbose:
            traceback.print_exc()
        print(f"launch_test: {type(error).__name__}: {error}", file=sys.stderr)
    return 1


def _run(args: argparse.Namespace) -> int:
    path = Path(args.launch_test_file)
    if not path.is_file():
        raise LaunchFileError(f"launch test file '{path}' does not exist")
    runs = load_test_runs(_load_module(path))
    arguments = parse_launch_arguments(list(args.launch_arguments))
    if args.show_args:
        print(arguments_as_text(runs[0].describe()[0]))
        return 0
    results = []
    for run in runs:
        results.append(_run_one(run, arguments, verbose=args.verbose))
        if results[-1].was_interrupted:
            break
    if args.junit_xml:
        tree = results_to_xml(results, name=args.package_name or "launch_test")
        tree.write(args.junit_xml, encoding="utf-8", xml_declaration=True)
    return int(not all(result.was_successful for result in results))


def _load_module(path: Path) -> ModuleType:
    name = path.name.removesuffix(".py")
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _run_one(run: TestRun, arguments: list[tuple[str, str]], *, verbose: bool) -> RunResult:
    print(f"[{run.full_name}]", file=sys.stderr)
    result = LaunchTestRunner(run, arguments, verbosity=1 + verbose).run()
    for failure in result.failures:
        if failure.class_name == "launch":
            print(f"[{run.full_name}] FAILED: {failure.text}", file=sys.stderr)
    return result


if __name__ == "__main__":
    sys.exit(main())
