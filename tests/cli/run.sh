# SPDX-License-Identifier: MIT
# run.sh - every app on every backend and policy, the report, the JSON object, the files.
. "$2/tests/cli/common.bash"
needs_json

policies=$("$heddle" info | awk '/^policies/ { on = 1; next } NF == 0 { on = 0 } on { print "--policy=" $1 }')
for app in beam conv dct des3 dtw fbank heat heat2d inthist jacobi lu mandel mm sat slu sor sw; do
    size=100x84 block=16x20
    [[ $app = *lu ]] && size=100 block=16 # a square matrix in square blocks
    run 0 run $app -n $size -b $block
    silent_err
    in_out "^$app - "
    in_out '^  size +100 x'
    in_out '^  graph +[1-9][0-9]* tasks'
    in_out '^  time +build .* freeze .* run '
    in_out '^  answer +[^ ]+ = '
    in_out '^  check +ok$'
    for how in --backend=serial $policies '--workers=3 --policy=lf'; do
        # shellcheck disable=SC2086
        run 0 run $app -n 90 -b 16 $how --json
        json_is ok "d['check']"
        json_is "[90, 90] [16, 16]" "'%s %s' % (d['n'], d['b'])"
        cp out last_$app
    done
done
json_is "cpu rings lf 3" "' '.join(str(d[k]) for k in 'backend schedule policy workers'.split())"
json_is True "d['tasks'] == 36 and d['edges'] > 0 and d['levels'] == 11 and set(d['answer']) >= {'best', 'sum_H'}"
json_is True "all(d['times_ms'][k] >= 0 for k in ('build', 'freeze', 'run'))"

# A scenario; the first one has its app's name.
run 0 run lu/graph -n 100 -b 16 --json
json_is "lu ok True" "'%s %s %s' % (d['app'], d['check'], d['levels'] > 1)"
for app in dtw sw; do
    run 0 run $app/wave -n 100x84 --workers 3
    silent_err
    in_out "^$app/wave - "
    in_out '^  size +100 x 84$'
    in_out '^  wave +8400 cells, 2 parts'
    in_out '^  check +ok$'
    run 0 run $app -n 90 --json
    cp out graph_$app
    run 0 run $app --schedule wave -n 90 --json # the scenario for this schedule
    json_is "$app/wave ok wave" "'%s %s %s' % (d['app'], d['check'], d['schedule'])"
    json_is True "d['cells'] == 8100 and d['answer'] == json.load(open('graph_$app'))['answer']"
    rm graph_$app
done
for app in sat inthist; do # a body of a tile
    run 0 run $app/wave -n 100x84 --workers 3
    in_out '^  check +ok$'
    run 0 run $app -n 90 --json
    cp out graph_$app
    run 0 run $app --schedule wave -n 90 --json
    json_is "$app/wave ok wave" "'%s %s %s' % (d['app'], d['check'], d['schedule'])"
    json_is True "d['answer'] == json.load(open('graph_$app'))['answer']"
    rm graph_$app
    run 0 run $app/wave -n 90 --backend serial --team-size 64 --opt body=tuned
    in_out '^  check +ok$'
done
for app in heat heat2d sor; do # sweeps in place
    run 0 run $app/wave -n 100x84 --workers 3 --opt sweeps=11
    in_out '^  check +ok$'
    run 0 run $app -n 90 --opt sweeps=3 --json
    cp out graph_$app
    run 0 run $app --schedule wave -n 90 --opt sweeps=3 --json
    json_is "$app/wave ok wave" "'%s %s %s' % (d['app'], d['check'], d['schedule'])"
    json_is True "d['answer'] == json.load(open('graph_$app'))['answer']"
    rm graph_$app
done
for how in --backend=serial --workers=1 '--workers=3 --opt most=77'; do # tasks of a pool
    # shellcheck disable=SC2086
    run 0 run mandel/pool -n 100x84 -b 16x20 $how
    silent_err
    in_out '^mandel/pool - '
    in_out '^  pool +35 tasks, 65536 slots$'
    in_out '^  time +build [^,]*, run '
    in_out '^  check +ok$'
    # shellcheck disable=SC2086
    run 0 run mandel -n 90 $how --json
    cp out graph_mandel
    # shellcheck disable=SC2086
    HEDDLE_POOL_SLOTS=32 run 0 run mandel/pool -n 90 -b 7 $how --json # more tasks than slots
    json_is "mandel/pool ok 169 32" "'%s %s %s %s' % (d['app'], d['check'], d['tasks'], d['slots'])"
    json_is True "d['answer'] == json.load(open('graph_mandel'))['answer'] and d['how'] == ''"
