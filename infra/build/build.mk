# What `sam build` runs (BuildMethod: makefile, one target a function), and how its inputs are made.
# All functions ship the same bundle; the recipes run in the project's root.

BUNDLE_PYTHON ?= $(firstword $(wildcard .venv/bin/python) python3)
LAMBDA_LOCK := infra/build/lambda.lock

build-%:
	@$(BUNDLE_PYTHON) infra/build/bundle.py "$(ARTIFACTS_DIR)"

.PHONY: lambda-lock
lambda-lock:
	$(BUNDLE_PYTHON) -m uv pip compile -q pyproject.toml --python-version 3.13 --python-platform aarch64-manylinux2014 \
		--generate-hashes --no-emit-index-url --no-header --no-annotate -o $(LAMBDA_LOCK)
