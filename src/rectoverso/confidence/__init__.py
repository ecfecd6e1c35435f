"""How sure a solution can be of its seams and of its pieces, told from the lists alone and never from the truth."""
