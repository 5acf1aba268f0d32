"""What a model predictive controller needs of the plant: derivatives, and models for its solver."""
