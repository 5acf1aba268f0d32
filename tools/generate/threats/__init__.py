"""The threat model: docs/threats.md."""
