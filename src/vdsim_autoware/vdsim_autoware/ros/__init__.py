"""The topics of Autoware's planning simulator."""
