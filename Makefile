# Two commands are enough on a fresh machine with Python >= 3.11: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-video lint types format docs clean

demo: $(READY)
	rm -rf runs/demo
	$(BIN)/gym-imagetools demo --out runs/demo

test: lint types
	$(BIN)/python -m pytest -n auto

# moviepy holds Pillow back, so it has an environment of its own.
test-video:
	$(MAKE) $(VENV)-video/.ready VENV=$(VENV)-video
	$(VENV)-video/bin/python -m pip install --quiet "moviepy>=2.1"
	$(VENV)-video/bin/python -m pytest tests/envs/test_every_id.py -k video

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(READY)
	$(BIN)/python scripts/make_docs.py

$(READY): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Python >= 3.11 is needed, this is " + sys.version) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $(READY)

clean:
	rm -rf $(VENV) $(VENV)-video runs
