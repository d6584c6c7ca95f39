# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# sanitize - compute-sanitizer. Short: accesses of the small random graphs, races of bodies. Long: the workers, the
# apps, a loop over a GPU and cores, a wavefront over halves of a GPU.
stage sanitize 1 exact/test_gpu_same "exact/test_gpu_same exact/test_gpu_apps exact/test_loop_same exact/test_front_same"

export FOUND=99 # exit status for a sanitizer's findings
judge=()        # a command that runs the sanitizer's and judges its exit status
sanitized() { # NAME LIMIT "TOOL OPTION..." PROGRAM ARGUMENT...
    local name=$1 limit=$2 tool=$3
    shift 3
    if [ "$dry" = 1 ] || command -v compute-sanitizer >/dev/null; then
        # shellcheck disable=SC2086
        try "$name" "$limit" "${judge[@]}" compute-sanitizer --tool $tool --error-exitcode "$FOUND" "$@"
    else
        note "$name" skip 0 "no compute-sanitizer here"
    fi
}
# racecheck covers block-shared memory only. It knows barriers, but not a hand-over of a slot from one warp to another
# by a store with release and a load with acquire. The level kernels run all bodies and have no such hand-over: there
# any hazard is a failure. Its findings in kernels of resident workers are counted as a skip; a wrong run fails.
hazards() {
    local status=0
    "$@" || status=$?
    [ "$status" = "$FOUND" ] || return "$status"
    echo "racecheck does not know acquiring and releasing words; it counts" "$(grep -ac ' reported between ' "${log:?}")" \
        "pairs of accesses, see the log"
    return 77
}
export -f hazards

sanitize_short() {
    sanitized memcheck.graphs 60 memcheck "$tests/gpu/test_gpu_same" --small
    sanitized racecheck.levels 60 "racecheck --kernel-name kns=hd_tasks_of_level" "$tests/gpu/test_gpu_same" --small
}
sanitize_long() {
    sanitize_short
    judge=(env log="$logs/racecheck.workers.txt" bash -c 'hazards "$@"' -)
    sanitized racecheck.workers 120 "racecheck --kernel-name-exclude kns=hd_tasks_of_level" "$tests/gpu/test_gpu_same" --small
    judge=()
    sanitized memcheck.apps 120 memcheck "$tests/gpu/test_gpu_apps" --small
    sanitized memcheck.loops 120 memcheck "$tests/loop/test_loop_same" --small
    sanitized memcheck.fronts 120 memcheck "$tests/front/test_front_same" --small
}
