"""XML launch files: a stand-in for ROS 2's package ``launch_xml``."""

from launch._upstream_names import provide_paths

from . import loading
from .loading import XMLLaunchDescriptionSource, load

__all__ = ["XMLLaunchDescriptionSource", "load"]

provide_paths(__name__, ((loading, "", "launch_description_sources"),))
