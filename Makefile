# make demo       install into .venv and compare five policies on a built-in workload
# make test       install what the tests need, too, and run the quick ones; DRAWS=all draws as many cases as CI
# make test-all   all tests: those of all lanes, too, and all draws
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check
INSTALLED := $(VENV)/.installed
TESTABLE := $(VENV)/.testable
DEVELOPER := $(VENV)/.developer
# The environment is ours: let Python keep what it compiles, even where that is switched off for others.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help install demo compiled test test-all lint docs bench clean

help:
	@sed -n 's/^# make/make/p' Makefile

# What a user needs. What the demo compiles is compiled while pip fetches what that does not need.
$(INSTALLED): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Packwise needs Python 3.11 or newer; found `$(PYTHON) --version`. Try: make PYTHON=python3.12 install"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip numba numpy platformdirs rich typer
	@$(BIN)/python -m packwise compile loop lists search reader >$(VENV)/compiling.log 2>&1 & \
	  echo "$(PIP) --editable '.[plot,report,live]'"; $(PIP) --editable '.[plot,report,live]'; status=$$?; wait; exit $$status
	@touch $@

# What the tests need besides, while the rest is compiled.
$(TESTABLE): $(INSTALLED)
	@$(BIN)/packwise compile >$(VENV)/compiling.log 2>&1 & \
	  echo "$(PIP) --editable '.[plot,report,live,dask]' --group test"; \
	  $(PIP) --editable '.[plot,report,live,dask]' --group test; status=$$?; wait; exit $$status
	@touch $@

# And what those need who change something.
$(DEVELOPER): $(TESTABLE)
	$(PIP) --group lint --group docs
	@touch $@

install: $(INSTALLED)

demo: install
	$(BIN)/packwise demo

compiled: $(TESTABLE)
	@$(BIN)/packwise compile

test: DRAWS ?= few
test: compiled
	$(BIN)/python -m pytest -n auto --dist worksteal -m quick --draws $(DRAWS)

# What is started once for many tests, as a browser, is so in one process.
test-all: DRAWS ?= all
test-all: compiled
	$(BIN)/python -m pytest -n auto --dist loadgroup --draws $(DRAWS)

lint: $(DEVELOPER)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(DEVELOPER)
	$(BIN)/zensical build --strict --clean --config-file mkdocs.yml
	$(BIN)/python scripts/check_site.py site

bench: compiled
	$(BIN)/python -m benchmarks.run

clean:
	rm -rf $(VENV) demo site .cache .pytest_cache .mypy_cache .ruff_cache
	find packwise tests -name __pycache__ -type d -prune -exec rm -rf {} +
