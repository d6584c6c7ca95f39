# SPDX-License-Identifier: MIT
# heddle_baselines: what is linked by whatever runs the dispatches and policies that only papers have, which are compiled
# only with HEDDLE_BASELINES: the apps (and so the command, heddle-figures, the benches and the tests, which link them)
# and programs of the tests that have tables of their own.
add_library(heddle_baselines INTERFACE)
target_compile_definitions(heddle_baselines INTERFACE HEDDLE_BASELINES=1)
