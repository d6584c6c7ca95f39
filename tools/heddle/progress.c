/* SPDX-License-Identifier: MIT */
/* progress.c - the progress line. Its own thread draws it, so it moves while the main thread helps with a run, reads a
 * file or computes a reference. Nothing is drawn in the first second. Unless stderr is a terminal, nothing is drawn and
 * no thread started. */
#include "cli.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TICK_NS = 100000000, BAR = 24 };

static struct {
    pthread_t thread;
    pthread_mutex_t lock; /* guards the fields below */
    pthread_cond_t wake;
    int running, drawn;
    uint64_t begin_ns, n_done, n_steps, n_ticks;
    char label[64];
} line = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void draw_bar(void)
{
    char bar[BAR + 1];
    size_t full = (size_t)(line.n_done * BAR / line.n_steps);
    memset(bar, '.', BAR);
    memset(bar, '#', full < BAR ? full : BAR);
    bar[BAR] = '\0';
    fprintf(stderr, "\r\033[K[%s] %llu/%llu  %s", bar, (unsigned long long)line.n_done,
            (unsigned long long)line.n_steps, line.label);
}

static void draw(uint64_t elapsed_ns)
{
    if (line.n_steps)
        draw_bar();
    else
        fprintf(stderr, "\r\033[K%c %s", "|/-\\"[line.n_ticks++ % 4], line.label);
    fprintf(stderr, "  %.1f s", (double)elapsed_ns / 1e9);
    fflush(stderr);
    line.drawn = 1;
}

static void *tick(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&line.lock);
    while (line.running) {
        struct timespec until;
        uint64_t elapsed_ns = cli_now_ns() - line.begin_ns;
        if (elapsed_ns >= 1000000000u)
            draw(elapsed_ns);
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += TICK_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&line.wake, &line.lock, &until);
    }
    pthread_mutex_unlock(&line.lock);
    return NULL;
}

/* No line on a terminal without control sequences. */
static int is_wanted(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

void cli_progress_start(void)
{
    pthread_condattr_t attr;
    if (line.running || !is_wanted())
        return;
    cli_before_bad(cli_progress_stop);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&line.wake, &attr);
    pthread_condattr_destroy(&attr);
    pthread_mutex_lock(&line.lock); /* the thread first looks at `running` */
    line.begin_ns = cli_now_ns();
    line.running = pthread_create(&line.thread, NULL, tick, NULL) == 0; /* no thread: no line, no harm */
    pthread_mutex_unlock(&line.lock);
}

void cli_progress_steps(uint64_t n_done, uint64_t n_steps)
{
    pthread_mutex_lock(&line.lock);
    line.n_done = n_done;
    line.n_steps = n_steps;
    pthread_mutex_unlock(&line.lock);
}

void cli_progress(const char *format, ...)
{
    va_list args;
    pthread_mutex_lock(&line.lock);
    va_start(args, format);
    vsnprintf(line.label, sizeof line.label, format, args);
    va_end(args);
    pthread_mutex_unlock(&line.lock);
}

void cli_progress_stop(void)
{
    pthread_mutex_lock(&line.lock);
    if (!line.running) {
        pthread_mutex_unlock(&line.lock);
        return;
    }
    line.running = 0;
    pthread_cond_signal(&line.wake);
    pthread_mutex_unlock(&line.lock);
    pthread_join(line.thread, NULL);
    pthread_cond_destroy(&line.wake);
    if (line.drawn)
        fputs("\r\033[K", stderr);
    line.drawn = 0;
}
