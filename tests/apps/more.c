/* SPDX-License-Identifier: MIT */
/* more.c - as known.c, on the larger inputs of the folder that HEDDLE_DATA names. */
#include "apps/cases.h"

int main(void)
{
    const char *root = getenv("HEDDLE_DATA");
    if (!root || !*root)
        SKIP("HEDDLE_DATA is not set");
    all_cases(root);
    CHECK(n_cases >= 30 || SLOWER > 1.0);
    return 0;
}
