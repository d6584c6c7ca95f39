# SPDX-License-Identifier: MIT
# mixes.sh - `heddle bench --figures cumas` with programs that stand in for those of apps/cumas, on the fake driver: all subjects have rows, the best
# order is told from times alone, and a program that dies, hangs, fails, is mute or wrong is named, ends its start, and leaves nothing behind.
. "$(dirname "$0")/common.bash"
export TMPDIR=$scratch FAKE_CUDA_RATE=400 FAKE_CUDA_PAGEABLE=200 HEDDLE_SHARE_PIECE=262144 HEDDLE_SHARE_LANES=2
stands=$scratch/programs
mkdir "$stands"
for name in b+tree backprop BlackScholes gaussian hotspot lavaMD lud nw particlefilter pathfinder srad vectorAdd; do
    cp "$programs/share_rounds" "$stands/$name"
    printf '%s' "$name" >>"$stands/$name" # programs are told apart by what is in them
done
# STATUS ARGUMENT...: into `out` and the folder `figures`.
figures() {
    local want=$1 got=0
    shift
    rm -rf "$scratch/figures"
    "$heddle" bench --figures cumas --out "$scratch/figures" --opt programs="$stands" "$@" >"$scratch/out" 2>&1 || got=$?
    [ "$got" = "$want" ] || { cat "$scratch/out"; cat "$scratch/figures"/*mixes.tsv; fail "status $got instead of $want: $*"; }
    ! ls -d "$TMPDIR"/heddle-cumas.* >/dev/null 2>&1 || fail "a folder is left: $(ls -d "$TMPDIR"/heddle-cumas.*)"
    ! pgrep -f "$stands/" >/dev/null || fail "a program is left: $(pgrep -af "$stands/")"
}
# MIX SUBJECT ROW COLUMN: of a measured row.
value() {
    awk -F '\t' -v mix="$1" -v subject="$2" -v row="$3" -v column="$4" '
        $1 == "how" { for (i = 1; i <= NF; i++) at[$i] = i }
        $1 == "measured" && $2 == mix && $3 == subject && $4 == row { print $(at[column]) }' "$scratch/figures/cumas-mixes.tsv"
}
holds() { awk "BEGIN { exit !($1) }" || { cat "$scratch/figures/cumas-mixes.tsv"; fail "not so: $1"; }; }

echo "-- all subjects"
orders=$((${#sanitized} ? 1 : 5))
figures 0 --opt figures=mixes,4.1,4.2,4.8,4.9 --opt orders=$orders
for mix in table balanced; do
    n=$([ $mix = table ] && echo $orders || echo $(((2 * orders + 4) / 5)))
    best=$(value $mix "best possible" - ms)
    holds "$best > 5"
    while read -r row subject; do
        [ "$(value $mix "$subject" "$row" orders)" = "$n" ] || fail "$mix, $subject: $(value $mix "$subject" "$row" why)"
        # Kernels of stand-ins share nothing, so that the best order of a flow shop is no bound for them.
        holds "$(value $mix "$subject" "$row" least_ms) > 5 && $(value $mix "$subject" "$row" least_ms) <= $(value $mix "$subject" "$row" ms)"
        holds "$(value $mix "$subject" "$row" ms) / $best < 1.001 * $(value $mix "$subject" "$row" of_best) + 0.001"
        holds "$(value $mix "$subject" "$row" mean_end_ms) < $(value $mix "$subject" "$row" ms)"
    done <<<"12 exact
8 exact
12 dp
12 fifo
12 strings
12 none
- time slices"
done
[ "$(grep -c '^measured' "$scratch/figures/cumas-4.1.tsv")" = 12 ] || fail "4.1: $(cat "$scratch/figures/cumas-4.1.tsv")"
[ "$(grep -c '^measured	exact	.*	all	' "$scratch/figures/cumas-4.2.tsv")" = 12 ] || fail "4.2: $(cat "$scratch/figures/cumas-4.2.tsv")"
[ -n "$sanitized" ] || grep -q '^measured	table	A	exact	12	5	' "$scratch/figures/cumas-4.8.tsv" || fail "4.8: $(cat "$scratch/figures/cumas-4.8.tsv")"
# How long the GPU and copies out were idle is known where a daemon ran; under `none` copies ask for nothing.
awk -F '\t' '$1 != "measured" { next }
    FILENAME ~ /mixes/ { ms[$2, $3, $4] = $6; orders[$2, $3, $4] = $5; next }
    function is_part(idle, whole) { return idle != "-" && idle >= 0 && idle < whole }
    { seen[$2, $3, $4]++; whole = ms[$2, $3, $4]
      if ($5 != orders[$2, $3, $4] || !is_part($6, whole) || ($3 == "none" ? $7 != "-" : !is_part($7, whole))) { print; bad = 1 } }
    END { for (mix = 0; mix < 2; mix++) { m = mix ? "balanced" : "table"
              if (seen[m, "exact", 12] != 1 || seen[m, "exact", 8] != 1 || seen[m, "fifo", 12] != 1 || seen[m, "strings", 12] != 1 ||
                  seen[m, "dp", 12] != 1 || seen[m, "none", 12] != 1 || (m, "time slices", 0) in seen) bad = 1 }
          exit bad }' "$scratch/figures"/cumas-{mixes,4.9}.tsv || { cat "$scratch/figures/cumas-4.9.tsv"; fail "4.9"; }
if command -v nvidia-cuda-mps-control >/dev/null; then
    echo "MPS is here: what it says is not looked at"
else
    grep -q '^measured	table	MPS	.*skipped.*MPS cannot be started' "$scratch/figures/cumas-mixes.tsv" || fail "without MPS"
fi

# TROUBLE SENTENCE [SECONDS]: that start has a row with the sentence. Alone, lud has round 7.
trouble() {
    echo "-- $1"
    ROUNDS_TROUBLE=$1 figures 1 --opt figures=mixes --opt orders=1 --opt seconds="${3:-30}"
    grep -qE "^measured	table	exact	12	0	skipped	.*$2" "$scratch/figures/cumas-mixes.tsv" ||
        { cat "$scratch/figures/cumas-mixes.tsv"; fail "not said: $2"; }
}
trouble lud:wrong:7 'lud: the results of round 7 are wrong'
trouble lud:die:1 '	lud was ended by signal 9' $((${#sanitized} ? 40 : 15))
trouble lud:hang:7 'the programs did not end within [3-5] s' 10
[ -z "$sanitized" ] || exit 0 # what follows takes no other ways through the driver, and long under a sanitizer
trouble lud:fail:7 'lud ended with status 2: lud: it does not work'
trouble lud:mute:7 'lud said nothing of round 7'

echo "-- an eighth and a quarter of the bytes"
FAKE_CUDA_RATE=0 FAKE_CUDA_PAGEABLE=0 FAKE_CUDA_MEMORY=8000000000 figures 0 --opt figures=4.12 --opt orders=1
[ "$(grep -c '^measured' "$scratch/figures/cumas-4.12.tsv")" = 9 ] || fail "4.12: $(cat "$scratch/figures/cumas-4.12.tsv")"

echo "-- no time"
figures 0 --opt figures=mixes --opt orders=30 --opt seconds=1
grep -q '^measured	balanced	exact	12	0	skipped	.*no time left' "$scratch/figures/cumas-mixes.tsv" || fail "no time"

echo "-- nothing that could run"
figures 0 --opt figures=mixes --opt programs="$scratch/nowhere"
grep -q "^# nothing is measured: there are no programs in $scratch/nowhere" "$scratch/figures/cumas-mixes.tsv" || fail "no programs"
FAKE_CUDA_FAULTS=cuInit:1:100 figures 0 --opt figures=mixes
grep -q '^# nothing is measured: vectorAdd ended with status' "$scratch/figures/cumas-mixes.tsv" || fail "no device"
