"""The known defects: each scene still breaks, or holds since it was mended."""

import pytest
from vdsim_simulate.known import Known, known_defects


@pytest.mark.parametrize("known", known_defects(), ids=lambda known: known.name)
def test_a_known_defect_is_as_its_row_says(known: Known) -> None:
    violation = known.violation()
    if known.mended:
        assert violation is None, violation
    else:
        assert violation is not None, (
            f"{known.name} ({known.what}) no longer breaks: set `mended` in its row of "
            "simulate/known, so that its scene keeps it so"
        )
