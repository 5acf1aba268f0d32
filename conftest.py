"""For every test of the workspace: what the environment asks for, and what was not run."""

from __future__ import annotations

import os
import signal

import pytest
from vdsim_kit.ports import reserve_contract_ports
from vdsim_kit.tools import is_launch_upstreams, missing_tools

# Some releases of ROS 2 raise an error for a value that a message's field cannot hold; the others
# do so only with this variable, set before the messages are imported.
os.environ["ROS_PYTHON_CHECK_FIELDS"] = "1"

# A background run of a shell script ignores Ctrl-C, and every process that a test starts inherits
# that; the tests end such processes with Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# Fast DDS of this process and of those that it starts must not take the ports of a VDS1 server.
reserve_contract_ports()


# The event loop of upstream's launch closes neither its self-pipe nor the transport of a process
# that was killed; the garbage collector reports them in whatever test runs then. Our own launch
# (portable/) closes both, so there such a report stays an error.
_LEFT_BY_UPSTREAMS_LAUNCH = (
    r"unclosed transport <_Unix(SubprocessTransport|ReadPipeTransport|WritePipeTransport) ",
    r"unclosed <socket\.socket fd=\d+, family=(1|AddressFamily\.AF_UNIX), ",
    r"unclosed event loop <_UnixSelectorEventLoop ",
)


def pytest_configure(config: pytest.Config) -> None:
    """Accept what upstream's launch leaves to the garbage collector, and nothing else."""
    if is_launch_upstreams():
        for message in _LEFT_BY_UPSTREAMS_LAUNCH:
            config.addinivalue_line("filterwarnings", f"ignore:{message}:ResourceWarning")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the programs whose tests were left out."""
    for tool in missing_tools():
        terminalreporter.write_line(
            f"not run: the tests that need {tool} (sudo apt-get install {tool})", yellow=True
        )