done
run 0 run mandel --pool launches -n 90 --workers 1 # a mode matters on a GPU only
in_out '^mandel/pool - '
in_out '^  check +ok$'
rm graph_mandel
printf 'The qufck brown fox jump' >fox # chained, and back again
run 0 run des3/pool --input fox --opt mode=cbc --json
json_is "des3/pool ok 70d563820afe8b35" "'%s %s %s' % (d['app'], d['check'], d['answer']['cbc_last_block_hex'])"
run 0 run des3 -n 9x100 -b 2x16 --opt mode=cbc --opt way=decrypt
in_out '^  check +ok$'
refused 'CBC is encrypted by packets, of up to 100 bytes' run des3 -n 9x100 -b 2x16 --opt mode=cbc
refused "option mode: 'ctr' is neither ecb nor cbc" run des3 --opt mode=ctr
refused 'no three keys of 16 hexadecimal digits' run des3 --opt key=0123456789abcdef
{ # two packets of it
    printf '\324\303\262\241\2\0\4\0%012d\1\0\0\0' 0
    printf '%08d\10\0\0\0\10\0\0\0The qufc%08d\20\0\0\0\20\0\0\0k brown fox jump' 0 0
} >two.pcap
run 0 run des3 --input two.pcap --json
json_is "ok [2, 16] 24 68d5c05dd9b6b900" \
    "'%s %s %s %s' % (d['check'], d['n'], d['answer']['padded_bytes'], d['answer']['ecb_last_block_hex'])"
head -c 70 two.pcap >cut.pcap
refused 'cut.pcap: packet 2 has 16 bytes, 6 are left' run des3 --input cut.pcap
rm two.pcap cut.pcap
mv fox fox.pcap
refused 'fox.pcap: is no capture' run des3 --input fox.pcap
run 0 run des3 --input fox.pcap --opt cut=1
in_out '^  check +ok$'
rm fox.pcap
run 0 run mix/pool -n 6 --opt bytes=999 --json
json_is "mix/pool ok 24" "'%s %s %s' % (d['app'], d['check'], d['tasks'])"
cp out pool_mix
run 0 run mix -n 6 --opt bytes=999 --json
json_is True "d['answer'] == json.load(open('pool_mix'))['answer']"
rm pool_mix
refused 'mix has one size, the tasks of each part' run mix -n 4x5
for more in '' --copies '--blocks 2 --threads 3' --irregular '--irregular --copies --threads 2'; do # tasks as they are asked for
    for how in --backend=serial '--workers 3' '--backend serial --team-size 3'; do
        for app in 'mandel -b 8' 'mix --opt bytes=99'; do
            # shellcheck disable=SC2086
            run 0 run $app --pool resident --tasks 16 $how $more
            silent_err
            in_out "^${app%% *}/pool - "
            in_out '^  pool +16 tasks, 65536 slots$'
            in_out '^  check +ok$'
        done
    done
done
run 0 run mandel --pool auto --tasks 12 --team-size 64 --workers 2 --json
json_is "[192, 256] [64, 64] 12 ok" "'%s %s %s %s' % (d['n'], d['b'], d['tasks'], d['check'])"
run 0 run mandel/pool --tasks 12 --copies --blocks 2 -b 8 --json # rows go with tasks
json_is "[192, 8] [16, 8] 12 ok" "'%s %s %s %s' % (d['n'], d['b'], d['tasks'], d['check'])"
run 0 run mandel/pool --tasks 20 --at-once 3 -b 8 --workers 2 --stats # in lock step: three slots at most
in_out '^slots +3 in use at most'
run 0 run mandel/pool -n 50x70 -b 16x20 --threads 4
in_out '^  pool +16 tasks'
run 0 run mm/pool --irregular --tasks 8 -b 1x32 --stats --trace pool.json
in_out '^mm_apart_products: 8 tasks, 8 ok'
for team in 32 64 128 256; do
    [ "$(grep -c "\"team\":$team[,}]" pool.json)" = 2 ] || fail "teams of $team: $(head -c 900 pool.json)"
