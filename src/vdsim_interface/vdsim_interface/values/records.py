"""How the records of every period are made.

A NamedTuple is called through a Python function that its class generates. `record` makes the same
tuple without that function, in a third to a half of the time. It takes all values, in the order of
the fields: nothing checks their number here, so a test compares it for every use.
"""

record = tuple.__new__
