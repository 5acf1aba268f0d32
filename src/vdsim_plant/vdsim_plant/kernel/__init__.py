"""The numeric core: equations as scalar functions, and the loops that move data through them."""
