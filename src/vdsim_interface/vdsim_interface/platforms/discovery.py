"""Finds platforms: every folder below platforms/ (or a given folder) whose package has a SPEC."""

import importlib
import importlib.util
import pkgutil
import sys
from pathlib import Path
from types import ModuleType

from vdsim_interface import platforms as package
from vdsim_interface.platforms.spec import PlatformSpec


class PlatformError(ValueError):
    """A platform cannot be found or has no valid SPEC."""


def discover(extra: Path | None = None) -> dict[str, PlatformSpec]:
    """Return all platforms by name: the built-in ones, then those below the extra folder."""
    found: dict[str, PlatformSpec] = {}
    for item in pkgutil.iter_modules(package.__path__):
        if item.ispkg:
            _add(found, importlib.import_module(f"{package.__name__}.{item.name}"))
    if extra is not None:
        if not extra.is_dir():
            raise PlatformError(f"platform_path={extra}: is not a folder")
        for folder in sorted(extra.iterdir()):
            if (folder / "__init__.py").is_file():
                _add(found, _load(folder))
    return found


def platform_spec(name: str, extra: Path | None = None) -> PlatformSpec:
    """Return one platform by name."""
    found = discover(extra)
    if name not in found:
        raise PlatformError(f"platform={name}: must be one of {', '.join(sorted(found))}")
    return found[name]


def _add(found: dict[str, PlatformSpec], module: ModuleType) -> None:
    spec = getattr(module, "SPEC", None)
    if not isinstance(spec, PlatformSpec):
        raise PlatformError(f"{module.__name__}: has no SPEC of type PlatformSpec")
    if spec.name in found:
        raise PlatformError(f"{module.__name__}: a platform named {spec.name} exists already")
    found[spec.name] = spec


def _load(folder: Path) -> ModuleType:
    """Import a package from a folder that is not on the path."""
    name = f"vdsim_external_platforms_{folder.name}"
    spec = importlib.util.spec_from_file_location(
        name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
