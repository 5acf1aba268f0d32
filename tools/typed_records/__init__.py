"""mypy's check of records: `record(Kind, (...))` gets what calling Kind by position would.

Values of another number or type than the fields are errors, and so is a value that is named as
another field of the same record: of two floats, types alone cannot tell which is which.
"""
