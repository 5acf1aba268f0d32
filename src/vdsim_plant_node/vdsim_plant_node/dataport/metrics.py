"""The server's numbers as Prometheus text (exposition format 0.0.4). Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from vdsim_plant.realtime.pacing import PacingReport

from vdsim_plant_node.dataport.json_views import Driver, driver_of
from vdsim_plant_node.live.snapshots import PortSnapshot, VehicleSnapshot

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True)
class PortActivity:
    """What the data port itself has done."""

    requests: int
    refused: int
    streams: int
    telemetry_sent: int
    telemetry_failed: int


@dataclass(frozen=True)
class Readings:
    """Everything that is exported."""

    time_s: float
    paused: bool
    pacing: PacingReport
    vehicles: Sequence[VehicleSnapshot]
    ports: Sequence[PortSnapshot]
    activity: PortActivity


class Sample(NamedTuple):
    """One line: labels and value."""

    labels: tuple[tuple[str, object], ...]
    value: float | None


@dataclass(frozen=True)
class Metric:
    """One family; counters end in _total."""

    name: str
    help: str
    samples: Callable[[Readings], Iterable[Sample]]

    @property
    def kind(self) -> str:
        """As the format names it."""
        return "counter" if self.name.endswith("_total") else "gauge"


def prometheus_text(readings: Readings) -> str:
    """All metrics; a value that is not known yet is left out."""
    lines: list[str] = []
    for metric in METRICS:
        samples = [sample for sample in metric.samples(readings) if sample.value is not None]
        if not samples:
            continue
        lines += [f"# HELP {metric.name} {metric.help}", f"# TYPE {metric.name} {metric.kind}"]
        lines += [f"{metric.name}{_labels(sample.labels)} {sample.value!r}" for sample in samples]
    return "\n".join(lines) + "\n"


def _labels(labels: tuple[tuple[str, object], ...]) -> str:
    if not labels:
        return ""
    pairs = ",".join(f'{name}="{_escaped(str(value))}"' for name, value in labels)
    return "{" + pairs + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _server(name: str, text: str, read: Callable[[Readings], float]) -> Metric:
    return Metric(f"vdsim_{name}", text, lambda r: [Sample((), read(r))])


def _vehicle(name: str, text: str, read: Callable[[VehicleSnapshot], float | None]) -> Metric:
    def samples(readings: Readings) -> Iterable[Sample]:
        for vehicle in readings.vehicles:
            labels = (("vehicle", vehicle.status.vehicle_id), ("model", vehicle.status.name))
            yield Sample(labels, read(vehicle))

    return Metric(f"vdsim_{name}", text, samples)


def _port(name: str, text: str, read: Callable[[PortSnapshot], float]) -> Metric:
    def samples(readings: Readings) -> Iterable[Sample]:
        for port in readings.ports:
            yield Sample((("port", port.address[1]),), read(port))

    return Metric(f"vdsim_{name}", text, samples)


def _drivers(readings: Readings) -> Iterable[Sample]:
    for vehicle in readings.vehicles:
        status = vehicle.status
        drives = driver_of(status.drive, status.commanded_by)
        for driver in Driver:
            labels = (("vehicle", status.vehicle_id), ("driver", driver.value))
            yield Sample(labels, int(driver is drives))


def _rejects(readings: Readings) -> Iterable[Sample]:
    for port in readings.ports:
        for reason, count in port.counters.rejected.items():
            yield Sample((("port", port.address[1]), ("reason", reason.value)), count)


def _lateness(readings: Readings) -> Iterable[Sample]:
    pacing = readings.pacing
    yield Sample((("quantile", "0.5"),), pacing.lateness_p50_s)
    yield Sample((("quantile", "0.99"),), pacing.lateness_p99_s)
    yield Sample((("quantile", "1"),), pacing.lateness_max_s)


METRICS = (
    _server("ticks_total", "Ticks of the server", lambda r: r.pacing.ticks),
    _server("tick_overruns_total", "Ticks that were due before", lambda r: r.pacing.overruns),
    _server("ticks_skipped_total", "Ticks left out", lambda r: r.pacing.skipped_ticks),
    Metric("vdsim_tick_lateness_seconds", "Lateness of ticks since the start", _lateness),
    _server("paused", "1 while time stands", lambda r: int(r.paused)),
    _vehicle("sim_time_seconds", "Time since the last reset", lambda v: v.output.time_s),
    _vehicle("speed_mps", "Forward speed, body frame", lambda v: v.output.motion.vx_mps),
    _vehicle("yaw_rate_radps", "Yaw rate", lambda v: v.output.motion.yaw_rate_radps),
    _vehicle("charge_ratio", "What is left to drive with", lambda v: v.output.charge),
    Metric("vdsim_driver", "1 for who drives the vehicle", _drivers),
    _vehicle("failsafes_total", "Times that commands stopped", lambda v: v.status.failsafes),
    _vehicle("commands_total", "Commands taken, CMD and io", lambda v: v.status.commands),
    _vehicle("command_age_seconds", "Since the last command", lambda v: v.status.command_age_s),
    _vehicle("states_total", "STATE packets made", lambda v: v.status.states),
    _vehicle("cmd_rate_hertz", "CMD in the last second", lambda v: v.status.link.rate_hz),
    # Goes down again when a packet turns up late, so it is no counter.
    _vehicle("cmd_lost", "CMD sequence numbers missing", lambda v: v.status.link.lost),
    _vehicle("cmd_jitter_seconds", "Interarrival jitter", lambda v: v.status.link.jitter_s),
    _vehicle("cmd_sessions_total", "Sessions of CMD senders", lambda v: v.status.link.sessions),
    _port("cmd_accepted_total", "CMD taken at a port", lambda p: p.counters.accepted),
    _port("cmd_clamped_total", "CMD with a value brought to range", lambda p: p.counters.clamped),
    Metric("vdsim_cmd_rejected_total", "Datagrams dropped at a port", _rejects),
    _port("cmd_discarded_total", "Datagrams the kernel dropped unread", lambda p: p.discarded),
    _port("state_send_failures_total", "STATE that could not be sent", lambda p: p.send_failures),
    _server("http_requests_total", "Requests to the data port", lambda r: r.activity.requests),
    _server("http_refused_total", "Requests answered 4xx", lambda r: r.activity.refused),
    _server("http_streams", "Streams open", lambda r: r.activity.streams),
    _server(
        "telemetry_sent_total", "JSON datagrams sent", lambda r: r.activity.telemetry_sent
    ),
    _server(
        "telemetry_failed_total", "JSON datagrams refused by the system",
        lambda r: r.activity.telemetry_failed,
    ),
)  # fmt: skip
