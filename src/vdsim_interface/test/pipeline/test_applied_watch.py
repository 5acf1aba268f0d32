"""What is sent, compared with what the vehicle reports as applied."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from vdsim_interface.extras.explain.applied_monitor import WINDOW_S, AppliedMonitor
from vdsim_interface.extras.explain.cli.explain import main
from vdsim_interface.extras.explain.jsonl import to_line
from vdsim_interface.extras.explain.sentences import summary
from vdsim_interface.pipeline.trace import CommandTrace
from vdsim_interface.values import (
    Applied,
    Authority,
    BodyCommand,
    Gear,
    HighLevelCommand,
    Mode,
    VehicleCommand,
    WireCommand,
)

PERIOD_S = 0.01
DELAY_N = 20
LOST_S = 4.0


def sent(now: float) -> WireCommand:
    """A slalom with the pedals changing over every second."""
    drives = int(now) % 2 == 0
    return WireCommand(0.3 * math.sin(3.0 * now), 0.4 * drives, 0.3 * (not drives))


def drive(lost_s: float = math.inf, *, fail_safe: Applied | None = None) -> Iterator[CommandTrace]:
    """Eight seconds of a vehicle that answers late; from `lost_s` on it receives nothing."""
    for n in range(800):
        now = n * PERIOD_S
        received = sent(max(0.0, min(now, lost_s) - DELAY_N * PERIOD_S))
        applied = Applied(received.front_wheel_angle_rad, 0.0, received.throttle, received.brake)
        if now > lost_s and fail_safe is not None:
            applied = fail_safe
        yield CommandTrace(
            now,
            Mode.AUTONOMOUS,
            Authority.COMMAND,
            HighLevelCommand(now, 5.0),
            None,
            None,
            VehicleCommand(now),
            None,
            BodyCommand(),
            sent(now),
            n,
            applied,
            now,
            (),
        )


def not_applied_lines(traces: Iterator[CommandTrace]) -> list[str]:
    return [line for line in summary(traces) if "does not apply" in line]


def test_a_vehicle_that_answers_late_applies_what_is_sent() -> None:
    assert not_applied_lines(drive()) == []


def test_a_fail_safe_of_the_vehicle_is_reported_with_both_values() -> None:
    [line, *_] = not_applied_lines(drive(LOST_S, fail_safe=Applied(0.5, -4.0, 0.0, 0.6)))
    assert line.startswith(f"{LOST_S + PERIOD_S:.2f} to 7.99 s")
    assert "the vehicle does not apply what is sent: front wheel angle " in line
    assert "0.5 rad applied" in line
    assert "brake 0 sent, 0.6 applied" in line


def test_a_vehicle_that_holds_old_values_is_found_within_a_window() -> None:
    held = (trace._replace(wire=WireCommand(0.2, 0.4, 0.0)) for trace in drive())
    traces = [t._replace(applied=Applied(0.2, 0.0, 0.1, 0.0)) for t in held]
    monitor = AppliedMonitor()
    found = [(t.stamp_s, monitor.update(t)) for t in traces]
    first_s, [one] = next((at_s, names) for at_s, names in found if names)
    assert first_s == pytest.approx(WINDOW_S)
    assert one.words() == "throttle 0.4 sent, 0.1 applied"


@pytest.mark.parametrize(
    ("asked_mps2", "gear", "applied_mps2", "is_reported"),
    [
        (2.96, Gear.DRIVE, 0.0, True),
        (2.96, Gear.DRIVE, -3.0, True),
        (2.96, Gear.DRIVE, 2.5, False),
        (-2.5, Gear.DRIVE, 0.0, False),
        (-2.5, Gear.REVERSE, 0.0, True),
        (2.5, Gear.REVERSE, 0.0, False),
    ],
)
def test_without_pedals_in_the_report_the_acceleration_is_compared(
    asked_mps2: float, gear: Gear, applied_mps2: float, *, is_reported: bool
) -> None:
    lines = not_applied_lines(
        t._replace(
            safe=VehicleCommand(t.stamp_s, asked_mps2),
            body=BodyCommand(gear=gear),
            wire=WireCommand(0.0, 0.4, 0.0),
            applied=Applied(0.0, applied_mps2),
        )
        for t in drive()
    )
    expected = f"acceleration {asked_mps2:.3g} sent, {applied_mps2:.3g} m/s2 applied"
    assert any(expected in line for line in lines) is is_reported


def test_what_is_not_sent_or_not_reported_is_not_compared() -> None:
    alien = Applied(0.5, 0.0, 1.0, 1.0)
    assert not_applied_lines(t._replace(wire=None, applied=alien) for t in drive()) == []
    assert not_applied_lines(t._replace(applied=None) for t in drive()) == []
    assert (
        not_applied_lines(t._replace(applied=alien, applied_stamp_s=-math.inf) for t in drive())
        == []
    )
    unknown = Applied(0.0, 0.0)
    assert (
        not_applied_lines(
            t._replace(wire=WireCommand(0.0, 0.4, 0.0), applied=unknown) for t in drive()
        )
        == []
    )


def test_a_jump_of_time_resets_the_window() -> None:
    monitor = AppliedMonitor()
    traces = list(drive())
    for trace in traces:
        monitor.update(trace)
    alien = Applied(0.5, 0.0, 1.0, 1.0)
    assert monitor.update(traces[0]._replace(applied=alien)) == ()


def test_the_command_line_reports_it_of_a_recording(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = tmp_path / "drive.jsonl"
    traces = drive(LOST_S, fail_safe=Applied(0.5, -4.0, 0.0, 0.6))
    recording.write_text("".join(f"{to_line(trace)}\n" for trace in traces), encoding="utf-8")
    assert main([str(recording)]) == 0
    assert "the vehicle does not apply what is sent" in capsys.readouterr().out
    assert main([str(recording), "--at", "6"]) == 0
    out = capsys.readouterr().out
    assert "applied: front wheel angle 0.5 rad, acceleration -4 m/s2, throttle 0, brake 0.6" in out
    assert "the vehicle does not apply what is sent" in out
    assert main([str(recording), "--at", "3"]) == 0
    assert "the vehicle does not apply" not in capsys.readouterr().out


def test_after_a_gap_there_must_be_a_window_again() -> None:
    """Recordings have gaps, nodes pause: what was sent before a gap is not compared after it."""

    def steering(now: float, sent_rad: float) -> CommandTrace:
        trace = next(drive())
        wire, applied = WireCommand(sent_rad, 0.0, 0.0), Applied(0.0, 0.0, 0.0, 0.0)
        return trace._replace(stamp_s=now, wire=wire, applied=applied, applied_stamp_s=now)

    monitor = AppliedMonitor()
    for n in range(200):
        assert not monitor.update(steering(n * PERIOD_S, 0.0))
    again_s = 62.0
    judged = [monitor.update(steering(again_s + n * PERIOD_S, 0.3)) for n in range(150)]
    first = next(n for n, found in enumerate(judged) if found)
    assert first * PERIOD_S == pytest.approx(WINDOW_S, abs=2 * PERIOD_S)
