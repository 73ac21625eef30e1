# Two commands are enough on a fresh machine with Python >= 3.11: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# The hosts with a real-package test; each name is an extra of pyproject.toml, and the test is
# tests/hosts/test_<name>*.py. A host's own Python: PYTHON_<name>.
HOSTS := inspect mcp mo-gymnasium nemo-gym openenv ray trl verl
HOST_VENVS := .venv-hosts
# The release of PyTorch that the hosts are tested with.
PINS_trl := torch==2.13.0
PINS_verl := torch==2.13.0
# A host that no extra can install has a script for it.
INSTALL_nemo-gym := scripts/install_nemo_gym.py

.PHONY: demo test verify-puzzles gallery test-video test-model soak soak-kills test-hosts $(HOSTS:%=test-hosts-%) show-ray lint types format bench-page soak-envs docs clean

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

# A tiny model with random weights, served on the CPU, plays; torchvision must not stand beside it.
test-model:
	$(MAKE) $(VENV)-model/.ready VENV=$(VENV)-model
	$(VENV)-model/bin/python -m pip install --quiet "torch==2.13.0" "transformers[serving]>=5.24,<6"
	$(VENV)-model/bin/python -m pytest tests/model

# Two thousand episodes over the loopback: memory, and how long the event loop stands still.
soak: $(READY)
	$(BIN)/python scripts/soak_rollouts.py --kills 0

# The same, and then a run that is killed ten times and must leave the same files.
soak-kills: $(READY)
	$(BIN)/python scripts/soak_rollouts.py --kills 10

# The hosts' requirements cannot live together, so each has an environment of its own. What a host
# warns of is no fault of ours.
test-hosts: $(HOSTS:%=test-hosts-%)

$(HOSTS:%=test-hosts-%): test-hosts-%: $(HOST_VENVS)/%/.ready
	$(HOST_VENVS)/$*/bin/python -m pytest -W default tests/hosts/test_$(subst -,_,$*)*.py tests/hosts/test_every_host.py

$(HOSTS:%=$(HOST_VENVS)/%/.ready): $(HOST_VENVS)/%/.ready: pyproject.toml
	$(or $(PYTHON_$*),$(PYTHON)) -m venv $(HOST_VENVS)/$*
	$(HOST_VENVS)/$*/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(HOST_VENVS)/$*/bin/python -m pip install --quiet --editable ".[$*]" --group test $(PINS_$*)
	$(if $(INSTALL_$*),$(HOST_VENVS)/$*/bin/python $(INSTALL_$*))
	touch $@

# A thousand episodes over three nodes of Ray, one of which is killed, beside one machine.
show-ray: $(HOST_VENVS)/ray/.ready
	$(HOST_VENVS)/ray/bin/python scripts/soak_ray.py

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Measures everything beside the reference, about five minutes on a quiet machine.
bench-page: $(READY)
	$(BIN)/gym-imagetools bench --peer --runs 5 --page docs/benchmarks.md

# Tens of thousands of episodes: nothing may grow. `make test` runs a small one.
soak-envs: $(READY)
	$(BIN)/python scripts/soak_envs.py --episodes 20000 --in-flight 1000

docs: $(READY)
	$(BIN)/python scripts/make_docs.py

# The pictures of the README and of the pages, then the pages that show them.
gallery: $(READY)
	$(BIN)/python scripts/make_pictures.py
	$(BIN)/python scripts/make_docs.py

# Goes on where the last run stopped; ARGS such as "--families Maze --budget-s 600".
verify-puzzles: $(READY)
	$(BIN)/python -m tests.puzzles.verify $(ARGS)

$(READY): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Python >= 3.11 is needed, this is " + sys.version) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $(READY)

clean:
	rm -rf $(VENV) $(VENV)-video $(VENV)-model $(HOST_VENVS) runs
