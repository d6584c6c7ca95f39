# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# share - heddle share with a real driver: a plain program that copies, alone and beside others, has the bytes that it has without; a
# daemon that is killed, a program that is. Long: more of both; a program whose kernel faults; PyTorch, ncu and compute-sanitizer under
# share; and figures: copies of pageable memory beside pinned ones, what a call costs more, a program alone, how long the link is idle,
# small copies of class high; memcheck of a program under share.
stage share 1 "exact/heddle_cli exact/heddle_share exact/share_mover"
share_part() { # PART SECONDS
    try "share.$1" "$2" env SHARE_TABLE="$logs/share.tsv" \
        bash "$root/tests/share/gpu/smoke.sh" "$build/exact/heddle" "$tests/share/share_mover" "$1" "$form"
}
share_begin() { [ "$dry" = 1 ] || printf 'measure\thow\tvalue\tunit\taim\n' >"$logs/share.tsv"; }
share_short() {
    share_begin
    share_part bytes 30
    share_part life 30
}
share_long() {
    local part
    share_begin
    for part in bytes life fault tools rates calls alone beside high; do share_part $part 120; done
    [ "$dry" = 1 ] || told "$logs/share.tsv" >"$tables/share.tsv"
    if [ "$dry" = 1 ] || command -v compute-sanitizer >/dev/null; then
        try share.memcheck 60 env LD_PRELOAD="$build/exact/libheddle_share.so" \
            compute-sanitizer --tool memcheck --error-exitcode 99 "$tests/share/share_mover" threads 4 1
    else
        note share.memcheck skip 0 "no compute-sanitizer here"
    fi
}
