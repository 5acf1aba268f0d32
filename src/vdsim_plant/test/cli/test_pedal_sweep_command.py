"""The `vdsim_pedal_sweep` command: what a user gets wrong."""

from __future__ import annotations

import pytest
from vdsim_plant.cli.pedal_sweep import main


@pytest.mark.parametrize("top_speed", ["nan", "inf", "-3", "0", "150"])
def test_a_top_speed_that_is_none_is_one_line(
    top_speed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ioniq5_awd", "--top-speed", top_speed]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == (
        f"vdsim_pedal_sweep: top_speed={float(top_speed)}: must be > 0.3 and <= 140 m/s\n"
    )
