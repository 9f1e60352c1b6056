# `make` alone lists the targets. CONTRIBUTING.md says when to use which.

PYTHON ?= python3
TOOLS ?= fetch
ARGS ?=
# What may need fio, which brings many libraries.
PROBING := probe compare trial forecast
UV ?= uv
BIN := .venv/bin
# Tests wait for disks and terminals two thirds of their time, but each worker collects all of them anew, in 3 s.
WORKERS := $(shell n=$$(nproc); echo $$((n < 3 ? 3 * n : 8)))
# The longer ones calculate more than they wait.
LONG_WORKERS := $(shell n=$$(nproc); echo $$((n < 4 ? 2 * n : 8)))

.DEFAULT_GOAL := help
.NOTPARALLEL:
# Without bytecode each process compiles the program and its tests anew: half of a command's start, 5 s of a test run.
unexport PYTHONDONTWRITEBYTECODE
.PHONY: help run fio test long fuzz mutate seeds check dist release bare matrix bench house measure lab lab-shell trials lint format style types contracts docs docs-check pictures lock python set-up set-up-test set-up-long set-up-lab

help:
	@echo "make run    set up and audit this machine; ARGS='--json' passes options, TOOLS=no fetches no tools"
	@echo "make fio    fetch fio too, for probes with many requests at once (make run ARGS='probe …' does so itself)"
	@echo "make test   set up and pass the tests; ARGS='-k words' narrows them"
	@echo "make long   the tests that take longer: the explorer at more sizes, and with names that would harm a terminal"
	@echo "make fuzz   damaged input for all that reads any; ARGS='--minutes 10 --parts mutations' (--help names the parts)"
	@echo "make mutate  change the code that decides, a little at a time, and name what no test notices (an hour)"
	@echo "make seeds  faults against README's promises: which test notices each"
	@echo "            ARGS='truth plan.shell' names modules, ARGS=--again tries only what survived the last time"
	@echo "make check  everything that has to hold before a commit: lint, types, contracts, generated files, tests"
	@echo "make bare   show that make run changes nothing outside its directory, in bare Debians (root, debootstrap, network)"
	@echo "make dist   what is copied to a server, into dist/: fsadvisor.pyz and an archive with a Python of its own;"
	@echo "            ARGS='--interpreter PYTHON' names the Python that is copied"
	@echo "make release  all of that twice, into dist/VERSION/, with checksums, a bill of materials (CycloneDX) and what changed"
	@echo "make matrix  each tool of Debian 11, 12, 13 and sid over the same storage in a guest (root, debootstrap, QEMU);"
	@echo "            ARGS=--accept keeps their outputs as fixtures and writes docs/tool-versions.md"
	@echo "make pictures  the explorer's pictures in docs/explorer, from recorded machines"
	@echo "make bench  how fast it is beside other programs and as machines grow; ARGS='--parts growth' (minutes)"
	@echo "make house  files, lines, layers and circles of this checkout; ARGS='--against DIR --names'"
	@echo "make measure  how good probes are here, written to docs/probes.md (hours); ARGS='--parts kills --on DIR'"
	@echo "              '--resume' goes on where a call ended, '--minutes 50' begins no row that would end later"
	@echo "make lab    prove it on NVMe, SCSI, device mapper, md, F2FS and NILFS2, in guests of QEMU (minutes);"
	@echo "            ARGS=tests/lab/test_md.py picks scenarios, ARGS=--accept keeps what they recorded"
	@echo "make lab-shell  a shell in such a guest"
	@echo "make trials  hold trials against planted gains, planted nothings and kills in such a guest, written to"
	@echo "            docs/trials-proof.md (hours; what is there already is not measured again)"
	@echo "make docs   write the generated files anew: man page, completions, schema, pages about rules"
	@echo "make lock   write requirements/ anew from pyproject.toml; ARGS=--upgrade moves to new versions (needs uv)"

# Findings (exit 1) are what a run is for, so they are no failure of make. Scripts call $(BIN)/fsadvisor itself.
run: set-up
	@$(BIN)/fsadvisor $(ARGS) || { status=$$?; test $$status -eq 1 || exit $$status; }

test: set-up-test
	@$(BIN)/pytest -n $(WORKERS) --dist worksteal $(ARGS)

long: set-up-long
	@$(BIN)/pytest -n $(LONG_WORKERS) --dist worksteal -m '(long or hypothesis) and not lab' --hypothesis-profile long $(ARGS)

fuzz: set-up-test
	@$(BIN)/python -m tools.fuzz $(ARGS)

seeds: set-up-test
	@$(BIN)/python -m tools.seeds $(ARGS)

mutate: set-up-test
	@$(BIN)/python -m tools.mutate $(ARGS)

check: lint docs-check test

bare: set-up-test
	@$(BIN)/python -m tools.bare_roots $(ARGS)

dist: set-up-test
	@$(BIN)/python -m tools.dist $(ARGS)

release: set-up-test
	@$(BIN)/python -m tools.dist --release $(ARGS)

matrix: set-up-lab
	@$(BIN)/python -m tools.versions $(ARGS)

house:
	@$(PYTHON) -m tools.house $(ARGS)

pictures: set-up-test
	@$(BIN)/python -m tools.screens.gallery docs/explorer

bench: set-up-test
	@$(BIN)/python -m tools.bench $(ARGS)

measure: set-up-test
	@$(BIN)/python -m tools.probes $(ARGS)

lab: set-up-lab
	@$(BIN)/python -m tools.lab run $(ARGS)

lab-shell: set-up-lab
	@$(BIN)/python -m tools.lab shell

trials: set-up-lab
	@$(BIN)/python -m tools.trials measure $(ARGS) && $(BIN)/python -m tools.trials page

lint: format style types contracts

format: set-up-test
	$(BIN)/ruff format --check

style: set-up-test
	$(BIN)/ruff check

types: set-up-test
	$(BIN)/mypy fsadvisor tools

contracts: set-up-test
	$(BIN)/lint-imports

docs: set-up-test
	$(BIN)/python -m tools.generate_docs

docs-check: set-up-test
	$(BIN)/python -m tools.generate_docs --check

LOCK := $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--custom-compile-command "make lock" $(ARGS) pyproject.toml

lock:
	$(LOCK) --output-file requirements/run.txt
	$(LOCK) --extra dev --constraint requirements/run.txt --output-file requirements/dev.txt

set-up: python
	@$(PYTHON) -m tools.set_up $(if $(filter $(PROBING),$(firstword $(ARGS))),probe,run) --tools "$(TOOLS)"

fio: python
	@$(PYTHON) -m tools.set_up probe --tools "$(TOOLS)"

set-up-test: python
	@$(PYTHON) -m tools.set_up test --tools "$(TOOLS)"

set-up-long: python
	@$(PYTHON) -m tools.set_up long --tools "$(TOOLS)"

set-up-lab: python
	@$(PYTHON) -m tools.set_up lab --tools "$(TOOLS)"

python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "fsadvisor needs Python 3.11 or later. If it has a name of its own here: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; \
		exit 1; }