done
rm pool.json
refused 'mandel: --tasks is for pools and jobs' run mandel --tasks 9
refused 'slu: its tasks come after others' run slu --pool auto --copies
refused 'they take no -n and no --input' run mm --pool auto --tasks 4 -n 3
refused 'mix: 10 tasks; a multiple of 4 is expected' run mix --pool auto --tasks 10
refused 'whole rows go with a task, not 16 of 64 columns' run mandel --pool auto -n 64 -b 16 --copies
refused 'a team of 33 threads' run mandel --pool auto --team-size 33
refused '--threads 0' run mandel --pool auto --threads 0
for app in 'mm -n 9x70 -b 2x50' 'dct -n 30x300 -b 13x150'; do # without block-shared memory
    for how in '--backend=serial --team-size 64' --workers=2; do
        run 0 run $app --pool auto --opt shared=no --stats $how
        in_out "^${app%% *}_plain_.* ok"
    done
    refused 'goes with no --copies' run ${app%% *} --pool auto --opt shared=no --copies
    refused "'maybe' is not yes or no" run ${app%% *} --opt shared=maybe
done
refused 'are for pools' run mandel/graph --at-once 2
run 0 run slu -n 300 -b 20 --json
cp out graph_slu
for order in ranges handles waves; do # tasks that come after others: the same bits, also with few slots, and alone
    for how in '--workers 3' '--workers 1' '--backend serial --team-size 3'; do
        for slots in 32 65536; do
            # shellcheck disable=SC2086
            HEDDLE_POOL_SLOTS=$slots run 0 run slu/pool -n 300 -b 20 --opt order=$order --repeat 3 $how --json
            json_is "slu/pool ok $slots" "'%s %s %s' % (d['app'], d['check'], d['slots'])"
            json_is True "all(d[k] == json.load(open('graph_slu'))[k] for k in ('answer', 'tasks'))"
        done
    done
done
rm graph_slu
refused "option order: 'random' is not ranges, handles or waves" run slu/pool --opt order=random
refused 'option how: the tasks of slu/pool are spawned by the host' run slu/pool --opt how=spawn
for option in '--dot t.dot' '--dump-graph t.json' '--plan t.json'; do
    # shellcheck disable=SC2086
    refused "${option%% *}: mandel/pool has no graph to tell of" run mandel/pool $option
done
refused 'mandel/pool has no graph, and so no plan' plan mandel/pool
for how in --backend=serial --workers=3; do # what a pool tells of its tasks
    run 0 run mandel/pool -n 100x84 -b 16x20 $how --repeat 2 --stats --trace pool.json --timeline pool.svg
    silent_err
    in_out '^mandel_tile: 70 tasks, 70 ok, 0 failed, 0 cancelled, 0 late, 0 without room$'
    in_out '^  spawned to begun +[0-9]'
    in_out '^  in the body +[0-9]'
    in_out '^  ended to seen +[0-9]'
    in_out '^slots +[0-9]+ in use at most; 0 calls found none'
    in_out '^warps in use +[0-9.]+, the mean over '
    in_out '^trace +70 records kept, 0 dropped$'
    grep -q '^<svg .*' pool.svg || fail "no picture of a pool: $(head -c 200 pool.svg)"
    [ "$(grep -c '"cat":"task"' pool.json) $(grep -c '"X".*"cat":"spawn"' pool.json)" = "70 70" ] ||
        fail "the trace of a pool: $(head -c 900 pool.json)"
