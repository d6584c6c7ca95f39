# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# wavespeed - times of apps as waves: sums of small fields. Long: times of waves and sweeps in every shape, on the two
# phage genomes and the proteins if HEDDLE_DATA has them, of apps as waves and as tasks, of large sums, and of a wave's cost on
# the host.
stage wavespeed 1 "exact/heddle_cli" "exact/heddle_cli exact/overhead_waves fma/bench_wave fma/bench_sweeps"
# NAME SECONDS TABLE COMMAND...: prints and keeps a table.
wavespeed_table() {
    try "wavespeed.$1" "$2" bash -c "${*:4} >'$logs/$3.tsv'"
    [ "$dry" = 1 ] || [ ! -s "$logs/$3.tsv" ] || told "$logs/$3.tsv" >"$tables/$3.tsv"
}
# NAME SECONDS ARGUMENT...: heddle bench, whose rows are kept in wave_NAME.tsv, with those of other sizes.
wavespeed_bench() {
    try "wavespeed.$1" "$2" "$build/exact/heddle" bench "${@:3}" --backends cuda --tsv "$logs/wave_$1.tsv"
    [ "$dry" = 0 ] && [ -s "$logs/wave_$1.tsv" ] || return 0
    told "$logs/wave_$1.tsv" >"$scratch/rows"
    merge "$tables/wave_$1.tsv" "$scratch/rows" 2 3
}
wavespeed_sums() { wavespeed_bench sums "$1" "$2/wave" -n "$3" --runs "$4"; } # SECONDS APP SIZE RUNS
wavespeed_short() {
    wavespeed_sums 10 sat 2048 1
    wavespeed_sums 10 inthist 2048 1
}
wavespeed_long() {
    wavespeed_table cells 200 wave "'$build/fma/bench/bench_wave' '${HEDDLE_DATA:-.}'"
    wavespeed_table sweeps 60 sweeps "'$build/fma/bench/bench_sweeps'"
    wavespeed_bench apps 60 sw sw/wave dtw dtw/wave -b 128 --runs 3
    wavespeed_sums 40 sat 16384 5
    wavespeed_sums 40 inthist 2816 5
    wavespeed_sums 60 inthist 11264 3
    wavespeed_sums 60 sat 57344 3
    try wavespeed.host 20 "$build/exact/bench/overhead_waves" cuda 32 4608 46080
}
