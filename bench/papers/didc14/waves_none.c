/* SPDX-License-Identifier: MIT */
/* waves_none.c - waves.h in a build without CUDA. */
#include "waves.h"

#include <stdio.h>

int waves_run(const waves *w, double *ms, char error[WAVES_ERROR])
{
    (void)w;
    (void)ms;
    snprintf(error, WAVES_ERROR, "built without CUDA");
    return -1;
}
