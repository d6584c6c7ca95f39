# SPDX-License-Identifier: MIT
# simulate.sh - simulated loops: the table, links, trouble, the picture; words that make no sense are refused in a sentence.
. "$2/tests/cli/common.bash"

run 0 simulate "gpu 15*core" --loop n=2.6e6,shape=ramp,time=20ms --split all
silent_err
in_out '^way	efficiency	balance	ms'
for way in cut static guided hguided hdss axel qilin linear exponential factoring; do
    in_out "^$way	0\.[0-9]+	"
done
awk '$1 == "cut" && $2 >= 0.97 { found = 1 } END { exit !found }' out || fail "cut: $(grep ^cut out)"
in_out '^# 15\*core: 0\.[0-9]+ of the grains'

run 0 simulate "gpu:link=pcie 3*core" --links pcie:rate=55e9,latency=5us --loop n=1e6,in=8,out=4 --timeline a.svg
in_out '^# link pcie: [1-9][0-9]* bytes in, [1-9][0-9]* out'
[ "$(grep -c '<path' a.svg)" = 4 ] || fail "the picture has $(grep -c '<path' a.svg) rows"

run 0 simulate "2*gpu:die=50% 3*core" --loop n=1e6,time=20ms
in_out '	2	ok$'
run 0 simulate "2*gpu:die=1us" --loop n=1e7
in_out 'no unit is left'
run 0 simulate "core 2*core:hangs=1ms" --loop n=1e5,time=20ms
in_out 'does not end'

run 0 simulate "2*gpu gpu:speed=0.5" --jobs matmul --loop n=16384,map=all
silent_err
in_out '^job	map	gpus	tasks	ms	efficiency'
for map in settle fixed free static; do
    in_out "^matmul	$map	3	.*	simulated$"
done
awk -F '\t' '$2 == "settle" && ($6 < 0.9 || $6 > 1.001 || $8 != $9 || $9 != 2147.48 || $10 != 1073.74) { bad = 1 }
    $2 == "settle" { ms = $5 } $2 == "static" && $5 < 1.2 * ms { bad = 1 } END { exit bad || !ms }' out || fail "matmul: $(cat out)"
[ "$(grep -c '^# gpu [012]: busy 0' out)" = 12 ] || fail "GPUs: $(cat out)"
[ "$(grep -c ', to them [1-9]' out)" -ge 4 ] || fail "no GPU sent anything: $(cat out)"
run 0 simulate "4*gpu:port=0" --jobs hotspot --loop n=1024,steps=10,op=1us
in_out '^hotspot	settle	4	0	'
awk -F '\t' '$1 == "hotspot" && ($11 != 0 || $8 <= 8.38) { bad = 1 } END { exit bad }' out || fail "no peers: $(cat out)"
run 0 simulate "gpu" --jobs ep --loop steps=3
in_out '^ep	settle	1	0	655'
refused "matmul, hotspot or ep is expected; did you mean 'matmul'" simulate gpu --jobs matmull
refused "unknown map 'fre'; did you mean 'free'" simulate gpu --jobs ep --loop map=fre
refused 'a number of GPUs from 1 to 64' simulate '65*gpu' --jobs ep
refused 'at most 64 GPUs' simulate '64*gpu gpu' --jobs ep
refused 'more than a pool has' simulate gpu:pool=65536 --jobs matmul --loop n=1024,blocks=1,panels=1
refused 'no rate, link or pool' simulate gpu:rate=0 --jobs ep
refused 'at least one GPU' simulate '' --jobs ep
refused 'goes with --loop only' simulate gpu --jobs ep --split cut

refused 'takes one fleet' simulate
refused 'takes one fleet' simulate gpu core
refused 'at least one unit' simulate ''
refused 'number of units' simulate 0x2\*gpu
refused "unknown key 'rat'; did you mean 'rate'" simulate gpu:rat=1
refused 'a time, with its unit' simulate gpu:t0=10
refused 'a rate above 0' simulate gpu:rate=0
refused 'TIME/PART' simulate gpu:slow=1ms
refused "no link 'x'" simulate gpu:link=x
refused "unknown shape 'rmp'; did you mean 'ramp'" simulate gpu --loop shape=rmp
refused "did you mean 'cut'" simulate gpu --split cuts
refused 'KEY=VALUE' simulate gpu --loop n
refused 'a whole number' simulate gpu --loop n=1.5
refused 'a rate is expected' simulate gpu --links a:latency=1us
refused 'names several' simulate gpu --split cut,static --timeline x.svg
refused 'longest slice' simulate gpu:most=3
finish
