# SPDX-License-Identifier: MIT
# figures_mesi.sh - matmul, hotspot and ep by the library and by hand, and figures of MESI-CUDA's scheduling, simulated and measured, on
# devices that threads play: files, rows, and numbers that depend on one another; what is not possible is skipped with a reason. A wrong
# answer is noticed.
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
[ "$(cut -f 1,3 jobs/mesi-matmul.tsv | grep -c '^matmul \(int32\|fp32\)	\(loop\|launch\|cublas\|cublasxt\)$')" -ge 9 ] ||
    fail "rows of matmul: $(cat jobs/mesi-matmul.tsv)"
grep -q '^hotspot	150	graph	1	' jobs/mesi-hotspot.tsv || fail "rows of hotspot: $(cat jobs/mesi-hotspot.tsv)"
# Jobs: of two devices, what goes in and home is what the app has, or more with a small pool. The first rows come from the host once.
# Rows go from one to the other unless all shares have gone to one: there are three tiles, and the other one may have been interrupted twice.
run 0 bench --figures mesi --out two -n 384 --runs 2 --opt devices="virtual: virtual:" --opt steps=4 --opt figures=matmul,hotspot,ep
awk -F '\t' '/^#/ || $1 == "app" || $3 !~ /^jobs/ { next }
    { seen++; mb = $2 * $2 * 4 / 1e6 }
    NF != 18 || $16 != "-" || $17 != "-" || $18 != "-" || $6 == "skipped" || $4 != 2 || $14 <= 0 || $15 <= 0 { print "broken: " $0; bad = 1 }
    $3 ~ /pool/ && ($6 != "-" || $11 < 2 * mb || $12 < mb) { print "pool: " $0; bad = 1 }
    $3 !~ /pool/ && ($6 == "-" || $7 > $6 || $6 > $8) { print "compute_ms: " $0; bad = 1 }
    $1 != "ep" && $3 !~ /pool/ && ($11 < 1.999 * mb || $11 > 2.001 * mb) { print "in_mb: " $0; bad = 1 }
    $1 == "hotspot" && ($12 < 0.999 * mb || $12 > 1.001 * mb) { print "home_mb: " $0; bad = 1 }
    $1 ~ /matmul/ && $3 !~ /pool/ && ($12 < 0.999 * mb || $12 > 1.001 * mb || ($15 > 1 && $13 < 0.999 * mb)) { print "home_mb, peers_mb: " $0; bad = 1 }
    END { exit bad || seen != 9 }' two/mesi-{matmul,hotspot,ep}.tsv >wrong || fail "jobs: $(cat wrong two/*.tsv)"
grep -q '^matmul fp32	384	jobs library on virtual: virtual:	2	' two/mesi-matmul.tsv || fail "rows of jobs: $(cat two/mesi-matmul.tsv)"
grep -q '^ep	384	launch	1	' two/mesi-ep.tsv || fail "ep by hand: $(cat two/mesi-ep.tsv)"
run 0 bench --figures mesi --out two -n 200 --runs 1 --opt devices=virtual: --opt type=int32 --opt figures=matmul
! grep -q fp32 two/mesi-matmul.tsv || fail "another type: $(cat two/mesi-matmul.tsv)"

run 0 bench --figures mesi --out jobs -n 20 --runs 1 --opt devices=cpu:1 --opt figures=hotspot
[ "$(cat out)" = jobs/mesi-hotspot.tsv ] || fail "one figure: $(cat out)"

run 0 bench --figures mesi --out figures --opt steps=100 --opt figures=14a,14b,14c,14d,15a,15b,15c
for name in 14a 14b 14c 14d 15a 15b 15c; do
    in_out "^figures/mesi-$name.tsv$"
    in_out "^figures/mesi-$name.svg$"
    [ "$(tail -n 1 "figures/mesi-$name.svg")" = '</svg>' ] || fail "mesi-$name.svg does not end as SVG"
done
# Columns 13 to 16 have a number for each device. They are those of columns 10 to 12, and what devices get of one another others have sent.
each='function sum(list, parts, i, n, all) { n = split(list, parts, "+"); for (i = 1; i <= n; i++) all += parts[i]; return all }
    function near(a, b) { return a - b < 1e-4 * b + 1e-9 && b - a < 1e-4 * b + 1e-9 }
    function links() { return near(sum($13), $10) && near(sum($14), $11) && near(sum($15), $12) && near(sum($16), $12) &&
        gsub(/[+]/, "+", $13) == gsub(/[+]/, "+", $16) && ($1 == "ep" ? $17 == "-" : $17 > 0.999) }'
