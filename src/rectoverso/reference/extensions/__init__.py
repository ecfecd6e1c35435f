"""The slow twins of what goes beyond the paper."""
