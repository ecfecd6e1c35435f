# Each target sets up .venv by itself, with uv if it is there, and does so again only when the requirements change.
PYTHON ?= python3
BIN := .venv/bin
UV := $(shell command -v uv 2>/dev/null)

ifdef UV
  install = $(UV) pip install --quiet --python $(BIN)/python --constraint constraints.txt --editable
else
  install = $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable
endif

.PHONY: demo test lint bounds coverage fuzz package clean

demo: .venv/.installed
	@$(BIN)/rectoverso demo --output demo

test: .venv/.installed-dev
	@$(BIN)/python -m pytest

lint: .venv/.installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

# Native code with every index checked.
bounds: .venv/.installed-dev
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest tests/matching tests/jpeg tests/worn tests/objective tests/evolve tests/repair tests/properties

# Native code as plain Python, so that coverage can see into it.
CORE := evolve images intake jpeg matching objective puzzle reference repair
coverage: .venv/.installed-dev
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -m "not compiled" tests/matching tests/jpeg tests/objective tests/evolve/test_crossover.py \
	  tests/evolve/test_solver.py tests/repair tests/images tests/intake tests/puzzle tests/properties tests/test_native.py \
	  $(CORE:%=--cov=rectoverso.%) --cov-report=term:skip-covered --cov-fail-under=90

# Damaged inputs for every reader; a longer run has more seconds.
SECONDS ?= 60
fuzz: .venv/.installed-dev
	$(BIN)/python fuzz --seconds $(SECONDS)

# The wheel and the sdist, and a solve with the wheel where nothing else is installed.
package: .venv/.installed-dev
	@.ci/package

clean:
	rm -rf .venv demo

.venv/bin/python:
ifdef UV
	@$(UV) venv --quiet --python ">=3.11" .venv
else
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "rectoverso needs Python 3.11 or newer; this is " + sys.version)'
	@$(PYTHON) -m venv .venv
endif

.venv/.installed: pyproject.toml constraints.txt | .venv/bin/python
	@echo "installing rectoverso into .venv (once)"
	@$(install) .
	@touch $@

.venv/.installed-dev: .venv/.installed
	@echo "installing the developer's tools into .venv (once)"
	@$(install) '.[dev]'
	@touch $@
