"""Tools for launch tests."""

from launch._upstream_names import refuse_names

from .output_filter import basic_output_filter
from .process import ProcessProxy, launch_process

__all__ = ["ProcessProxy", "basic_output_filter", "launch_process"]

__getattr__ = refuse_names(
    __name__, ("expect_output", "expected_output_from_file"), "launch_testing"
)
