import math
from pathlib import Path

import pytest
from vdsim_interface.extras.explain.cli.explain import main
from vdsim_interface.extras.explain.jsonl import RecordError, from_line, from_lines, to_line
from vdsim_interface.extras.explain.recorded import evidence_of
from vdsim_interface.extras.explain.sentences import (
    command_words,
    episodes,
    explain,
    explain_at,
    start_line,
    summary,
)
from vdsim_interface.pipeline.trace import trace_of
from vdsim_interface.safety import SafetyParameters
from vdsim_interface.values import CabinState, HighLevelCommand, RawCommand, VehicleCommand
from vdsim_interface_kit.interface import ASK_NOTHING, CRUISE, Drive
from vdsim_protocol.why import explained


def driven(level: str = "high_level") -> Drive:
    drive = Drive(level)
    drive.run(0.2)
    if level == "raw":
        drive.run(2.0, RawCommand(0.0, 300, 0, 50, 0))
    else:
        drive.run(3.0, CRUISE if level == "high_level" else VehicleCommand(0.0, 9.0, 0.0, 0.0))
    drive.run(1.5)
    return drive


def cause_of(drive: Drive) -> str:
    """The cause that the last trace of a drive gives."""
    trace = trace_of(drive.outputs[-1])
    assert trace is not None
    return explained(evidence_of(trace)).cause


def test_a_recorded_moment_has_the_cause_of_that_moment() -> None:
    silent = Drive("high_level", SafetyParameters(auto_engage=False))
    silent.run(0.5)
    assert cause_of(silent) == "no_command"
    silent.run(0.5, CRUISE)
    assert cause_of(silent) == "not_engaged"
    assert cause_of(driven()) == "stale_command"


def test_what_a_recording_cannot_tell_is_said(tmp_path: Path, capsys) -> None:
    file = tmp_path / "drive.jsonl"
    file.write_text("".join(f"{to_line(trace_of(output))}\n" for output in driven().outputs))
    assert main([str(file), "--at", "4.5"]) == 0
    first, _, third, *rest = capsys.readouterr().out.splitlines()[1:]
    assert first.startswith("Commands stopped: ")
    assert third.startswith("not to be told from a recording of traces: who was in control")
    assert any(line.startswith("sent: ") for line in rest)


@pytest.mark.parametrize("level", ["high_level", "vehicle", "raw"])
def test_a_recording_reads_back_as_it_was(level: str) -> None:
    traces = [trace_of(output) for output in driven(level).outputs]
    again = list(from_lines(to_line(trace) for trace in traces))
    for before, after in zip(traces, again, strict=True):
        # not-a-number is not equal to itself: compare what is written
        assert to_line(before) == to_line(after)
        assert before.changes == after.changes
        assert before.received == after.received


def test_a_recording_is_explained_as_the_drive_itself() -> None:
    """With the reason of every rule, which the record names by its kind alone."""
    traces = [trace_of(output) for output in driven().outputs]
    again = list(from_lines(to_line(trace) for trace in traces))
    lines = list(summary(again))
    assert lines == list(summary(traces))
    assert any("-> 0.1 m/s2: it changes faster than the rate limit" in line for line in lines)
    assert not [line for line in lines if line.endswith(": ")]


@pytest.mark.parametrize("line", ["", "x", "{}", "[]", "null", '{"stamp_s": 1}'])
def test_what_is_not_a_trace_is_refused(line: str) -> None:
    with pytest.raises(RecordError, match="not a command trace"):
        from_line(line)


def test_an_error_names_the_line() -> None:
    good = to_line(trace_of(driven().outputs[0]))
    with pytest.raises(RecordError, match="line 3: not a command trace"):
        list(from_lines([good, "", "oops"]))


def test_the_summary_of_a_drive() -> None:
    lines = list(summary(trace_of(output) for output in driven().outputs))
    text = "\n".join(lines)
    assert lines[0].startswith("0.00 s: mode MANUAL, commands are blocked, nothing is sent")
    assert "mode AUTONOMOUS, commands pass" in text
    assert "a shift is under way, or it has braked in another gear" in text
    assert "no fresh command; the car stops smoothly" in text
    assert "turn signal OFF -> HAZARD: safe stop in progress" in text
    assert "does not apply" not in text


def summary_of(drive: Drive) -> str:
    """The summary as a recording of the drive tells it."""
    traces = from_lines(to_line(trace_of(output)) for output in drive.outputs)
    return "\n".join(summary(traces))


def test_manual_says_that_no_command_came_and_nobody_engaged() -> None:
    drive = Drive(safety=SafetyParameters(auto_engage=False))
    drive.run(0.2)
    reason = (
        "MANUAL: no command of level high_level has come; "
        "engage was not asked for (safety.auto_engage is off)"
    )
    assert reason in summary_of(drive)
    assert reason in explain(trace_of(drive.outputs[-1]))
    drive.run(0.2, CRUISE)
    assert "MANUAL: engage was not asked for (safety.auto_engage is off)" in summary_of(drive)
    drive.send(ASK_NOTHING["vehicle"])
    drive.run(1.0)
    assert "MANUAL: commands of level high_level do not come any more; engage" in summary_of(drive)


def test_manual_says_that_commands_of_another_level_came() -> None:
    drive = Drive()
    drive.run(0.2, VehicleCommand(0.0, 1.0, 0.0, 0.0))
    reason = "no command of level high_level has come (commands of another level come)"
    assert f"MANUAL: {reason}" in summary_of(drive)


