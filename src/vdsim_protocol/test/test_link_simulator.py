"""The link simulator: every fault does what its name promises, repeatably, and nothing else."""

import itertools
import random
from typing import Any

import pytest
from vdsim_protocol.faults import (
    Blackout,
    BurstLoss,
    LinkFaults,
    LinkSimulator,
    faults_from_mapping,
)
from vdsim_protocol_kit.vds1 import COMMAND, STATE, encode

from vdsim_protocol import vds1

FAR = 1e9


def through(
    faults: LinkFaults, count: int = 4000, seed: int = 1
) -> tuple[LinkSimulator, list[int]]:
    """Numbered packets at 100 Hz through a link; the numbers in order of arrival."""
    link = LinkSimulator(faults, seed)
    arrived = []
    for number in range(count):
        now = number / 100
        arrived += link.due(now)
        link.send(number.to_bytes(4, "big"), now)
    arrived += link.due(FAR)
    return link, [int.from_bytes(datagram, "big") for datagram in arrived]


def test_a_perfect_link_passes_everything_at_once() -> None:
    link = LinkSimulator()
    assert link.next_deadline() is None
    link.send(b"a", 1.0)
    link.send(b"b", 1.0)
    assert link.next_deadline() == 1.0
    assert link.due(1.0) == [b"a", b"b"]
    assert link.due(1.0) == []
    counters = link.counters()
    assert (counters["offered"], counters["delivered"]) == (2, 2)
    assert sum(counters.values()) == 4


def test_delay_holds_packets_back() -> None:
    link = LinkSimulator(LinkFaults(delay_s=0.25))
    link.send(b"a", 1.0)
    assert link.next_deadline() == 1.25
    assert link.due(1.2499) == []
    assert link.due(1.25) == [b"a"]


def test_jitter_delays_and_keeps_the_order() -> None:
    link = LinkSimulator(LinkFaults(delay_s=0.1, jitter_s=0.05), seed=2)
    latest = 0.0
    delays = []
    for number in range(500):
        now = number / 10  # far apart: each has its own delay
        link.send(b"x", now)
        deadline = link.next_deadline()
        assert deadline is not None
        assert deadline >= latest
        latest = deadline
        delays.append(deadline - now)
        link.due(FAR)
    assert 0.1 <= min(delays) < 0.105
    assert 0.145 < max(delays) <= 0.15
    _, close = through(LinkFaults(jitter_s=0.05))
    assert close == sorted(close)


@pytest.mark.parametrize("probability", [0.0, 0.05, 0.3, 1.0])
def test_loss(probability: float) -> None:
    link, arrived = through(LinkFaults(loss=probability))
    assert len(arrived) == 4000 - link.counters()["lost"]
    assert link.counters()["lost"] / 4000 == pytest.approx(probability, abs=0.02)


def test_burst_loss_comes_in_bursts() -> None:
    link, arrived = through(LinkFaults(burst=BurstLoss(enter=0.01, leave=0.2)), count=20000)
    lost = sorted(set(range(20000)) - set(arrived))
    assert link.counters()["lost_in_burst"] == len(lost)
    # In the bad state for enter / (enter + leave) of the time, 1 / leave packets in a row.
    assert len(lost) / 20000 == pytest.approx(0.01 / 0.21, abs=0.015)
    bursts = 1 + sum(later - earlier > 1 for earlier, later in itertools.pairwise(lost))
    assert len(lost) / bursts == pytest.approx(5.0, abs=1.0)


def test_burst_loss_has_a_loss_in_either_state() -> None:
    _, arrived = through(LinkFaults(burst=BurstLoss(0.5, 0.5, loss_in_bad=0.8, loss_in_good=0.2)))
    assert 1 - len(arrived) / 4000 == pytest.approx(0.5, abs=0.05)
    _, all_of_them = through(LinkFaults(burst=BurstLoss(0.5, 0.5, 0.0, 0.0)))
    assert len(all_of_them) == 4000


def test_reordering_lets_others_pass() -> None:
    link, arrived = through(LinkFaults(reorder=0.1, reorder_delay_s=0.03))
    assert sorted(arrived) == list(range(4000))
    late = sum(earlier > later for earlier, later in itertools.pairwise(arrived))
    assert link.counters()["reordered"] / 4000 == pytest.approx(0.1, abs=0.02)
    assert late > 200


def test_duplication() -> None:
    link, arrived = through(LinkFaults(duplicate=0.1))
    assert len(arrived) == 4000 + link.counters()["duplicated"]
    assert link.counters()["duplicated"] / 4000 == pytest.approx(0.1, abs=0.02)
    assert set(arrived) == set(range(4000))


