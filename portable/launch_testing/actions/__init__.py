"""Actions for launch tests."""

from launch._upstream_names import refuse_names

from .ready_to_test import ReadyToTest

__all__ = ["ReadyToTest"]

__getattr__ = refuse_names(__name__, ("GTest", "PyTest", "Test"), "launch_testing")
