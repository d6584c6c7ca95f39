# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# hand - loops over cores and a GPU beside loops written by hand, which are checked before they are timed: little data. Long: the
# thesis' size on cores, ten times as much on the GPU, and cores beside an emulated device, in OUT/GPU/hdss.
stage hand 1 "exact/heddle_figures"
hand_short() {
    [ "$dry" = 1 ] || mkdir -p "$logs/hdss"
    try hand.figures 18 "$build/exact/heddle-figures" --figures hdss -n 4000000 --runs 1 --opt figures=openmp,pipeline --out "$logs/hdss"
}
hand_long() {
    local figures=("$build/exact/heddle-figures" --figures hdss --runs 7 --out "$tables/hdss")
    [ "$dry" = 1 ] || mkdir -p "$tables/hdss"
    # What a figure has no seconds for is a row that says so.
    try hand.openmp 190 "${figures[@]}" --opt figures=openmp --opt seconds=170
    try hand.pipeline 200 "${figures[@]}" -n 8000000000 --opt figures=pipeline --opt seconds=150
    try hand.emulated 110 "${figures[@]}" --runs 3 --opt figures=emulated --opt seconds=90
}
