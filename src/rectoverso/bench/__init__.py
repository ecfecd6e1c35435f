"""Experiments that anyone can run again: tables as TOML, one CSV row a run, and the pages made from them."""
