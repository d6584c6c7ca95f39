# SPDX-License-Identifier: MIT
# answers.sh - `heddle run --json` has every key of the known answers, with their values. Cases above four million cells
# belong to the tests of the apps.
. "$2/tests/cli/common.bash"
needs_json
have_python || { echo "python3 is not here"; exit 77; }
data=$source_dir/data

# compare EXPRESSION EXPECTED.json: the expression gives the case in the file's object `d`. The answer has keys of "pts"
# flat.
compare() {
    python3 - "$1" "$2" >wrong 2>&1 <<'P' || fail "$1 of $2: $(cat wrong)"
import json, sys
d = json.load(open(sys.argv[2]))
want, out = eval(sys.argv[1]), json.load(open("out"))
got = out["answer"]
assert out["check"] == "ok", out["check"]

def flat(v):
    return [x for y in v for x in flat(y)] if isinstance(v, list) else [v]

def look(key, w, absolute):
    assert not isinstance(w, list) or got[key] == w, (key, got[key], w)
    g, w = flat(got[key]), flat(w)
    for a, b in zip(g, w):
        exact = isinstance(b, (int, str)) and not isinstance(a, float)
        assert a == b if exact else abs(a - b) <= max(absolute, 1e-5 * abs(b)), (key, a, b)

n = 0
for key, w in want.items():
    if isinstance(w, dict):
        for k, v in w.items():
            look(key + "." + k, v, 1e-4)
            n += 1
    else:
        look(key, w, 0)
        n += 1
assert n >= 3, "too few keys to prove anything"
P
}

for i in 0 1; do
    file=$data/smith-waterman/expected.json
    n=$(json "d['dna_linear_gap']['cases'][$i]['na']" "$file")
    [ "$n" -gt 2048 ] && continue
    run 0 run sw --input "$data/smith-waterman/lambda_virus.fa" --input "$data/smith-waterman/phage_P1.fasta" \
        --opt na="$n" --opt nb="$n" -b 50x64 --json
    compare "d['dna_linear_gap']['cases'][$i]" "$file"
done
# The first query with the first eight proteins.
records() { awk -v n="$1" '/^>/ && n-- == 0 { exit } { print }' "$2"; }
records 1 "$data/smith-waterman/protein_queries.fasta" >query.fa
records 8 "$data/smith-waterman/uniprot_sprot196.fasta" >proteins.fa
run 0 run sw/wave --input query.fa --input proteins.fa --opt gaps=affine --opt gap=-11 --opt extend=-1 \
    --opt matrix="$data/smith-waterman/BLOSUM62.txt" --json
compare "{'scores': [d['protein_affine_blosum62']['gap_11_1']['per_query'][0]['first8']], 'records_a': 1, 'records_b': 8}" \
    "$data/smith-waterman/expected.json"
run 0 run dtw --input "$data/dtw/mitdb_100_mlii.i16le" --opt x_off=0 --opt y_off=8192 --opt n=1024 --opt m=1024 --json
compare "d['pairs']['cases'][0]" "$data/dtw/expected.json"
run 0 run sat --input "$data/images/coins_384x303.pgm" -b 40 --json
compare "d['coins_384x303.pgm']['sat']" "$data/images/expected.json"
run 0 run inthist --input "$data/images/coins_384x303.pgm" -b 40 --json
compare "{k: v for k, v in d['coins_384x303.pgm']['integral_histogram_32bins'].items() if k not in ('bin', 'layout')}" \
    "$data/images/expected.json"
for sweeps in 1 10; do
    run 0 run heat --input "$data/hotspot/temp_64" --opt sweeps=$sweeps -b 16 --json
    compare "d['64x64']['heat2d_gauss_seidel_sweeps_$sweeps']" "$data/hotspot/expected.json"
    run 0 run jacobi --input "$data/hotspot/temp_64" --opt sweeps=$sweeps -b 16 --json
    compare "d['64x64']['jacobi5_sweeps_$sweeps']" "$data/hotspot/expected.json"
done
run 0 run lu --input "$data/sparse-lu/west0479.mtx" -b 32 --json
compare "{k: v for k, v in d['west0479.mtx']['dominant_matrix_M'].items() if k in ('logabsdet', 'det_sign', 'sum_diag_U',
    'sum_abs_U', 'sum_abs_L_strict', 'fro_LU_packed')}" "$data/sparse-lu/expected.json"
finish
