"""YAML launch files: a stand-in for ROS 2's package ``launch_yaml``."""

from launch._upstream_names import provide_paths

from . import loading
from .loading import YAMLLaunchDescriptionSource, load

__all__ = ["YAMLLaunchDescriptionSource", "load"]

provide_paths(__name__, ((loading, "", "launch_description_sources"),))
