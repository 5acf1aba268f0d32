"""Who has the car: requests, modes, sources, parking, and what is told of them."""
