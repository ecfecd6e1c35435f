"""rectoverso puts pictures back together: tiles whose place, rotation and face are unknown."""
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.evolve.solver import Solver
from rectoverso.affinity.affinity import measure_affinity
