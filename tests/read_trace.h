/* SPDX-License-Identifier: MIT */
/* read_trace.h - the events of a trace file that a test has written, with the names of their rows. */
#ifndef READ_TRACE_H
#define READ_TRACE_H

#include "read_json.h"

#include <string.h>

static inline const char *trace_row(const json_t *list, uint64_t tid)
{
    size_t i;
    for (i = 0; i < json_array_size(list); i++) {
        const json_t *o = json_array_get(list, i);
        if (!strcmp(text(o, "name"), "thread_name") && integer(o, "tid") == tid)
            return text(get(o, "args"), "name");
    }
    CHECK_MSG(0, "row %llu has no name", (unsigned long long)tid);
    return NULL;
}

/* Calls fn for each event with a duration, and removes the file. */
typedef void trace_fn(const char *row, const json_t *event, void *user);
static inline void trace_read(const char *path, trace_fn *fn, void *user)
{
    json_t *root = json_of_file(path);
    const json_t *list = get(root, "traceEvents");
    size_t i;
    for (i = 0; i < json_array_size(list); i++) {
        const json_t *o = json_array_get(list, i);
        if (!strcmp(text(o, "ph"), "X"))
            fn(trace_row(list, integer(o, "tid")), o, user);
    }
    json_decref(root);
    CHECK(!remove(path));
}

#endif
