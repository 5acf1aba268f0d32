"""Wheels and source archives of every Python package, checked as PyPI's own tools do.

src/*/setup.py -> making.py -> OUT/*.whl, OUT/*.tar.gz; the message packages are built by colcon
"""
