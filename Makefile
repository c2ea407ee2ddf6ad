# Needs only Python (3.11 or newer) and make. Another Python: make setup PYTHON=python3.12
PYTHON ?= python3

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.pushpoint-ready
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input -qq
CHECKED := src tests $(wildcard examples benchmarks docs)

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-slow test-oldest bench stress clean

help: ## say what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY) ## create .venv and install the pinned dependencies and pushpoint (again only when they change)

RECENT := sys.exit(sys.version_info < (3, 11))

# Only an environment that starts and has pip is used again; one left half-made by an interruption is completed.
$(READY): requirements.txt pyproject.toml
	@$(BIN)/python -c 'import pip, sys; $(RECENT)' 2>/dev/null || $(PYTHON) -c 'import sys; $(RECENT)' 2>/dev/null || { \
		echo "pushpoint needs Python 3.11 or newer, but '$(PYTHON)' is $$($(PYTHON) --version 2>&1 | tail -n 1);" \
			"name another one: make setup PYTHON=python3.12" >&2; exit 1; }
	@echo "Setting up $(VENV): pinned dependencies and pushpoint (the first time downloads about 0.4 GB and takes minutes)"
	@$(BIN)/python -c 'import pip, sys; $(RECENT)' 2>/dev/null || $(PYTHON) -m venv $(VENV)
	@$(PIP) install -r requirements.txt
	@$(PIP) install --no-build-isolation --no-deps --editable .
	@touch $@

demo: $(READY) ## run the obstacle-aided course of Transeth2008a; results in out/demo
	@$(BIN)/pushpoint run transeth2008a/obstacle-aided --out out/demo

test: $(READY) ## check style, types and behaviour
	$(BIN)/ruff check $(CHECKED)
	$(BIN)/ruff format --check $(CHECKED)
	$(BIN)/mypy
	$(BIN)/pytest -n 2

test-slow: $(READY) ## run the tests that take minutes
	$(BIN)/pytest -n 2 -m slow

.PHONY: test-browser
test-browser: $(READY) ## run the tests of the studio in a browser twenty times each, with the Chromium of the system
	PUSHPOINT_BROWSER_REPEATS=20 $(BIN)/pytest -p no:xdist tests/studio/test_browser.py

.PHONY: docs test-docs
docs: $(READY) ## build the site into out/docs; warnings are errors, no network is asked
	@$(BIN)/sphinx-build -q -W --keep-going -b html -d out/docs-doctrees docs out/docs
	@echo "The site is out/docs/index.html"

test-docs: $(READY) ## run the programs and commands of the documents that take longer
	$(BIN)/pytest -n 2 -m docs

.PHONY: campaign
campaign: $(READY) ## run all campaigns whole, in child processes (goes on where it stopped; hours)
	cd tests && ../$(BIN)/python -m campaigns.runner --log ../out/campaign

AUDIT := .venv-audit

$(AUDIT)/.ready:
	@$(AUDIT)/bin/python -c 'import pip' 2>/dev/null || $(PYTHON) -m venv $(AUDIT)
	@$(AUDIT)/bin/python -m pip --disable-pip-version-check --no-input -qq install pip-audit==2.10.1
	@touch $@

.PHONY: audit
audit: $(AUDIT)/.ready ## look the pinned dependencies up among known vulnerabilities, with pip-audit in .venv-audit
	@$(AUDIT)/bin/python benchmarks/dependency_audit.py requirements.txt

RELEASE := .venv-release

$(RELEASE)/.ready:
	@$(RELEASE)/bin/python -c 'import pip' 2>/dev/null || $(PYTHON) -m venv $(RELEASE)
	@$(RELEASE)/bin/python -m pip --disable-pip-version-check --no-input -qq install build==1.6.1 twine==7.0.0 \
		'readme-renderer[md]==46.0' trove-classifiers==2026.9.21.13 check-jsonschema==0.39.0
	@touch $@

.PHONY: release-check
release-check: $(RELEASE)/.ready ## build sdist and wheel, install and try the wheel with each Python (PYTHONS="python3.12 ..." names them)
	@$(RELEASE)/bin/python -m benchmarks.release_check --pythons "$(PYTHONS)" $(if $(PUBLISH),--publish --other-systems)

