"""What is done to the best arrangement after evolution."""
