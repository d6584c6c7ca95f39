# SPDX-License-Identifier: MIT
# bad_input.sh - bad input is refused with a sentence on stderr, exit status 2, nothing on stdout and no file.
. "$2/tests/cli/common.bash"
needs_json
data=$source_dir/data

# Words.
refused 'one app or one file' run
refused 'one app or one file' run sw lu
refused "unknown app 'jacoby'; did you mean 'jacobi'" run jacoby
refused "unknown scenario 'jacobi/grahp'; did you mean 'graph'" run jacobi/grahp
refused "unknown scenario 'sw/'" bench sw/
refused "unknown scenario 'lu/nothing' .heddle info lists them" plan lu/nothing
refused 'cannot be read' run nothing/graph
refused "unknown option '--polcy'; did you mean '--policy'" run sw --polcy lf
refused "unknown policy 'lff'; did you mean 'lf'" run sw --policy lff
refused "unknown backend 'cpus'; did you mean 'cpu'" run sw --backend cpus
refused 'has no option' run sw --opt mtach=1
refused 'KEY=VALUE' run sw --opt match
refused 'match' run sw --opt match=many
refused 'schedule levels: backend cpu has no such schedule' run sw --backend cpu --schedule levels
refused 'by_body: schedule auto of backend cpu' run sw --backend cpu --by-body
refused 'by_body: schedule dynamic' run sw --backend cpu --schedule dynamic --by-body
refused 'schedule ticket: backend serial' run sw --backend serial --schedule ticket
refused 'policy: schedule static' run sw --backend cpu --schedule static --policy lf
refused "unknown schedule 'level'; did you mean 'levels'" run sw --schedule level
refused "unknown mode 'launch'; did you mean 'launches'" run mandel --pool launch
refused "unknown scenario 'lu/pool'" run lu --pool auto
refused '--pool: mandel/graph is no scenario of a pool' run mandel/graph --pool auto
refused "unknown way to divide 'cuts'; did you mean 'cut'" run ep --split cuts
refused "unknown scenario 'lu/loop'" run lu --split cut
refused '--devices and --split: mandel/pool is no scenario of a loop' run mandel/pool --devices serial
refused '--devices needs a value' run ep --devices ' '
refused '"gpu:0": there is no such kind' run ep --devices 'cpu:1 gpu:0'
refused '"virtual:colour=3": a virtual device has speed' run ep --devices virtual:colour=3
refused '--devices says where a loop runs; --backend, --workers' run ep --devices serial --workers 3
refused '--backend, --workers and --device do, too' run ep --backend cpu --devices serial
refused '--split says how a loop is divided' run ep --schedule levels
refused '--split says how a loop is divided' run mandel/loop --policy lf
refused 'ep/loop has no graph, and so no plan' plan ep
for option in --dot --dump-graph --plan; do
    refused "$option: mandel/loop has no graph to tell of" run mandel/loop $option x.out
done
HEDDLE_DEVICES='cpu:none' refused '"cpu:none": a number or . is expected' run ep
HEDDLE_BACKEND=fast refused 'HEDDLE_BACKEND=fast' run ep
HEDDLE_SPLIT=best refused 'HEDDLE_SPLIT=best' run ep
refused '100 pairs are not those of the class' run ep -n 100 --opt class=S
refused '-n asks for 9 bytes, but the input has 116352' run histogram -n 9 --input "$data/images/coins_384x303.pgm"
refused '-n asks for 302 rows, but the input has 303' run sat -n 302x400 --input "$data/images/coins_384x303.pgm"
refused "unknown schedule 'tickets'; did you mean 'ticket'" run sw --schedule tickets
refused '--by-body 3' run sw --by-body=3
refused '--device' run sw --device first
refused 'device 7 was asked for' run sw --backend cpu --device 7
refused 'needs a value' run sw -n
refused 'needs a value' run sw --trace
refused 'takes no value' run sw --json=yes
refused 'no option of this command' run sw --tsv x.tsv

# Numbers.
for size in 0 -5 +5 5x 5x0 x5 5x-1 1.5 '' ' 5' 5x5x5 99999999999999999999 1e3 0x10; do
    refused '-n' run sw -n "$size"
    refused '-b' run sw -n 64 -b "$size"
done
refused 'too many|beyond|limit' run sw -n 9223372036854775807
refused 'too many|beyond|limit' run sat -n 4294967296x4294967296
refused 'tasks' run heat -n 100000 -b 1
refused 'within one is 32767, the limit is 30719' run sw -n 40000 -b 20000
refused 'diagonal is 24000000, the limit is 2128328' run sw -n 4000 -b 2000 --opt body=portable
refused '8192 rows' run sw -n 40000 -b 20000 --opt body=tuned
for app in bfs blackscholes ep histogram mix quad queens uts; do
    refused "-b: $app has no blocks" run $app -b 7
done
for n in 0 -1 many 99999999999 ''; do
    refused '--workers' run sw --workers "$n"
    refused '--repeat' run sw --repeat "${n/99999999999/x}"
