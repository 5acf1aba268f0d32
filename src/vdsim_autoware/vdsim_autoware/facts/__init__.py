"""What the peers are like, release by release: data with the date on which each was read."""