done
HEDDLE_POOL_TRACE=10 run 0 run mandel/pool -n 100x84 -b 16x20 --stats --json
json_is "35 35 10 25" "'%s %s %s %s' % (d['stats']['bodies'][0]['ok'], d['stats']['bodies'][0]['run']['tasks'], d['stats']['records'], d['stats']['dropped'])"
rm pool.json pool.svg
# Loops: the same answer on every fleet, under every way to divide.
for app in 'blackscholes -n 5000' 'boxfilter -n 100x84 -b 16x20' 'ep -n 70000' 'histogram -n 300000' 'mandel -n 60x70' \
    'hotspot -n 70x90 --opt steps=4' 'matmul -n 150x90 --opt parts=2'; do
    run 0 run $app --devices serial --json
    json_is "ok fleet cut ['serial']" "'%s %s %s %s' % (d['check'], d['backend'], d['schedule'], d['devices'])"
    cp out alone
    for devices in cpu:2 'virtual:speed=0.5 cpu:1' '2*virtual:link=1e9,latency=1e-5'; do
        # shellcheck disable=SC2086
        run 0 run $app --devices "$devices" --split guided --json --stats --repeat 2
        silent_err
        json_is "${app%% *} ok guided 2 2" "'%s %s %s %s %s' % (d['app'].split('/')[0], d['check'], d['schedule'], d['workers'], d['repeat'])"
        json_is True "d['answer'] == json.load(open('alone'))['answer']"
        json_is True "sum(u['indices'] for u in d['stats']['units']) >= d['stats']['indices'] == d['indices']"
        json_is True "d['stats']['slices'] == sum(u['slices'] for u in d['stats']['units']) and 0 < d['stats']['balance'] <= 1"
    done
done
rm alone
# Jobs: the same answers, with every map, and with less memory than data.
for app in 'blackscholes/jobs -n 5000' 'boxfilter/jobs -n 100x84 -b 16x20' 'ep/jobs -n 70000' 'histogram/jobs -n 300000' 'mandel/jobs -n 60x70' \
    'hotspot/jobs -n 70x90 --opt steps=4' 'matmul/jobs -n 150x90 --opt parts=2'; do
    run 0 run $app --devices serial --json
    json_is "ok fleet settle 1" "'%s %s %s %s' % (d['check'], d['backend'], d['schedule'], d['workers'])"
    cp out alone
    for how in '--devices=cpu:2' '--devices=2*virtual: --map fixed' '--devices=3*virtual: --static --safe' '--devices=2*virtual:peers=0 --map free --pool 300000'; do
        # shellcheck disable=SC2086
        run 0 run $app ${how/:/:} --json --stats --repeat 2
        silent_err
        json_is "${app%% *} ok 2" "'%s %s %s' % (d['app'], d['check'], d['repeat'])"
        json_is True "d['answer'] == json.load(open('alone'))['answer']"
        json_is True "d['stats']['slices'] == sum(u['slices'] for u in d['stats']['devices'])"
        json_is True "d['stats']['jobs'] == 2 * d['jobs'] and d['stats']['home_ms'] >= d['stats']['jobs_ms'] > 0"
    done
done
rm alone
run 0 run matmul --static --devices '3*virtual:' -n 300 -b 32 --stats # what is for jobs only means the scenario
in_out '^matmul/jobs - '
in_out '^  devices +virtual:0 virtual:1 virtual:2$'
in_out '^  how +map static over 3 devices$'
in_out '^ +virtual:1: [0-9.]+ % of the tiles in 1 slices, '
in_out '^  jobs +1 jobs, each of 300 indices, each of 300, tiles of 32$'
in_out '^device +slices +in +home +peers +sent +used +pool +left$'
in_out '^virtual:2 +1 '
in_out '^all +1 jobs in 3 slices, 0 again; shares changed 0 times$'
in_out '^time +jobs ended after '
in_out '^table +[0-9]+ '
run 0 run matmul/jobs --tasks 3 --tasks-2 4 --devices '2*virtual:' -n 300 -b 32 --json --stats
json_is "12" "d['stats']['slices']"
json_is True "[x['bytes_sent'] for x in d['stats']['devices']] == [x['bytes_peers'] for x in d['stats']['devices']][::-1]"
run 0 run matmul/jobs --pool 150000 --devices virtual: -n 300 -b 32 --json --stats # in a grid of blocks
json_is True "d['jobs'] > 1 and d['stats']['slices'] > d['jobs'] and d['stats']['devices'][0]['left'] > 0"
json_is True "d['stats']['devices'][0]['used'] <= d['stats']['devices'][0]['pool'] == 150000"
run 0 run hotspot/jobs --safe --map fixed --devices 'virtual:fail=40 virtual:' -n 300 --stats # lost on the way
in_out '^virtual:0 .* lost$'
in_out '^  check +ok$'
run 0 run hotspot/jobs --map fixed --devices '2*virtual:' -n 300 --opt steps=6 --repeat 2 --trace jobs.json --timeline jobs.svg # the last run
for row in 'virtual:0, link in' 'virtual:0, bodies' 'virtual:0, link out' 'virtual:1, peers'; do
    json_is True "any(e.get('args', {}).get('name') == '$row' for e in d['traceEvents'])" jobs.json
