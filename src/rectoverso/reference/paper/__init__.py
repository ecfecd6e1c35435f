"""The paper, literally: slow, plain Python made to be read, and the oracle of the tests.

Each module stands for a section of the paper and imports no native code. ``crossover`` is the one to begin with.
"""
