"""The stamp of a request of Autoware: of now, or zero."""

import pytest
from vdsim_autoware.adapter.request_stamp import refusal


@pytest.mark.parametrize(
    ("sec", "nanosec", "words"),
    [
        (0, 0, ""),
        (1000, 0, ""),
        (995, 999_999_999, ""),
        (980, 0, "its stamp is 20 s old (at most 10)"),
        (1020, 0, "its stamp is 20 s ahead (at most 10)"),
        (1000, 1_000_000_000, "its stamp is no time (nanosec=1000000000)"),
        (-2_000_000_000, 5, "its stamp is 2e+09 s old"),
    ],
)
def test_the_stamp_of_a_request_is_of_now_or_zero(sec: int, nanosec: int, words: str) -> None:
    why = refusal(sec, nanosec, 1000.0)
    assert why.startswith(words) if words else why == ""