def test_bit_flips_invert_exactly_one_bit() -> None:
    link = LinkSimulator(LinkFaults(bit_flip=1.0), seed=3)
    flipped = set()
    for _ in range(2000):
        link.send(bytes(4), 0.0)
        (damaged,) = link.due(0.0)
        value = int.from_bytes(damaged, "little")
        assert value.bit_count() == 1
        flipped.add(value)
    assert flipped == {1 << bit for bit in range(32)}
    assert link.counters()["bit_flipped"] == 2000


def test_truncation_shortens() -> None:
    link = LinkSimulator(LinkFaults(truncate=1.0), seed=3)
    sizes = set()
    for _ in range(500):
        link.send(b"abcdef", 0.0)
        (damaged,) = link.due(0.0)
        assert b"abcdef".startswith(damaged)
        sizes.add(len(damaged))
    assert sizes == {0, 1, 2, 3, 4, 5}
    assert link.counters()["truncated"] == 500


def test_an_empty_datagram_cannot_be_damaged() -> None:
    link = LinkSimulator(LinkFaults(bit_flip=1.0, truncate=1.0))
    link.send(b"", 0.0)
    assert link.due(0.0) == [b""]
    assert link.counters()["bit_flipped"] == link.counters()["truncated"] == 0


@pytest.mark.parametrize(
    ("blackout", "dark"),
    [
        (Blackout(1.0, 0.5), {1.0, 1.25}),
        (Blackout(1.0, 0.5, every_s=1.0), {1.0, 1.25, 2.0, 2.25, 3.0}),
        (Blackout(0.0, 0.25), {0.0}),
        (Blackout(0.0, 0.0), set()),
    ],
)
def test_blackouts(blackout: Blackout, dark: set[float]) -> None:
    times = [0.0, 0.25, 0.75, 1.0, 1.25, 1.5, 2.0, 2.25, 2.5, 3.0]
    started_at = 50.0
    link = LinkSimulator(LinkFaults(blackouts=(blackout,)), now=started_at)
    for elapsed_s in times:
        link.send(b"x", started_at + elapsed_s)
        assert (link.due(FAR) == []) == (elapsed_s in dark), elapsed_s
    assert link.counters()["lost_in_blackout"] == len(dark)


def test_clock_skew_rewrites_the_stamp() -> None:
    link = LinkSimulator(LinkFaults(clock_skew_ppm=1000.0))
    stamps = []
    for stamp_s in (100.0, 101.0, 110.0):
        for body in (COMMAND, STATE):
            link.send(encode(body, 1, stamp_s), 0.0)
            (datagram,) = link.due(0.0)
            packet = vds1.decode(datagram)
            assert isinstance(packet, vds1.Packet)
            assert repr(packet.body).startswith(type(body).__name__)
        stamps.append(packet.timestamp_s)
    assert stamps == pytest.approx([100.0, 101.001, 110.01])


def test_clock_skew_leaves_anything_else_alone() -> None:
    link = LinkSimulator(LinkFaults(clock_skew_ppm=1000.0))
    link.send(b"#LampControl$", 0.0)
    assert link.due(0.0) == [b"#LampControl$"]


def test_the_seed_decides() -> None:
    faults = LinkFaults(loss=0.1, jitter_s=0.02, duplicate=0.1, reorder=0.1)
    first, again, other = (through(faults, 500, seed)[1] for seed in (5, 5, 6))
    assert first == again
    assert first != other


def test_one_fault_does_not_change_the_pattern_of_another() -> None:
    _, plain = through(LinkFaults(loss=0.2), 500)
    _, with_more = through(LinkFaults(loss=0.2, delay_s=0.5, bit_flip=0.0), 500)
    assert plain == with_more
    link, _ = through(LinkFaults(loss=0.2, burst=BurstLoss(0.1, 0.5, 0.0)), 500)
    assert link.counters()["lost"] == 500 - len(plain)


def test_faults_change_while_packets_are_in_flight() -> None:
    link = LinkSimulator(LinkFaults(delay_s=1.0))
    link.send(b"old", 0.0)
    link.set_faults(LinkFaults(loss=1.0), 0.5)
    link.send(b"lost", 0.5)
    link.set_faults(LinkFaults(blackouts=(Blackout(0.0, 0.5),)), 0.6)
    link.send(b"dark", 1.0)
    link.send(b"new", 1.2)
    assert link.due(FAR) == [b"old", b"new"]
    assert link.faults.blackouts


