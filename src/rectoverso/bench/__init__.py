"""Experiments that anyone can run again: the paper's tables as TOML, one CSV row a run, and the pages made from them."""
