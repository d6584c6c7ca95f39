#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# subset.sh ROOT [--write] - makes doc/openmp-subset.md from the heads of the test programs: an accepted feature has a
# program that is compiled and run, a refused one a program that must be refused. Without --write it compares.
set -euo pipefail
root=$1
tests=$root/tests/heddlec

. "$tests/head.bash"
field() { head_of "$@" | sed 's/|/\\|/g'; } # as a cell of a table

codes() { sed -nE 's/^ *X\(([0-9]{3}), "(.*)"\).*/\1\t\2/p' "$root/tools/heddlec/support/text.h"; }

write_all() {
    cat <<'END'
<!-- Made by tests/heddlec/subset.sh --write from the test programs: change those. -->
# The subset of OpenMP that heddlec translates

`heddlec` translates C programs with OpenMP 4.5 tasks into programs that run these tasks inside a GPU, or on CPU threads
(Juggler, PPoPP'18, sections 3 and 4). Everything it does not take is an error with a place and a code; nothing is
dropped silently. A program in the right-hand column shows each line; the tests compile and run it.

## Accepted

| construct | what is generated | shown by |
|---|---|---|
END
    local file
    for file in "$tests"/accept/*.c; do
        echo "| $(field "$file" construct) | $(field "$file" generated) | [$(basename "$file")](../tests/heddlec/accept/$(basename "$file")) |"
    done
    cat <<'END'

## Refused

| construct | code | shown by |
|---|---|---|
END
    for file in "$tests"/refuse/*.c; do
        echo "| $(field "$file" construct) | $(grep -oE 'expect(-above)?: HC[0-9]+' "$file" | head -1 | sed 's/.*: //') | [$(basename "$file")](../tests/heddlec/refuse/$(basename "$file")) |"
    done
    cat <<'END'

## Codes

Codes never change their meaning. `-Werror=HC190` makes a warning an error, `-Wno-HC190` leaves it out.

| code | about |
|---|---|
END
    codes | while IFS=$'\t' read -r code text; do echo "| HC$code | $text |"; done
}

if [ "${2:-}" = --write ]; then
    write_all >"$root/doc/openmp-subset.md"
else
    write_all | diff "$root/doc/openmp-subset.md" - || { echo "doc/openmp-subset.md is old: run tests/heddlec/subset.sh . --write" && exit 1; }
fi
