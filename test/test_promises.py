"""What users type and import stays (vdsim_kit/promises.py); parameters: test_every_node.py."""

from __future__ import annotations

from importlib import import_module

import pytest
from vdsim_kit import promises
from vdsim_kit.programs import our_modules, programs
from workspace.cli import HELP

KINDS = promises.found(HELP)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_that_was_promised_is_gone(kind: str) -> None:
    gone = promises.missing((kind,), KINDS[kind])
    assert not gone, "\n".join(["in test/data/promises.txt, and not here:", *gone])
    assert promises.promised(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_the_list_has_everything_that_is_there(kind: str) -> None:
    new = KINDS[kind] - set(promises.promised(kind))
    assert not new, "\n".join(["record it: ./ws generate", *map(" ".join, sorted(new))])


def test_every_documented_import_resolves() -> None:
    broken = []
    for _, module, name in promises.promised("import"):
        try:
            if not hasattr(import_module(module), name):
                import_module(f"{module}.{name}")
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("vdsim_"):  # what is optional may be absent here
                broken.append(f"from {module} import {name}: {error}")
    assert not broken, "\n".join(broken)


def test_every_module_that_is_run_exists() -> None:
    modules = our_modules()
    for _, name in promises.promised("module"):
        assert name in modules or f"{name}.__main__" in modules, name


def test_every_program_has_its_function() -> None:
    modules = our_modules()
    names = {
        name: {getattr(node, "name", "") for node in module.tree.body}
        for name, module in modules.items()
    }
    broken = [
        f"{program.package} {program.name} = {program.module}:{program.function}"
        for program in programs()
        if program.function not in names.get(program.module, ())
    ]
    assert not broken, "\n".join(broken)


def test_what_goes_is_told() -> None:
    assert promises.missing(("ws",), [("ws", "build")])
    assert not promises.missing(("ws",), map(tuple, promises.promised("ws")))
