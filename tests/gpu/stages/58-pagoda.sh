# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# pagoda - the applications of Pagoda in every mode of a pool, checked before they are timed: few tasks. Long: the paper's number, and a
# quarter of it for the other figures, in OUT/GPU/pagoda.
stage pagoda 1 "exact/heddle_figures"
pagoda_short() {
    [ "$dry" = 1 ] || mkdir -p "$logs/pagoda"
    try pagoda.figures 18 "$build/exact/heddle-figures" --figures pagoda -n 512 --runs 1 --opt figures=apps --out "$logs/pagoda"
}
pagoda_long() {
    [ "$dry" = 1 ] || mkdir -p "$tables/pagoda"
    try pagoda.apps 160 "$build/exact/heddle-figures" --figures pagoda --runs 3 --out "$tables/pagoda" --opt figures=apps
    try pagoda.response 40 "$build/exact/heddle-figures" --figures pagoda --runs 3 --out "$tables/pagoda" --opt figures=response
    try pagoda.auto 90 "$build/exact/heddle-figures" --figures pagoda --runs 7 --out "$tables/pagoda" --opt figures=auto,slu
    try pagoda.chunks 60 "$build/exact/heddle-figures" --figures pagoda -n 8192 --runs 7 --out "$tables/pagoda" --opt figures=chunks
    try pagoda.figures 190 "$build/exact/heddle-figures" --figures pagoda -n 8192 --runs 3 --out "$tables/pagoda" \
        --opt figures=copies,irregular,mm,conv,lockstep,sms,shared,shares,links
}
