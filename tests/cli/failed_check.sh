# SPDX-License-Identifier: MIT
# failed_check.sh - a failed check gives exit status 1 and still a report, and bench does not time wrong results. The
# apps are right, so here the command's sources are linked with an app that can be wrong (wrong_app.c).
. "$2/tests/cli/common.bash"

library=$(dirname "$heddle")/libheddle.so
[ -e "$library" ] || { echo "libheddle.so is not beside the command"; exit 77; }
cc=${CC:-cc}
command -v "$cc" >/dev/null 2>&1 || { echo "no C compiler"; exit 77; }
pkg-config --exists jansson || { echo "jansson's headers are not here"; exit 77; }
sanitize=
for kind in address:__asan_init thread:__tsan_init; do
    nm -D "$library" | grep -q "${kind#*:}" && sanitize=-fsanitize=${kind%:*}
done
shopt -s extglob
# shellcheck disable=SC2046,SC2086
"$cc" -std=c11 -D_GNU_SOURCE -DHEDDLE_HAVE_JANSSON=1 -O1 $sanitize -I"$source_dir/include" -I"$source_dir/apps" \
    -I"$source_dir/src" "$source_dir"/tools/heddle/!(cmd_share|share_*).c "$source_dir"/src/base/{alloc,file,status}.c "$source_dir/tests/cli/wrong_app.c" "$source_dir"/apps/{app,graph,jobs,loop,parts,pool,spread,tasks,wavefront}.c "$library" -Wl,-rpath,"$(dirname "$library")" \
    $(pkg-config --cflags --libs jansson) -pthread -lm -o heddle >build.log 2>&1 || {
    cat build.log
    fail "the command does not build with another app"
    finish
}
heddle=$work/heddle

run 0 run count --json
json_is "ok 64" "'%s %s' % (d['check'], d['answer']['sum'])"
json_is "None 18446744073709551615" "'%s %s' % (d['answer']['nan'], d['answer']['most'])"
json_is True "d['answer']['text'] == 'a \"quoted\"\\tback\\\\slash \\ufffd'"
run 1 run count --opt wrong=1
in_err '^heddle: count: the check failed: cell 48 is 0 instead of 1$'
in_out '^  check +failed: cell 48 is 0 instead of 1$'
run 1 run count --opt wrong=1 --json --repeat 5 --trace t.json
json_is "failed 1 48" "'%s %s %s' % (d['check'], d['repeat'], d['answer']['sum'])"
[ -s t.json ] || fail "no trace of the run whose check failed"
run 0 run count --opt wrong=1 --no-check --json
json_is "skipped 48" "'%s %s' % (d['check'], d['answer']['sum'])"

run 0 bench count --runs 2
run 1 bench count --opt wrong=1 --runs 2 --tsv b.tsv
in_err 'cpu/rings/lf: the check failed: cell 48'
in_out 'cpu/rings/lf +the check failed'
grep -q '^check	count:1x64:1x16:wrong=1	serial/order/-	0	0	0	' b.tsv || fail "no row of the failed check"
grep -q '^execTime	.*	tiles	' b.tsv || fail "the right subject was not timed"
! grep -Eq '^execTime	.*	(serial|cpu)/' b.tsv || fail "a wrong subject was timed"
finish
