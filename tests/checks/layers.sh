#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# layers.sh - includes go down the layers: engine/multi -> engine -> run -> backend -> graph -> base. No backend includes another, and
# no layer above names one. core includes only itself; openmp, above all, public headers and its own. tools, apps,
# benches and examples include public headers; tools also the file writer, base/file.h, and the command tools/share/share.h. CUDA headers belong to the cuda
# backend. heddle_ranges is src/base and src/graph/range*.c, which includes nothing else of src/graph; tools/share may
# use it. heddlec has one folder per phase: driver -> host -> device -> emit -> analysis -> parse -> support.
. "$(dirname "$0")/common.sh"

# "FILE LINE INCLUDED" for each include, quoted ones resolved as the compiler would.
includes() {
    project_files '*.c' '*.h' | grep -E '^(src|include|apps|tools|bench|examples)/' |
        xargs grep -nHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]' |
        sed -E 's/^([^:]+):([0-9]+):[^"<]*(["<])([^">]*).*/\1 \2 \3\4/' | while read -r file line name; do
        case $name in
        \"*) resolve "${file%/*}" "${name#\"}" ;;
        \<heddle*) resolved=include/${name#<} ;;
        *) resolved=$name ;;
        esac
        echo "$file $line $resolved"
    done
}
resolve() { # DIR NAME: sets `resolved`
    local dir
    for dir in "$1" src include apps tools/heddle tools/heddlec tools/share bench bench/subjects bench/papers bench/papers/lib examples; do
        resolved=$dir/$2
        [ -f "$resolved" ] || continue
        [[ $resolved == *..* ]] && resolved=$(realpath --relative-to=. "$resolved")
        return 0
    done
    resolved=nowhere/$2
}

includes | awk '
function floor_of(path) {
    if (path ~ /^src\/base\//) return 1
    if (path ~ /^src\/graph\//) return 2
    if (path ~ /^src\/backend\//) return 3
    if (path ~ /^src\/run\//) return 4
    if (path ~ /^src\/engine\/multi\//) return 6
    if (path ~ /^src\/engine\//) return 5
    if (path ~ /^src\/openmp\//) return 7
    return 0
}
function phase_of(path) {
    if (path ~ /^tools\/heddlec\/support\//) return 1
    if (path ~ /^tools\/heddlec\/parse\//) return 2
    if (path ~ /^tools\/heddlec\/analysis\//) return 3
    if (path ~ /^tools\/heddlec\/emit\//) return 4
    if (path ~ /^tools\/heddlec\/device\//) return 5
    if (path ~ /^tools\/heddlec\/host\//) return 6
    if (path ~ /^tools\/heddlec\/driver\//) return 7
    return 0
}
function of_ranges(path) { return path ~ /^src\/base\// || path ~ /^src\/graph\/(range|rtree)\.h$/ }
function backend_of(path) {
    if (path !~ /^src\/backend\/[^\/]+\//) return ""
    split(path, part, "/")
    return part[3]
}
function no(why) { print $1 ":" $2 ": includes " $3 ": " why }
{
    from = $1; to = $3
    public = to ~ /^include\/heddle(\.h|\/[^\/]+\.h)$/
    if (to ~ /(^<|\/)(cuda|cooperative_groups|nv\/)/ && from !~ /^src\/backend\/cuda\//)
        no("CUDA headers belong to the cuda backend")
    if (from == "include/heddle.h") {
        if (to !~ /^<(stddef|stdint)\.h$/ && to != "<initializer_list") no("heddle.h takes only stddef.h and stdint.h")
    } else if (from ~ /^include\/heddle\/core\//) {
        # The model test has the shim with which the scheduler is explored.
        if (to !~ /^include\/heddle\/core\// && to != "<stdint.h" && !(from ~ /atom\.h$/ && to ~ /\/shim\.h$/))
            no("core takes only core and stdint.h")
    } else if (from ~ /^include\//) {
        if (to !~ /^include\// && to !~ /^</) no("an installed header takes only installed ones")
    } else if (from ~ /^src\//) {
        if (to ~ /^nowhere/) no("there is no such file")
        if (to ~ /^(apps|tools|tests|bench|examples)\//) no("the library knows nothing of its users")
        if (floor_of(to) > floor_of(from)) no("a floor takes nothing from a floor above it")
        if (from ~ /^src\/graph\/range/ && to ~ /^src\/graph\// && !of_ranges(to) && to != "src/graph/range_inside.h") no("ranges stand alone")
        if (from ~ /^src\/openmp\// && to ~ /^src\// && floor_of(to) != 7) no("public headers are enough here")
        if (from ~ /^src\/openmp\// && to ~ /^include\// && !public) no("core is installed, but no interface")
        if (backend_of(to) != "" && backend_of(to) != backend_of(from)) no("a backend is reached through backend.h only")
    } else {
        split(from, part, "/")
        if (phase_of(from) && phase_of(to) > phase_of(from)) no("a phase takes nothing from one behind it")
        own = part[1] "/" (part[1] == "apps" ? "" : part[2] "/")
        if (own == "tools/share/" && of_ranges(to)) next
        if (part[1] == "tools" && to == "src/base/file.h") next
        if (own == "tools/heddle/" && to == "tools/share/share.h") next
        if (to ~ /^src\//) no("public headers are enough here")
        else if (to ~ /^include\// && !public) no("core is installed, but no interface")
        else if (to ~ /^nowhere/) no("there is no such file")
        else if (from ~ /^bench\// && to ~ /^bench\/(subjects|task_bench)\//) ; # what benches share
        else if (from ~ /^bench\/papers\// && to ~ /^tools\/heddle\//) ; # the command that starts them
        else if (from ~ /^bench\/papers\/hdss\// && to == "examples/11_foreign/device.h") ; # the device of an example
        else if (from ~ /^bench\/papers\/cumas\// && to ~ /^tools\/share\/(estimate|load|order|place|replay)\.h$/) ; # its simulator and policies
        else if (to !~ /^[<]/ && !public && index(to, own) != 1 && (to !~ /^apps\// || part[1] == "examples"))
            no("belongs to somebody else")
    }
}' | sed 's/: includes </: includes /' >"$scratch/bad"
report "$scratch/bad"
