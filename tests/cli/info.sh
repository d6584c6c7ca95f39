# SPDX-License-Identifier: MIT
# info.sh - info, help, version, and words that are no command.
. "$2/tests/cli/common.bash"

run 0 --version
in_out '^heddle [0-9]+\.[0-9]+\.[0-9]+$'
run 0
in_out '^usage: heddle'
run 0 help
in_out 'heddle bench APP'
for command in info run bench trace; do
    run 0 help $command
    in_out "^usage: heddle $command"
    cp out asked
    run 0 $command --help
    cmp -s out asked || fail "heddle $command --help differs from heddle help $command"
done
if "$heddle" help | grep -q '^  heddle share'; then
    run 0 help share
    in_out '^usage: heddle share'
    in_out '^  --policy fifo '
    for word in $(grep -oE -- '--[a-z][a-z-]+' out | sort -u) $(grep -oE '^  heddle share [a-z]+' out | awk '{ print $3 }'); do
        sed 's/\\-/-/g' "$source_dir/doc/heddle-share.1" | grep -qwF -- "$word" || fail "heddle-share.1 does not say $word"
    done
fi
run 0 help run
for option in -n -b --opt --input --backend --workers --policy --schedule --repeat --no-check --json --stats \
    --trace --timeline --dot --dump-graph --team-size --time-limit --device --by-body --devices --split --map --tasks-2 --safe --static; do
    in_out "^  $option "
done

run 0 info
silent_err
in_out '^  serial '
in_out '^  cpu .*worker'
in_out '^  cores +[1-9]'
in_out 'L1d'
in_out '^  HEDDLE_WORKERS +not set'
in_out '^limits'
in_out '^schedules'
in_out '^  graph\+pdl '
in_out '^  ticket '
HEDDLE_WORKERS=3 run 0 info
in_out '^  HEDDLE_WORKERS +3 '
in_out '^  cpu +device 0: 3 workers'

# The manuals have everything that info lists.
run 0 info
words=$(awk '/^(schedules|policies|ways|maps|environment)/ { on = 1; next } NF == 0 || /^[a-z]/ { on = 0 } on { print $1 }' out | sort -u)
[ "$(echo "$words" | wc -l)" -ge 30 ] || fail "info lists $words"
for word in $words; do
    cat "$source_dir"/doc/heddle{,-share}.1 | grep -qwF -- "$word" || fail "the manuals do not say $word"
done

apps=$(sed -n '/^apps/,$p' out | awk 'NR > 1 { print $1 }' | tr '\n' ' ')
[ "$apps" = "beam bfs blackscholes boxfilter conv dct des3 dtw ep fbank heat heat2d histogram hotspot inthist jacobi lu mandel matmul mix mm quad queens sat slu sor sw uts " ] || fail "apps are '$apps'"
for app in $apps; do
    run 0 info "$app"
    in_out "^$app - "
    in_out '^size +[0-9]+(x[0-9]+ .*, blocks of [0-9]+x[0-9]+ | .*; no blocks$)'
    in_out '^input +[^ ]'
done
run 0 info
loops='blackscholes boxfilter ep histogram hotspot matmul'
for app in $apps; do
    [[ " $loops " = *" $app "* ]] || in_out "^  $app/graph$"
done
for app in $loops mandel; do
    in_out "^  $app/loop$"
done
for app in $loops mandel; do
    in_out "^  $app/jobs$"
done
in_out '^maps of jobs$'
for map in settle fixed free static; do
    in_out "^  $map +[^ ]"
done
in_out '^ways to divide loops$'
for way in cut static guided hguided hdss axel qilin linear exponential factoring; do
    in_out "^  $way +[^ ]"
done
for app in dtw heat heat2d inthist sat sor sw; do
    in_out "^  $app/wave$"
done
for app in dtw heat heat2d sor sw; do
    in_out "^  $app/wavefront$"
done
for app in beam conv dct des3 fbank mandel mix mm slu; do
    in_out "^  $app/pool$"
done
run 0 info sw
in_out '^run +sw/graph: '
in_out '^ +sw/wave: '
in_out '^cells +sw_cell: 4 bytes from N W NW, finds 20 bytes; shapes [^ ]'
run 0 info sor
in_out '^cells +sor_cell: 4 bytes from N W old C old E old S, 4 sweeps together; shapes [^ ]'
run 0 info sat
in_out '^tiles +sat_band: a column hands on 4 bytes, a band carries [0-9]+$'
run 0 info mandel
in_out '^bodies +mandel_tile mandel_rows$'
in_out '^ +mandel/loop: '
run 0 info sw
in_out '^  match .*default: 2'
in_out '^  mismatch .*default: -1'
in_out '^  gap .*default: -1'

refused "unknown command 'rnu'; did you mean 'run'" rnu
refused "unknown command 'qqqqqqq'$" qqqqqqq
refused "unknown command 'banch'; did you mean 'bench'" help banch
refused "unknown app 'jacoby'; did you mean 'jacobi'" info jacoby
refused 'one app at most' info sw lu
refused 'no option of this command' info --json
if [ -w /dev/full ]; then
    "$heddle" info >/dev/full 2>err
    [ $? = 2 ] || fail "a full disk behind stdout went unnoticed"
    in_err 'standard output'
fi
# Links: a line each, of five cells. Without a GPU it is the host's memory alone, and a line that says so.
CUDA_VISIBLE_DEVICES='' run 0 info --links
silent_err
[ "$(awk '!/^#/ { print $1, $2, ($3 > 0.01 && $3 < 1e5), $4, $5, NF }' out)" = 'host host 1 - - 5' ] || fail "links: $(cat out)"
in_out '^# from +to +GB/s +both +latency_us$'
in_out '^# there is no GPU'
in_out '^# copies from GPU to GPU without the host: none$'
refused 'an app or --links' info sw --links
refused 'takes no value' info --links=3
# The inputs of bfs: the same graph of 3 vertices in each form, with arcs from the first to the others.
run 0 info bfs
for form in .graph .csr 'any other'; do in_out "^ +$form.* "; done
printf '\3\0\0\0\2\0\0\0\0\0\0\0\2\0\0\0\2\0\0\0\2\0\0\0\1\0\0\0\2\0\0\0' >star.csr
printf '# from to\n10 20\n10 4000000000\n' >star.txt
printf '%% a star\n3 2\n2 3\n1\n1\n' >star.graph
for file in star.csr star.txt star.graph; do
    run 0 run bfs --input $file --opt source=0
    in_out 'reached = 3$'
    run 0 run bfs --input $file --opt source=2
    [ $file = star.graph ] || in_out 'reached = 1$' # METIS has each edge in both directions
    refused 'no vertex, they are 0 ... 2' run bfs --input $file --opt source=20
done
finish
