/* SPDX-License-Identifier: MIT */
/* known.c - the answers of all apps on the real inputs that come with the project, as other programs computed them. */
#include "apps/cases.h"

int main(void)
{
    all_cases(TEST_SOURCE_DIR "/data");
    CHECK(n_cases >= 12 && n_runs >= n_cases);
    return 0;
}
