# SPDX-License-Identifier: MIT
# options.sh - options of `start` and `run` by their variables: each does what its option does, the option goes before it, a value that
# is none is refused by the variable's name, and `heddle info` lists it.
. "$(dirname "$0")/common.bash"

echo "-- start"
export HEDDLE_SHARE_POLICY=fifo HEDDLE_SHARE_ROW=5 HEDDLE_SHARE_PATIENCE=3s HEDDLE_SHARE_KERNELS=ordered HEDDLE_SHARE_TRACE=$scratch/trace
start_daemon
until_status '"policy": "fifo", "row": 5, "patience_ms": 3000, "kernels": "ordered"'
stop_daemon
[ -s "$scratch/trace" ] || fail "no trace"
start_daemon --policy strings --row 6 --patience 40ms --kernels free --trace "$scratch/other"
until_status '"policy": "strings", "row": 6, "patience_ms": 40, "kernels": "free"'
stop_daemon
[ -s "$scratch/other" ] || fail "no trace of the option"
unset "${!HEDDLE_SHARE_@}"

echo "-- values that are none"
# NAME VALUE SENTENCE
by_variable() {
    export "$1=$2"
    refuses "$1: $3" start --foreground
    unset "$1"
}
by_variable HEDDLE_SHARE_POLICY fif "unknown policy 'fif'; did you mean 'fifo'"
by_variable HEDDLE_SHARE_ROW 0 "'0' is no number from 1 to 64"
by_variable HEDDLE_SHARE_PATIENCE 0s "'0s' is no time from 1"
by_variable HEDDLE_SHARE_KERNELS some "'some' is none of free, ordered"
by_variable HEDDLE_SHARE_MPS some "'some' is none of auto, on, off"
HEDDLE_SHARE_TRACE=$scratch/no/folder refuses 'no/folder' start --foreground

echo "-- run"
HEDDLE_SHARE_REQUIRE=1 refuses 'no daemon of this user runs' run -- echo ran
! grep -q '^ran' "$scratch/said" || fail "it ran"
HEDDLE_SHARE_REQUIRE=0 "$heddle" share run -- echo ran 2>"$scratch/said" | grep -qx ran || fail "a requirement of 0"
HEDDLE_SHARE_REQUIRE=yes refuses "HEDDLE_SHARE_REQUIRE: 'yes' is no number" run -- true

echo "-- heddle info"
"$heddle" info >"$scratch/info"
for name in POLICY ROW PATIENCE TRACE KERNELS MPS CLASS MEM MEM_WAIT AHEAD REQUIRE; do
    grep -qw "HEDDLE_SHARE_$name" "$scratch/info" || fail "info does not list $name"
done
