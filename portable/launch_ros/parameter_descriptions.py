"""Parameters as launch files describe them."""

from .parameter import Parameter
from .parameter_file import ParameterFile
from .parameter_value import ParameterValue

__all__ = ["Parameter", "ParameterFile", "ParameterValue"]
