# SPDX-License-Identifier: MIT
# figures.sh - the figures of the paper: their files and columns, the order of values; impossible rows are skipped with
# a reason.
. "$2/tests/cli/common.bash"

run 0 bench --figures juggler --out figures -n 64 -b 16 --runs 2
for i in 1 4 5 7; do
    in_out "^figures/figure$i.tsv$"
    in_out "^figures/figure$i.svg$"
    head -c 5 "figures/figure$i.svg" | grep -q '<svg ' || fail "figure$i.svg does not begin as SVG"
    [ "$(tail -n 1 "figures/figure$i.svg")" = '</svg>' ] || fail "figure$i.svg does not end as SVG"
done
in_out '^figures/figure6.tsv$'

# rows NUMBER COLUMNS N CONDITION: the rows of a figure below its comment and names; skipped ones have a reason.
rows() {
    local file=figures/figure$1.tsv
    awk -F '\t' -v columns="$2" -v least="$3" '
        NR == 1 && !/^# / { print "no comment: " $0; bad = 1 }
        NR == 2 && NF != columns { print NF " names"; bad = 1 }
        NR <= 2 { next }
        { n++ }
        /\tskipped\t/ { if ($NF == "") { print "line " NR ": no reason"; bad = 1 } next }
        NF != columns || !('"$4"') { print "line " NR ": " $0; bad = 1 }
        END { if (n < least) { print n " rows"; bad = 1 } exit bad }' "$file" >wrong || fail "$file: $(head -3 wrong)"
}
rows 1 6 60 '$5 <= $6'
rows 4 7 35 '$5 <= $4 && $4 <= $6 && $7 > 0'
rows 5 5 35 '$4 <= $5 && $5 <= $3'
rows 6 4 14 '$3 > 0 && $4 > 0'
rows 7 5 25 '$4 <= $3 && $3 <= $5'
[ "$(awk -F '\t' 'NR > 2 { print $1 }' figures/figure4.tsv | sort -u | wc -l)" = 7 ] || fail "figure 4 has not seven apps"
[ "$(awk -F '\t' 'NR > 2 { print $1 }' figures/figure7.tsv | sort -nu | tr '\n' ' ')" = '3600 8100 14400 22500 32400 ' ] ||
    fail "sizes of figure 7: $(awk -F '\t' 'NR > 2 { print $1 }' figures/figure7.tsv | sort -nu | tr '\n' ' ')"
if "$heddle" info | grep '^  cuda .*no device)' >/dev/null; then
    grep -q 'skipped	there is no GPU$' figures/figure6.tsv || fail "figure 6 without a GPU: $(tail -1 figures/figure6.tsv)"
    [ ! -e figures/figure6.svg ] || fail "figure 6 was drawn of nothing"
fi

# PeerWave: each file, and a reason for each skipped row.
run 0 bench --figures peerwave --out peers -n 300x400 --runs 2
for name in idle times-256 times-512 times-1024 width speedup corner tile throughput sync wave ways misses; do
    in_out "^peers/peerwave-$name.tsv$"
    awk -F '\t' 'NR == 1 && !/^# / || /\tskipped/ && $NF == "skipped" { print FILENAME ": " $0; bad = 1 } END { exit bad || NR < 3 }' \
        "peers/peerwave-$name.tsv" >wrong || fail "peerwave-$name.tsv: $(head -3 wrong)"
done
grep -q '^formula	8 x 8	4	24	64	37.5$' peers/peerwave-idle.tsv || fail "idle slots: $(sed -n 3p peers/peerwave-idle.tsv)"
for app in sw dtw sat inthist heat sor heat2d; do
    awk -F '\t' -v app=$app '$1 == app && $2 == "wave" && $4 > 0 && $4 <= $3 && $3 <= $5 { n++ } END { exit n != 1 }' \
        peers/peerwave-ways.tsv || fail "peerwave: no time of $app as a wave"
