# make demo   install into .venv and compare five policies on a built-in workload
# make test   install into .venv and run the tests
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: help install demo test lint docs bench clean

help:
	@sed -n 's/^# //p' Makefile

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Packwise needs Python 3.11 or newer; found `$(PYTHON) --version`. Try: make PYTHON=python3.12 install"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[plot,report,dask]' --group test --group lint --group docs
	@touch $@

install: $(STAMP)
	@$(BIN)/packwise compile

demo: install
	$(BIN)/packwise demo

test: install
	$(BIN)/python -m pytest -n auto

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: install
	$(BIN)/zensical build --strict --clean --config-file mkdocs.yml
	$(BIN)/python scripts/check_site.py site

bench: install
	$(BIN)/python -m benchmarks.run

clean:
	rm -rf $(VENV) demo site .cache .pytest_cache .mypy_cache .ruff_cache
	find packwise tests -name __pycache__ -type d -prune -exec rm -rf {} +
