"""The results of a finished sweep as one table.

It is Parquet where pyarrow is installed, else CSV with every digit. The order of rows and columns
is that of the cases. Rows are written as they come; none is kept.
"""

from __future__ import annotations

import csv
import importlib
import importlib.util
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from vdsim_plant.study.sweep.cases import Row
from vdsim_plant.study.sweep.files import whole_file
from vdsim_plant.study.sweep.table import Table

CSV_FILE, PARQUET_FILE = "results.csv", "results.parquet"
PARQUET_ROWS = 16_384
"""Rows of one group of a Parquet file."""


def write_results(folder: Path, rows: Iterable[Row], table: Table, *, parquet: bool) -> Path:
    """Write the rows, as Parquet or CSV; `table` is made of the same rows."""
    path = folder / (PARQUET_FILE if parquet else CSV_FILE)
    with whole_file(path) as temporary:
        (_write_parquet if parquet else _write_csv)(temporary, rows, table)
    return path


def has_pyarrow() -> bool:
    """Whether Parquet can be written."""
    return importlib.util.find_spec("pyarrow") is not None


def _write_csv(path: Path, rows: Iterable[Row], table: Table) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, table.columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _write_parquet(path: Path, rows: Iterable[Row], table: Table) -> None:
    arrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    kinds = {bool: arrow.bool_(), int: arrow.int64(), float: arrow.float64(), str: arrow.string()}
    schema = arrow.schema([(name, kinds[table.kinds.get(name, str)]) for name in table.columns])
    with parquet.ParquetWriter(path, schema) as writer:
        for some in _batches(iter(rows)):
            columns = {name: [row.get(name) for row in some] for name in table.columns}
            writer.write_table(arrow.table(columns, schema=schema))


def _batches(rows: Iterator[Row]) -> Iterator[list[dict[str, Any]]]:
    while some := list(islice(rows, PARQUET_ROWS)):
        yield some
