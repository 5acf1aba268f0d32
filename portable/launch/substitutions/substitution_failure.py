"""The error of a substitution that has no text to give."""


class SubstitutionFailure(RuntimeError):  # noqa: N818 (the name is upstream's)
    """A substitution could not be performed; the message says why."""
