/* SPDX-License-Identifier: MIT */
/* more.c - as known.c, with the larger inputs of the folder HEDDLE_DATA. */
#include "apps/cases.h"

int main(int argc, char **argv)
{
    const char *root = getenv("HEDDLE_DATA");
    on_gpu = known_on_gpu(argc, argv);
    if (!root || !*root)
        SKIP("HEDDLE_DATA is not set");
    all_cases(root);
    CHECK(n_cases >= 30 || SLOWER > 1.0);
    return 0;
}
