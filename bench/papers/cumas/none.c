/* SPDX-License-Identifier: MIT */
/* none.c - in place of the figures of CuMAS in builds without heddle share. */
#include "papers.h"

#include "cli.h"

int figures_cumas(const options *o)
{
    (void)o;
    return cli_bad("--figures cumas: built without heddle share");
}
