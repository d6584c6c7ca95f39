# SPDX-License-Identifier: MIT
# files.sh - output files of the command: devices and pipes are written through and stay; a limit on file sizes gives a
# sentence; a signal leaves no half-written file.
. "$2/tests/cli/common.bash"
small="lu -n 64 -b 16 --workers 2"

# only NAME...: the folder has these files, besides those of the tests.
only() {
    local is
    is=$(find . -mindepth 1 -maxdepth 1 ! -name out ! -name err -printf '%f\n' | sort | tr '\n' ' ')
    [ "${is% }" = "$*" ] || fail "files: $is, expected: $*"
}

# Devices: the test's own, because a failure would endanger those of the machine.
if mknod full c 1 7 2>/dev/null && : 2>/dev/null >>full; then
    for option in --trace --timeline --dot --dump-graph; do
        # shellcheck disable=SC2086
        refused 'full: writing failed: No space left' run $small $option full
        [ -c full ] || fail "run $option replaced a device"
    done
    # shellcheck disable=SC2086
    refused 'full: writing failed: No space left' plan $small -o full
    refused 'full: writing failed: No space left' bench lu -n 64 -b 16 --runs 1 --tsv full
    mkdir figures && ln -s ../full figures/figure1.tsv
    run 2 bench --figures juggler --out figures -n 64 -b 16 --runs 1
    in_err 'figure1.tsv: writing failed: No space left'
    [ -c full ] && [ -L figures/figure1.tsv ] || fail "a device was replaced"
    rm -r figures
else
    echo "no device can be made here: left out"
fi
rm -f full

# Pipes.
mkfifo pipe
for option in --trace --timeline --dot --dump-graph; do
    timeout 60 cat pipe >got & # also without a writer
    # shellcheck disable=SC2086
    run 0 run $small $option pipe
    wait
    [ -p pipe ] || fail "run $option replaced a pipe"
    [ "$(wc -c <got)" -gt 500 ] || fail "run $option wrote into the pipe: $(head -c 100 got)"
done
# shellcheck disable=SC2086
run 0 run $small --dump-graph /dev/fd/1
in_out '^{"tasks":'
in_out '^  check +ok'
rm pipe got

# A limit on sizes of files, in blocks of 1 KiB.
if (ulimit -f 4) 2>/dev/null; then
    for option in --trace --timeline --dot --dump-graph; do # the timeline is the smallest, a few KiB
        (failures=0 && ulimit -f 1 && refused 'big: writing failed: File too large' \
            run lu -n 512 -b 16 --workers 2 $option big && [ "$failures" = 0 ]) || failures=$((failures + 1))
    done
    (failures=0 && ulimit -f 1 && refused 'big: writing failed: File too large' \
        bench lu -n 64 -b 16 --runs 1 --tsv big && [ "$failures" = 0 ]) || failures=$((failures + 1))
    (failures=0 && ulimit -f 1 && run 2 bench --figures juggler --out figures -n 64 -b 16 --runs 1 &&
        in_err 'figure1.tsv: writing failed: File too large' && [ "$failures" = 0 ]) || failures=$((failures + 1))
    [ -z "$(find figures -type f)" ] || fail "files that are not whole: $(ls figures)"
    rm -r figures
    (ulimit -f 1 && "$heddle" help run >big 2>err) && fail "standard output at the limit: no failure"
    in_err 'standard output: writing failed'
    rm big
    only
fi

# A signal while a file is being written. Scripts start background jobs with SIGINT ignored.
end_while_writing() { # SIGNAL FILE OPTION: sets status; 0 if the file was complete before
    local pid
    env --default-signal=INT "$heddle" run sat -n 500 -b 1 --no-check --workers 2 "$3" "$2" >out 2>err &
    pid=$!
    until [ -s "$(compgen -G "$2.*")" ]; do # not the empty file of the early check
        kill -0 $pid 2>/dev/null || break
    done
    kill -s "$1" $pid 2>/dev/null
    wait $pid 2>/dev/null
    status=$?
}
if env --default-signal=INT true 2>/dev/null; then
    for case in 'INT 130 --dump-graph' 'TERM 143 --dot' 'HUP 129 --dump-graph'; do
        read -r signal expected option <<<"$case"
        for _ in 1 2 3 4 5; do
            echo old >kept
            end_while_writing "$signal" kept "$option"
            [ "$status" = 0 ] || break # the file was complete before: try again
        done
        [ "$status" = "$expected" ] || fail "SIG$signal while writing: status $status, $(head -c 300 err)"
        only kept
        [ "$(head -c 9 kept)" = old ] || fail "SIG$signal while writing: the old file is gone"
    done
else
    echo "env knows no --default-signal: signals were left out"
fi
finish
