"""The one exception that a command raises for something the user can put right."""


class CliError(Exception):
    """Printed as one line on standard error; the exit code is 1."""
