"""Other publishers on the mux's topics are reported once, and once more when they end."""

from vdsim_interface.arbitration.mux_notices import UNNAMED
from vdsim_interface.extras.mux.rivals import Rivals
from vdsim_interface.values import Severity

MUX = "/vehicle/command_mux"
HIGH, RAW = "high_level_command", "raw_command"


def rivals() -> Rivals:
    return Rivals(MUX, free_source="autonomy")


def test_the_mux_alone_is_not_reported() -> None:
    watch = rivals()
    assert watch.update({HIGH: [MUX], RAW: [MUX]}) == ()
    assert watch.summary == ""


def test_a_rival_is_reported_once_with_advice() -> None:
    watch = rivals()
    [report] = watch.update({HIGH: ["/planner", MUX], RAW: [MUX]})
    assert report.kind == "rival"
    assert report.severity is Severity.ERROR
    assert report.text == (
        "/planner also publishes high_level_command: it bypasses the command mux and its locks; "
        "let it publish autonomy/high_level_command"
    )
    assert watch.update({HIGH: ["/planner", MUX], RAW: [MUX]}) == ()
    assert (
        watch.summary
        == "/planner also publishes high_level_command: it bypasses the mux and its locks"
    )


def test_one_line_for_each_node_with_the_topics_that_are_new() -> None:
    watch = rivals()
    first = watch.update({HIGH: ["/a", "/b", MUX], RAW: ["/b", MUX]})
    assert [report.text.partition(":")[0] for report in first] == [
        "/a also publishes high_level_command",
        "/b also publishes high_level_command, raw_command",
    ]
    assert first[1].text.endswith("autonomy/high_level_command, autonomy/raw_command")
    [later] = watch.update({HIGH: ["/a", "/b", MUX], RAW: ["/a", "/b", MUX]})
    assert later.text.startswith("/a also publishes raw_command:")


def test_the_end_is_reported_and_so_is_a_return() -> None:
    watch = rivals()
    watch.update({HIGH: ["/planner", MUX]})
    [gone] = watch.update({HIGH: [MUX]})
    assert gone.kind == "rival_gone"
    assert gone.severity is Severity.INFO
    assert gone.text == "/planner no longer publishes high_level_command"
    assert watch.summary == ""
    [again] = watch.update({HIGH: ["/planner", MUX]})
    assert again.kind == "rival"


def test_a_second_mux_of_the_same_name_is_a_rival() -> None:
    [report] = rivals().update({HIGH: [MUX, MUX]})
    assert report.text == (
        "a second /vehicle/command_mux also publishes high_level_command: it bypasses this mux "
        "and its locks; end one of the two (mux:=false)"
    )


def test_a_name_that_comes_a_moment_later_makes_one_line() -> None:
    watch = rivals()
    assert watch.update({HIGH: [UNNAMED, MUX]}) == ()
    [report] = watch.update({HIGH: ["/planner", MUX]})
    assert report.text.startswith("/planner also publishes")


def test_a_publisher_without_a_name_is_reported() -> None:
    watch = rivals()
    watch.update({HIGH: [UNNAMED, MUX]})
    [report] = watch.update({HIGH: [UNNAMED, MUX]})
    assert report.text.startswith("a node without a name also publishes high_level_command:")
