#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gate.sh SOURCE_DIR - bench/gate.sh on two trees with stubs for bench_gpu and nvcc: which rows give its values, and
# what counts as reached.
. "$(dirname "$0")/../checks/common.sh"
: >"$scratch/bad"
mkdir -p "$scratch/bin"
cat >"$scratch/bin/nvcc" <<'E'
#!/bin/sh
for kernel in hd_persistent1 hd_persistent2 hd_tasks_of_level; do echo "ptxas info : Compiling entry function '$kernel'"; done
E
chmod +x "$scratch/bin/nvcc"
r() { printf '%s\t%s\t%s\t%s\t%s\t7\t0.01\t%s\n' "$@"; } # FIGURE SUBJECT VARIANT VALUE UNIT NOTE
tree() { # NUMBER NAME_OF_DYNAMIC WAVE_US PLAN_US
    local folder=$scratch/tree$1/build-gate/bench seed
    mkdir -p "$folder"
    {
        printf '# a machine\nfigure\tsubject\tvariant\tvalue\tunit\tn_runs\tspread\tnote\n'
        r wave72 "$2" '1us w1' "$3" us/level ''
        r wave72 "$2" '1us w2' 9 us/level ''
        r wave72 "$2" '1us auto' "$(awk -v w="$3" 'BEGIN { print 2 * w }')" us/level ''
        r wave72 lrr '1us w1' 0.1 us/level ''
        r wave72 plan '1us w1' "$4" us/level ''
        r wave72 plan '1us w2' skipped us/level 'no time left'
        for seed in 1 2 3 4 5; do
            r uneven "$2" "lu32 seed $seed w4" 100 us ''
            r uneven plan "lu32 seed $seed w1" 80 us ''
            r uneven plan "lu32 seed $seed profiled w1" 50 us ''
            r uneven cudagraph+pdl/by-body "lu32 seed $seed auto" $((200 + seed)) us ''
            r uneven levels "lu32 seed $seed auto" 900 us ''
            r uneven taskgraph "lu32 seed $seed auto" 10 us ''
        done
        r free plan '200000 empty w8' 100 us ''
        r spawn lf 'start on another worker w1' 3 us ''
        r spawn lf 'start on another worker w1' 95 % ''
        r spawn lrr 'start on another worker w1' 1 us ''
        r spawn lrr 'start on another worker w1' 20 % ''
        r uts lf 'T1L w4' 8000 us ''
        r uts lf 'T1 w4' 80 us ''
        r goal 'apps S, auto within 3 % of the best, worst' '>= 0.97' 0.8 x no
    } >"$folder/rows"
    printf '#!/bin/sh\ncp "%s/rows" "$2/figures.tsv"\n' "$folder" >"$folder/bench_gpu"
    chmod +x "$folder/bench_gpu"
}
tree 1 ticket 2.4 0.80
tree 2 dynamic 1.5 0.83
status=0
PATH=$scratch/bin:$PATH bash bench/gate.sh --measure "$scratch/tree1" "$scratch/tree2" >"$scratch/got" 2>"$scratch/errors" || status=$?
[ $status = 1 ] || echo "gate.sh: status $status: $(tail -1 "$scratch/errors")" >>"$scratch/bad"
row() { # MEASURE VALUE VALUE REACHED
    local got
    got=$(awk -F '\t' -v m="$1" '$1 == m { print $4, $5, $6 }' "$scratch/got")
    [ "$got" = "$2 $3 $4" ] || echo "gate.sh: $1 is '$got' instead of '$2 $3 $4'" >>"$scratch/bad"
}
row 'wave72 dynamic, 1 us bodies' 2.4 1.5 yes
row 'wave72 dynamic, 1 us bodies, default over best' 2 2 no
row 'wave72 dynamic, 0 us bodies' - - -
row 'static: wave72, 1 us bodies' 0.80 0.83 no # more than 3 %
row 'uneven lu32, dynamic, no profile, over the best of launches and graphs' 2.03 2.03 no
row 'static: uneven lu32 over the best of launches and graphs' 2.538 2.538 yes
row 'static: the same, profiled' 4.06 4.06 yes
row 'static: free tasks' 2 2 yes
row 'spawn to start on another worker' 3 3 no
row 'uts T1L' 8 8 no
row 'auto over the best of all ways, seven apps, S, the worst' 0.8 0.8 no
row 'kernels that stay, table plain' 2 2 yes
row 'all kernels, table spawners' 3 3 -
report "$scratch/bad"
