# SPDX-License-Identifier: MIT
# figures_hdss.sh - the figures of HDSS, with a device that a thread plays in place of a GPU: their files, rows and numbers that depend
# on one another; what is not possible is skipped with a reason.
. "$2/tests/cli/common.bash"

run 0 bench --figures hdss --out loops -n 400000 --runs 2 --opt devices="virtual: cpu:1" --opt side=400
for name in alone.tsv alone.svg shares.svg ways.tsv ways.svg ends.svg cores.tsv cores.svg blocks.tsv idle.tsv idle.svg chunks.tsv chunks.svg fits.tsv fits-blackscholes.svg fits-histogram.svg fits-boxfilter.svg fits-ep.svg openmp.tsv openmp.svg pipeline.tsv \
    fronts.tsv fronts.svg emulated.tsv emulated-blackscholes.svg emulated-histogram.svg; do
    in_out "^loops/hdss-$name$"
done
for file in loops/*.svg; do
    [ "$(tail -n 1 "$file")" = '</svg>' ] || fail "$file does not end as SVG"
done
# rows FILE APP N CONDITION: N rows of the app, all of which the condition holds for.
rows() {
    awk -F '\t' -v app="$2" -v n="$3" '$1 == app { seen++; if (!('"$4"')) { print; bad = 1 } } END { exit bad || seen != n }' \
        "loops/hdss-$1.tsv" >wrong || fail "$1 of $2: $(cat wrong "loops/hdss-$1.tsv")"
}
for app in blackscholes histogram boxfilter ep mandel; do
    # One core, all cores, the accelerator, everything twice; the bound is that of the two alone.
    rows alone $app 5 '$5 > 0 && $6 <= $5 && $5 <= $7 && $8 > 0 && $11 >= 0 && $11 <= 1 && $12 >= 0 && $12 <= 1'
    awk -F '\t' -v app=$app '
        function near(a, b) { return a - b < 0.01 * b + 1e-4 && b - a < 0.01 * b + 1e-4 }
        $1 != app { next }
        $3 == "cpu:1" { core = $5; bad += $8 != 1 || $9 != "-" || $12 != 0 }
        $3 == "virtual:" { other = $5; bad += $12 != 1 || $16 < 1 || $17 <= 0 }
        $3 == "virtual: cpu:1" { n[$4]++; bad += !near($9, 1 / (1 / core + 1 / other)) || !near($13, core / (core + other)) || $10 < 0 }
        END { exit bad || n["first"] != 1 || n["later"] != 1 }' loops/hdss-alone.tsv || fail "bound of $app: $(cat loops/hdss-alone.tsv)"
    rows ways $app 11 '$5 > 0 && $6 <= $5 && $5 <= $7 && $8 > 0 && $9 >= 0 && $10 >= 0 && $10 <= 1'
    for way in cut static guided hguided hdss axel qilin linear exponential factoring; do
        awk -F '\t' -v app=$app -v way=$way '$1 == app && $3 == "virtual: cpu:1" && $4 == way { n++ } END { exit n != 1 }' \
            loops/hdss-ways.tsv || fail "no row of $app, $way"
    done
    awk -F '\t' -v app=$app '$1 == app && $3 == "virtual: cpu:1" && $5 > 0 && $8 > 0 { ways[$4]++; n++ }
        $1 == app && $3 == "virtual:" && $4 == "cut" && $10 == 1 { alone++ }
        END { for (way in ways) seen++; exit n != 10 || seen != 10 || alone != 1 }' loops/hdss-cores.tsv || fail "cores of $app: $(cat loops/hdss-cores.tsv)"
    # The library and loops by hand, each over the library on the same devices. They are right: else they would be skipped.
    awk -F '\t' -v app=$app '
        function near(a, b) { return a - b < 0.01 * b && b - a < 0.01 * b }
        $1 != app { next }
        $4 == "skipped" { said = said $3 " " $5 ";"; next }
        $4 == "heddle" { mine[$3] = $7; bad += $5 != "-" || $10 != 1 }
        $4 != "heddle" { bad += $5 < 1 || !near($10, $7 / mine[$3]) }
        { ways = ways $3 " " $4 ";"; bad += !($7 > 0 && $8 <= $7 && $7 <= $9) }
        END {
            left_out = said == "cpu:* built without OpenMP;cpu:* built without OpenMP;cpu:* built without OpenMP;"
            all = "cpu:1 heddle;cpu:1 loop;cpu:* heddle;" (left_out ? "" : "cpu:* static;cpu:* dynamic;cpu:* guided;")
            exit bad || ways != all || (said != "" && !left_out)
        }' loops/hdss-openmp.tsv || fail "openmp of $app: $(cat loops/hdss-openmp.tsv)"
done
# Each index once under each way, and blocks in the order of their begins. Of the two tiles above one core has both where the accelerator's
# thread begins late; of 150 each way has some for the accelerator, unless the thread was held up for 20 ms.
for _ in 1 2 3 4 5; do
    run 0 bench --figures hdss --out many -n 40000000 --runs 1 --opt devices="virtual: cpu:1" --opt figures=blocks --opt apps=histogram
    [ "$(awk -F '\t' '$5 == "accelerator" { print $4 }' many/hdss-blocks.tsv | sort -u | wc -l)" = 4 ] && break
done
in_out '^many/hdss-blocks.svg$'
awk -F '\t' '$1 != "histogram" { next }
    { n[$4] += $9; if ($5 == "accelerator") blocks[$4]++; bad += $8 < $7 || ($6 > 1 && $7 < last[$4, $5]); last[$4, $5] = $7; all = $2 }
    END { for (way in n) { ways++; bad += n[way] < all || n[way] > all + 64 || !blocks[way] } exit bad || ways != 4 }' many/hdss-blocks.tsv ||
    fail "blocks: $(cat many/hdss-blocks.tsv)"
awk -F '\t' '$1 == "blackscholes" { n++; sum += $6; all = $2; bad += $8 > $7 || $10 < 0 || $10 > 1 }
    END { exit bad || n != 2 || sum < all }' loops/hdss-idle.tsv || fail "idle: $(cat loops/hdss-idle.tsv)"
# The device's process is never ahead of the device's pace. Beside a core it does most.
emulated() { # APP TIMES-A-CORE
    awk -F '\t' -v app="$1" -v most="$2" '
        $1 != app { next }
        !($5 > 0 && $6 <= $5 && $5 <= $7) { bad = 1 }
        $3 == "cpu:1" { bad += $8 != 1 || $10 != 0 }
        $3 == "emulated" { bad += $8 > most || $10 != 1 || $4 != "cut" }
        $3 == "emulated cpu:1" { ways = ways $4 " "; bad += !($8 > 0) }
        END { exit bad || ways != "cut hdss axel qilin linear exponential " }' loops/hdss-emulated.tsv ||
        fail "emulated, $1: $(cat loops/hdss-emulated.tsv)"
}
emulated blackscholes 16.46
emulated histogram 6.19
for note in 'alone:rows of GPUs need one' 'openmp:no row needs a GPU' 'pipeline:all rows need a GPU' 'emulated:no row needs a GPU'; do
    grep -q "^# ${note#*:}" "loops/hdss-${note%%:*}.tsv" || fail "no '$note': $(head -4 "loops/hdss-${note%%:*}.tsv")"
done
# All leave what the first left, which is the reference's; else they would be skipped.
for app in dtw sw heat2d; do
    awk -F '\t' -v app=$app '$1 == app && $4 == "virtual:" { n += $2 == 400 && $7 > 0 && $8 <= $7 && $10 == 1 && $11 == 1 }
        $1 == app && $4 == "virtual: cpu:1" { n += $7 > 0 && $10 > 0 && $11 >= 1 } END { exit n != 2 }' loops/hdss-fronts.tsv ||
        fail "fronts: $(cat loops/hdss-fronts.tsv)"
done
# Slices double; the rate is indices over time; through each app with three goes a curve.
awk -F '\t' '$1 == app && $2 != 2 * last { bad = 1 } { app = $1; last = $2 }
    $3 == "virtual:" { n++; rate = $2 / $4; bad += $8 != 1 || $7 > 1.01 * rate || $7 < 0.99 * rate } END { exit bad || n < 15 }' \
    loops/hdss-chunks.tsv || fail "chunks: $(cat loops/hdss-chunks.tsv)"
awk -F '\t' '$1 ~ /^(blackscholes|histogram|boxfilter|ep)$/ { n++; bad += NF != 8 || $2 < 3 || $5 < 0 || $8 < 0 }
    $1 == "mandel" { bad += $3 != "skipped" || $4 == "" } END { exit bad || n != 4 }' loops/hdss-fits.tsv ||
    fail "fits: $(cat loops/hdss-fits.tsv)"

# A device that is lost at once, and nobody else: a reason, and the others' rows.
run 0 bench --figures hdss --out lost -n 100000 --runs 1 --opt devices=virtual:fail=1 --opt figures=alone --opt apps=ep
[ "$(awk -F '\t' '$1 == "ep" && $4 == "skipped" && $5 != "" { printf "%s;", $3 } $1 == "ep" && $4 == "later" { printf "%s;", $3 }' lost/hdss-alone.tsv)" \
    = 'cpu:1;cpu:*;virtual:fail=1;virtual:fail=1;' ] || fail "a lost device: $(cat lost/hdss-alone.tsv)"
run 0 bench --figures hdss --out late -n 100000 --runs 1 --opt seconds=1e-9 --opt figures=ways --opt apps=ep
[ "$(grep -c 'skipped	--opt seconds left no time$' late/hdss-ways.tsv)" = 11 ] || fail "no time: $(cat late/hdss-ways.tsv)"
# Input for which there is time: of 48828 rows a few.
run 0 bench --figures hdss --out short -n 200000000 --runs 1 --opt seconds=6 --opt figures=openmp --opt apps=boxfilter,mandel
awk -F '\t' '$1 == "boxfilter" { n++; bad += !($2 > 0 && $2 < 30000) } END { exit bad || n != 6 }' short/hdss-openmp.tsv ||
    fail "more than there is time for: $(cat short/hdss-openmp.tsv)"
if "$heddle" info | grep '^  cuda .*no device)' >/dev/null; then
    run 0 bench --figures hdss --out none -n 100000 --runs 1 --opt apps=ep --opt side=100
    for app in blackscholes histogram boxfilter ep mandel; do
        rows pipeline $app 2 '$3 == "cuda:0" && $4 == "skipped" && $5 != ""'
    done
    [ "$(grep -c '	wavefront	skipped	GPUs here: 0$' none/hdss-fronts.tsv)" = 9 ] || fail "fronts: $(cat none/hdss-fronts.tsv)"
    [ "$(grep -c 'emulated	skipped	--opt apps leaves it out$' none/hdss-emulated.tsv)" = 2 ] ||
        fail "emulated: $(cat none/hdss-emulated.tsv)"
    for name in alone cores blocks idle chunks fits; do
        grep -q 'skipped	there is no GPU' none/hdss-$name.tsv || fail "$name without a GPU: $(cat none/hdss-$name.tsv)"
    done
    awk -F '\t' '$1 == "ep" && $3 == "cuda:* cpu:*" && $5 > 0 { n++ } END { exit n != 2 }' none/hdss-alone.tsv ||
        fail "everything without a GPU: $(cat none/hdss-alone.tsv)"
fi

run 2 bench --figures hdss --opt figures=four
in_err 'figures=four: of alone, ways, cores, blocks, chunks, openmp, pipeline, fronts and emulated'
run 2 bench --figures hdss --opt apps=lu
in_err 'apps=lu: of blackscholes'
run 2 bench --figures hdss --opt devices=wirtual:
in_err 'devices=wirtual:'
run 2 bench --figures hdss --opt seconds=x
in_err 'seconds=x'
run 2 bench --figures hdss --opt side=x
in_err 'side=x'
run 2 bench --figures hdss --opt speed=1
in_err 'there are figures, apps, devices, seconds and side'
finish