done
json_is '[0, 1, 2, 3, 4, 5]' "sorted({e['args']['job'] for e in d['traceEvents'] if 'job' in e.get('args', {})})" jobs.json
grep -q '>virtual:1, bodies<' jobs.svg || fail 'the picture of jobs has no row of bodies'
rm jobs.json jobs.svg
HEDDLE_MAP=free run 0 run ep/jobs -n 5000 --devices '2*virtual:' --json
json_is free "d['schedule']"
run 0 run matmul/jobs --opt body=library --devices '2*virtual:' -n 100 # the host works
in_out '^  check +ok$'
refused "unknown map 'setle'; did you mean 'settle'" run ep/jobs --map setle
refused 'mandel/graph is no scenario of jobs' run mandel/graph --safe
refused "unknown scenario 'lu/jobs'" run lu --map free
refused 'jobs are not divided by it' run ep/jobs --split cut
refused 'pool of 1000000000000 bytes' run ep/jobs --devices virtual: --pool 1000000000000
refused 'the least slice of matmul_f32 needs [0-9]+ bytes of a device; the pool of virtual:0 has 900' run matmul/jobs --devices virtual: --pool 900
refused '200 x 1 tasks of 1 x 1 tiles' run ep/jobs -n 200000 --tasks 200 --devices virtual: --opt tile=65536
refused 'are for pools' run ep/jobs --copies
refused 'option body: only matmul/jobs' run matmul/loop --opt body=library
refused 'the library multiplies fp32 only' run matmul/jobs --opt body=library --opt type=int32
if preload no_cublas; then
    LD_PRELOAD=$preloaded refused 'option body: cuBLAS is not here' run matmul/jobs --opt body=library --devices virtual: -n 100
    LD_PRELOAD=$preloaded run 0 run matmul/jobs --devices virtual: -n 100 # the portable body needs none
    rm "$preloaded"
fi
run 0 run boxfilter/loop -n 300x84 --devices 'virtual: cpu:1' --stats
in_out '^  devices +virtual:0 cpu:0$'
in_out '^  how +split cut over 2 units$'
in_out '^ +cpu:0: [0-9.]+ % of the indices in [0-9]+ slices'
in_out '^  loop +300 indices, each of 84, tiles of 32$'
in_out '^unit +share +slices +busy +end +indices/s +in +out +cuts +again$'
in_out '^virtual:0 +[0-9.]+ % '
in_out '^all +300 indices in [0-9]+ slices, [0-9]+ cuts, '
in_out '^balance +[01]\.[0-9]+: the first unit ended after '
run 0 run boxfilter/loop -n 300x84 --devices cpu:3 --split guided
in_out '^  how +split guided over 3 units$'
in_out '^ +each of cpu:0 to 2: [0-9.]+( to [0-9.]+)? % of the indices in [0-9]+( to [0-9]+)? slices$'
run 0 run ep -n 500000 --devices 'virtual: cpu:1' --trace loop.json --timeline loop.svg --repeat 2
silent_err
grep -q '^<svg .*' loop.svg || fail "no picture of a loop: $(head -c 200 loop.svg)"
grep -q 'ep, divided by cut among 2 units' loop.svg || fail "the picture has no title"
json_is True "len(d['traceEvents']) > 3" loop.json
rm loop.json loop.svg
run 0 run mandel/loop -n 1500x1000 -b 5x16 --split static --devices 'virtual:fail=2 cpu:1' --stats # lost on the way
in_out '^virtual:0 .* lost$'
in_out '^lost +1 of 2 units$'
in_out '^  check +ok$'
for app in 'heat2d -n 300' 'sw -n 400x700' 'dtw/wavefront -n 500 --opt keep=1' 'sor -n 200x400 --opt sweeps=6'; do
    # shellcheck disable=SC2086
    run 0 run ${app/ / } --devices 'virtual: cpu:1' --split static --json --stats
    json_is "ok 2" "'%s %s' % (d['check'], len(d['stats']['units']))"
    json_is True "sum(u['rows'] for u in d['stats']['units']) == d['n'][0] == d['stats']['rows']"
