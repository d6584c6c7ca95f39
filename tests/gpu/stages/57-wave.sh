# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# wave - random waves of cells and of tiles against plain loops. Long: more of them, what waves take in every shape, on the two
# phage genomes where HEDDLE_DATA has them, and what apps take as waves and as tasks.
stage wave 1 "exact/test_wave_same exact/test_wave_tiles exact/test_wave_halves" \
    "exact/test_wave_same exact/test_wave_tiles exact/test_wave_halves exact/heddle_cli fma/bench_wave"
wave_short() {
    try wave.same 60 "$tests/wave/test_wave_same" --cuda
    try wave.tiles 60 "$tests/wave/test_wave_tiles" --cuda
    try wave.halves 60 "$tests/wave/test_wave_halves" --cuda
}
wave_long() {
    try wave.same 150 env HEDDLE_WAVES=1000 "$tests/wave/test_wave_same" --cuda
    try wave.tiles 50 env HEDDLE_WAVES=400 "$tests/wave/test_wave_tiles" --cuda
    try wave.halves 60 env HEDDLE_WAVES=300 "$tests/wave/test_wave_halves" --cuda
    try wave.speed 200 bash -c "'$build/fma/bench/bench_wave' '${HEDDLE_DATA:-.}' >'$logs/wave.tsv'"
    [ "$dry" = 1 ] || [ ! -s "$logs/wave.tsv" ] || told "$logs/wave.tsv" >"$tables/wave.tsv"
    try wave.apps 100 "$build/exact/heddle" bench sw sw/wave dtw dtw/wave -b 128 --runs 3 --backends cuda \
        --tsv "$logs/wave_apps.tsv"
    [ "$dry" = 1 ] || [ ! -s "$logs/wave_apps.tsv" ] || told "$logs/wave_apps.tsv" >"$tables/wave_apps.tsv"
    try wave.sums 80 bash -c "'$build/exact/heddle' bench sat/wave -n 16384 --runs 5 --backends cuda --tsv '$logs/wave_sat.tsv' &&
        '$build/exact/heddle' bench inthist/wave -n 2816 --runs 5 --backends cuda --tsv '$logs/wave_inthist.tsv'"
}
