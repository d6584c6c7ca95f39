# SPDX-License-Identifier: MIT
# heddle_baselines: for targets that run the dispatches and policies of papers, which are compiled only with
# HEDDLE_BASELINES. The apps link it (so do the command, heddle-figures, the benches and the tests, through them), and
# test programs with tables of their own.
add_library(heddle_baselines INTERFACE)
target_compile_definitions(heddle_baselines INTERFACE HEDDLE_BASELINES=1)
