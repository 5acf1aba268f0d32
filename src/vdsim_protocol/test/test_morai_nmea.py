"""GPS sentences against the definition of NMEA 0183, restated here, and against published ones."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vdsim_protocol.morai import Gga, NmeaReason, Rmc

from vdsim_protocol import morai


def checked(body: str) -> bytes:
    """A sentence by the definition: all characters between $ and *, exclusive or."""
    value = 0
    for character in body:
        value ^= ord(character)
    return f"${body}*{value:02X}\r\n".encode()


def test_published_sentences_are_read() -> None:
    """The two examples of the standard's usual introductions."""
    (rmc,) = morai.decode_nmea(
        b"$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A\r\n"
    )
    assert isinstance(rmc, Rmc)
    assert rmc.time_s == 12 * 3600 + 35 * 60 + 19
    assert (rmc.latitude_deg, rmc.longitude_deg) == pytest.approx((48.1173, 11.516667), abs=1e-6)
    assert rmc.speed_mps == pytest.approx(22.4 * 0.514444, abs=1e-4)
    assert (rmc.course_deg, rmc.date, rmc.valid) == (84.4, "230394", True)
    (gga,) = morai.decode_nmea(
        b"$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47\r\n"
    )
    assert isinstance(gga, Gga)
    assert (gga.quality, gga.satellites, gga.hdop, gga.altitude_m) == (1, 8, 0.9, 545.4)


def test_what_is_written_follows_the_definition() -> None:
    rmc = Rmc(3723.5, 37.2395, 126.7737, speed_mps=10.0, course_deg=-90.0, date="010121")
    data = morai.encode_nmea(rmc)
    body = data.decode().strip()[1:-3]
    assert data == checked(body)
    fields = body.split(",")
    assert fields[:7] == ["GPRMC", "010203.50", "A", "3714.3700000", "N", "12646.4220000", "E"]
    assert fields[7:10] == ["19.438", "270.00", "010121"]
    gga = morai.encode_nmea(Gga(0.0, -33.5, -70.25, altitude_m=-0.5, satellites=9, hdop=0.8))
    body = gga.decode().strip()[1:-3]
    assert gga == checked(body)
    assert body == "GPGGA,000000.00,3330.0000000,S,07015.0000000,W,1,09,0.8,-0.500,M,0.0,M,,"


@settings(max_examples=200, deadline=None)
@given(
    st.floats(0.0, 86399.99),
    st.floats(-90.0, 90.0),
    st.floats(-180.0, 180.0),
    st.floats(-400.0, 9000.0),
)
def test_places_come_back_within_a_millimetre(
    time_s: float, latitude: float, longitude: float, altitude: float
) -> None:
    sent = (Rmc(time_s, latitude, longitude, 3.0, 45.0), Gga(time_s, latitude, longitude, altitude))
    together = b"".join(map(morai.encode_nmea, sent))
    for seen in morai.decode_nmea(together + bytes(400)):
        assert isinstance(seen, Rmc | Gga)
        assert seen.latitude_deg == pytest.approx(latitude, abs=1e-8)
        assert seen.longitude_deg == pytest.approx(longitude, abs=1e-8)
        assert math.remainder(seen.time_s - time_s, 86400.0) == pytest.approx(0.0, abs=0.0051)


GOOD = checked("GPGGA,000000.00,3714.37,N,12646.42,E,1,09,0.8,30.0,M,0.0,M,,")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", NmeaReason.SENTENCE),
        (b"$", NmeaReason.SENTENCE),
        (b"\xff\xfe", NmeaReason.SENTENCE),
        (checked("GPGSV,1,1"), NmeaReason.SENTENCE),
        (GOOD.replace(b"$", b"#"), NmeaReason.SENTENCE),
        (GOOD.replace(b"3714", b"3715"), NmeaReason.CHECKSUM),
        (GOOD.replace(b"*", b"*X"), NmeaReason.CHECKSUM),
        (checked("GPGGA,000000.00"), NmeaReason.FIELD),
        (checked("GPGGA,000000.00,3714.37,X,12646.42,E,1,09,0.8,30.0,M,0.0,M,,"), NmeaReason.FIELD),
        (checked("GPGGA,000000.00,9914.37,N,12646.42,E,1,09,0.8,30.0,M,0.0,M,,"), NmeaReason.FIELD),
        (checked("GPGGA,000000.00,3764.37,N,12646.42,E,1,09,0.8,30.0,M,0.0,M,,"), NmeaReason.FIELD),
        (checked("GPGGA,000000.00,3714.37,N,12646.42,E,1,09,0.8,nan,M,0.0,M,,"), NmeaReason.FIELD),
        (checked("GPGGA,000000.00,3714.37,N,12646.42,E,1,09,0.8,9,F,0.0,M,,"), NmeaReason.FIELD),
        (checked("GPGGA,250000.00,3714.37,N,12646.42,E,1,09,0.8,9,M,0.0,M,,"), NmeaReason.FIELD),
        (checked("GPRMC,000000.00,Q,3714.37,N,12646.42,E,0,0,010121,,,A"), NmeaReason.FIELD),
    ],
)
def test_bad_sentences_are_discarded_with_a_reason(data: bytes, reason: NmeaReason) -> None:
    (seen,) = morai.decode_nmea(data)
    assert isinstance(seen, morai.NmeaReject), seen
    assert seen.reason is reason
    assert str(seen).startswith(f"{reason.value}: {morai.NMEA_REASON_TEXT[reason]} (")


def test_without_a_fix_there_is_no_place() -> None:
    for body in ("GPRMC,000000,V,,,,,,,,,,N", "GPGGA,000000,,,,,0,00,,,M,,M,,"):
        (seen,) = morai.decode_nmea(checked(body))
        assert isinstance(seen, Rmc | Gga)
        assert math.isnan(seen.latitude_deg)
    lost = morai.encode_nmea(Rmc(0.0, 0.0, 0.0, valid=False))
    assert b",V,0000.0000000," in lost


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_decoding_never_raises(data: bytes) -> None:
    for seen in morai.decode_nmea(b"$GPGGA," + data) + morai.decode_nmea(data):
        assert isinstance(seen, Rmc | Gga | morai.NmeaReject)
