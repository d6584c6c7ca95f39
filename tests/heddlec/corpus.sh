#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# corpus.sh HEDDLEC CC [--list FILE] [--openmp] [NAME...] - programs as people write them (corpus/small, corpus/bots) through
# `heddlec --region=parallel --backend cpu`: a table of what became of each, then the counts. What a program must print stands
# in NAME.want beside it. NAMEs are file names without `.c`, bots/NAME for the latter; without any, all. HEDDLE_CORPUS=N takes
# every Nth program only.
#   --list FILE  the names expected to be taken: one that is refused, does not compile or prints other text is a failure. A name
#                that is right and not in FILE is told, and so is a wrong one.
#   --openmp     the programs themselves are tried instead: CC -fopenmp with 1, 2 and 4 threads prints NAME.want.
# The answers: `taken`; `refused CODE`, the first; `broken`, accepted and then not compiled. Of runs on the serial backend, on
# three CPU workers, with four emulated lanes and on copies of mapped memory, as a GPU has them: `ok`, `wrong`, `fails`, `late`. Lines of a program's head that matter here:
#     flags: options of both compilers     also: further sources     args: of the program     input: a file to read
#     gcc: `no`, CC does not know what the program uses     timed: arguments for bench/openmp/bots.py
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/head.bash"

# One program, as `corpus.sh --one HEDDLEC CC MODE FILE`: a line of the table.
translate() { # FLAGS SOURCES: 0 when there is a program, else its answer is printed
    "$heddlec" --region=parallel --backend cpu $1 $2 -o "$dir/program" >"$dir/said" 2>&1 && return 0
    if grep -q 'cc failed\|heddlec: error: .* failed' "$dir/said"; then
        echo broken
    else
        code=$(grep -m1 'error:' "$dir/said" | grep -o '\[HC[0-9]*\]' | tr -d '[]' || true)
        echo "refused ${code:-without a code}"
    fi
    return 1
}
answer() { # VARIABLE=VALUE...: how a run went
    local status=0
    env "$@" timeout 30 "$dir/program" $args >"$dir/got" 2>"$dir/errors" <"$input" || status=$?
    if [ $status = 124 ] || grep -q 'time limit' "$dir/errors"; then
        echo late
    elif [ $status != 0 ]; then
        echo fails
    elif cmp -s "$want" "$dir/got"; then
        echo ok
    else
        echo wrong
    fi
}
one() {
    heddlec=$1 cc=$2 mode=$3 name=$(basename "$4" .c)
    dir=$(mktemp -d)
    trap 'rm -rf "$dir"' EXIT
    cd "$(dirname "$4")"
    local flags sources=$name.c taken=taken openmp=-fopenmp
    [[ $(head_of "$name.c" gcc) != no* ]] || openmp=
    flags=$(head_of "$name.c" flags) args=$(head_of "$name.c" args) input=$(head_of "$name.c" input) want=$name.want
    sources+=" $(head_of "$name.c" also)" input=${input:-/dev/null}
    export HEDDLE_TIME_LIMIT_MS=${HEDDLE_TIME_LIMIT_MS:-25000}
    if [ "$mode" = openmp ]; then
        "$cc" -std=gnu11 -O1 -w $openmp $flags $sources -o "$dir/program" -lm 2>"$dir/said" || taken=broken
        row=("" OMP_NUM_THREADS=1 "" OMP_NUM_THREADS=2 "" OMP_NUM_THREADS=4 "" OMP_NUM_THREADS=3)
    else
        taken=$(translate "$flags" "$sources" && echo taken) || true
        row=(HEDDLE_BACKEND=serial "" HEDDLE_BACKEND=cpu HEDDLE_WORKERS=3 HEDDLE_BACKEND=serial HEDDLE_TEAM_SIZE=4
            HEDDLE_OMP_COPIES=1 HEDDLE_WORKERS=3)
    fi
    local results=(- - - -)
    if [ "$taken" = taken ]; then
        for i in 0 1 2 3; do
            results[i]=$(answer ${row[2 * i]} ${row[2 * i + 1]})
        done
    fi
    [[ $4 != */bots/* ]] || name=bots/$name
    printf '%-26s | %-22s | %-6s | %-7s | %-5s | %s\n' "$name" "$taken" "${results[@]}"
}
if [ "${1:-}" = --one ]; then
    shift
    one "$@"
    exit 0
fi

heddlec=$(realpath "$1") cc=$2 mode=heddlec list="" names=()
shift 2
while [ $# -gt 0 ]; do
    case $1 in
    --list)
        list=$(realpath "$2") && shift
        [ -r "$list" ] || { echo "$list: cannot be read" && exit 2; }
        ;;
    --openmp) mode=openmp ;;
    *) names+=("$1") ;;
    esac
    shift
done
if ! echo 'int main(void) { return 0; }' | "$cc" -fopenmp -x c - -o /dev/null 2>/dev/null && [ $mode = openmp ]; then
    echo "skipped: $cc has no -fopenmp here" && exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for folder in small bots; do
    for file in "$here/corpus/$folder"/*.c; do
        name=$(basename "$file" .c)
        [ $folder = small ] || name=$folder/$name
        [ ${#names[@]} = 0 ] || [[ " ${names[*]} " == *" $name "* ]] || continue
        echo "$file"
    done
done | awk -v n="${HEDDLE_CORPUS:-1}" '(NR - 1) % n == 0' >"$scratch/files"
xargs -P "$(nproc)" -n 1 bash "$here/corpus.sh" --one "$heddlec" "$cc" $mode <"$scratch/files" | sort >"$scratch/table"
[ "$(wc -l <"$scratch/table")" -eq "$(wc -l <"$scratch/files")" ] || { echo "some programs have no line" && exit 1; }

printf '%-26s | %-22s | %-6s | %-7s | %-5s | %s\n' program taken serial workers lanes copies
cat "$scratch/table"
echo
awk -F ' *[|] *' '
    { n++; answers[$2]++; right += $2 == "taken" && $3 $4 $5 $6 == "okokokok" }
    END {
        printf "%d programs, %d right everywhere\n", n, right
        for (a in answers) printf "%5d %s\n", answers[a], a | "sort -k2"
    }' "$scratch/table"
# What the list says beside what was seen.
all=$([ ${#names[@]} = 0 ] && [ "${HEDDLE_CORPUS:-1}" = 1 ] && echo 1 || echo 0)
awk -F ' *[|] *' -v list="$list" -v all="$all" '
    BEGIN { while (list != "" && (getline line < list) > 0) if (line !~ /^#/ && line != "") listed[line] = 1 }
    { seen[$1] = 1; right = $2 == "taken" && $3 $4 $5 $6 == "okokokok" }
    right && list != "" && !($1 in listed) { print $1 ": taken and right, and not in the list" }
    !right && ($1 in listed || list == "" && $2 !~ /^refused/) { print $1 ": FAILED (" $2 "; " $3 ", " $4 ", " $5 ", " $6 ")"; bad = 1 }
    !right && list != "" && !($1 in listed) && $2 !~ /^refused/ { print $1 ": not right, and not in the list (" $2 "; " $3 ", " $4 ", " $5 ", " $6 ")" }
    END {
        for (name in listed)
            if (all && !(name in seen)) { print name ": in the list, and there is no such program"; bad = 1 }
        exit bad
    }' "$scratch/table"