def test_set_faults_starts_burst_and_skew_afresh() -> None:
    link = LinkSimulator(LinkFaults(burst=BurstLoss(enter=1.0, leave=0.0), clock_skew_ppm=1e5))
    link.send(encode(COMMAND, 0, 10.0), 0.0)
    link.set_faults(LinkFaults(burst=BurstLoss(enter=0.0, leave=0.0), clock_skew_ppm=1e5), 0.0)
    link.send(encode(COMMAND, 0, 20.0), 0.0)
    (datagram,) = link.due(FAR)
    packet = vds1.decode(datagram)
    assert isinstance(packet, vds1.Packet)
    assert packet.timestamp_s == 20.0


def test_whatever_happens_is_accounted_for() -> None:
    noise = random.Random(9)
    for seed in range(20):
        faults = LinkFaults(
            loss=noise.random() / 2,
            burst=BurstLoss(noise.random(), noise.random()),
            jitter_s=noise.random(),
            reorder=noise.random(),
            duplicate=noise.random(),
            blackouts=(Blackout(noise.random(), noise.random(), 2.0),),
        )
        counters = through(faults, 300, seed)[0].counters()
        lost = sum(counters[name] for name in ("lost", "lost_in_burst", "lost_in_blackout"))
        assert counters["delivered"] == counters["offered"] - lost + counters["duplicated"]


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"loss": 1.5}, r"faults\.loss=1.5: must be in 0\.\.1"),
        ({"loss": -0.1}, r"faults\.loss=-0.1: must be in 0\.\.1"),
        ({"loss": "much"}, r"faults\.loss='much': must be in 0\.\.1"),
        ({"loss": True}, r"faults\.loss=True: must be in 0\.\.1"),
        ({"reorder": 2}, r"faults\.reorder=2: must be in 0\.\.1"),
        ({"duplicate": 2}, r"faults\.duplicate=2"),
        ({"bit_flip": 2}, r"faults\.bit_flip=2"),
        ({"truncate": 2}, r"faults\.truncate=2"),
        ({"delay_s": -1}, r"faults\.delay_s=-1: must be >= 0"),
        ({"jitter_s": float("nan")}, r"faults\.jitter_s=nan: must be >= 0"),
        ({"jitter_s": float("inf")}, r"faults\.jitter_s=inf: must be >= 0"),
        ({"reorder_delay_s": -1}, r"faults\.reorder_delay_s=-1"),
        (
            {"clock_skew_ppm": 2e6},
            r"faults\.clock_skew_ppm=2000000.0: must be in -1e\+06\.\.1e\+06",
        ),
        ({"los": 0.1}, r"faults\.los: unknown, must be one of loss, burst"),
        ({"burst": {"enter": 0.1}}, r"faults\.burst=\{'enter': 0.1\}: needs enter, leave"),
        ({"burst": {"enter": 2, "leave": 1}}, r"faults\.burst\.enter=2: must be in 0\.\.1"),
        ({"burst": {"ente": 2}}, r"faults\.burst\.ente: unknown"),
        ({"burst": 3}, r"faults\.burst=3: must be a mapping"),
        ({"blackouts": 3}, r"faults\.blackouts=3: must be a list"),
        ({"blackouts": [{"start_s": -1, "duration_s": 1}]}, r"faults\.blackout\.start_s=-1"),
        (
            {"blackouts": [{"start_s": 1}]},
            r"faults\.blackouts=\{'start_s': 1\}: needs start_s, duration_s",
        ),
        ({"blackouts": [{"stop": 1}]}, r"faults\.blackouts\.stop: unknown"),
        ("high", r"faults='high': must be a mapping"),
    ],
)
def test_bad_faults_are_refused(mapping: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        faults_from_mapping(mapping)


def test_a_mapping_gives_all_faults() -> None:
    faults = faults_from_mapping(
        {
            "loss": 0,
            "burst": {"enter": 0.01, "leave": 0.25, "loss_in_bad": 0.9},
            "blackouts": [{"start_s": 5, "duration_s": 0.5, "every_s": 20}],
            "clock_skew_ppm": -40,
        }
    )
    assert faults == LinkFaults(
        burst=BurstLoss(0.01, 0.25, 0.9),
        blackouts=(Blackout(5, 0.5, 20),),
        clock_skew_ppm=-40,
    )
    assert faults_from_mapping({"burst": None}) == LinkFaults()
