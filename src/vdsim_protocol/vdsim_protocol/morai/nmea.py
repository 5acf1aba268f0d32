"""The simulator's GPS: NMEA 0183 sentences RMC and GGA in a datagram. Pure text, no envelope.

Latitude and longitude are WGS 84 in degrees, north and east positive; on the wire they are degrees
and minutes. The checksum is the exclusive or of the characters between `$` and `*`.
"""

from __future__ import annotations

import enum
import functools
import math
import operator
from dataclasses import dataclass
from typing import TypeAlias

KNOT_MPS = 1852.0 / 3600.0
_ENDING = "\r\n"
_PADDING = b"\0 \r\n"


@dataclass(frozen=True)
class Rmc:
    """Recommended minimum data: position, speed over ground, course. `time_s`: of the UTC day."""

    time_s: float
    latitude_deg: float
    longitude_deg: float
    speed_mps: float = 0.0
    course_deg: float = 0.0
    """Clockwise from north."""
    date: str = "010100"
    """ddmmyy."""
    valid: bool = True


@dataclass(frozen=True)
class Gga:
    """Fix data: position, its quality, and the height. `time_s`: of the UTC day."""

    time_s: float
    latitude_deg: float
    longitude_deg: float
    altitude_m: float = 0.0
    quality: int = 1
    """0: no fix, 1: GPS."""
    satellites: int = 0
    hdop: float = math.nan


Sentence: TypeAlias = Rmc | Gga


class NmeaReason(enum.Enum):
    """Why a sentence was discarded, in the order of the checks."""

    SENTENCE = "sentence"
    CHECKSUM = "checksum"
    FIELD = "field"


NMEA_REASON_TEXT = {
    NmeaReason.SENTENCE: "is neither RMC nor GGA",
    NmeaReason.CHECKSUM: "the checksum does not fit",
    NmeaReason.FIELD: "a field is missing or not what the sentence defines",
}
"""What each reason means, in one line."""


@dataclass(frozen=True)
class NmeaReject:
    """A discarded sentence."""

    reason: NmeaReason
    detail: str

    def __str__(self) -> str:
        return f"{self.reason.value}: {NMEA_REASON_TEXT[self.reason]} ({self.detail})"


def checksum(body: str) -> str:
    """Two hexadecimal digits: the exclusive or of all characters."""
    return f"{functools.reduce(operator.xor, body.encode('ascii'), 0):02X}"


def encode_nmea(sentence: Sentence) -> bytes:
    """One sentence with its checksum and line end."""
    body = _rmc(sentence) if isinstance(sentence, Rmc) else _gga(sentence)
    return f"${body}*{checksum(body)}{_ENDING}".encode("ascii")


def decode_nmea(datagram: bytes) -> tuple[Sentence | NmeaReject, ...]:
    """Every sentence of a datagram; padding of NULs is ignored. Never raises."""
    lines = datagram.strip(_PADDING).split(b"\n")
    return tuple(_decode(line.strip(_PADDING)) for line in lines)


def _decode(line: bytes) -> Sentence | NmeaReject:
    shown = repr(line[:80])
    try:
        text = line.decode("ascii")
    except UnicodeDecodeError:
        return NmeaReject(NmeaReason.SENTENCE, shown)
    body, star, given = text.removeprefix("$").partition("*")
    name, *fields = body.split(",")
    if not text.startswith("$") or len(name) != 5 or name[2:] not in ("RMC", "GGA"):
        return NmeaReject(NmeaReason.SENTENCE, shown)
    if star and given.upper() != checksum(body):
        return NmeaReject(NmeaReason.CHECKSUM, f"{given!r}, must be {checksum(body)}")
    try:
        return _read_rmc(fields) if name.endswith("RMC") else _read_gga(fields)
    except (ValueError, IndexError):
        return NmeaReject(NmeaReason.FIELD, shown)


# ---- writing -------------------------------------------------------------------------------------