done
# Every wavefront under every way, on unequal devices; those whose cells stay on the devices go on without one that fails, too.
splits=$("$heddle" info | sed -n '/^ways to divide loops/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ "$(wc -w <<<"$splits")" -ge 10 ] || fail "heddle info lists no ways to divide: $splits"
for split in $splits; do
    for app in 'heat/wavefront -n 200' 'heat2d -n 300' 'sor -n 200x400 --opt sweeps=6' 'sw -n 400x700' 'dtw/wavefront -n 500'; do
        fleets=('virtual: virtual:speed=0.6 virtual:speed=0.3 cpu:1')
        case $app in sw* | dtw*) fleets+=('virtual: virtual:speed=0.5,fail=6 cpu:1') ;; esac
        for devices in "${fleets[@]}"; do
            # shellcheck disable=SC2086
            run 0 run $app --devices "$devices" --split "$split"
            in_out '^  check +ok$'
        done
    done
done
run 0 run sw/wavefront -n 600 --devices 'virtual: virtual:fail=2' --stats
in_out '^virtual:1 .* lost$'
in_out '^unit +share +strides +busy +end +rows/s '
in_out '^  how +wavefront sw_cell_sums, divided by cut: '
in_out '^ +rows 0 to [0-9]+ on virtual:0: from '
run 0 run heat2d -n 300 --devices '2*virtual: cpu:1' --split static --timeline front.svg --trace front.json
for row in 'virtual:1, link in' 'virtual:1, waves' 'virtual:1, link out' 'cpu:1'; do
    grep -q ">$row<" front.svg || fail "the picture has no row $row"
    json_is True "any(e.get('args', {}).get('name') == '$row' for e in d['traceEvents'])" front.json
done
grep -q 'heat2d, divided by static among 3 units' front.svg || fail "the picture has no title"
rm front.json front.svg
refused 'sw/wavefront takes one pair with linear gaps' run sw/wavefront -n 600 --opt gaps=affine
run 0 run histogram --input "$source_dir/data/images/coins_384x303.pgm" --devices cpu:2
in_out '^  size +116352$'
in_out 'hist256 = .0, 1, 2, 7, 10, 7, 10, 27, '
for app in conv dct inthist sat 'boxfilter --devices cpu:2'; do # laid out over a larger size
    # shellcheck disable=SC2086
    run 0 run $app --input "$source_dir/data/images/coins_384x303.pgm" -n 310x400
    in_out '^  check +ok$'
done
for how in '--backend serial' '--backend cpu --workers 1'; do # where the options and variables say
    # shellcheck disable=SC2086
    run 0 run ep -n 5000 $how --json
    json_is 1 "d['workers']"
    # shellcheck disable=SC2086
    HEDDLE_DEVICES='virtual: cpu:1' run 0 run ep -n 5000 $how --json
    json_is 1 "d['workers']"
