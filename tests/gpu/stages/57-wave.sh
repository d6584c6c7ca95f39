# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# wave - random waves of cells, of tiles, of sweeps and of halves that share a border against plain loops, proteins with what is known of them, words that are
# their own flags, waves beside a kernel that has the card. Long: more of them, what waves and sweeps take in every shape, on the
# two phage genomes and the proteins where HEDDLE_DATA has them, and what apps take as waves and as tasks.
checks="exact/test_wave_same exact/test_wave_tiles exact/test_wave_sweeps exact/test_wave_halves exact/test_apps_pairs exact/test_gpu_tagged exact/test_gpu_crowd"
stage wave 1 "$checks" "$checks exact/heddle_cli fma/bench_wave fma/bench_sweeps"
wave_pairs() { # SECONDS
    try wave.pairs "$1" bash -c "[ -x '$tests/test_apps_pairs' ] || { echo 'it was built without a JSON library'; exit 77; }
        '$tests/test_apps_pairs' --cuda"
}
wave_short() {
    try wave.same 60 "$tests/wave/test_wave_same" --cuda
    try wave.tiles 60 "$tests/wave/test_wave_tiles" --cuda
    try wave.sweeps 60 "$tests/wave/test_wave_sweeps" --cuda
    try wave.halves 60 "$tests/wave/test_wave_halves" --cuda
    wave_pairs 60
    try wave.tagged 10 "$tests/gpu/test_gpu_tagged"
    try wave.crowd 20 "$tests/gpu/test_gpu_crowd"
}
wave_long() {
    try wave.same 110 env HEDDLE_WAVES=1000 "$tests/wave/test_wave_same" --cuda
    try wave.tiles 40 env HEDDLE_WAVES=400 "$tests/wave/test_wave_tiles" --cuda
    try wave.sweeps 40 env HEDDLE_WAVES=300 "$tests/wave/test_wave_sweeps" --cuda
    try wave.halves 40 env HEDDLE_WAVES=300 "$tests/wave/test_wave_halves" --cuda
    wave_pairs 40
    try wave.tagged 20 env HEDDLE_TAGGED_WORDS=1000000000 "$tests/gpu/test_gpu_tagged"
    try wave.crowd 15 "$tests/gpu/test_gpu_crowd"
    try wave.speed 160 bash -c "'$build/fma/bench/bench_wave' '${HEDDLE_DATA:-.}' >'$logs/wave.tsv'"
    [ "$dry" = 1 ] || [ ! -s "$logs/wave.tsv" ] || told "$logs/wave.tsv" >"$tables/wave.tsv"
    try wave.sweep_speed 60 bash -c "'$build/fma/bench/bench_sweeps' >'$logs/sweeps.tsv'"
    [ "$dry" = 1 ] || [ ! -s "$logs/sweeps.tsv" ] || told "$logs/sweeps.tsv" >"$tables/sweeps.tsv"
    try wave.apps 60 "$build/exact/heddle" bench sw sw/wave dtw dtw/wave -b 128 --runs 3 --backends cuda \
        --tsv "$logs/wave_apps.tsv"
    [ "$dry" = 1 ] || [ ! -s "$logs/wave_apps.tsv" ] || told "$logs/wave_apps.tsv" >"$tables/wave_apps.tsv"
    try wave.sums 40 bash -c "'$build/exact/heddle' bench sat/wave -n 16384 --runs 5 --backends cuda --tsv '$logs/wave_sat.tsv' &&
        '$build/exact/heddle' bench inthist/wave -n 2816 --runs 5 --backends cuda --tsv '$logs/wave_inthist.tsv'"
}
