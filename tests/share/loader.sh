# SPDX-License-Identifier: MIT
# loader.sh - every way in which a program comes to the driver: by name, by path, by DT_RPATH, through a library, through one that is
# bound deeply; through scripts, children and exec. What the driver has that is not known stays its own. What no interposer
# can be loaded into is refused with a sentence.
. "$(dirname "$0")/common.bash"
library=$(dirname "$heddle")/libheddle_share.so
preloaded() { env LD_PRELOAD="$library" "$@"; }
said() { "$heddle" share run "$@" 2>&1 || true; }

echo "-- look-ups"
known='cuMemcpyHtoD_v2 cuMemAlloc_v2 cuLaunchKernel cuStreamSynchronize cuGetProcAddress_v2 own:cuLaunchKernel own:cuMemcpyDtoHAsync'
names="cuMemcpyHtoD $known cuInit cuStreamCreate cuEventQuery"
"$programs/share_lookups" $names >"$scratch/plain"
grep -q libheddle "$scratch/plain" && fail "ours without us"
preloaded "$programs/share_lookups" $names >"$scratch/ours"
grep -qx 'before: none' "$scratch/ours" || fail "a name of the driver before there is one"
grep -qx 'cuMemcpyHtoD: none, libheddle_share.so' "$scratch/ours"
grep -qx 'cuMemAlloc_v2: libheddle_share.so, libheddle_share.so' "$scratch/ours" || cat "$scratch/ours"
grep -qx 'own:cuLaunchKernel: libheddle_share.so, libheddle_share.so' "$scratch/ours"
grep -qx 'own:cuMemcpyDtoHAsync: none, libheddle_share.so' "$scratch/ours"
for name in cuInit cuStreamCreate cuEventQuery; do grep -qx "$name: libcuda.so.1, libcuda.so.1" "$scratch/ours"; done
echo "-- newer and missing functions are the driver's"
FAKE_CUDA_NEWER=cuMemcpyHtoD FAKE_CUDA_MISSING=cuMemAlloc_v2 preloaded "$programs/share_lookups" cuMemcpyHtoD cuMemAlloc_v2 >"$scratch/ours"
grep -qx 'cuMemcpyHtoD: none, libcuda.so.1' "$scratch/ours" || fail "a newer function is taken for the known one"
grep -qx 'cuMemAlloc_v2: libheddle_share.so, none' "$scratch/ours"

echo "-- codes, and nothing written"
for name in cuMemAlloc_v2 cuMemFree_v2 cuMemcpyHtoD_v2 cuMemcpyHtoDAsync_v2 cuMemcpyDtoHAsync_v2 cuStreamSynchronize cuCtxSynchronize \
    cuStreamEndCapture cuMemcpy2D_v2 cuMemHostRegister_v2; do
    FAKE_CUDA_FAULTS=$name:0:77 preloaded "$programs/share_codes" $name 77 >"$scratch/out" 2>&1 || { cat "$scratch/out"; fail "$name"; }
done
echo "-- order, captures, contexts"
for how in lookup lookup-own; do
    preloaded "$programs/share_captures" $how >"$scratch/out" 2>&1 || { cat "$scratch/out"; fail "captures $how"; }
done
start_daemon
share "$programs/share_captures" >"$scratch/out" 2>&1 & p=$!
share "$programs/share_captures" >"$scratch/out2" 2>&1 || { cat "$scratch/out2"; fail "captures, one of two"; }
wait $p || { cat "$scratch/out"; fail "captures, one of two"; }

