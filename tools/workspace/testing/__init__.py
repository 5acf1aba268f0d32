"""Tests, lint and types: the quick suite, the lanes in environments of their own, repetitions."""
