#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gpu_sh.sh - tests/gpu.sh without a GPU, with stubs for compilers and nvidia-smi and made-up stages. Checked are: what
# a call runs; its tables; that a stage replaces only its own rows; that missing GPUs are reported and replace nothing;
# that the time limit holds; and that all of the project's stages can be listed and printed.
. "$(dirname "$0")/common.sh"
tree=$scratch/tree
mkdir -p "$tree/tests" "$tree/bench/results/h200" "$scratch/bin" "$scratch/stages"
cp tests/gpu.sh "$tree/tests"
: >"$scratch/bad"
bad() { echo "gpu.sh: $*" >>"$scratch/bad"; }

for tool in cc nvcc cmake; do printf '#!/bin/sh\nexit 0\n' >"$scratch/bin/$tool"; done
cat >"$scratch/bin/nvidia-smi" <<'E2'
#!/bin/sh
case $1 in *=name) word='NVIDIA H200' ;; *=driver_version) word=580.1 ;; *) exit 1 ;; esac
for _ in $(seq "${FAKE_GPUS:-1}"); do echo "$word"; done
E2
chmod +x "$scratch"/bin/*
cat >"$scratch/stages/10-one.sh" <<'E2'
stage one 1 exact/a exact/b
one_short() {
    try one.pass 20 echo "fine	indeed"
    try one.fail 20 sh -c 'echo why; exit 3'
    try one.skip 20 sh -c 'echo not here; exit 77'
    try one.path 20 echo "/a/b-c/d.tsv: cuda/wave/- and '/e/f g/h' at 1 / 2 GB/s, https://x.org/y"
}
one_long() { try one.long 20 echo long; }
E2
cat >"$scratch/stages/20-two.sh" <<'E2'
stage two 2 exact/c
two_short() { try two.pass 20 echo fine; }
E2
cat >"$scratch/stages/30-slow.sh" <<'E2'
stage slow 1 fma/d
slow_short() { try slow 3 sleep 20; }
E2
table=$scratch/out/h200/tests.tsv
call() { # STATUS COMMIT ARGUMENT...: of gpu.sh
    local want=$1 status=0
    export COMMIT=$2
    shift 2
    PATH=$scratch/bin:$PATH GPU_STAGES=${STAGES_OF_CALL-$scratch/stages} bash "$tree/tests/gpu.sh" --out "$scratch/out" "$@" \
        >"$scratch/said" 2>&1 || status=$?
    [ $status = "$want" ] || bad "$* gives $status instead of $want: $(tail -2 "$scratch/said")"
}
row() { # EXPECTED STAGE TEST: form, state, seconds, detail, commit, GPU and driver of its rows
    local got
    got=$(awk -F '\t' -v s="$2" -v t="$3" '$1 == s && $3 == t { print $2 "|" $4 "|" $6 "|" $7 "|" $8 "|" $9 }' "$table" | paste -sd ' ')
    [ "$got" = "$1" ] || bad "row of $2 $3 is '$got' instead of '$1'"
}

call 1 c1 one two
row 'short|pass|fine indeed|c1|NVIDIA H200|580.1' one one.pass
row 'short|FAIL|exit status 3; why|c1|NVIDIA H200|580.1' one one.fail
row 'short|skip|not here|c1|NVIDIA H200|580.1' one one.skip
row "short|pass|d.tsv: cuda/wave/- and 'f g/h' at 1 / 2 GB/s, https://x.org/y|c1|NVIDIA H200|580.1" one one.path
row 'short|skip|needs 2 GPUs, 1 here|c1|NVIDIA H200|580.1' two two
grep -q 'not here' "$scratch/out/h200/tests.txt" || bad "tests.txt has no detail"
grep -q '^==== one one.fail: FAIL' "$scratch/out/logs.txt" || bad "logs.txt does not name the test"

FAKE_GPUS=2 call 0 c2 two
row 'short|pass|fine|c2|NVIDIA H200|580.1' two two.pass
row '' two two
row 'short|pass|fine indeed|c1|NVIDIA H200|580.1' one one.pass
call 77 c3 two # too few GPUs now: what two of them have shown stays
grep -q 'needs 2 GPUs' "$scratch/said" || bad "too few GPUs are not said"
row 'short|pass|fine|c2|NVIDIA H200|580.1' two two.pass
row '' two two
call 0 c4 --long one # a form of its own
row 'long|pass|long|c4|NVIDIA H200|580.1' one one.long
row 'short|pass|fine indeed|c1|NVIDIA H200|580.1' one one.pass
call 1 c5 slow
row 'short|FAIL|stopped after 3 s; |c5|NVIDIA H200|580.1' slow slow
BUDGET=1 call 1 c6 slow
grep -q 'no time left of 1 s' "$table" || bad "a test without time left does not fail"
[ "$(awk -F '\t' 'NF != 10' "$table" | wc -l)" = 0 ] || bad "tests.tsv has rows of another number of columns"

# Tables begin as those that are kept.
rm -r "$scratch/out"
printf 'stage\tform\ttest\tstate\tseconds\tdetail\tcommit\tgpu\tdriver\tdate\nold\tshort\told\tpass\t1\t\tc0\tg\td\tt\n' \
    >"$tree/bench/results/h200/tests.tsv"
FAKE_GPUS=2 call 0 c7 two
row 'short|pass||c0|g|d' old old
row 'short|pass|fine|c7|NVIDIA H200|580.1' two two.pass

# The rows of bench_gpu: each with its figure; a figure that was cut off replaces nothing.
export BUILD=$scratch/build
mkdir -p "$BUILD/exact/bench"
cat >"$BUILD/exact/bench/bench_gpu" <<'E2'
#!/bin/sh
[ "$1" = --out ] || exit 0
{
    printf '# a machine\nfigure\tsubject\tvariant\tvalue\tunit\tn_runs\tspread\tnote\n'
    for f in hop wave cut; do
        printf '%s\tplan\tw1\t%s\tus\t7\t0.01\t\n' $f "$VALUE"
        [ $f = cut ] || printf 'bench\ttime taken\t%s\t1\ts\t1\t0.000\t\n' $f
    done
} >"$2/figures.tsv"
E2
chmod +x "$BUILD/exact/bench/bench_gpu"
printf 'figure\tsubject\tvariant\tvalue\tunit\tn_runs\tspread\tnote\trun\tform\tcommit\tgpu\tdriver\tdate\n' >"$scratch/kept"
printf '%s\tplan\tw1\t1\tus\t7\t0\t\t%s\t%s\tc0\tg\td\tt\n' hop hop long hop hop short cut cut short gone hop short >>"$scratch/kept"
cp "$scratch/kept" "$tree/bench/results/h200/figures.tsv"
STAGES_OF_CALL=$PWD/tests/gpu/stages VALUE=2 call 0 c8 figures
awk -F '\t' 'NR > 1 { print $1, $4, $9, $10, $11 }' "$scratch/out/h200/figures.tsv" | grep -v ^bench | sort >"$scratch/got"
printf '%s\n' 'cut 1 cut short c0' 'hop 1 hop long c0' 'hop 2 hop short c8' 'wave 2 wave short c8' | diff - "$scratch/got" >"$scratch/diff" ||
    bad "figures.tsv: $(tr '\n' ';' <"$scratch/diff")"

call 2 c8 three
call 2 c8 --long
call 2 c8 --fast
STAGES_OF_CALL=$PWD/tests/gpu/stages
for name in $(bash tests/gpu.sh --list | awk '{ print $1 }'); do
    for form in "" --long; do
        call 0 c9 --dry-run $form "$name"
        grep -qE '^build +build\.(exact|fma) +at most' "$scratch/said" || bad "$name $form builds nothing"
        grep -qE "^$name +[a-z.]+ +at most" "$scratch/said" || bad "$name $form runs nothing: $(tail -1 "$scratch/said")"
    done
done
! command -v shellcheck >/dev/null || shellcheck tests/gpu.sh tests/gpu/stages/*.sh >>"$scratch/bad" || true
report "$scratch/bad"
