# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The short way to build and test Comm; CMake does the work. Every target does the set-up that it needs, may be
# interrupted, and may be repeated.

# A compilation of a file that includes MLIR takes about 1 GB: no more at once than memory holds.
JOBS ?= $(shell awk -v cpus=$$(nproc) '/^MemAvailable/ { n = int($$2 / 1200000); if (n < 1) n = 1; \
                if (n > cpus) n = cpus; print n }' /proc/meminfo)
PRESET ?= release
BUILD ?= build
PREFIX ?= $(CURDIR)/install
CMAKE_ARGS ?=
TESTS ?=

.PHONY: help setup build check check-sanitizers demo bench format lint lint-changed lint-form docs site install clean
.DEFAULT_GOAL := help

help:
	@echo "make build     build everything into $(BUILD)/, the tools into $(BUILD)/bin"
	@echo "make check     build, then run all tests        (TESTS=test/Dialect: only those)"
	@echo "make check-sanitizers   all tests of a build with AddressSanitizer and UBSan, in build-asan-ubsan/"
	@echo "make demo      the motivating example of overlap, measured on this machine"
	@echo "make bench     what overlap gains, and what Comm costs in compile time: six minutes; the wire needs root"
	@echo "make docs      the reference of the dialect and passes, into docs/reference"
	@echo "make site      the documentation as a site, into $(BUILD)/site/html"
	@echo "make format    format the sources"
	@echo "make lint      check formatting, includes, Python and clang-tidy's rules"
	@echo "make install   install into PREFIX=$(PREFIX)"
	@echo "make clean     remove $(BUILD)/"
	@echo "Each does the set-up first (utils/setup.sh: Debian packages, .venv). JOBS=$(JOBS) PRESET=$(PRESET)"

setup:
	@utils/setup.sh

# The set-up is no file, so it must not be what makes CMake configure again.
$(BUILD)/build.ninja: CMakePresets.json requirements.txt | setup
	@cmake --preset $(PRESET) -B $(BUILD) $(CMAKE_ARGS)
	@touch $@

build: setup $(BUILD)/build.ninja
	@cmake --build $(BUILD) --parallel $(JOBS)

# What only the tests need is installed while the compiler works.
check: setup $(BUILD)/build.ninja
	@utils/setup.sh --tests & tests=$$!; \
	  cmake --build $(BUILD) --parallel $(JOBS); built=$$?; wait $$tests && exit $$built
	@.venv/bin/python3 utils/run_tests.py --build $(BUILD) $(TESTS)

check-sanitizers:
	@$(MAKE) --no-print-directory check PRESET=asan-ubsan BUILD=build-asan-ubsan

demo: build
	@PATH="$(abspath $(BUILD))/bin:$(CURDIR)/.venv/bin:$$PATH" examples/overlap/run-demo $(abspath $(BUILD))

bench: build
	@PATH="$(CURDIR)/.venv/bin:$$PATH" benchmarks/overlap/run $(abspath $(BUILD))
	@PATH="$(CURDIR)/.venv/bin:$$PATH" benchmarks/compile-time/run $(abspath $(BUILD)) -- \
	  commc++ -O2 -g -c examples/conjugate-gradient/conjugate_gradient.cpp

docs: setup $(BUILD)/build.ninja
	@cmake --build $(BUILD) --parallel $(JOBS) --target comm-doc
	@mkdir -p docs/reference && cp -r $(BUILD)/docs/generated/. docs/reference
	@.venv/bin/python3 lib/Pipelines/generate_options.py --docs docs/commcc.md
	@echo "the reference is in docs/reference; docs/README.md is the index"

# What only the site needs is installed here, so that setup stays quick.
site: build
	@.venv/bin/python3 -m pip install --quiet --disable-pip-version-check --no-input -r requirements-site.txt
	@.venv/bin/python3 docs/site/build.py --build $(BUILD)

SOURCES = $(shell git ls-files --cached --others --exclude-standard -- '*.h' '*.cpp' '*.c' ':!test/**' ':!examples/**')
PYTHON_SOURCES = $(shell git ls-files --cached --others --exclude-standard -- '*.py' 'benchmarks/*/run' \
                   benchmarks/compile-time/profile benchmarks/mini-apps/wire benchmarks/ranks/combining)

format: setup
	@clang-format-22 -i $(SOURCES)
	@.venv/bin/ruff format --force-exclude $(PYTHON_SOURCES)

# The quick part of lint, which make check runs, too.
lint-form:
	@.venv/bin/python3 utils/check_style.py
	@clang-format-22 --dry-run -Werror $(SOURCES)
	@.venv/bin/ruff check --force-exclude $(PYTHON_SOURCES)
	@.venv/bin/ruff format --force-exclude --check $(PYTHON_SOURCES)

# The slow part. make check runs it for the sources that changed recently; without SINCE, it is for all.
SINCE ?= 4.hours
lint-changed:
	@.venv/bin/python3 utils/check_includes.py --build $(BUILD) --jobs $(JOBS) --since "$(SINCE)"
	@.venv/bin/python3 utils/run_tidy.py --build $(BUILD) --jobs $(JOBS) --since "$(SINCE)"

lint: build lint-form
	@$(MAKE) --no-print-directory lint-changed SINCE=

install: build
	@cmake --install $(BUILD) --prefix "$(PREFIX)"

clean:
	rm -rf $(BUILD)