.PHONY: fresh-machine
fresh-machine: ## clone into an empty folder and make setup, demo, test and docs there with cold caches; times and sizes
	@$(PYTHON) -m benchmarks.release.fresh_machine --python $(PYTHON)

OLDEST := .venv-oldest

$(OLDEST)/.pushpoint-ready: requirements-oldest.txt pyproject.toml
	@$(OLDEST)/bin/python -c 'import pip' 2>/dev/null || $(PYTHON) -m venv $(OLDEST)
	@$(OLDEST)/bin/python -m pip --disable-pip-version-check --no-input -qq install -r requirements-oldest.txt
	@$(OLDEST)/bin/python -m pip --disable-pip-version-check --no-input -qq \
		install --no-build-isolation --no-deps --editable .
	@touch $@

# Warnings are no errors here: old libraries warn of each other.
test-oldest: $(OLDEST)/.pushpoint-ready ## run the tests with the oldest libraries that are allowed, in .venv-oldest
	$(OLDEST)/bin/pytest -n 2 -o filterwarnings=default

TORCH := .venv-learn

$(TORCH)/.pushpoint-ready: requirements.txt examples/learning/requirements.txt pyproject.toml
	@$(TORCH)/bin/python -c 'import pip' 2>/dev/null || $(PYTHON) -m venv $(TORCH)
	@$(TORCH)/bin/python -m pip --disable-pip-version-check --no-input -qq install -r requirements.txt
	@$(TORCH)/bin/python -m pip --disable-pip-version-check --no-input -qq install -r examples/learning/requirements.txt
	@$(TORCH)/bin/python -m pip --disable-pip-version-check --no-input -qq \
		install --no-build-isolation --no-deps --editable .
	@touch $@

.PHONY: test-torch
test-torch: $(TORCH)/.pushpoint-ready ## run the tests that need torch, in .venv-learn
	$(TORCH)/bin/pytest -k "torch or dlpack" tests/envs tests/simulation/stepping

bench: $(READY) ## time everything: engines beside MuJoCo, variants, growth, set-up, start, planning (ten minutes)
	@$(BIN)/pushpoint bench all

.PHONY: bench-results
bench-results: $(READY) ## time everything again, keep what was found in docs/results and write the tables
	@mkdir -p out
	@$(BIN)/pushpoint bench all --json > out/bench.json
	@$(BIN)/python benchmarks/front_table.py bench=out/bench.json

stress: $(READY) ## send the spatial engine through 10,000 random worlds (about 40 minutes on two cores)
	@$(BIN)/pushpoint bench random-worlds --count 10000

.PHONY: reproduce documents results
reproduce: $(READY) ## judge every claim of the five papers; the page is out/reproduce/report.html
	@$(BIN)/pushpoint reproduce

documents: $(READY) ## write the tables of the documents from docs/results, and the page of deviations from src/pushpoint/papers
	@$(BIN)/python benchmarks/front_table.py

results: $(READY) ## judge and check all again, keep what was found in docs/results and write the tables
	@$(BIN)/pushpoint reproduce --out out/reproduce
	@$(BIN)/pushpoint verify --out out/verify
	@$(BIN)/python benchmarks/front_table.py reproduce=out/reproduce/results.json verify=out/verify/results.json

.PHONY: notebooks
notebooks: $(READY) ## make docs/tutorials from examples whose source changed, or from those named: make notebooks NAMES="02 11"
	@$(BIN)/python benchmarks/notebooks.py $(NAMES)

.PHONY: gallery
gallery: $(READY) ## draw the pictures of front page and gallery, or those named: make gallery NAMES="front spatial/rubble"
	@$(BIN)/python -m benchmarks.gallery $(NAMES)

.PHONY: peg-driving
peg-driving: $(READY) ## drive planned paths through pegs by force mapping and by servos (goes on where it stopped; half an hour)
	@$(BIN)/python benchmarks/pegs/driving.py

.PHONY: planted-faults
planted-faults: $(READY) ## plant known mistakes in a copy of the tree and tell which tests turn red (six minutes)
	@$(BIN)/python benchmarks/planted_faults.py

clean: ## remove .venv, caches and out/demo
	rm -rf $(VENV) $(OLDEST) $(TORCH) $(AUDIT) $(RELEASE) out/demo build src/*.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
