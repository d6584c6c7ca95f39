# SPDX-License-Identifier: MIT
# The front door. Each target calls cmake, ctest or a script; what is built, and how, stands in CMakeLists.txt.
#
#   make          the command, left at build/heddle
#   make run      Smith-Waterman on two phage genomes, checked; the timeline is drawn to build/sw.svg
#   make check    all tests that need no GPU
#   make dev, make tsan, make asan        other builds, tested
#   make bench-overhead                   what a task costs, beside other runtimes (TSV)
#   make install PREFIX=/usr/local        make format        make clean
#   make needs    installs what is missing (root or passwordless sudo), or prints the command
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
MAKEFLAGS += --no-print-directory
DATA = data/smith-waterman

build: config-release
	cmake --build --preset release --parallel $(JOBS) --target heddle_cli

config-%:
	cmake --preset $*

run: needs build
	build/heddle run sw --input $(DATA)/lambda_virus.fa --input $(DATA)/phage_P1.fasta --timeline build/sw.svg

check: needs test-release

test-%: config-%
	cmake --build --preset $* --parallel $(JOBS)
	ctest --preset $* --parallel $(JOBS)

dev tsan asan: %: test-%

bench-overhead: config-release
	cmake --build --preset release --parallel $(JOBS) --target bench-overhead

install: config-release
	cmake --build --preset release --parallel $(JOBS)
	cmake --install build --prefix $(PREFIX)

needs:
	bash cmake/needs.sh

format:
	bash tests/checks/format.sh . --write

clean:
	cmake -E rm -rf build build-dev build-tsan build-asan build-clang build-bare

.NOTPARALLEL:
.DEFAULT_GOAL = build
.PHONY: build run check dev tsan asan bench-overhead install needs format clean
