"""Log lines of a launch, on the screen and in files."""

from .._upstream_names import refuse_names
from .launch_config import LaunchConfig, launch_config
from .log_folder import log_base, log_folder_name
from .loggers import get_logger

__all__ = ["LaunchConfig", "get_logger", "launch_config", "log_base", "log_folder_name"]

__getattr__ = refuse_names(
    __name__,
    ("LaunchLogger", "get_output_loggers", "handlers", "with_per_logger_formatting"),
    "launch",
)
