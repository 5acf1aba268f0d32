"""The vehicle interface beside the plant, as the page shows it."""
