"""DBC files as the field writes them, and the one sentence that a broken line gets."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from vdsim_can.cli.main import main
from vdsim_can.dbc import Message
from vdsim_can.dbc.reading import DbcFile, parse_dbc, read_dbc
from vdsim_protocol.checked_file import FileError

HEAD = """VERSION ""

NS_ :
\tCM_
\tBA_DEF_

BS_:

BU_: ECU VCU
"""
WHEEL = """BO_ 291 WHEEL: 8 ECU
 SG_ SPEED : 7|16@0+ (0.01,0) [0|655] "km/h" VCU
"""


def read(text: str) -> DbcFile:
    return parse_dbc(HEAD + text, source="car.dbc")


def message(text: str) -> Message:
    return next(iter(read(text).network.messages.values()))


def test_a_message_has_its_id_length_sender_and_signals() -> None:
    wheel = message(WHEEL)
    assert (wheel.can_id, wheel.length, wheel.sender, wheel.extended) == (291, 8, "ECU", False)
    speed = wheel.signals[0]
    assert (speed.start, speed.length, speed.little_endian, speed.signed) == (7, 16, False, False)
    assert (speed.scale, speed.minimum, speed.maximum, speed.unit) == (0.01, 0, 655, "km/h")
    assert speed.receivers == ("VCU",)
    assert speed.physical(1000) == 10.0


@pytest.mark.parametrize(
    "line",
    [
        ' SG_ 4WD_1 : 0|8@1+ (1,0) [0|0] "" VCU',
        ' SG_ A: 0|8@1+ (.25,0) [0|0] "" VCU',
        ' SG_ A : 0|8@1- (1E-05,-.5) [-1e3|+4.] "" Vector__XXX',
        ' SG_ A : 0|8@1+ (1,0) [0|0] "" ECU, VCU',
        ' SG_ A : 0|8@1+ (1,0) [0|0] ""',
        ' SG_  A  :  0 | 8 @1+ ( 1 , 0 ) [ 0 | 0 ]  "%"   VCU // a remark',
    ],
)
def test_what_the_field_writes_is_read(line: str) -> None:
    assert len(message(f"BO_ 1 M: 8 ECU\n{line}\n").signals) == 1


@pytest.mark.parametrize(
    ("number", "can_id", "extended"),
    [(2047, 2047, False), (2048, 2048, True), (0x98FF1234, 0x18FF1234, True), (1 << 31, 0, True)],
)
def test_an_id_above_eleven_bits_is_extended_with_the_flag_or_without(
    number: int, can_id: int, extended: bool
) -> None:
    read_message = message(f"BO_ {number} M: 8 ECU\n")
    assert (read_message.can_id, read_message.extended) == (can_id, extended)


@pytest.mark.parametrize(
    "text",
    [
        'VAL_ 999 SPEED 0 "a" ;',
        'VAL_ 291 NOTHING 0 "a" ;',
        'CM_ SG_ 291 "the name is missing";',
        'CM_ BO_ 999 "no such message";',
        'BA_ "GenMsgCycleTime" BO_ 999 20;',
        "SIG_VALTYPE_ 291 NOTHING : 1;",
        "BO_ 3758096384 HUGE: 8 E",
        "BO_ 1 LONG: 65 E",
        'BO_ 291 AGAIN: 8 ECU\n SG_ X : 0|8@1+ (1,0) [0|0] "" VCU',
    ],
)
def test_what_describes_nothing_is_left_out_with_a_note(text: str) -> None:
    file = read(f"{WHEEL}{text}\n")
    assert list(file.network.messages) == ["WHEEL"]
    assert len(file.notes) == 1
    assert re.match(r"car\.dbc: line 1[234]: .+: left out$", file.notes[0])


def test_meanings_comments_and_cycle_times_are_those_of_their_signal() -> None:
    file = read(
        f'{WHEEL}CM_ SG_ 291 SPEED "two\nlines; quoted \\"so\\"";\n'
        'VAL_ 291 SPEED 0 "off" -1 "on";\n'
        'BA_DEF_ BO_ "GenMsgCycleTime" INT 0 9999;\nBA_DEF_DEF_ "GenMsgCycleTime" 0;\n'
        'BA_ "GenMsgCycleTime" BO_ 291 20;\n'
    )
    assert file.notes == ()
    wheel = file.network.messages["WHEEL"]
    assert wheel.cycle_ms == 20.0
    assert wheel.signals[0].comment == 'two\nlines; quoted "so"'
    assert dict(wheel.signals[0].values) == {0: "off", -1: "on"}


def test_the_frame_format_of_a_message_may_be_that_of_can_fd() -> None:
    kinds = ",".join(f'"{name}"' for name in ["StandardCAN", *["x"] * 13, "StandardCAN_FD"])
    attributes = f'BA_DEF_ BO_ "VFrameFormat" ENUM {kinds};\nBA_DEF_DEF_ "VFrameFormat" "x";\n'
    assert not message(f"{WHEEL}{attributes}").fd
    assert message(f'{WHEEL}{attributes}BA_ "VFrameFormat" BO_ 291 14;\n').fd
    assert message("BO_ 1 LONG: 64 ECU\n").fd


def test_a_multiplexed_signal_knows_its_selector_and_its_values() -> None:
    signals = message(
        'BO_ 1 M: 8 ECU\n SG_ MODE M : 0|8@1+ (1,0) [0|0] "" VCU\n'
        ' SG_ A m2 : 8|8@1+ (1,0) [0|0] "" VCU\n SG_ B m3 : 8|8@1+ (1,0) [0|0] "" VCU\n'
        "SG_MUL_VAL_ 1 B MODE 3-5, 9-9;\n"
    ).signals
    mode, a, b = signals
    assert (mode.is_selector, mode.selector) == (True, "")
    assert (a.selector, a.selected_by) == ("MODE", ((2, 2),))
    assert (b.selector, b.selected_by) == ("MODE", ((3, 5), (9, 9)))


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("BO_ x M: 8 E\n", 10, "BO_: the id x: must be a whole number"),
        ("BO_ 1 M 8 E\n", 10, "BO_ M: expected ':', not '8'"),
        (' SG_ A : 0|8@1+ (1,0) [0|0] ""\n', 10, "SG_ A belongs to no message"),
        ("BO_ 1 M: 8 E\n SG_ A : 0|8@1 (1,0)\n", 11, "SG_ A of M: the byte order and sign 1:"),
        ("BO_ 1 M: 8 E\n SG_ A : 0-8@1+\n", 11, "SG_ A of M: the start 0-8: must be a whole"),
        ("BO_ 1 M: 8 E\n SG_ A : 0|65@1+\n", 11, "SG_ A of M: the length 65: must be a whole"),
        ("BO_ 1 M: 8 E\n SG_ A : 0|8@1+ (nan,0)", 11, "SG_ A of M: the factor nan: must be a fin"),
        ("BO_ 1 M: 8 E\n SG_ A : 0|8@1+ (1,0) [0|0] \n", 12, 'SG_ A of M: the unit in "", not'),
        ("BO_ 1 M: 8 E\n SG_ A q7 : 0|8@1+\n", 11, "SG_ A of M: 'q7' must be M, or m with"),
        ('BO_ 1 M: 8 E\n SG_ A : 0|8@1+ (1,0) [0|0] "km\n', 11, "does not end"),
        (f"{WHEEL}; gibberish\n", 12, "'gibberish' begins no statement"),
        (f"{WHEEL}SIG_VALTYPE_ 291 SPEED : 1;\n", 12, "a float of 32 bits in 16"),
    ],
)
def test_a_broken_line_is_one_sentence_with_file_and_line(
    text: str, line: int, problem: str
) -> None:
    with pytest.raises(FileError) as refused:
        read(text)
    sentence = str(refused.value)
    assert sentence.startswith(f"car.dbc: line {line}: "), sentence
    assert problem in sentence
    assert "\n" not in sentence


def test_a_file_in_the_code_page_of_its_editor_is_read(tmp_path: Path) -> None:
    file = tmp_path / "old.dbc"
    file.write_bytes(f"{HEAD}{WHEEL}".replace("km/h", "°C").encode("latin-1"))
    assert read_dbc(file).network.messages["WHEEL"].signals[0].unit == "°C"


def test_the_command_prints_every_message_and_signal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "car.dbc"
    file.write_text(HEAD + WHEEL, encoding="utf-8")
    assert main(["show", str(file)]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown == [
        "0x123 WHEEL: 8 bytes, from ECU",
        "  SPEED [km/h]: bits 7|16 unsigned big-endian, raw * 0.01 + 0, 0 to 655",
    ]


def test_the_command_refuses_a_broken_file_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "car.dbc"
    file.write_text(f"{HEAD}BO_ 1 M 8 E\n", encoding="utf-8")
    assert main(["show", str(file)]) == 1
    problem = f"vdsim_can: {file}: line 10: BO_ M: expected ':', not '8'\n"
    assert capsys.readouterr().err == problem
