"""The tape: every call of the pure interface in its order, and the same calls again."""
