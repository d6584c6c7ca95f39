# SPDX-License-Identifier: MIT
# The front door. Each target calls cmake, ctest or a script; what is built, and how, stands in CMakeLists.txt.
#
#   make          the programs, left in build: heddle, heddle-figures, and heddlec where libclang is here
#   make run      Smith-Waterman on two phage genomes, checked; the timeline is drawn to build/sw.svg
#   make check    the tests that need no GPU, in some minutes
#   make check-all  those that take long, too: all interleavings, planted errors, all CUDA sources
#   make dev, make tsan, make asan        other builds, tested
#   make cuda     the same with the cuda backend, left in build-cuda (CUDA 12.8 or newer)
#   make gpu      builds, tests and measures on this machine's GPU within ten minutes; tests/gpu.sh has long forms, too
#   make bench-overhead                   what a task costs, beside other runtimes (TSV)
#   make bench-tasks                      Task Bench's metric beside other runtimes (TSV)
#   make bench-openmp                     what translated OpenMP programs lose against hand-written ones (TSV)
#   make bench-bots                       translated programs in the manner of BOTS beside libgomp (TSV)
#   make bench-spawn                      tasks that make tasks, beside libgomp's (TSV)
#   make install PREFIX=/usr/local        make format        make clean
#   make needs    installs what is missing (root or passwordless sudo), or prints the command
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
MAKEFLAGS += --no-print-directory
DATA = data/smith-waterman

build: config-release
	cmake --build --preset release --parallel $(JOBS) --target programs

config-%:
	cmake --preset $*

run: needs build
	build/heddle run sw --input $(DATA)/lambda_virus.fa --input $(DATA)/phage_P1.fasta --timeline build/sw.svg

check: needs config-release
	cmake --build --preset release --parallel $(JOBS)
	ctest --preset release --parallel $(JOBS) --label-exclude long

check-all: needs config-release
	cmake --build --preset release --parallel $(JOBS)
	ctest --preset release --parallel $(JOBS) --label-exclude short

test-%: config-%
	cmake --build --preset $* --parallel $(JOBS)
	ctest --preset $* --parallel $(JOBS)

dev tsan asan: %: test-%

cuda: config-cuda
	cmake --build --preset cuda --parallel $(JOBS) --target programs

gpu:
	bash tests/gpu.sh

bench-overhead bench-tasks bench-openmp bench-bots bench-spawn: config-release
	cmake --build --preset release --parallel $(JOBS) --target $@

install: config-release
	cmake --build --preset release --parallel $(JOBS)
	cmake --install build --prefix "$(patsubst ~/%,$(HOME)/%,$(PREFIX))"

needs:
	bash cmake/needs.sh

format:
	bash tests/checks/format.sh . --write

clean:
	cmake -E rm -rf build build-dev build-tsan build-asan build-clang build-bare build-cuda build-gpu

.NOTPARALLEL:
.DEFAULT_GOAL = build
.PHONY: build run check check-all dev tsan asan cuda gpu bench-overhead bench-tasks bench-openmp bench-bots bench-spawn install needs \
    format clean
