# SPDX-License-Identifier: MIT
# mps.sh - `heddle share start --mps`, with a script that stands in for nvidia-cuda-mps-control: it is started, used and ended when it should
# be, programs are told of it, and nothing that it does keeps `auto` from starting.
. "$(dirname "$0")/common.bash"
unset HEDDLE_SHARE_MPS
export HEDDLE_SHARE_LARGE=65536 MPS_STAND=$scratch/stand PATH=$scratch/bin:$PATH
mkdir "$MPS_STAND" "$scratch/bin"
cat >"$scratch/bin/nvidia-cuda-mps-control" <<'END'
#!/usr/bin/env bash
# Its "daemon" is a process that does nothing, its number in the file of the real one. The file `mode` says how well it does.
mode=$(cat "$MPS_STAND/mode")
number=$CUDA_MPS_PIPE_DIRECTORY/nvidia-cuda-mps-control.pid
[ "$mode" != missing ] || exit 127
if [ "${1:-}" = -d ]; then
    echo "start $CUDA_MPS_PIPE_DIRECTORY" >>"$MPS_STAND/calls"
    [ "$mode" != fails ] && [ -d "$CUDA_MPS_PIPE_DIRECTORY" ] && [ -d "$CUDA_MPS_LOG_DIRECTORY" ] || exit 1
    tail -f /dev/null >/dev/null 2>&1 &
    echo $! >"$number"
    echo $! >>"$MPS_STAND/pids"
    exit 0
fi
read -r line
echo "$line" >>"$MPS_STAND/calls"
[ -f "$number" ] && kill -0 "$(cat "$number")" 2>/dev/null || exit 1
case $line in
quit) kill "$(cat "$number")" && rm "$number" ;;
get_server_list) [ "$mode" != mute ] ;;
*) exit 1 ;;
esac
END
chmod +x "$scratch/bin/nvidia-cuda-mps-control"
end_stands() {
    status=$?
    local p
    for p in $(cat "$MPS_STAND/pids" 2>/dev/null); do ! grep -q tail "/proc/$p/cmdline" 2>/dev/null || kill "$p"; done
    (exit $status)
    finish
}
trap end_stands EXIT
mode() {
    echo "$1" >"$MPS_STAND/mode"
    : >"$MPS_STAND/calls"
}
calls() { grep -c "^$1" "$MPS_STAND/calls" || true; }
# OPTION...: a daemon that says its words into `said`.
begin() {
    "$heddle" share start "$@" >"$scratch/said" 2>&1 || { cat "$scratch/said"; fail "start $*"; }
    daemon=$(sed -n 's/^heddle share runs (process \([0-9]*\))$/\1/p' "$scratch/said")
    [ -n "$daemon" ] || { cat "$scratch/said"; fail "start does not say that it runs"; }
}
# PROCESS: it has ended, be it that nobody has asked for its status.
has_ended() { [ ! -e "/proc/$1/stat" ] || [ "$(sed 's/.*) \(.\).*/\1/' "/proc/$1/stat" 2>/dev/null)" = Z ]; }
until_gone() { # PROCESS WHAT
    for _ in {1..400}; do
        has_ended "$1" && return
        sleep 0.02
    done
    fail "$2 was left"
}
end() {
    "$heddle" share stop
    until_gone "$daemon" "the daemon"
    daemon=
}
said() { grep -qE -- "$1" "$scratch/said" || { cat "$scratch/said"; fail "not said: $1"; }; }
# What a program under `run` finds in its environment.
told() {
    local p
    "$heddle" share run --require -- "$programs/share_kernels" "$scratch" hold 0 >"$scratch/out" 2>&1 & p=$!
    started+=("$p")
    until_status "\"pid\": $p,"
    tr '\0' '\n' <"/proc/$p/environ" | sed -n 's/^CUDA_MPS_PIPE_DIRECTORY=//p'
    kill "$p"
}
is_gone() { until_gone "$1" "the daemon of MPS"; }
own=$scratch/heddle/mps

echo "-- refused, with a sentence"
mode good
for bad in "--mps maybe" "--mps"; do ! "$heddle" share start $bad >"$scratch/said" 2>&1 || fail "took $bad"; done
! HEDDLE_SHARE_MPS=maybe "$heddle" share start >"$scratch/said" 2>&1 || fail "took the variable"
said 'HEDDLE_SHARE_MPS.*auto, on, off'

for how in missing:'there is no nvidia-cuda-mps-control' fails:'does not start' mute:'does not answer'; do
    echo "-- ${how%%:*}: auto goes without, on is refused"
    mode "${how%%:*}"
    begin
    said "programs run without MPS: .*${how#*:}"
    [ -z "$(told)" ] || fail "a program was told of MPS"
    end
    if "$heddle" share start --mps on >"$scratch/said" 2>&1; then fail "--mps on without MPS"; fi
    said "--mps on: .*${how#*:}"
    [ ! -e "$scratch/heddle/share" ] || fail "a socket is left"
    for p in $(cat "$MPS_STAND/pids" 2>/dev/null); do is_gone "$p"; done
done

echo "-- good: it is started, told of, and ended"
mode good
begin
said "programs run under MPS \\($own\\): a fault of one of them ends all"
[ "$(stat -c %a "$own" "$scratch/heddle/mps-log" | xargs)" = '700 700' ] || fail "others may enter its folders"
[ "$(told)" = "$own" ] || fail "a program was told '$(told)'"
[ "$(CUDA_MPS_PIPE_DIRECTORY=$scratch/own told)" = "$scratch/own" ] || fail "what the user said was overwritten"
"$heddle" share status | grep -q 'under MPS' || fail "status does not say it"
mps=$(cat "$own/nvidia-cuda-mps-control.pid")
! has_ended "$mps" || fail "it does not run"
end
is_gone "$mps"
[ "$(calls start) $(calls quit)" = '1 1' ] || { cat "$MPS_STAND/calls"; fail "other calls"; }

echo "-- the daemon is killed: the next one takes over what it left"
mode good
HEDDLE_SHARE_MPS=on begin
kill -9 "$daemon"
until_gone "$daemon" "the killed daemon"
mps=$(cat "$own/nvidia-cuda-mps-control.pid")
begin
[ "$(calls start)" = 1 ] && ! has_ended "$mps" || fail "it was started again"
kill "$daemon" # as a system that goes down
until_gone "$daemon" "the daemon"
daemon=
is_gone "$mps"

echo "-- the user's own: used, and not ended; started there, and ended"
mode good
export CUDA_MPS_PIPE_DIRECTORY=$scratch/theirs
mkdir "$CUDA_MPS_PIPE_DIRECTORY" "$scratch/log"
CUDA_MPS_LOG_DIRECTORY=$scratch/log nvidia-cuda-mps-control -d
mps=$(cat "$CUDA_MPS_PIPE_DIRECTORY/nvidia-cuda-mps-control.pid")
begin
said "under MPS \\($scratch/theirs\\)"
end
! has_ended "$mps" || fail "the user's MPS was ended"
kill "$mps"
mode good
begin
mps=$(cat "$CUDA_MPS_PIPE_DIRECTORY/nvidia-cuda-mps-control.pid")
end
is_gone "$mps"
unset CUDA_MPS_PIPE_DIRECTORY

echo "-- off: nothing is asked"
mode good
begin --mps off
[ "$(grep -c MPS "$scratch/said")" = 0 ] && [ -z "$(told)" ] && [ ! -s "$MPS_STAND/calls" ] || fail "off"
end
