"""Two options, one port: found where it cannot work, and nowhere else."""

from __future__ import annotations

import pytest
from vdsim_protocol.port_rule import NamedPort, equal_ports, same_machine


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("127.0.0.1", "127.0.0.1", True),
        ("127.0.0.1", "localhost", True),
        ("0.0.0.0", "127.0.0.1", True),
        ("127.3.4.5", "0.0.0.0", True),
        ("0.0.0.0", "0.0.0.0", True),
        ("127.0.0.1", "127.0.0.2", False),
        ("0.0.0.0", "192.168.1.5", False),  # it may be another machine's
        ("192.168.1.5", "192.168.1.5", True),
        ("192.168.1.5", "192.168.1.6", False),
        ("car", "car", True),
        ("car", "127.0.0.1", False),
    ],
)
def test_the_same_machine_by_the_texts(first: str, second: str, same: bool) -> None:
    assert same_machine(first, second) is same
    assert same_machine(second, first) is same


def test_the_first_two_equal_ports_are_named() -> None:
    # [VS-3.13]
    a, b = NamedPort("a", "127.0.0.1", 5), NamedPort("b", "127.0.0.1", 6)
    c, elsewhere = NamedPort("c", "0.0.0.0", 6), NamedPort("d", "10.0.0.1", 6)
    assert equal_ports([a, b, elsewhere]) is None
    assert equal_ports([a, b, elsewhere, c]) == (b, c)


def test_port_zero_is_any_free_one() -> None:
    assert equal_ports([NamedPort(name, "127.0.0.1", 0) for name in "ab"]) is None
