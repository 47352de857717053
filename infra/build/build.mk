# What `sam build` runs (BuildMethod: makefile, one target a function), and how its inputs are made.
# All functions ship the same bundle; the recipes run in the project's root.

BUNDLE_PYTHON ?= $(firstword $(wildcard .venv/bin/python) python3)
LAMBDA_LOCK := infra/build/lambda.lock

SAM ?= sam

build-%:
	@$(BUNDLE_PYTHON) infra/build/bundle.py "$(ARTIFACTS_DIR)"

.PHONY: lambda-lock
lambda-lock: ## Resolves the run-time dependencies of the functions anew
	$(BUNDLE_PYTHON) -m uv pip compile -q pyproject.toml --python-version 3.13 --python-platform aarch64-manylinux2014 \
		--generate-hashes --no-emit-index-url --no-header --no-annotate -o $(LAMBDA_LOCK)

.PHONY: sam-build
sam-build: ## Builds the functions with the SAM CLI (SAM=...), and says how large they are
	$(SAM) build
	@$(BUNDLE_PYTHON) -m infra.build.report .aws-sam/build
