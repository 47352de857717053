# Every target brings what it needs: on a new machine `make serve` and `make test` need nothing before them.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
CODE := engine functions infra tests
COMPILE := $(BIN)/uv pip compile -q pyproject.toml --universal --python-version 3.11 \
	--generate-hashes --no-emit-index-url --no-annotate --no-header

include infra/build/build.mk

.PHONY: help
help: ## Lists the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | sort | awk -F'|' '{printf "%-15s %s\n", $$1, $$2}'

.PHONY: setup
setup: $(READY) ## Makes the virtual environment from the lock file

$(READY): infra/build/dev.lock infra/build/referees.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --no-deps --require-hashes -r infra/build/dev.lock
	$(BIN)/python -m pip install -q --no-deps --no-build-isolation -e .
	@$(BIN)/python -m pip install -q --no-deps --require-hashes --only-binary=:all: -r infra/build/referees.lock \
		|| echo "No wheels here for the referees that games are compared with: those tests will be skipped."
	@touch $@

.PHONY: serve
serve: $(READY) ## Runs the service on this machine, port 8000 (PORT=...)
	@exec $(BIN)/bluffhouse serve $(if $(PORT),--port $(PORT))

.PHONY: demo
demo: $(READY) ## Plays a match of each game over HTTP and prints what happened
	@$(BIN)/bluffhouse demo

.PHONY: demo-tournament
demo-tournament: $(READY) ## Runs two tournaments of client programs over HTTP and prints bracket, standings and ladder
	@$(BIN)/bluffhouse demo-tournament

.PHONY: test
test: $(READY) .venv-fuzz/.ready ## Runs the tests
	$(BIN)/pytest -q -n 2 --dist worksteal -m "not soak"

.PHONY: test-python
test-python: $(READY) ## Runs the engine's and the handlers' tests only
	$(BIN)/pytest -q -n 2 --dist worksteal -m "not soak" tests/engine tests/service

# Tools with pins of their own: each has a virtual environment, a lock file and a group in pyproject.toml.
.venv-%/.ready: infra/build/%.lock
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3 ..." >&2; exit 1; }
	$(PYTHON) -m venv .venv-$*
	.venv-$*/bin/python -m pip install -q --no-deps --require-hashes -r $<
	@touch $@

.PHONY: test-ministack
test-ministack: $(READY) .venv-ministack/.ready ## Runs the storage tests over MiniStack, a second DynamoDB emulator
	$(BIN)/python -m tests.storage.ministack .venv-ministack/bin/ministack $(BIN)/pytest -q tests/storage

.PHONY: mutants
mutants: $(READY) ## Breaks the code in small ways; each has to be caught by the test that is named for it
	@$(BIN)/python -m tests.mutants.run

.PHONY: matrix
matrix: $(READY) ## Tries every operation under every fault and writes tests/faults/MATRIX.md
	@$(BIN)/python -m tests.faults.matrix

.PHONY: soak
soak: $(READY) .venv-fuzz/.ready ## Runs the long tests
	$(BIN)/pytest -q -n 2 -m soak
	$(BIN)/pytest -q -n 2 -m "hypothesis and not soak" --hypothesis-profile anew
	$(BIN)/python -m tests.faults.history_replay --many $(or $(HISTORIES),2000)

.PHONY: faults
faults: $(READY) ## Lives through the history of a seed (SEED=...) again, with all that goes wrong in it
	@$(BIN)/python -m tests.faults.history_replay $(SEED)

.PHONY: lint
lint: $(READY) ## Checks style, types and template.yaml
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy
	$(BIN)/cfn-lint template.yaml -a cfn_lint_serverless.rules

.PHONY: bench
bench: bench-engine bench-handler bench-start bench-price bench-local bench-tournaments bench-ladder ## Measures all that the targets bench-… do

.PHONY: bench-engine
bench-engine: $(READY) ## Times actions, views and stored states of each game
	@$(BIN)/python -m infra.bench.engine

.PHONY: bench-handler
bench-handler: $(READY) ## Times a move's warm function beside one that is written by hand
	@$(BIN)/python -m infra.bench.handler

.PHONY: bench-start
bench-start: $(READY) ## Times the start of a move's function beside boto3's
	@$(BIN)/python -m infra.bench.start

.PHONY: bench-price
bench-price: $(READY) ## Counts what a million moves cost at list prices
	@$(BIN)/python -m infra.bench.price

.PHONY: bench-local
bench-local: $(READY) ## Measures the local service: moves a second, latency, processor time
	@$(BIN)/python -m infra.load.local

.PHONY: bench-tournaments
bench-tournaments: $(READY) ## Times brackets and rounds of 10,000 entrants and counts what a result touches
	@$(BIN)/python -m infra.bench.tournaments

.PHONY: bench-ladder
bench-ladder: .venv-bench/.ready ## Measures how well ratings foretell results, beside openskill and trueskill
	@.venv-bench/bin/python -m infra.bench.ladder

.PHONY: openapi
openapi: $(READY) ## Writes openapi.json anew from the routes
	$(BIN)/python -m infra.build.openapi

.PHONY: lock
lock: $(READY) lambda-lock tool-locks ## Resolves the dependencies anew
	$(COMPILE) --extra local --extra client --extra dev -o infra/build/dev.lock
	$(COMPILE) --extra referees -c infra/build/dev.lock -o infra/build/referees.lock

.PHONY: tool-locks
tool-locks: $(READY)
	for tool in ministack fuzz bench; do \
		$(subst pyproject.toml,--group $$tool,$(COMPILE)) -o infra/build/$$tool.lock || exit 1; done
