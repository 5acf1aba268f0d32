"""Extra values of a report: plain ones pass, whatever else a platform puts there does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from vdsim_interface.extras.fake.platform import FakeParameters, FakePlatform
from vdsim_interface.guard import frames
from vdsim_interface.guard.packing import packed, unpacked
from vdsim_interface.guard.shapes import LARGEST
from vdsim_interface.pipeline.parameters import InterfaceParameters
from vdsim_interface.pipeline.vehicle_side import VehicleSide
from vdsim_interface.platforms.spec import Address, PlatformSetup, Received
from vdsim_interface.platforms.vds1.parameters import Vds1Parameters
from vdsim_interface.platforms.vds1.platform import Vds1Platform
from vdsim_interface.values import Applied, BodyState, VehicleReport
from vdsim_interface.values.extra import MOST_BYTES, MOST_VALUES, checked_extra
from vdsim_interface_kit.guarding import GuardedCar
from vdsim_kit.wire_car import state_at

from vdsim_protocol import vds1

PLAIN = {"on": True, "n": 3, "v": 2.5, "name": "front", "raw": b"\x00", "list": (1.0, 2.0)}


def test_plain_values_pass_and_survive_the_guards_frames() -> None:
    extra, why = checked_extra(PLAIN)
    assert (extra, why) == (PLAIN, "")
    report = VehicleReport(1.0, 1.0, 0.0, 0.0, BodyState(), Applied(0.0, 0.0), extra=extra)
    arrived = unpacked(frames.Report, packed(frames.Report(report, b""))).report.extra
    assert arrived == PLAIN
    assert [type(value) for value in arrived.values()] == [type(v) for v in PLAIN.values()]


def test_numbers_of_other_libraries_become_plain() -> None:
    extra, why = checked_extra({"single": np.float64(2.5), "list": [1, 2.5]})
    assert (extra, why) == ({"single": 2.5, "list": (1.0, 2.5)}, "")
    assert type(extra["single"]) is float


@pytest.mark.parametrize(
    ("extra", "why"),
    [
        (3, "extra is of type int, not a mapping"),
        ({"a": None}, "a is neither a number, a text, bytes nor a tuple of numbers"),
        ({"a": 2**63}, "a is neither"),
        ({"a": ("x",)}, "a is neither"),
        ({"a": (10**400,)}, "a is neither"),
        ({"a": {"b": 1.0}}, "a is neither"),
        ({"a": (0.0,) * 5000}, "a is neither"),
        ({3: 1.0}, "a name is no text of 1 to 64 characters"),
        ({"": 1.0}, "a name is no text of 1 to 64 characters"),
        ({"a": "x" * (MOST_BYTES + 1)}, f"more than {MOST_VALUES} values or {MOST_BYTES} bytes"),
        ({f"v{n}": 0.0 for n in range(MOST_VALUES + 1)}, f"more than {MOST_VALUES} values"),
    ],
)
def test_anything_else_is_dropped_with_a_reason(extra: Any, why: str) -> None:
    good, found = checked_extra(extra)
    assert found.startswith(why)
    assert len(good) <= MOST_VALUES


def test_the_good_ones_beside_a_bad_one_stay() -> None:
    good, why = checked_extra({"a": 1.0, "bad": object(), "b": 2.0})
    assert good == {"a": 1.0, "b": 2.0}
    assert why


@given(st.dictionaries(st.text(max_size=70), st.text() | st.binary() | st.integers() | st.floats()))
def test_what_passes_fits_into_a_frame(extra: dict[str, Any]) -> None:
    good, _ = checked_extra(extra)
    report = VehicleReport(1.0, 1.0, 0.0, 0.0, BodyState(), Applied(0.0, 0.0), extra=good)
    data = packed(frames.Report(report, bytes(frames.LARGEST_DATAGRAM)))
    assert len(data) < LARGEST - 64
    unpacked(frames.Report, data)


class Talkative(FakePlatform):
    """A car whose reports hold whatever the test wants."""

    extra: Any = None

    def poll(self, now: float) -> tuple[VehicleReport, ...]:
        return tuple(report._replace(extra=self.extra) for report in super().poll(now))


def test_the_vehicle_side_lets_no_other_value_into_a_report() -> None:
    parameters = InterfaceParameters()
    car = Talkative(FakeParameters(), PlatformSetup(parameters.vehicle, parameters.period_s))
    side = VehicleSide(parameters, car)
    car.extra = {"range_m": 1.5, "bad": object()}
    [received] = side.poll(1.0)
    assert side.report is not None
    assert side.report.extra == {"range_m": 1.5}
    assert received.report is side.report
    [notice] = received.notices
    assert notice.text == (
        "extra values of a report dropped: bad is neither a number, a text, bytes nor a tuple of "
        "numbers"
    )
    car.extra = {"range_m": 1.5}
    [received] = side.poll(1.01)
    assert received.notices == ()


def test_what_is_dropped_of_a_wires_reports_is_counted() -> None:
    parameters = InterfaceParameters()
    setup = PlatformSetup(parameters.vehicle, parameters.period_s)
    side = VehicleSide(parameters, Chatty(Vds1Parameters(), setup))
    sender = vds1.Sender()
    for number in range(3):
        now = 1.0 + 0.01 * number
        side.on_datagram(sender.state(state_at(3.0), now), ("127.0.0.1", 7001), "vds1", now)
    assert side.link_statistics(1.1)["extra_dropped"] == 3.0


class Chatty(Vds1Platform):
    """A car on a wire whose reports hold what no frame can carry."""

    def receive(self, datagram: bytes, source: Address, endpoint: str, now: float) -> Received:
        received = super().receive(datagram, source, endpoint, now)
        if received.report is None:
            return received
        extra: Any = {"bad": object()}
        return Received(received.report._replace(extra=extra), received.notices)


def test_a_packet_that_a_frame_cannot_hold_stays_in_the_guard() -> None:
    car = GuardedCar()
    car.run(0.1)
    sides = car.guard.sides
    assert sides is not None
    report = sides.vehicle.report
    assert report is not None
    for size, kept in ((frames.LARGEST_DATAGRAM, True), (65507, False)):
        car.guard._feed_back(sides, report, (), bytes(size), car.now)
        car.run(0.01)
        found = [f.datagram for f in car.all_of(frames.Report)][-2]
        assert (len(found) == size) is kept
