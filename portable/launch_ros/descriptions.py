"""Parameters as launch files describe them, under their older name."""

from launch._upstream_names import refuse_names

from .parameter_descriptions import Parameter, ParameterFile, ParameterValue

__all__ = ["Parameter", "ParameterFile", "ParameterValue"]

__getattr__ = refuse_names(__name__, ("ComposableNode", "ComposableLifecycleNode"), "launch_ros")