echo "-- ways to the driver"
staged() { grep -qE 'right; pieces [1-9]' "$scratch/out" || { cat "$scratch/out"; fail "$*: not seen"; }; }
cp "$programs/fake/libcuda.so.1" "$scratch/libcuda.so.1"
env -u LD_LIBRARY_PATH "$heddle" share run --require -- "$programs/share_mixed" lookup 1 4 3000 1 "$scratch/libcuda.so.1" >"$scratch/out"
staged by path
env -u LD_LIBRARY_PATH "$heddle" share run --require -- "$programs/share_mixed_rpath" lookup 1 4 3000 1 >"$scratch/out"
staged DT_RPATH
printf '#!/bin/sh\nexec "%s" lookup 1 4 3000 1\n' "$programs/share_mixed" >"$scratch/script"
chmod +x "$scratch/script"
share "$scratch/script" >"$scratch/out"
staged a script
share "$programs/share_loads" "$programs/libshare_plugin.so" plain | grep -qx right
if [ "$sanitized" ]; then
    echo "left out: RTLD_DEEPBIND (sanitizers refuse it)"
else
    "$heddle" share status | grep -q 'without being seen' && fail "nobody was unseen yet"
    share "$programs/share_loads" "$programs/libshare_plugin.so" deep | grep -qx right
    until_status '"unseen": \{"programs": 1, "last": "share_loads"\}'
    "$heddle" share status | grep -q 'without being seen'
fi
LD_PRELOAD=$programs/libshare_next.so share sh -c 'echo $PPID' >/dev/null
env LD_PRELOAD="$library:$programs/libshare_next.so" "$programs/share_parent" | grep -qx 4711 || fail "RTLD_NEXT has lost who asks"
for order in "$programs/libshare_next.so:$library" "$library:$programs/libshare_next.so"; do
    HEDDLE_SHARE=off LD_PRELOAD=$order "$programs/share_mixed_linked" linked 1 2 3000 1 >"$scratch/out" || { cat "$scratch/out"; fail "RTLD_NEXT of the driver's names: $order"; }
done

echo "-- children"
share "$programs/share_forker" live "$programs/share_mixed" lookup 1 4 3000 1 >"$scratch/out"
grep -q '^right, sleeper' "$scratch/out" || { cat "$scratch/out"; fail "fork"; }
share "$programs/share_forker" die "$programs/share_mixed" lookup 1 4 3000 1 >"$scratch/out" || true
started+=("$(sed -n 's/^right, sleeper //p' "$scratch/out")")
kill -0 "${started[-1]}" || fail "no child that lives on"
until_status '"clients": \[\]' # though its child lives

echo "-- refusals"
said "$scratch/nothing" | grep -q 'No such file' || fail "a missing program"
said nothing-of-this-name | grep -q 'no such program'
said | grep -q 'takes a program'
said --class best true | grep -q 'none of high, normal, low'
said --mem 12Q true | grep -q 'no number of bytes'
printf 'int main(void) { return 0; }\n' >"$scratch/main.c"
if cc -static "$scratch/main.c" -o "$scratch/static" 2>/dev/null; then
    said "$scratch/static" | grep -q 'linked statically' || fail "a static program"
else
    echo "left out: static programs (no static C library here)"
fi
if [ "$(id -u)" = 0 ]; then
    cp "$programs/share_mixed" "$scratch/setuid"
    chown 65534 "$scratch/setuid"
    chmod 4755 "$scratch/setuid"
    said "$scratch/setuid" lookup 1 1 100 1 | grep -q 'more rights' || fail "a setuid program"
else
    echo "left out: setuid programs (needs root)"
fi
for bad in '--row 0' '--policy best' '--patience x' '--what'; do
    "$heddle" share start $bad 2>"$scratch/said" && fail "start $bad"
    grep -q '^heddle: ' "$scratch/said"
done
stop_daemon
echo "-- without a daemon"
"$heddle" share run "$programs/share_mixed" lookup 1 4 3000 1 >"$scratch/out" 2>"$scratch/said"
grep -q 'right; pieces 0' "$scratch/out"
[ "$(grep -c 'starts plainly' "$scratch/said")" = 1 ] || fail "not said once"
"$heddle" share run --require true 2>"$scratch/said" && fail "--require"
"$heddle" share status 2>"$scratch/said" && fail "status of nobody"
grep -q 'heddle share start' "$scratch/said"