done
HEDDLE_DEVICES='2*virtual: cpu:1' HEDDLE_SPLIT=hdss run 0 run ep -n 5000 --json
json_is "3 hdss" "'%s %s' % (d['workers'], d['schedule'])"
run 2 run mandel/loop -n 300 -b 1x100 --opt most=100000 --time-limit 20 --devices cpu:1
in_err 'the run reached its time limit of 20 ms'
run 0 run sor/wave -n 64 --opt omega=0.5
in_out '^  check +ok$'
refused 'option body chooses how tiles are computed, and heat/wave has none' run heat/wave --opt body=tuned
printf '>a\nACGTACGT\n>b\nTTACG\n' >two.fa # all records with all
run 0 run sw/wave --input two.fa --input two.fa --opt gaps=affine --opt gap=-3 --opt match=5 --json
json_is "ok 169 [[40, 20], [20, 25]]" "'%s %s %s' % (d['check'], d['cells'], d['answer']['scores'])"
json_is "1 1 105" "'%s %s %s' % tuple(d['answer'][k] for k in ('best_a', 'best_b', 'total'))"
run 0 run sw/wave -n 60x50 --opt gaps=affine
in_out '^  check +ok$'
refused 'sw/graph aligns one pair .* sw/wave takes affine gaps, a matrix, and files of several records' run sw --input two.fa --input two.fa
rm two.fa
refused '-b: sw/wave has no blocks' run sw/wave -b 16
refused 'option body chooses how tiles are computed, and dtw/wave has none' run dtw/wave --opt body=tuned
run 0 run sw/wave --schedule rings -n 90 --json # the same cells as tiles
json_is "ok rings" "'%s %s' % (d['check'], d['schedule'])"
refused 'sw/wave is run by schedule wave, which follows no plan' plan sw/wave --costs
run 0 run sw -n 256 -b 64 --backend serial --team-size 3 --json
json_is "serial order - 1" "' '.join(str(d[k]) for k in 'backend schedule policy workers'.split())"
run 0 run sw -n 256 --repeat 3 --json
json_is "3 True" "'%s %s' % (d['repeat'], d['times_ms']['run_min'] <= d['times_ms']['run'] <= d['times_ms']['run_max'])"
run 0 run heat -n 128 --repeat 3
in_out 'median of 3'
run 0 run sw -n 256 --no-check
in_out '^  check +skipped'
run 0 run sw -n256 -b32 --opt=match=3 --opt gap=-2 --schedule=auto --json
json_is "3 -2" "'%s %s' % (d['answer']['match'], d['answer']['gap'])"
HEDDLE_BACKEND=serial run 0 run sw -n 128 --json
json_is serial "d['backend']"

run 0 run lu -n 256 -b 32 --stats --trace t.json --timeline t.svg --dot g.dot --dump-graph g.json
in_out '^body +tasks +min +median +max +total'
in_out '^lu_bmod +[0-9]+ '
in_out '^worker +tasks +busy +idle +queue +dependence'
in_out '^utilisation '
in_out '^load .* deviation [0-9]+'
in_out '^critical path .* parallelism'
in_out '204 events kept, 0 dropped'
grep -q '</svg>' t.svg || fail "t.svg is no whole picture"
grep -q '^digraph' g.dot || fail "g.dot is no graph"
json_is True "len([e for e in d['traceEvents'] if e['ph'] == 'X' and e.get('cat') == 'task']) == d['heddle']['tasks'] == 204" t.json
json_is 204 "len(d['tasks'])" g.json
rm -f last_*
[ "$(echo *)" = "err g.dot g.json out t.json t.svg" ] || fail "unexpected files: $(echo *)"
run 0 run lu -n 256 -b 32 --stats --json --workers 2
json_is True "d['stats']['dropped'] == 0 and len(d['stats']['workers']) == 2 and sum(w['tasks'] for w in d['stats']['workers']) == 204"
json_is 204 "sum(b['tasks'] for b in d['stats']['bodies'])"

# A graph is written and read back; a handwritten graph spins as long as it says.
run 0 run ./g.json --json
json_is "204 ok" "'%s %s' % (d['tasks'], d['check'])"
cat >hand.json <<'G'
{"tasks": [{"id": 7, "us": 3000, "after": [0, 3], "body": "last"},
           {"id": 0, "us": 2000, "body": "left"}, {"id": 3, "us": 1000}]}
G
for backend in serial cpu; do
    run 0 run hand.json --backend $backend --json --stats
    json_is "3 2 2 ok" "'%s %s %s %s' % (d['tasks'], d['edges'], d['levels'], d['check'])"
    json_is True "5 <= d['stats']['path_ms'] <= d['times_ms']['run_max']"
done
run 0 run hand.json --no-check
in_out '^  check +skipped'

# More tasks than the trace holds: counted and shown; a graph's check does not claim what it cannot see.
HEDDLE_TRACE=10 run 0 run lu -n 256 -b 32 --stats --workers 1
in_out '10 events kept, 194 dropped'
HEDDLE_TRACE=2 run 0 run hand.json --workers 1
in_out '^  check +skipped: the trace lost events'
finish
