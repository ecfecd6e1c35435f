"""Which edges fit which: the dissimilarity of seams, each edge's best candidates, and best buddies."""
