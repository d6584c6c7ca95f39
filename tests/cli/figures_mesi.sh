# SPDX-License-Identifier: MIT
# figures_mesi.sh - matmul and hotspot by the library and by hand, on a device that a thread plays, and the simulated figures of MESI-CUDA's
# scheduling: files, rows, and numbers that depend on one another; what is not possible is skipped with a reason.
. "$2/tests/cli/common.bash"

run 0 bench --figures mesi --out jobs -n 150 --runs 3 --opt devices="virtual: cpu:1" --opt steps=3 --opt figures=matmul,hotspot
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

run 0 bench --figures mesi --out figures --opt steps=100 --opt figures=14a,14b,14c,14d,15a,15b,15c
for name in 14a 14b 14c 14d 15a 15b 15c; do
    in_out "^figures/mesi-$name.tsv$"
    in_out "^figures/mesi-$name.svg$"
    [ "$(tail -n 1 "figures/mesi-$name.svg")" = '</svg>' ] || fail "mesi-$name.svg does not end as SVG"
done
# rows NAME N CONDITION: as many rows, and what holds for each of them.
rows() {
    awk -F '\t' -v n="$2" 'NR <= 2 { next }
        { seen++; if (NF != 13 || $13 != "simulated" || $7 <= 0 || $8 <= 0 || $9 <= 0 || $9 > 1.02 || !('"$3"')) { print; bad = 1 } }
        END { exit bad || seen != n }' "figures/mesi-$1.tsv" >wrong || fail "$1: $(cat wrong "figures/mesi-$1.tsv")"
}
# Equal parts are 1; of equal GPUs nothing is much slower. The paper has 0.76 and 0.40 for its unequal pair.
rows 14a 40 '($5 != "static" || $8 == 1) && ($4 != "TITAN+680" || $5 != "free" || ($8 > 0.70 && $8 < 0.82))'
rows 14b 40 '($5 != "static" || $8 == 1) && $10 == 0 && ($4 != "TITAN+680" || $5 != "free" || ($8 > 0.34 && $8 < 0.46))'
rows 14c 20 '$5 == "static" || $8 > 2'
rows 14d 40 '$5 != "settle" || $8 < 1.05'
rows 15a 70 '$6 == 2 || $8 < 1.01'
rows 15b 70 '$6 == 2 || $8 < 1.01'
rows 15c 70 '$6 <= 128'

run 2 bench --figures mesi --opt figures=seven
in_err 'figures=seven: of matmul, hotspot, 14a to 14d and 15a to 15c'
run 2 bench --figures mesi --opt speed=7
in_err 'of --figures mesi there are figures, steps and devices'
run 2 bench --figures mesi --opt figures=hotspot --opt steps=many
in_err 'many'
finish
