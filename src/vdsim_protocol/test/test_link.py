"""Link statistics, clock estimate and watchdog, all on virtual time."""

import itertools
import random

import pytest
from vdsim_protocol.clock import ClockEstimate, ClockEstimator
from vdsim_protocol.faults import LinkFaults, LinkSimulator
from vdsim_protocol.link import LinkStatistics
from vdsim_protocol.vds1 import Reason
from vdsim_protocol.watchdog import Watchdog, is_expired
from vdsim_protocol_kit.vds1 import COMMAND, SOURCE, encode

from vdsim_protocol import vds1


class Link:
    """A receiver with its statistics."""

    def __init__(self) -> None:
        self.receiver = vds1.Receiver(vds1.Command)
        self.statistics = LinkStatistics()

    def arrive(self, datagram: bytes, now: float) -> None:
        self.statistics.observe(self.receiver.receive(datagram, SOURCE, now), now)


def test_nothing_is_known_of_a_silent_link() -> None:
    snapshot = LinkStatistics().snapshot(5.0)
    assert (snapshot.accepted, snapshot.lost, snapshot.loss_ratio) == (0, 0, 0.0)
    assert (snapshot.rate_hz, snapshot.age_s, snapshot.jitter_s, snapshot.clock) == (
        *(0.0, None, 0.0),
        None,
    )
    assert set(snapshot.rejected) == set(Reason)


def test_a_clean_stream() -> None:
    link = Link()
    for step in range(201):
        link.arrive(encode(COMMAND, step, step / 100), 7.0 + step / 100)
    snapshot = link.statistics.snapshot(9.005)
    assert (snapshot.accepted, snapshot.lost, snapshot.sessions) == (201, 0, 1)
    assert snapshot.rate_hz == pytest.approx(99.5, abs=0.6)
    assert snapshot.age_s == pytest.approx(0.005)
    assert snapshot.jitter_s == pytest.approx(0.0, abs=1e-9)
    assert snapshot.clock is not None
    assert snapshot.clock.offset_s == pytest.approx(7.0)
    assert snapshot.clock.skew_ppm == pytest.approx(0.0, abs=1e-3)


def test_loss_late_arrivals_and_copies() -> None:
    link = Link()
    for now, seq in enumerate([0, 1, 4, 3, 3, 5, 5, 9]):  # 2, 6, 7 and 8 never come
        link.arrive(encode(COMMAND, seq, seq / 100), now / 100)
    snapshot = link.statistics.snapshot(0.08)
    assert (snapshot.accepted, snapshot.lost) == (5, 4)
    assert snapshot.loss_ratio == pytest.approx(4 / 9)
    assert (snapshot.reordered, snapshot.duplicates) == (1, 2)
    assert snapshot.rejected[Reason.REORDERED] == 1


def test_the_loss_figure_recovers() -> None:
    link = Link()
    for step in range(500):  # the first second loses half of its packets
        seq = 2 * step if step < 100 else step + 100
        link.arrive(encode(COMMAND, seq, step / 100), 100.0 + step / 100)
    assert link.statistics.snapshot(101.0).loss_ratio > 0.1
    for step in range(500, 1500):
        link.arrive(encode(COMMAND, step + 100, step / 100), 100.0 + step / 100)
    snapshot = link.statistics.snapshot(115.0)
    assert (snapshot.loss_ratio, snapshot.lost) == (0.0, 100)


def test_nothing_recent_is_no_loss() -> None:
    link = Link()
    for seq in (0, 5):
        link.arrive(encode(COMMAND, seq, seq / 100), 0.0)
    assert link.statistics.snapshot(0.0).loss_ratio == pytest.approx(4 / 6)
    assert link.statistics.snapshot(60.0).loss_ratio == 0.0


def test_rejects_are_counted_by_reason() -> None:
    link = Link()
    for datagram in (b"", b"", encode(COMMAND)[:-1] + b"x"):
        link.arrive(datagram, 0.0)
    snapshot = link.statistics.snapshot(0.0)
    assert snapshot.rejected[Reason.LENGTH] == 2
    assert snapshot.rejected[Reason.CRC] == 1
    assert snapshot.age_s is None


def test_the_rate_falls_when_packets_stop() -> None:
    link = Link()
    for step in range(11):
        link.arrive(encode(COMMAND, step, step / 10), step / 10)
    rates = [link.statistics.snapshot(now).rate_hz for now in (1.0, 1.5, 1.9, 2.1)]
    assert rates[0] == pytest.approx(10.0)
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] == 0.0


def test_one_arrival_is_no_rate() -> None:
    link = Link()
    link.arrive(encode(COMMAND), 1.0)
    assert link.statistics.snapshot(1.0).rate_hz == 0.0
    assert link.statistics.snapshot(1.5).rate_hz == 0.0
    link.arrive(encode(COMMAND, 1, 0.1), 1.0)
    assert link.statistics.snapshot(1.0).rate_hz == 0.0  # both in the same instant


def test_jitter_follows_rfc_3550() -> None:
    link = Link()
    expected, transit = 0.0, None
    for step, late_s in enumerate([0.0, 0.004, 0.001, 0.007, 0.0]):
        now = step / 100 + late_s
        link.arrive(encode(COMMAND, step, step / 100), now)
        if transit is not None:
            expected += (abs(late_s - transit) - expected) / 16
        transit = late_s
    assert link.statistics.snapshot(1.0).jitter_s == pytest.approx(expected)
    assert expected > 0.0005