def test_manual_says_why_engaging_was_refused_and_why_autonomy_ended() -> None:
    drive = Drive(safety=SafetyParameters(auto_engage=False))
    drive.run(0.1, CRUISE)
    drive.pipeline.safety_side.on_cabin(CabinState(doors_closed=False), drive.now)
    drive.pipeline.safety_side.on_change_mode(True, drive.now)
    drive.pipeline.safety_side.on_cabin(CabinState(), drive.now)
    drive.run(0.1, CRUISE)
    assert "MANUAL: the last request to engage was refused: " in summary_of(drive)
    drive.pipeline.safety_side.on_change_mode(True, drive.now)
    drive.run(0.2, CRUISE)
    assert trace_of(drive.outputs[-1]).blocked == ""
    drive.pipeline.safety_side.on_driver_override(True, drive.now)
    drive.run(0.1, CRUISE)
    last = "\n".join(explain(trace_of(drive.outputs[-1])))
    why = "the mode has changed: driver override: switch"
    assert f"DISENGAGED: the driver uses switch; {why}; " in last
    assert "a person has taken over, and engage was not asked for since" in last


def test_all_times_count_from_the_first_trace() -> None:
    traces = [trace_of(output) for output in driven().outputs]
    late = [trace._replace(stamp_s=trace.stamp_s + 1.7e9) for trace in traces]
    assert list(summary(late)) == list(summary(traces))
    assert explain_at(late, 0.5)[0].partition(",")[0] == "at 0.50 s"
    assert start_line(late[0].stamp_s) == (
        "0.00 s: first trace at 1700000000.01 s (2023-11-14 22:13:20 UTC)"
    )
    assert start_line(0.01) == "0.00 s: first trace at 0.01 s (simulated time)"


def test_short_episodes_can_be_left_out() -> None:
    traces = [trace_of(output) for output in driven().outputs]
    assert len(list(summary(traces, 0.3))) < len(list(summary(traces)))


def test_episodes_cover_every_period_once() -> None:
    traces = [trace_of(output) for output in driven().outputs]
    found = list(episodes(traces))
    assert sum(episode.periods_n for episode in found) == len(traces)
    assert found[0].start_s == traces[0].stamp_s
    assert found[-1].end_s == traces[-1].stamp_s
    assert list(episodes([])) == []


def test_an_episode_shows_the_largest_change() -> None:
    drive = driven("vehicle")
    found = [e for e in episodes(trace_of(o) for o in drive.outputs) if e.largest]
    for episode in found:
        for change in episode.largest:
            size = abs(change.after - change.before)
            same = [
                abs(c.after - c.before)
                for o in drive.outputs
                if episode.start_s <= trace_of(o).stamp_s <= episode.end_s
                for c in trace_of(o).changes
                if (c.kind, c.channel) == (change.kind, change.channel)
            ]
            assert size == max(same)


def test_one_command_explained() -> None:
    drive = driven()
    traces = [trace_of(o) for o in drive.outputs]
    launch = next(t for t in traces if t.received and t.changes and t.wire)
    text = "\n".join(explain(launch))
    assert "asked: velocity 5 m/s, curvature 0 1/m" in text
    assert "velocity controller: acceleration" in text
    assert "changed: " in text
    assert "sent: gear" in text
    assert "applied: front wheel angle" in text
    quiet = "\n".join(explain(trace_of(drive.outputs[0])))
    assert "asked: nothing yet" in quiet
    assert "nothing was changed" in quiet


def test_words() -> None:
    assert command_words(RawCommand(0.0, 1, 2, 3, 4)) == (
        "raw throttle 1, brake 2, steer 3, rear steer 4"
    )
    assert command_words(VehicleCommand(0.0, 1.0, 0.5, 0.0)).startswith("acceleration 1 m/s2")
    assert command_words(HighLevelCommand(0.0, math.pi)).startswith("velocity 3.14 m/s")


def test_silence_and_no_report_in_words() -> None:
    drive = Drive()
    drive.platform.muted = True
    drive.pipeline.safety_side.on_driver_override(True, 0.0)
    trace = trace_of(drive.run(0.02))
    text = "\n".join(explain(trace))
    assert "a person drives" in text
    assert "sent: nothing" in text
    assert "applied: the vehicle has not reported" in text


def test_raw_in_words_has_pedals() -> None:
    drive = driven("raw")
    text = "\n".join(explain(trace_of(drive.outputs[100])))
    assert "throttle 0.3, brake 0" in text


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recording = tmp_path / "drive.jsonl"
    lines = [to_line(trace_of(output)) for output in driven().outputs]
    recording.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert main([str(recording)]) == 0
    out = capsys.readouterr().out
    assert "mode AUTONOMOUS" in out
    assert out.startswith("0.00 s: first trace at 0.01 s (simulated time)\n0.00 s: mode MANUAL")
    assert main([str(recording), "--at", "0.5"]) == 0
    assert "at 0.50 s, mode AUTONOMOUS" in capsys.readouterr().out
    for at_s in ("-5", "9999", "nan"):
        assert main([str(recording), f"--at={at_s}"]) == 2
        said = capsys.readouterr()
        assert f"drive.jsonl: --at={at_s}: must be between 0.00 and " in said.err
        assert not said.out
    assert main([str(recording), "--least", "0.3"]) == 0
    capsys.readouterr()
    assert main([str(tmp_path / "none")]) == 2
    assert "No such file" in capsys.readouterr().err
    recording.write_text("", encoding="utf-8")
    assert main([str(recording)]) == 2
    assert "holds no command trace" in capsys.readouterr().err
    recording.write_text("{}\n", encoding="utf-8")
    assert main([str(recording)]) == 2
    assert "line 1: not a command trace" in capsys.readouterr().err
