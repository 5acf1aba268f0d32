"""`vdsim_replay RUN.vds --mcap OUT.mcap`: a recording of the car as MCAP, in the schemas of ROS 2.

Its times are those of the recording: seconds since the start of the run.

Exit codes: 0 done, 1 the file could not be written, 2 wrong options or no recording.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from mcap.writer import CompressionType, Writer
from rclpy.serialization import serialize_message
from vdsim_plant_node.runs.recording import RecordingError, RecordingReader

from vdsim_record.mcap_file.records import ENCODING, LIBRARY, PROFILE, SCHEMA_ENCODING
from vdsim_record.ros.from_vds import VehicleMessages
from vdsim_record.ros.type_texts import NoDefinitionError, type_text

PROGRAM = "vdsim_replay"


def parser() -> argparse.ArgumentParser:
    """The command line."""
    line = argparse.ArgumentParser(
        prog=PROGRAM, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    line.add_argument("file", type=Path, metavar="RUN.vds", help="a recording of the car")
    line.add_argument("--mcap", type=Path, required=True, metavar="OUT.mcap", help="what is made")
    return line


def main(arguments: Sequence[str] | None = None) -> int:
    """Convert."""
    options = parser().parse_args(arguments)
    out: Path = options.mcap
    try:
        reader = RecordingReader(options.file)
        stream = out.open("xb")
    except RecordingError as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return 2
    except FileExistsError:
        print(f"{PROGRAM}: --mcap {out}: is there already; give another name", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{PROGRAM}: --mcap {out}: {error.strerror or error}", file=sys.stderr)
        return 1
    try:
        with stream:
            counts = Writing(Writer(stream, compression=CompressionType.ZSTD)).all_of(reader)
    except (RecordingError, NoDefinitionError, OSError) as error:
        out.unlink()
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return 2 if isinstance(error, RecordingError) else 1
    cut = "; the recording ends in the middle of a record" if reader.truncated else ""
    messages_n = sum(counts.values())
    print(f"{PROGRAM}: {out}: {messages_n} messages on {len(counts)} topics{cut}")
    return 0


class Writing:
    """The messages of all vehicles into one file."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._schemas: dict[str, int] = {}
        self._channels: dict[str, int] = {}
        self._counts: Counter[str] = Counter()

    def all_of(self, reader: RecordingReader) -> Counter[str]:
        """Write a recording; return how many messages each topic has."""
        vehicles: dict[int, VehicleMessages] = {}
        several = len(reader.metadata.get("vehicles", ())) > 1
        self._writer.start(PROFILE, LIBRARY)
        for record in reader:
            number = record.vehicle_id
            own = f"vehicle_{number}" if several else "vehicle"
            if number not in vehicles:
                vehicles[number] = VehicleMessages(number, f"{own}/" if several else "")
            for topic, message in vehicles[number].of(record):
                name = topic if topic.startswith("/") else f"/{own}/{topic}"
                self._add(name, message, round(record.time_s * 1e9))
        self._writer.finish()  # type: ignore[no-untyped-call]
        return self._counts

    def _add(self, topic: str, message: object, time_ns: int) -> None:
        channel = self._channels.get(topic)
        if channel is None:
            channel = self._channels[topic] = self._channel(topic, message)
        self._counts[topic] += 1
        self._writer.add_message(
            channel_id=channel,
            log_time=time_ns,
            publish_time=time_ns,
            sequence=self._counts[topic],
            data=bytes(serialize_message(message)),
        )

    def _channel(self, topic: str, message: object) -> int:
        kind = type(message)
        name = f"{kind.__module__.split('.')[0]}/msg/{kind.__name__}"
        if name not in self._schemas:
            self._schemas[name] = self._writer.register_schema(
                name, SCHEMA_ENCODING, type_text(name).encode()
            )
        return self._writer.register_channel(topic, ENCODING, self._schemas[name])


if __name__ == "__main__":
    sys.exit(main())
