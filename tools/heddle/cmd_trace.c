/* SPDX-License-Identifier: MIT */
/* cmd_trace.c - `heddle trace FILE`. */
#include "commands.h"

#include "cli.h"
#include "summary.h"

int cmd_trace(const options *o)
{
    cli_buffer text;
    summary s = {.n_workers = 0};
    int status;
    if (o->n_words != 1)
        return cli_bad("trace takes one file: heddle trace FILE");
    cli_progress("reading %s", o->words[0]);
    status = cli_buffer_open(&text);
    if (!status)
        status = summary_of_trace(&s, o->words[0], text.out);
    if (!status) {
        summary_print(&s, text.out);
        status = cli_buffer_print(&text);
    }
    summary_free(&s);
    cli_buffer_free(&text);
    return status;
}
