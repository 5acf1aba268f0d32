"""Settings of the library's tests."""

from hypothesis import settings

# The first call of a compiled function may compile it: no example has a deadline.
settings.register_profile("compiled", deadline=None)
settings.load_profile("compiled")
