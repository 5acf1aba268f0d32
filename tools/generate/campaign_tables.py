"""The tables of docs/campaign.md: its faults, and the results that long runs have stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from vdsim_campaign import results

PARTS: Mapping[str, Callable[[], str]] = {
    "faults": results.fault_table,
    "cells": lambda: results.cell_table(results.load(results.CELLS)),
    "broken": lambda: results.broken_list(results.load(results.CELLS)),
    "virtual": lambda: results.virtual_table(results.load(results.VIRTUAL)),
    "agreement": lambda: results.agreement_table(
        results.load(results.CELLS), results.load(results.VIRTUAL)
    ),
    "times": lambda: results.time_table(results.load(results.TIMES)),
}
