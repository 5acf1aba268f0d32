"""Finds platforms: packages with a `SPEC`, built in, installed or in a folder.

Installed ones are entry points of the group `vdsim_interface.platforms`, which name the package:

    [project.entry-points."vdsim_interface.platforms"]
    my_car = "my_package.my_car"
"""

import hashlib
import importlib
import importlib.util
import pkgutil
import sys
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType

from vdsim_protocol.checked_file import is_folder

from vdsim_interface import platforms as package
from vdsim_interface.platforms.spec import PlatformSpec

GROUP = "vdsim_interface.platforms"


class PlatformError(ValueError):
    """A platform cannot be found or has no valid SPEC."""


def discover(extra: Path | None = None) -> dict[str, PlatformSpec]:
    """Return all platforms by name: built-in, installed, then those below the extra folder.

    An installed package that cannot be imported is left out; `platform_spec` says why.
    """
    found: dict[str, PlatformSpec] = {}
    for item in pkgutil.iter_modules(package.__path__):
        if item.ispkg:
            _add(found, importlib.import_module(f"{package.__name__}.{item.name}"))
    for entry in _installed():
        if not _failure(entry):
            _add(found, entry.load())
    if extra is not None:
        if not is_folder(extra):
            raise PlatformError(f"platform_path={extra}: is not a folder")
        for folder in sorted(extra.iterdir()):
            if (folder / "__init__.py").is_file():
                _add(found, _load(folder))
    return found


def platform_spec(name: str, extra: Path | None = None) -> PlatformSpec:
    """Return one platform by name."""
    found = discover(extra)
    if name in found:
        return found[name]
    for entry in _installed():
        if entry.name == name:
            raise PlatformError(f"platform={name}: {entry.value}: {_failure(entry)}")
    other = f"; SPEC in {name}/ has another name" if extra and is_folder(extra / name) else ""
    raise PlatformError(f"platform={name}: must be one of {', '.join(sorted(found))}{other}")


def _installed() -> list[EntryPoint]:
    return sorted(entry_points(group=GROUP), key=lambda entry: entry.name)


def _failure(entry: EntryPoint) -> str:
    """Why an installed platform cannot be used; empty when it can."""
    try:
        module = entry.load()
    except Exception as error:  # whatever a foreign package raises at import
        return f"{type(error).__name__}: {error}"
    if not isinstance(getattr(module, "SPEC", None), PlatformSpec):
        return "has no SPEC of type PlatformSpec"
    return ""


def _add(found: dict[str, PlatformSpec], module: ModuleType) -> None:
    spec = getattr(module, "SPEC", None)
    if not isinstance(spec, PlatformSpec):
        raise PlatformError(f"{module.__name__}: has no SPEC of type PlatformSpec")
    if spec.name in found:
        raise PlatformError(f"{module.__name__}: a platform named {spec.name} exists already")
    found[spec.name] = spec


def _load(folder: Path) -> ModuleType:
    """Import a package from a folder that is not on the path."""
    # The path is part of the name: a folder of the same name elsewhere is another package.
    place = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:8]
    name = f"vdsim_external_platforms_{place}_{folder.name}"
    spec = importlib.util.spec_from_file_location(
        name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever a foreign package raises at import
        raise PlatformError(f"{folder}: {type(error).__name__}: {error}") from error
    return module
