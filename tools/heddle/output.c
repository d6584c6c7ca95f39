/* SPDX-License-Identifier: MIT */
/* output.c - output files, written by src/base/file.c as in the library; text collected in memory; and the exit on a
 * signal, which leaves no half-written file. */
#include "cli.h"

#include "base/file.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

int cli_check_output(const char *path)
{
    hd_error e;
    if (!path)
        return CLI_OK;
    if (!*path)
        return cli_bad("an output file needs a name");
    return hd_file_check(path, &e) ? cli_bad("%s", e.text) : CLI_OK;
}

/* ---- signals ---- */

static pthread_t main_thread;

/* The main thread writes all files, so it can open none between the removal and the exit. */
static void clear_and_end(int sig)
{
    if (!pthread_equal(pthread_self(), main_thread)) {
        pthread_kill(main_thread, sig);
        return;
    }
    hd_files_discard();
    heddle_files_discard(); /* the library has a writer of its own */
    signal(sig, SIG_DFL);
    raise(sig);
}

void cli_catch_signals(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction act = {.sa_handler = clear_and_end}, before;
    main_thread = pthread_self();
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* nohup stays effective */
            sigaction(ends[i], &act, NULL);
    signal(SIGXFSZ, SIG_IGN); /* so that stdout, too, fails with a sentence */
}

/* ---- text in memory ---- */

int cli_buffer_open(cli_buffer *b)
{
    b->text = NULL;
    b->n_bytes = 0;
    b->out = open_memstream(&b->text, &b->n_bytes);
    return b->out ? CLI_OK : cli_bad("out of memory");
}

/* Flushes the text; a memory stream fails only when memory runs out. */
static int settle(cli_buffer *b) { return fflush(b->out) || ferror(b->out) ? cli_bad("out of memory") : CLI_OK; }

int cli_buffer_print(cli_buffer *b)
{
    cli_progress_stop();
    if (settle(b))
        return CLI_BAD;
    if (fwrite(b->text, 1, b->n_bytes, stdout) != b->n_bytes || fflush(stdout))
        return cli_bad("standard output: writing failed: %s", strerror(errno));
    return CLI_OK;
}

int cli_buffer_write(cli_buffer *b, const char *path)
{
    hd_error e;
    if (settle(b))
        return CLI_BAD;
    return hd_file_save(path, b->text, b->n_bytes, &e) ? cli_bad("%s", e.text) : CLI_OK;
}

void cli_buffer_free(cli_buffer *b)
{
    if (b->out)
        fclose(b->out);
    free(b->text);
    b->out = NULL;
    b->text = NULL;
}
