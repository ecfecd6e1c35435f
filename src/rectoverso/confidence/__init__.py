"""How sure a solution can be of its seams and of its pieces."""
