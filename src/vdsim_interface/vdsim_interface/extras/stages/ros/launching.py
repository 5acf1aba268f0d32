"""Launch arguments of component_container: which components, and whether it offers services."""

from __future__ import annotations

from collections.abc import Mapping

CONTAINER = "container"
"""The composition whose process takes components."""
SERVICES = "process.component_services"


def component_names(value: str) -> list[str]:
    """Return the names of a list that is separated by commas."""
    return [name.strip() for name in value.split(",") if name.strip()]


def components(value: str) -> str:
    """Check that each name is an installed component; the rule, or empty."""
    # Only here: the packages of components are imported with rclpy.
    from vdsim_interface.extras.stages.ros.catalogue import ComponentError, find

    for name in component_names(value):
        try:
            find(name)
        except ComponentError as error:
            return str(error)
    return ""


def refuse_without_a_container(given: Mapping[str, str]) -> None:
    """Raise for arguments that only the container takes."""
    composition = given["composition"]
    for name, default in (("components", ""), ("component_services", "false")):
        if given[name] != default and composition != CONTAINER:
            raise RuntimeError(
                f"{name}:={given[name]} composition:={composition}: only composition:=container "
                "takes components"
            )
