"""The genetic algorithm: crossover, cost, selection, stop criteria and the loop that ties them together."""
