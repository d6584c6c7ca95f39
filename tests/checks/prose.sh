#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# prose.sh SOURCE_DIR - comments, guides and man pages name what exists, in sentences of 30 words at most, and say who only of
# people (prose.py).
. "$(dirname "$0")/common.sh"
command -v python3 >/dev/null || skip "no python3 here"
project_files '*' | xargs python3 tests/checks/prose.py >"$scratch/bad"
report "$scratch/bad"
