"""Who else publishes on the mux's topics: said once, said again when it ends."""

from vdsim_interface.arbitration.rivals import UNNAMED, Rivals
from vdsim_interface.values import Severity

MUX = "/vehicle/command_mux"
HIGH, RAW = "high_level_command", "raw_command"


def rivals() -> Rivals:
    return Rivals(MUX, free_source="autonomy")


def test_the_mux_alone_is_nothing_to_tell_of() -> None:
    watch = rivals()
    assert watch.look({HIGH: [MUX], RAW: [MUX]}) == ()
    assert watch.words == ""


def test_a_rival_is_named_once_and_told_what_to_do() -> None:
    watch = rivals()
    [report] = watch.look({HIGH: ["/planner", MUX], RAW: [MUX]})
    assert report.kind == "rival"
    assert report.severity is Severity.ERROR
    assert report.text == (
        "/planner also publishes high_level_command: it bypasses the command mux and its locks; "
        "let it publish autonomy/high_level_command"
    )
    assert watch.look({HIGH: ["/planner", MUX], RAW: [MUX]}) == ()
    assert watch.words == "/planner also publishes high_level_command, past the mux and its locks"


def test_one_line_for_each_node_with_the_topics_that_are_new() -> None:
    watch = rivals()
    first = watch.look({HIGH: ["/a", "/b", MUX], RAW: ["/b", MUX]})
    assert [report.text.partition(":")[0] for report in first] == [
        "/a also publishes high_level_command",
        "/b also publishes high_level_command, raw_command",
    ]
    assert first[1].text.endswith("autonomy/high_level_command, autonomy/raw_command")
    [later] = watch.look({HIGH: ["/a", "/b", MUX], RAW: ["/a", "/b", MUX]})
    assert later.text.startswith("/a also publishes raw_command:")


def test_the_end_is_told_and_a_return_is_told_again() -> None:
    watch = rivals()
    watch.look({HIGH: ["/planner", MUX]})
    [gone] = watch.look({HIGH: [MUX]})
    assert gone.kind == "rival_gone"
    assert gone.severity is Severity.INFO
    assert gone.text == "/planner no longer publishes high_level_command"
    assert watch.words == ""
    [again] = watch.look({HIGH: ["/planner", MUX]})
    assert again.kind == "rival"


def test_a_second_mux_of_the_same_name_is_somebody_else() -> None:
    [report] = rivals().look({HIGH: [MUX, MUX]})
    assert report.text == (
        "a second /vehicle/command_mux also publishes high_level_command: it bypasses this mux "
        "and its locks; end one of the two (mux:=false)"
    )


def test_a_name_that_comes_a_moment_later_makes_one_line() -> None:
    watch = rivals()
    assert watch.look({HIGH: [UNNAMED, MUX]}) == ()
    [report] = watch.look({HIGH: ["/planner", MUX]})
    assert report.text.startswith("/planner also publishes")


def test_a_publisher_that_never_has_a_name_is_told_of() -> None:
    watch = rivals()
    watch.look({HIGH: [UNNAMED, MUX]})
    [report] = watch.look({HIGH: [UNNAMED, MUX]})
    assert report.text.startswith("a node without a name also publishes high_level_command:")