done
refused 'from 1 to 4096' run sw --workers 5000
refused 'threads' run sw --backend cpu --team-size 2
refused 'from 1 to 1024' run sw --backend serial --team-size 5000
refused '--time-limit' run sw --time-limit -1
HEDDLE_WORKERS=many refused 'HEDDLE_WORKERS=many' run sw
HEDDLE_POLICY=best refused 'HEDDLE_POLICY=best' run sw

# Backends and limits.
"$heddle" info >out 2>&1
grep -q '^  cuda .*not in this build' out && refused 'cuda' run sw -n 64 --backend cuda
# Two thousand tasks of 20 ms, one after the other.
awk 'BEGIN { print "{\"tasks\": [{\"id\": 0}"
    for (i = 1; i <= 2000; i++) printf ", {\"id\": %d, \"us\": 20000, \"after\": [%d]}\n", i, i - 1
    print "]}" }' >long.json
refused 'limit' run long.json --time-limit 50
if (ulimit -v 400000 && "$heddle" --version) >/dev/null 2>&1; then
    (failures=0 && ulimit -v 400000 && refused 'memory' run sat -n 40000 && [ "$failures" = 0 ]) || fail "too little memory"
else
    echo "no memory limit can be set for this build: skipped"
fi

# Inputs.
refused 'No such file' run sw --input nowhere.fa --input nowhere.fa
refused 'PGM' run sat --input "$data/smith-waterman/lambda_virus.fa"
head -c 5000 "$data/images/coins_384x303.pgm" >cut.pgm
refused 'cut.pgm' run sat --input cut.pgm
refused 'cut.pgm' run inthist --input cut.pgm
echo ACGT >bare.fa
refused 'bare.fa' run sw --input bare.fa --input bare.fa
printf 'A C\nA 4 -1\nC -1 4 9\n' >scores
refused 'scores:3: row C has more than 2 scores' run sw/wave --opt matrix=scores
printf 'A C\nA 4 -1\nC -1 4\n' >scores
refused 'scores: has no score for letter [GT] .record 1 of the first sequences., and no X for others' run sw/wave --opt matrix=scores
refused "option gaps: 'afine' is not linear or affine" run sw/wave --opt gaps=afine
refused 'option keep is for one pair with linear gaps' run sw/wave --opt gaps=affine --opt keep=1
printf 'odd' >odd.i16le
refused 'odd.i16le' run dtw --input odd.i16le
printf '1\n2\nthree\n4\n' >words
refused 'words:3' run heat --input words
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 1.0\n' >few.mtx
refused 'few.mtx' run lu --input few.mtx
# Two numbers of a row are doubles, but their sum is not; floats, but their sum is not.
head='%%%%MatrixMarket matrix coordinate real general'
printf "$head\\n3 3 3\\n1 2 1e308\\n1 3 1e308\\n3 3 1\\n" >few.mtx
refused "slu: row 1's numbers add up to inf; .*1e.300" run slu -b 1 --input few.mtx
printf "$head\\n3 3 3\\n3 1 -3e38\\n3 2 3e38\\n3 3 1\\n" >few.mtx
refused "lu: row 3's numbers add up to 6e.38; .*1e.30" run lu -b 1 --input few.mtx
refused 'sat' run sat --input "$data/images/coins_384x303.pgm" --input "$data/images/coins_384x303.pgm"

# Graph files.
refused 'nowhere.json' run nowhere.json
refused 'belong to apps' run long.json -n 5
graph() { printf '%s\n' "$2" >bad.json && refused "$1" run bad.json; }
graph 'bad.json:[12]: ' '{"tasks": ['
graph 'bad.json' '{"jobs": []}'
graph 'id' '{"tasks": [{"us": 5}]}'
graph 'bad.json' '{"tasks": [{"id": 1, "us": -5}]}'
graph 'cycle' '{"tasks": [{"id": 1, "after": [2]}, {"id": 2, "after": [1]}]}'
graph 'bad.json' '{"tasks": [{"id": 1, "after": [7]}]}'
graph 'bad.json' '{"tasks": [{"id": 1}, {"id": 1}]}'

# Outputs: refused before the run (here one of more than half a minute), and none is left behind.
mkdir folder
for option in --trace --timeline --dot --dump-graph; do
    refused 'nowhere/x' run long.json $option nowhere/x
    refused 'folder: cannot be written' run long.json $option folder
    refused 'needs a name' run long.json $option ''
    refused 'limit' run long.json --time-limit 50 $option x.out
    refused 'cut.pgm' run sat --input cut.pgm $option x.out
    refused 'unknown app' run nothing $option x.out
done
[ "$(echo *)" = "bad.json bare.fa cut.pgm err few.mtx folder long.json odd.i16le out scores words" ] ||
    fail "files left: $(echo *)"
# An existing file stays when the run fails.
echo old >kept
refused 'limit' run long.json --time-limit 50 --trace kept
[ "$(cat kept)" = old ] || fail "a failed run touched a file"
finish
