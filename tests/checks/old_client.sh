#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# old_client.sh SOURCE_DIR BUILD_DIR - a program compiled against an older header runs with this library. Every public
# struct that begins with its size is tried with that field alone, with one more, and so on up to all. Nothing beyond
# the program's struct may be read or written.
. "$(dirname "$0")/common.sh"
build=$2

# Structs with a size, in the header's order.
structs=$(awk '/^typedef struct/ { name = $3 } /^ *size_t size;/ { print name }' include/heddle.h)
[ -n "$structs" ] || { echo "include/heddle.h: no struct begins with size_t size" && exit 1; }
uses=$(for name in $structs; do printf ' X(%s)' "$name"; done)
for name in $structs; do
    grep -q "static void use_$name(" tests/checks/old_client.c ||
        echo "tests/checks/old_client.c: makes no use of struct $name" >>"$scratch/bad"
done

# The header without comments, and its structs with a size cut to that many declarations of fields.
header() { # FIELDS
    awk '{
        code = ""
        while ((i = index($0, inside ? "*/" : "/*"))) {
            code = code (inside ? "" : substr($0, 1, i - 1))
            $0 = substr($0, i + 2)
            inside = !inside
        }
        print code (inside ? "" : $0)
    }' include/heddle.h | awk -v most="$1" '
        /^typedef struct/ { n = 0; sized = 0 }
        /^ *size_t size;/ { sized = 1 }
        /^}/ { sized = 0 }
        sized && /; *$/ && ++n > most { next }
        { print }'
}

before=
for ((fields = 1; fields < 100; fields++)); do
    mkdir "$scratch/$fields"
    header $fields >"$scratch/$fields/heddle.h"
    [ "$(cat "$scratch/$fields/heddle.h")" != "$before" ] || break # no more fields
    before=$(cat "$scratch/$fields/heddle.h")
    cc -std=gnu11 -w "-DOLD_STRUCTS(X)=$uses" -I"$scratch/$fields" -Iinclude tests/checks/old_client.c -L"$build" -lheddle \
        -o "$scratch/$fields/client" || { echo "$fields fields: not compiled" && exit 1; }
    sizes=$(HEDDLE_BACKEND=cpu LD_LIBRARY_PATH=$build "$scratch/$fields/client") ||
        echo "a program that knows $fields fields of each struct: exit status $? $sizes" >>"$scratch/bad"
    echo "$fields: $sizes bytes"
done
[ $fields -gt 10 ] || { echo "only $fields lengths of structs were tried" && exit 1; }
touch "$scratch/bad"
report "$scratch/bad"
