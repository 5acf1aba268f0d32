"""For every test of the workspace: what the environment asks for, and what was not run."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
from collections.abc import Generator, Iterator

import pytest
from vdsim_kit.domains import Domain, hold_domain
from vdsim_kit.ending import end_in_order
from vdsim_kit.ports import reserve_contract_ports
from vdsim_kit.tools import is_launch_upstreams, lacks_messages, missing_messages, missing_tools

# Some releases of ROS 2 raise an error for a value that a message's field cannot hold; the others
# do so only with this variable, set before the messages are imported.
os.environ["ROS_PYTHON_CHECK_FIELDS"] = "1"

# `./ws pytest` tells it to what it starts, and texts would differ from those of `./ws test`.
os.environ.pop("VDSIM_WS", None)

# A background run of a shell script ignores Ctrl-C, and every process that a test starts inherits
# that; the tests end such processes with Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# nohup does the same to SIGHUP, which a closed terminal sends.
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
end_in_order()


# No example of a property has a deadline: a process that did not run for 0.2 s failed one as flaky,
# and the first call of a compiled function compiles it. The examples are the same in each run, so
# that a change is judged by what it changed; each night searches with new ones.
# Not every lane has hypothesis.
with contextlib.suppress(ImportError):
    from hypothesis import HealthCheck, settings

    slow = [HealthCheck.too_slow]
    fresh = os.environ.get("VDSIM_EXAMPLES") == "fresh"
    settings.register_profile(
        "vdsim", deadline=None, suppress_health_check=slow, derandomize=not fresh
    )
    settings.load_profile("vdsim")


# Fast DDS of this process and of those that it starts must not take the ports of a VDS1 server: on
# all addresses it is kept from them, on 127.0.0.1, where servers are, it cannot be. The tests of
# loopback choose its profile themselves.
reserve_contract_ports()
for _name in ("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE"):
    if os.environ.get(_name, "").endswith("fastdds_loopback.xml"):
        os.environ[_name] = os.environ[_name].replace("_loopback.xml", ".xml")


pytest_plugins = ["vdsim_kit.upstream_launch_tests"] if is_launch_upstreams() else []

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


def pytest_collection_finish() -> None:
    """Take what the test files import out of every later search for garbage: it stays."""
    gc.collect()
    gc.freeze()


_domain: Domain | None = None
_domain_of = ""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Give each test file a ROS domain that no other test on this machine uses."""
    global _domain, _domain_of
    file = str(item.path)
    if _domain is None or file != _domain_of:
        previous, _domain = _domain, hold_domain(_domain.number if _domain else None)
        _domain_of = file
        if previous is not None:
            previous.release()
        os.environ["ROS_DOMAIN_ID"] = str(_domain.number)
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Leave out a test file that imports messages which an installed ROS 2 may lack."""
    report = yield
    if report.failed and isinstance(collector, pytest.File) and lacks_messages(report.longreprtext):
        report.outcome, report.longrepr, report.result = "passed", None, []
    return report


def pytest_unconfigure() -> None:
    """Leave the domain of the last test file."""
    if _domain is not None:
        _domain.release()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the programs whose tests were left out."""
    for tool in missing_tools():
        terminalreporter.write_line(
            f"not run: the tests that need {tool} (sudo apt-get install {tool})", yellow=True
        )
    for package in missing_messages():
        terminalreporter.write_line(
            f"not run: the tests that need the messages of {package} (docs/autoware.md)",
            yellow=True,
        )
