# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# mixes - the twelve programs of apps/cumas side by side: all results of all rounds, under the best order and as they come, for one order of arrival.
# Long: the figures of CuMAS, every policy and without heddle share, in OUT/GPU/cumas. What there is no time for is a row that says so.
stage mixes 1 "exact/cumas exact/heddle_cli exact/heddle_figures exact/heddle_share"
mixes_short() {
    [ "$dry" = 1 ] || mkdir -p "$logs/cumas"
    try mixes.figures 19 "$build/exact/heddle-figures" --figures cumas --opt figures=mixes --opt orders=1 --opt seconds=16 --out "$logs/cumas"
}
mixes_long() {
    [ "$dry" = 1 ] || mkdir -p "$tables/cumas"
    local left=$((budget - SECONDS - 15)) # after the build
    try mixes.figures $left "$build/exact/heddle-figures" --figures cumas --opt seconds=$((left - 25)) --out "$tables/cumas"
}
