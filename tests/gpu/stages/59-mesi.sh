# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# mesi - jobs beside loops and programs by hand, and the measured rows of figures 14 and 15 of MESI-CUDA's scheduling, all answers checked:
# little data. Long: matmul of 8192, and of fp32 of 16384 and 32768; hotspot with 300 steps, as cores check 1000 for minutes; ep of class D; and the
# figures; in OUT/GPU/mesi, 16384 and 32768 in folders of it. On several GPUs the same, with rows for 2, 4 .. of them. What a figure has no
# seconds for is a row that says so.
stage mesi 1 "exact/heddle_figures"
mesi_figures() { # NAME SECONDS FOLDER OPTION...
    local name=$1 seconds=$2 folder=$3
    shift 3
    [ "$dry" = 1 ] || mkdir -p "$folder"
    try "mesi.$name" $((seconds + 25)) "$build/exact/heddle-figures" --figures mesi --runs 3 --out "$folder" --opt seconds="$seconds" "$@"
}
mesi_short() {
    [ "$dry" = 1 ] || mkdir -p "$logs/mesi"
    try mesi.tables 10 "$build/exact/heddle-figures" --figures mesi --runs 1 --out "$logs/mesi" -n 2048 --opt steps=20 --opt type=fp32 \
        --opt figures=matmul,hotspot,ep --opt seconds=7
    try mesi.figures 8 "$build/exact/heddle-figures" --figures mesi --runs 1 --out "$logs/mesi" -n 2048 --opt steps=20 --opt figures=14a,14d \
        --opt seconds=5
}
mesi_long() {
    local tables=$tables/mesi
    mesi_figures matmul 25 "$tables" --opt figures=matmul
    mesi_figures hotspot 35 "$tables" --opt figures=hotspot --opt steps=300
    mesi_figures ep 30 "$tables" --opt figures=ep
    mesi_figures 16384 42 "$tables/16384" -n 16384 --opt figures=matmul --opt type=fp32
    mesi_figures 32768 130 "$tables/32768" -n 32768 --opt figures=matmul --opt type=fp32
    mesi_figures 14a 25 "$tables" --opt figures=14a
    mesi_figures 14b 45 "$tables" --opt figures=14b -n $((1 << 34))
    mesi_figures 14c 20 "$tables" --opt figures=14c --opt steps=10
    mesi_figures 14d 35 "$tables" --opt figures=14d --opt steps=100
    mesi_figures 15a 35 "$tables" --opt figures=15a
    mesi_figures 15b 25 "$tables" --opt figures=15b -n $((1 << 33))
    mesi_figures 15c 30 "$tables" --opt figures=15c --opt steps=100
}
