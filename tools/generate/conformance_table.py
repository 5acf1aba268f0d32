"""The requirements of Autoware's interface pages, for docs/autoware-conformance.md."""

from __future__ import annotations

from vdsim_autoware.conformance.report import table

PARTS = {"conformance requirements": table}
