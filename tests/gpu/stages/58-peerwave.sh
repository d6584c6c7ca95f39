# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# peerwave - the figures of PeerWave, checked before they are timed: small fields. Long: the thesis' size, with figures
# in OUT/GPU/peerwave.
stage peerwave 1 "exact/heddle_figures"
peerwave_short() {
    [ "$dry" = 1 ] || mkdir -p "$logs/peerwave"
    try peerwave.figures 18 "$build/exact/heddle-figures" --figures peerwave -n 4096 --runs 1 --opt seconds=8 --out "$logs/peerwave"
}
peerwave_long() {
    [ "$dry" = 1 ] || mkdir -p "$tables/peerwave"
    try peerwave.figures 230 "$build/exact/heddle-figures" --figures peerwave --out "$tables/peerwave"
}
