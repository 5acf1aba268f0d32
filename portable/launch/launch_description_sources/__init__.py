"""Where launch descriptions come from."""

from .._upstream_names import refuse_names
from .any_launch_description_source import AnyLaunchDescriptionSource
from .launch_file_loading import (
    InvalidLaunchFileError,
    InvalidPythonLaunchFileError,
    get_launch_description_from_python_launch_file,
    load_python_launch_file_as_module,
)
from .python_launch_description_source import PythonLaunchDescriptionSource

__all__ = [
    "AnyLaunchDescriptionSource",
    "InvalidLaunchFileError",
    "InvalidPythonLaunchFileError",
    "PythonLaunchDescriptionSource",
    "get_launch_description_from_python_launch_file",
    "load_python_launch_file_as_module",
]

__getattr__ = refuse_names(
    __name__,
    (
        "AnyLaunchFileUtilities",
        "FrontendLaunchDescriptionSource",
        "get_launch_description_from_any_launch_file",
        "get_launch_description_from_frontend_launch_file",
    ),
    "launch",
)
