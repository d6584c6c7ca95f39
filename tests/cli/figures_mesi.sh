# SPDX-License-Identifier: MIT
# figures_mesi.sh - matmul and hotspot by the library and by hand, on a device that a thread plays: files, rows, and numbers that depend on
# one another; what is not possible is skipped with a reason.
. "$2/tests/cli/common.bash"

run 0 bench --figures mesi --out jobs -n 150 --runs 3 --opt devices="virtual: cpu:1" --opt steps=3
for name in matmul hotspot; do
    in_out "^jobs/mesi-$name.tsv$"
    # The library ran, and found no fault; programs by hand ran, or say why not.
    awk -F '\t' '
        function near(a, b) { return a - b < 0.01 * b && b - a < 0.01 * b }
        /^#/ || $1 == "app" { next }
        $6 == "skipped" { skipped++; if ($3 == "loop" || $7 == "") { print; bad = 1 }; next }
        $3 == "loop" && ($6 != "-" || $7 > $9 || $9 > $8) { print; bad = 1 }
        $3 == "loop" { loops++; work = $1 == "hotspot" ? 150 * 150 * 3 : 150 * 150 * 150
            if (!near($10, work / $9 * 1e-6)) { print; bad = 1 } }
        { rows++ }
        END { exit bad || loops < 1 || rows + skipped < 3 }' "jobs/mesi-$name.tsv" >wrong ||
        fail "$name: $(cat wrong "jobs/mesi-$name.tsv")"
done
[ "$(cut -f 1,3 jobs/mesi-matmul.tsv | grep -c '^matmul \(int32\|fp32\)	\(loop\|launch\|cublas\|cublasxt\)$')" -ge 12 ] ||
    fail "rows of matmul: $(cat jobs/mesi-matmul.tsv)"
grep -q '^hotspot	150	graph	1	' jobs/mesi-hotspot.tsv || fail "rows of hotspot: $(cat jobs/mesi-hotspot.tsv)"
run 0 bench --figures mesi --out jobs -n 20 --runs 1 --opt devices=cpu:1 --opt figures=hotspot
[ "$(cat out)" = jobs/mesi-hotspot.tsv ] || fail "one figure: $(cat out)"
run 2 bench --figures mesi --opt figures=seven
in_err 'figures=seven: of matmul and hotspot'
run 2 bench --figures mesi --opt speed=7
in_err 'of --figures mesi there are figures, steps and devices'
run 2 bench --figures mesi --opt figures=hotspot --opt steps=many
in_err 'many'
finish
