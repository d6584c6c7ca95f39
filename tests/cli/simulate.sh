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
