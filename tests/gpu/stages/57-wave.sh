# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# wave - random waves of cells, tiles, sweeps, letters and halves with a shared border against plain loops; the first of
# their failures; how soon cancelled ones end; refusals; proteins, genomes, pictures and fields with known answers; words
# that are their own flags; waves beside a kernel that fills the card. Long: more of them.
answered="exact/test_apps_pairs exact/test_apps_known exact/test_apps_more exact/test_apps_large"
checks="exact/test_wave_same exact/test_wave_tiles exact/test_wave_sweeps exact/test_wave_halves exact/test_wave_frail exact/test_wave_letters exact/test_wave_predict exact/test_wave_stopped exact/test_wave_refused $answered exact/test_gpu_tagged exact/test_gpu_crowd"
stage wave 1 "$checks"
wave_answers() { # NAME SECONDS
    try "wave.$1" "$2" bash -c "[ -x '$tests/test_apps_$1' ] || { echo 'it was built without a JSON library'; exit 77; }
        '$tests/test_apps_$1' --cuda"
}
wave_short() {
    try wave.same 60 "$tests/wave/test_wave_same" --cuda
    try wave.tiles 60 "$tests/wave/test_wave_tiles" --cuda
    try wave.sweeps 60 "$tests/wave/test_wave_sweeps" --cuda
    try wave.halves 60 "$tests/wave/test_wave_halves" --cuda
    try wave.frail 60 "$tests/wave/test_wave_frail" --cuda
    try wave.letters 60 "$tests/wave/test_wave_letters" --cuda
    try wave.predict 20 "$tests/wave/test_wave_predict" --cuda
    try wave.stopped 20 "$tests/wave/test_wave_stopped" --cuda
    try wave.refused 10 "$tests/wave/test_wave_refused" --cuda
    wave_answers pairs 60
    wave_answers known 20
    wave_answers large 20
    try wave.tagged 10 "$tests/gpu/test_gpu_tagged"
    try wave.crowd 20 "$tests/gpu/test_gpu_crowd"
}
wave_long() {
    try wave.same 90 env HEDDLE_WAVES=500 "$tests/wave/test_wave_same" --cuda
    try wave.tiles 40 env HEDDLE_WAVES=300 "$tests/wave/test_wave_tiles" --cuda
    try wave.sweeps 40 env HEDDLE_WAVES=300 "$tests/wave/test_wave_sweeps" --cuda
    try wave.halves 40 env HEDDLE_WAVES=300 "$tests/wave/test_wave_halves" --cuda
    try wave.frail 20 env HEDDLE_WAVES=150 "$tests/wave/test_wave_frail" --cuda
    try wave.letters 30 env HEDDLE_WAVES=400 "$tests/wave/test_wave_letters" --cuda
    try wave.predict 20 "$tests/wave/test_wave_predict" --cuda
    try wave.stopped 20 "$tests/wave/test_wave_stopped" --cuda
    try wave.refused 10 "$tests/wave/test_wave_refused" --cuda
    wave_answers pairs 40
    wave_answers known 20
    wave_answers large 20
    wave_answers more 60
    try wave.tagged 20 env HEDDLE_TAGGED_WORDS=1000000000 "$tests/gpu/test_gpu_tagged"
    try wave.crowd 15 "$tests/gpu/test_gpu_crowd"
}
