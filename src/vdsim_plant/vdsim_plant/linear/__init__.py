"""The car with its linearisation: the kernel's substep with the changes of several directions."""
