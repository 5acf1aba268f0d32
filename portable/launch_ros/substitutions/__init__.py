"""Texts that come from the installed ROS packages."""

from launch._upstream_names import refuse_names

from .executable_in_package import ExecutableInPackage
from .find_package import FindPackage, FindPackagePrefix, FindPackageShare

__all__ = ["ExecutableInPackage", "FindPackage", "FindPackagePrefix", "FindPackageShare"]

__getattr__ = refuse_names(__name__, ("Parameter",), "launch_ros")
