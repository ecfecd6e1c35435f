"""How sure a solution can be of its seams and of its pieces, told from the affinity alone and never from the truth."""
