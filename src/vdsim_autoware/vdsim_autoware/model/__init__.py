"""The vehicle models of Autoware's planning simulator: which command drives, how it acts."""
