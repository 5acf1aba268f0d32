"""A process that only stays."""

from launch.actions import ExecuteProcess

# A shell is ready for the signal within a millisecond; its input is a pipe that stays silent.
_WAIT = "trap 'exit 0' INT TERM; read nothing"


def KeepAliveProc() -> ExecuteProcess:  # noqa: N802 (the name is upstream's)
    """Return a process that does nothing and so keeps the launch from ending before the tests."""
    return ExecuteProcess(cmd=["sh", "-c", _WAIT], name="keep_alive")