def _rmc(rmc: Rmc) -> str:
    # The last field is that of NMEA 4.1: no statement about the safety of navigation.
    place = _place(rmc.latitude_deg, rmc.longitude_deg)
    motion = f"{rmc.speed_mps / KNOT_MPS:.3f},{rmc.course_deg % 360.0:.2f}"
    status, mode = ("A", "A") if rmc.valid else ("V", "N")
    return f"GPRMC,{_time(rmc.time_s)},{status},{place},{motion},{rmc.date},,,{mode},V"


def _gga(gga: Gga) -> str:
    place = _place(gga.latitude_deg, gga.longitude_deg)
    hdop = f"{gga.hdop:.1f}" if math.isfinite(gga.hdop) else ""
    fix = f"{gga.quality},{gga.satellites:02d},{hdop}"
    return f"GPGGA,{_time(gga.time_s)},{place},{fix},{gga.altitude_m:.3f},M,0.0,M,,"


def _time(time_s: float) -> str:
    hundredths = round(time_s % 86400.0 * 100.0) % 8640000
    minutes, rest = divmod(hundredths, 6000)
    return f"{minutes // 60:02d}{minutes % 60:02d}{rest / 100.0:05.2f}"


def _place(latitude_deg: float, longitude_deg: float) -> str:
    north, east = "NS"[latitude_deg < 0.0], "EW"[longitude_deg < 0.0]
    return f"{_minutes(latitude_deg, 2)},{north},{_minutes(longitude_deg, 3)},{east}"


def _minutes(angle_deg: float, digits: int) -> str:
    """Degrees and minutes with seven decimals, 0.2 mm."""
    degrees, rest = divmod(round(abs(angle_deg) * 60e7), 60 * 10**7)
    return f"{degrees:0{digits}d}{rest / 1e7:010.7f}"


# ---- reading -------------------------------------------------------------------------------------


def _read_rmc(fields: list[str]) -> Rmc:
    if fields[1] not in ("A", "V"):
        raise ValueError(fields[1])
    valid = fields[1] == "A"
    return Rmc(
        time_s=_read_time(fields[0]),
        latitude_deg=_read_angle(fields[2], fields[3], "NS", 90.0) if valid else math.nan,
        longitude_deg=_read_angle(fields[4], fields[5], "EW", 180.0) if valid else math.nan,
        speed_mps=_read_number(fields[6] or "0") * KNOT_MPS,
        course_deg=_read_number(fields[7] or "0"),
        date=fields[8],
        valid=valid,
    )


def _read_gga(fields: list[str]) -> Gga:
    quality = _read_whole(fields[5])
    fixed = quality > 0
    if fixed and fields[9] != "M":
        raise ValueError(fields[9])
    return Gga(
        time_s=_read_time(fields[0]),
        latitude_deg=_read_angle(fields[1], fields[2], "NS", 90.0) if fixed else math.nan,
        longitude_deg=_read_angle(fields[3], fields[4], "EW", 180.0) if fixed else math.nan,
        altitude_m=_read_number(fields[8]) if fixed else math.nan,
        quality=quality,
        satellites=_read_whole(fields[6] or "0"),
        hdop=_read_number(fields[7]) if fields[7] else math.nan,
    )


def _read_number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _read_whole(text: str) -> int:
    if not text.isdigit() or len(text) > 4:
        raise ValueError(text)
    return int(text)


def _read_time(text: str) -> float:
    hours, minutes, seconds = int(text[:2]), int(text[2:4]), _read_number(text[4:])
    if not (0 <= hours < 24 and 0 <= minutes < 60 and 0.0 <= seconds < 61.0):
        raise ValueError(text)
    return 3600.0 * hours + 60.0 * minutes + seconds


def _read_angle(text: str, side: str, sides: str, largest_deg: float) -> float:
    degrees, minutes = divmod(_read_number(text), 100.0)
    angle = degrees + minutes / 60.0
    if side not in tuple(sides) or minutes >= 60.0 or not 0.0 <= angle <= largest_deg:
        raise ValueError(text)
    return -angle if side == sides[1] else angle