def test_a_new_session_starts_the_estimates_again() -> None:
    link = Link()
    for step in range(1, 50):
        link.arrive(encode(COMMAND, step, step / 100), step / 100 + (step % 2) / 1000)
    assert link.statistics.snapshot(0.5).jitter_s > 0.0
    link.arrive(encode(COMMAND, 0, 900.0), 1.0)
    snapshot = link.statistics.snapshot(1.0)
    assert (snapshot.sessions, snapshot.jitter_s, snapshot.lost) == (2, 0.0, 0)
    assert snapshot.clock == ClockEstimate(pytest.approx(-899.0), 0.0)


def test_memory_is_bounded() -> None:
    statistics = LinkStatistics()
    receiver = vds1.Receiver(vds1.Command)
    for step in range(5000):
        now = step * 1e-5
        statistics.observe(receiver.receive(encode(COMMAND, step, now), SOURCE, now), now)
    assert len(statistics._arrivals) == 4096


@pytest.mark.parametrize("skew_ppm", [-200.0, 0.0, 35.0])
def test_offset_and_skew_of_a_peer_that_runs_free(skew_ppm: float) -> None:
    """A peer whose clock runs slower by the skew, over a link with jitter of 5 ms."""
    estimator = ClockEstimator()
    noise = random.Random(3)
    for step in range(3000):
        sent_s = step / 100
        stamp_s = 1000.0 + sent_s * (1.0 - skew_ppm * 1e-6)
        estimator.add(stamp_s, sent_s + 0.002 + 0.005 * noise.random())
    estimate = estimator.estimate(30.0)
    assert estimate is not None
    assert estimate.skew_ppm == pytest.approx(skew_ppm, abs=10.0)
    expected = 30.0 - (1000.0 + 30.0 * (1.0 - skew_ppm * 1e-6))
    assert estimate.offset_s == pytest.approx(expected + 0.002, abs=0.0005)


def test_only_the_least_delayed_packet_of_a_block_counts() -> None:
    estimator = ClockEstimator()
    for now, stamp_s in [(0.0, -0.5), (0.1, 0.0), (0.2, -0.9), (1.0, 0.7)]:
        estimator.add(stamp_s, now)
    # Minima: 0.1 at 0.1 and 0.3 at 1.0, so a slope of 0.2 / 0.9.
    estimate = estimator.estimate(1.0)
    assert estimate is not None
    assert estimate.offset_s == pytest.approx(0.3)
    assert estimate.skew_ppm == pytest.approx(0.2 / 0.9 * 1e6)


def test_the_estimator_forgets() -> None:
    estimator = ClockEstimator(block_s=1.0, blocks=3)
    for now in range(10):
        estimator.add(now - (5.0 if now < 7 else 1.0), float(now))
    assert estimator.estimate(9.0) == ClockEstimate(pytest.approx(1.0), pytest.approx(0.0))
    estimator.reset()
    assert estimator.estimate(9.0) is None


def test_a_faulty_link_shows_in_the_figures() -> None:
    """The statistics match what the simulator did."""
    faults = LinkFaults(loss=0.1, delay_s=0.02, reorder=0.05, duplicate=0.05, bit_flip=0.02)
    simulator, link = LinkSimulator(faults, seed=4), Link()
    sender = vds1.Sender()
    for step in range(2000):
        now = step / 100
        simulator.send(sender.command(COMMAND, now), now)
        for datagram in simulator.due(now):
            link.arrive(datagram, now)
    for datagram in simulator.due(100.0):
        link.arrive(datagram, 20.02)
    counts = simulator.counters()
    snapshot = link.statistics.snapshot(20.02)
    assert sum(snapshot.rejected.values()) + snapshot.accepted == counts["delivered"]
    damaged = sum(snapshot.rejected[r] for r in itertools.islice(Reason, 5))
    assert damaged == counts["bit_flipped"]
    assert snapshot.lost == pytest.approx(counts["lost"] + counts["bit_flipped"], abs=8)
    assert snapshot.reordered > 50
    assert snapshot.duplicates > 50


class TestWatchdog:
    @pytest.mark.parametrize(
        ("age_s", "expired"),
        [(0.0, False), (0.1 - 1e-9, False), (0.1, False), (0.1 + 1e-9, True), (94.0, True)],
    )
    def test_an_age_beyond_the_timeout_is_expired(self, age_s: float, expired: bool) -> None:
        assert is_expired(age_s, 0.1) is expired

    def test_is_expired_until_fed(self) -> None:
        assert Watchdog(0.1).expired(0.0)

    def test_expires_after_its_timeout(self) -> None:
        watchdog = Watchdog(0.125)  # exact in binary, as are the times below
        watchdog.fed(5.0)
        assert not watchdog.expired(5.0)
        assert not watchdog.expired(5.125)
        assert watchdog.expired(5.125 + 1e-9)
        assert watchdog.expired(99.0)

    def test_resumes_when_fed_again(self) -> None:
        watchdog = Watchdog(0.1)
        watchdog.fed(0.0)
        assert watchdog.expired(1.0)
        watchdog.fed(1.0)
        assert not watchdog.expired(1.05)
        assert watchdog.expired(1.15)

    @pytest.mark.parametrize("timeout_s", [0.0, -1.0, float("nan")])
    def test_needs_a_positive_timeout(self, timeout_s: float) -> None:
        with pytest.raises(ValueError, match=f"^timeout_s={timeout_s!r}: must be > 0"):
            Watchdog(timeout_s)