done
for name in idle times-256 ways; do
    [ "$(tail -n 1 "peers/peerwave-$name.svg")" = '</svg>' ] || fail "peerwave-$name.svg does not end as SVG"
done
run 0 bench --figures peerwave --out few -n 100 --runs 1 --opt apps=sw,sor
grep -q '^dtw	wave	skipped	--opt apps leaves it out$' few/peerwave-ways.tsv || fail "dtw was not left out"
grep -q '^heat2d	wave	skipped' few/peerwave-ways.tsv || fail "heat2d was not left out"
run 2 bench --figures peerwave --opt seconds=0
in_err 'seconds=0: a whole number'
run 2 bench --figures peerwave --opt speed=1
in_err 'there are seconds and apps'

# Pagoda: every application by every way that is possible here.
run 0 bench --figures pagoda --out pools -n 32 --runs 1 --opt figures=response,lockstep,sms,shared,shares,links
run 0 bench --figures pagoda --out pools -n 64 --runs 2 --opt figures=apps,copies,irregular,mm,conv
# pagoda_row NAME APP SIDE THREADS: how often the pool of threads has a time.
pagoda_row() {
    awk -F '\t' -v app="$2" -v side="$3" -v team="$4" '
        $1 == app && $2 == side && $3 == team && $4 == "cpu pool" && $6 > 0 && $7 <= $6 && $6 <= $8 && $9 > 0 { n++ }
        END { exit n != 1 }' "pools/pagoda-$1.tsv" || fail "pagoda-$1: no time of $2, $3, $4: $(cat "pools/pagoda-$1.tsv")"
}
for name in apps copies irregular; do
    in_out "^pools/pagoda-$name.svg$"
    for app in beam conv dct fbank mandel mm mix; do
        pagoda_row $name $app 0 0
    done
    pagoda_row $name des3 4096 0
done
pagoda_row apps slu 0 0
[ "$(awk -F '\t' '$1 == "slu" && $5 > 20 && $5 < 128' pools/pagoda-apps.tsv | wc -l)" = 2 ] || fail "tasks of slu: $(cat pools/pagoda-apps.tsv)"
for team in 32 64 128 256 512 992; do
    for side in 32 64 128; do
        pagoda_row mm mm $side $team
        pagoda_row conv conv $side $team
    done
done
for app in beam conv dct des3 fbank mandel mm mix mean; do
    [ "$(awk -F '\t' -v app=$app '$1 == app && $9 > 0 { printf "%s;", $4 }' pools/pagoda-lockstep.tsv)" = 'cpu pool, in lock step;cpu pool;' ] ||
        fail "lockstep, $app: $(cat pools/pagoda-lockstep.tsv)"
done
for app in beam conv dct des3 fbank mandel mm mix mean; do # one thread, and one, two, three or four fourths of the machine's
    awk -F '\t' -v app=$app '$1 == app && $4 ~ /^(one thread|[1-9][0-9]* of [0-9]+ threads)$/ && $9 > 0 { n++ } END { exit n < 2 }' \
        pools/pagoda-sms.tsv || fail "sms, $app: $(cat pools/pagoda-sms.tsv)"
done
awk -F '\t' '$1 ~ /^(dct|mm)$/ && $3 == ($1 == "mm" ? 256 : 64) && $9 > 0 && $10 > 0 { n++; none += $4 ~ /, no shared memory$/ }
    END { exit n != 8 || none != 4 }' pools/pagoda-shared.tsv || fail "shared: $(cat pools/pagoda-shared.tsv)"
awk -F '\t' '$1 ~ /^[a-z0-9]+$/ && $3 > 0 && $4 > 0 && $5 >= 0 && $6 > 0 && $5 + $6 > 99 && $5 + $6 < 101 { n++ } END { exit n != 8 }' \
    pools/pagoda-shares.tsv || fail "shares: $(cat pools/pagoda-shares.tsv)"
