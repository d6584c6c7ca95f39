# SPDX-License-Identifier: MIT
# head.bash - reads the head of a test program: head_of FILE NAME prints the text after `NAME:`, up to the next name or
# the head's end, on one line; nothing if there is no such name.
head_of() {
    awk -v name="$2" '
        NR == 1 { next }
        { line = $0; sub(/^\/\* */, "", line); sub(/^ \* */, "", line); last = sub(/ *\*\/.*$/, "", line) }
        match(line, /^[a-z]+: /) { current = substr(line, 1, RLENGTH - 2); line = substr(line, RLENGTH + 1) }
        current == name { text = text (text == "" ? "" : " ") line }
        last { print text; exit }' "$1"
}
