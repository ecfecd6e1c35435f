"""What a seam costs in preset ``best``: the pipeline from measured candidates to the lists that a solve uses."""

CAP = 2.5
"""The most that a seam counts, before the color gap: a wrong seam is wrong, however bad it looks. Ratios of true seams
are mostly below 1, and 1.4 is what a seam has that says nothing."""
