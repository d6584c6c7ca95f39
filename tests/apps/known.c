/* SPDX-License-Identifier: MIT */
/* known.c - the apps' answers for the project's real inputs, against those of other programs. */
#include "apps/cases.h"

int main(int argc, char **argv)
{
    on_gpu = known_on_gpu(argc, argv);
    all_cases(TEST_SOURCE_DIR "/data");
    CHECK(n_cases >= (on_gpu ? 22 : 26) && n_runs >= n_cases);
    return 0;
}
