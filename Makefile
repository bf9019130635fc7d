PYTHON ?= python3
PYTHONS ?= python3.12 python3.13 python3.14
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
BENCH_READY := $(VENV)/.bench-ready

.PHONY: help setup demo test check quick pythons lint format bench clean

help:  ## Show what can be made
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: $(READY)  ## Make the virtual environment

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "podium needs Python 3.11 or newer; say which with PYTHON=…"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) \
	  || { echo "python3 -m venv does not work; on Debian: apt install python3-venv"; exit 1; }
	@echo "Installing podium and its tools into $(VENV) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[all,dev]'
	@touch $@

$(BENCH_READY): $(READY)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[all,dev,bench]'
	@touch $@

demo: $(READY)  ## Rate a generated season and look at the result
	@$(BIN)/python -m podium.cli.demo

test: $(READY)  ## Run all tests
	$(BIN)/python -m pytest -n auto --dist worksteal

check: lint quick  ## What to run before a commit: linters and the quick tests

pythons:  ## The quick tests on every other Python that is here; PYTHONS="…" names them
	@for python in $(PYTHONS); do \
	  version=$$($$python -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) \
	    || { echo "$$python is not here."; continue; }; \
	  $(MAKE) --no-print-directory quick PYTHON=$$python VENV=$(VENV)-$$version || exit 1; \
	done

quick: $(READY)
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow" -k "not postgresql"

lint: $(READY)  ## Formatting, style, types and the direction of imports
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)  ## Format the code and sort its imports
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(BENCH_READY)  ## Podium beside its peers, in one run
	$(BIN)/python -m benchmarks

clean:  ## Remove the environment, caches and compiled kernels
	rm -rf $(VENV) $(VENV)-3.* demo .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests benchmarks -name __pycache__ -type d -exec rm -rf {} +
