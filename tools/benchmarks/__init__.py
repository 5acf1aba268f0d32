"""`./ws bench --all`: every figure with its peer of the same run, stored, and compared with that.

bench/*/bench_*.py -> bench/figures.py (one line a figure) -> run.py -> figures.py -> JSON, markdown
"""
