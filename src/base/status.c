/* SPDX-License-Identifier: MIT */
/* status.c - texts of status codes, and the sentence of the last failure. */
#include "base/base.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static _Thread_local hd_error thread_error;
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER; /* calls on jobs may fail on several threads at once */

hd_error *hd_thread_error(void) { return &thread_error; }

HEDDLE_API const char *heddle_status_text(heddle_status s)
{
    switch (s) {
#define HEDDLE_X(name, value, text) \
    case HEDDLE_##name: return text;
        HEDDLE_STATUS_MAP(HEDDLE_X)
#undef HEDDLE_X
    default: return "unknown status";
    }
}

heddle_status hd_say(hd_error *e, heddle_status s, const char *format, ...)
{
    va_list args;
    if (!e)
        e = &thread_error;
    va_start(args, format);
    pthread_mutex_lock(&writing);
    vsnprintf(e->text, sizeof e->text, format, args);
    pthread_mutex_unlock(&writing);
    va_end(args);
    return s;
}