awk -F '\t' '$3 == "skipped" || ($3 + $4 > 0 && $5 > 0 && $6 > 0 && $8 > 0 && $9 > 0) { n++ } END { exit n != 8 }' \
    pools/pagoda-links.tsv || fail "links: $(cat pools/pagoda-links.tsv)"
# chunks of tasks, beside the pool; what auto has chosen, beside the others; slu in waves and by handles, without the matrices of HEDDLE_DATA.
HEDDLE_DATA='' run 0 bench --figures pagoda --out pools -n 32 --runs 1 --opt figures=chunks,auto,slu
awk -F '\t' '$2 == "chunks" && ($6 == "skipped" && $7 != "" || $3 == 32 && $4 >= 2 && $4 <= 4 && $6 > 0 && $9 == 1) { n++ }
    $2 == "cpu pool" && $6 > 0 { pool++ } END { exit n != 8 || pool != 8 }' pools/pagoda-chunks.tsv || fail "chunks: $(cat pools/pagoda-chunks.tsv)"
for app in beam conv dct des3 fbank mandel mm mix slu; do
    [ "$(awk -F '\t' -v app=$app '$1 == app && $4 > 0 && $7 > 0 { printf "%s;", $2 }' pools/pagoda-auto.tsv)" = \
        'one thread;cpu pool;cpu pool, the third;' ] || fail "auto, $app: $(cat pools/pagoda-auto.tsv)"
done
[ "$(awk -F '\t' '$1 == "slu" && $5 == 343 && $9 > 0 { printf "%s;", $4 }' pools/pagoda-slu.tsv)" = 'waves;handles;' ] ||
    fail "slu: $(cat pools/pagoda-slu.tsv)"
[ "$(grep -c '^\(bcsstk13\|cryg2500\)	.*	skipped	HEDDLE_DATA names no folder of data$' pools/pagoda-slu.tsv)" = 4 ] ||
    fail "slu without data: $(cat pools/pagoda-slu.tsv)"
# response: one by one, and by each size of a batch, 32 tasks to one, over one by one.
for app in beam conv dct des3 fbank mandel mm mix mean; do
    awk -F '\t' -v app=$app '$1 == app && $3 == 1 && $2 == "cpu pool" && $10 == 1 { n++ }
        $1 == app && $2 == "cpu pool, batches" && $10 > 0 && (app == "mean" || $6 > 0 && $8 > 0 && $9 > 0) { n++ }
        END { exit n != 7 }' pools/pagoda-response.tsv || fail "response of $app: $(cat pools/pagoda-response.tsv)"
done
[ "$(tail -n 1 pools/pagoda-conv.svg)" = '</svg>' ] || fail "pagoda-conv.svg does not end as SVG"
run 0 bench --figures pagoda --out pools -n 32 --runs 1 --opt figures=mm,irregular
[ "$(grep -c . out) $(grep -c 'pagoda-mm' out)" = '4 2' ] || fail "two figures: $(cat out)"
run 2 bench --figures pagoda -n 33
in_err 'a multiple of 32 is expected'
run 2 bench --figures pagoda -n 32 --opt figures=seven
in_err 'figures=seven: of apps, copies, irregular, mm, conv, response, lockstep, sms, shared, shares, links, chunks, auto and slu'
run 2 bench --figures pagoda --opt seconds=7
in_err 'of --figures pagoda there is figures'

run 2 bench --figures other
in_err 'juggler, didc14, peerwave, pagoda, hdss, mesi or cumas is expected'
run 2 bench sw --figures juggler
in_err 'no names of apps'
run 2 bench --figures juggler --out /nowhere/at/all -n 64 -b 16 --runs 1
in_err '/nowhere/at/all'
# The figures are a program of their own beside the command.
cp "$heddle" lonely
heddle=$work/lonely refused 'heddle-figures is not beside' bench --figures juggler
finish