# No link carries much more than by the model, but those of hotspot under `fixed`, where tasks that have a border in common are on different devices.
# rows NAME N CONDITION: as many rows, and what holds for each of them.
rows() {
    awk -F '\t' -v n="$2" "$each"'/^#/ || $1 == "app" || $18 == "measured" || $7 == "skipped" { next }
        { seen++; if (NF != 18 || $18 != "simulated" || $7 <= 0 || $8 <= 0 || $9 <= 0 || $9 > 1.02 || !links() || !('"$3"')) { print; bad = 1 }
          if ($1 != "ep" && $17 > ($1 == "hotspot" && $5 == "fixed" ? 1 + $6 / 32 : 1.1)) { print "over the model: " $0; bad = 1 } }
        END { exit bad || seen != n }' "figures/mesi-$1.tsv" >wrong || fail "$1: $(cat wrong "figures/mesi-$1.tsv")"
}
# Equal parts are 1; of equal GPUs nothing is much slower. The paper has 0.76 and 0.40 for its unequal pair.
rows 14a 40 '($5 != "static" || $8 == 1) && ($4 != "TITAN+680" || $5 != "free" || ($8 > 0.70 && $8 < 0.82))'
rows 14b 40 '($5 != "static" || $8 == 1) && $10 == 0 && ($4 != "TITAN+680" || $5 != "free" || ($8 > 0.34 && $8 < 0.46))'
rows 14c 20 '$5 == "static" || $8 > 2'
rows 14d 40 '$5 != "settle" || $8 < 1.05'
rows 15a 70 '$6 == 2 || $8 < 1.01'
rows 15b 70 '$6 == 2 || $8 < 1.01'
rows 15c 70 '$4 !~ /K80|TITAN|680/ || ($6 > 16 ? $6 != 128 || ($8 > 1.03 && $8 < 1.13) : $8 < 1.01)'

grep -q '>simulated; one bar a way; fractions are parts of GPUs<' figures/mesi-14a.svg || fail 'the picture does not say what parts are'

# Where there is no GPU, rows say so; devices that are named are measured, each way over the first one.
if ! "$heddle" info | grep -q 'cuda:0'; then
    for name in 14a 15a; do
        grep -q '	1 GPU	all	-	skipped	needs 1 GPU; here are 0$' "figures/mesi-$name.tsv" || fail "$name: $(tail -n 8 "figures/mesi-$name.tsv")"
    done
fi
run 0 bench --figures mesi --out measured -n 600 --runs 1 --opt steps=3 --opt devices="virtual: virtual:speed=0.5" --opt figures=14a,14c,15c
in_out '^measured/mesi-14a-measured.svg$'
grep -q '>measured, n = 600; one bar a way<' measured/mesi-14a-measured.svg || fail 'the picture does not say what was measured'
measured() { # NAME N CONDITION
    awk -F '\t' -v n="$2" "$each"'$18 != "measured" { next }
        { seen++; if (NF != 18 || $2 != 600 || $4 !~ /^virtual/ || $7 <= 0 || $8 <= 0 || $9 != "-" || $10 <= 0 || !links() || !('"$3"')) { print; bad = 1 } }
        END { exit bad || seen != n }' "measured/mesi-$1.tsv" >wrong || fail "$1, measured: $(cat wrong "measured/mesi-$1.tsv")"
}
# 5 x 5 tiles: 16 tasks are 4 in each of 4. Three matrices; two of temperatures and power, which tasks that keep nothing bring three times.
measured 14a 4 '($5 != "static" || ($6 == 2 && $8 == 1)) && $10 > 2.87 && $10 < 2.89 && $11 > 1.43 && $11 < 1.45'
measured 14c 2 '$5 != "static" ? $10 > 8.63 && $10 < 8.65 && $11 > 4.31 && $11 < 4.33 : $8 == 1 && $10 > 2.87 && $10 < 2.89'
measured 15c 5 '$6 <= 32'

# No time left: rows say so, and nothing else is wrong.
run 0 bench --figures mesi --out late -n 300 --runs 1 --opt seconds=1e-9 --opt devices=virtual: --opt figures=matmul,ep,14d
[ "$(grep -c '	skipped	--opt seconds left no time$' late/mesi-matmul.tsv)" = "$(grep -c '^matmul' late/mesi-matmul.tsv)" ] ||
    fail "no time: $(cat late/mesi-matmul.tsv)"
[ "$(grep -c '	skipped	--opt seconds left no time$' late/mesi-14d.tsv)" = 4 ] || fail "no time: $(cat late/mesi-14d.tsv)"

# Answers with a wrong number.
if preload wrong_fetch; then
    LD_PRELOAD=$preloaded run 1 bench --figures mesi --out wrongs -n 300 --runs 1 --opt devices=virtual: --opt steps=3 --opt figures=matmul,hotspot,14a
    for row in '^matmul int32.*	jobs on virtual:.*	skipped	matmul: ' '^matmul fp32.*	jobs library on virtual:.*	skipped	matmul: ' \
        '^hotspot.*	jobs on virtual:.*	skipped	hotspot: ' '^matmul	300	1	virtual:	settle	-	skipped	matmul: '; do
        grep -q "$row" wrongs/*.tsv -h || fail "no row '$row': $(grep -h jobs wrongs/*.tsv)"
    done
fi

run 2 bench --figures mesi --opt figures=seven
in_err 'figures=seven: of matmul, hotspot, ep, 14a to 14d and 15a to 15c'
run 2 bench --figures mesi --opt speed=7
in_err 'of --figures mesi there are figures, steps, devices, seconds and type'
run 2 bench --figures mesi --opt figures=hotspot --opt steps=many
in_err 'many'
run 2 bench --figures mesi --opt type=fp64
in_err 'type=fp64: int32 or fp32 is expected'
run 2 bench --figures mesi --opt seconds=0
in_err 'seconds=0: a number above 0'
finish
