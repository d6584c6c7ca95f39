/* SPDX-License-Identifier: MIT */
/* trace.c - writes events (trace.h). Process 1 has the links and GPUs, process 2 the programs. */
#include "trace.h"

#include "report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPEN = 1024, MACHINE = 1, PROGRAMS = 2, ROW_KERNELS = 1, ROW_OUT = 2, ROWS = 3 };

/* An ask that is not over. */
typedef struct open_ask {
    uint32_t client, seq; /* seq 0: free */
    uint64_t asked_ns, granted_ns;
} open_ask;

struct share_trace {
    FILE *out;
    uint64_t begin_ns;
    open_ask open[MOST_OPEN];
    char names[SHARE_MOST_CLIENTS][SHARE_NAME_BYTES + 16];
    uint32_t told_task[SHARE_MOST_CLIENTS]; /* kernels of this one were written */
    uint32_t flow_task[SHARE_MOST_CLIENTS]; /* an arrow began at this one */
    int has_rows[SHARE_MOST_LINKS];
};

static double us(const share_trace *t, uint64_t ns) { return (double)(ns - t->begin_ns) / 1e3; }

static void name_row(share_trace *t, int process, uint32_t row, const char *name)
{
    fprintf(t->out, ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%u,\"args\":{\"name\":\"%s\"}}",
            process, row, name);
}

share_trace *share_trace_open(const char *path, uint64_t now_ns)
{
    share_trace *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->begin_ns = now_ns;
    t->out = fopen(path, "we");
    if (!t->out) {
        free(t);
        return NULL;
    }
    fprintf(t->out,
            "[\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"links and GPUs\","
            "\"begin_ns\":%" PRIu64 "}},\n"
            "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":2,\"args\":{\"name\":\"programs\"}}",
            now_ns);
    return t;
}

void share_trace_close(share_trace *t)
{
    if (!t)
        return;
    fputs("\n]\n", t->out);
    fclose(t->out);
    free(t);
}

/* A slice of a row. What stands in `args` begins with a comma, or is empty. */
static void slice(share_trace *t, int process, uint32_t row, uint32_t client, const char *what, uint64_t begin_ns,
                  uint64_t end_ns, const char *args)
{
    fprintf(t->out,
            ",\n{\"ph\":\"X\",\"name\":\"%s\",\"pid\":%d,\"tid\":%u,\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"program\":\"%"
            "s\"%s}}",
            process == MACHINE ? t->names[client] : what, process, row, us(t, begin_ns),
            (double)(end_ns - begin_ns) / 1e3, t->names[client], args);
}

static void name_rows(share_trace *t, uint32_t link)
{
    static const char *const rows[ROWS] = {"copies in", "kernels", "copies out"};
    for (uint32_t r = 0; r < ROWS && !t->has_rows[link]; r++) {
        char name[48];
        snprintf(name, sizeof name, "GPU %u %s", link, rows[r]);
        name_row(t, MACHINE, link * ROWS + r, name);
    }
    t->has_rows[link] = 1;
}

static uint32_t row_of(uint32_t link, uint32_t way)
{
    static const uint32_t rows[SHARE_N_CHANNELS] = {0, ROW_OUT, ROW_KERNELS};
    return link * ROWS + rows[way];
}

/* The name has printable bytes only. */
void share_trace_client(share_trace *t, uint32_t client, int32_t pid, const char *name)
{
    size_t n = 0;
    if (!t)
        return;
    for (; *name && n < SHARE_NAME_BYTES - 1; name++)
        t->names[client][n++] = *name == '"' || *name == '\\' ? '?' : *name;
    snprintf(t->names[client] + n, 16, " %" PRId32, pid);
    t->told_task[client] = t->flow_task[client] = 0;
    name_row(t, PROGRAMS, client, t->names[client]);
}

static open_ask *find(share_trace *t, uint32_t client, uint32_t seq)
{
    for (int i = 0; i < MOST_OPEN; i++)
        if (t->open[i].seq == seq && (!seq || t->open[i].client == client))
            return &t->open[i];
    return NULL;
}

void share_trace_leave(share_trace *t, uint32_t client)
{
    for (int i = 0; t && i < MOST_OPEN; i++)
        if (t->open[i].client == client)
            t->open[i].seq = 0;
}

void share_trace_ask(share_trace *t, const share_ask *ask, uint64_t now_ns)
{
    open_ask *x = t ? find(t, ask->client, 0) : NULL;
    if (x)
        *x = (open_ask){ask->client, ask->seq, now_ns, 0};
}

void share_trace_go(share_trace *t, const share_decision *d, uint64_t now_ns)
{
    open_ask *x = t && d->what == SHARE_TO_GO ? find(t, d->client, d->seq) : NULL;
    if (!x)
        return;
    x->granted_ns = now_ns;
    if (now_ns - x->asked_ns >= 1000)
        slice(t, PROGRAMS, d->client, d->client, share_wait_words[d->way], x->asked_ns, now_ns, "");
}

/* An arrow from turn to turn of a task; its number is the task's. */
static void join(share_trace *t, const share_ask *ask, uint32_t task, uint64_t at_ns)
{
    int is_first = t->flow_task[ask->client] != task;
    t->flow_task[ask->client] = task;
    fprintf(
        t->out,
        ",\n{\"ph\":\"%s\",\"name\":\"task\",\"cat\":\"task\",\"id\":%" PRIu64 ",\"pid\":%d,\"tid\":%u,\"ts\":%.3f}",
        is_first ? "s" : "t", (uint64_t)ask->client << 32 | task, MACHINE, row_of(ask->link, ask->way), us(t, at_ns));
}

void share_trace_end(share_trace *t, const share_ask *ask, uint32_t task, uint64_t n_bytes, uint64_t expected_ns,
                     uint64_t now_ns)
{
    open_ask *x = t ? find(t, ask->client, ask->seq) : NULL;
    char args[128];
    if (!x)
        return;
    if (x->granted_ns) {
        name_rows(t, ask->link);
        snprintf(args, sizeof args, ",\"task\":%u,\"bytes\":%" PRIu64 ",\"expected_us\":%.3f", task, n_bytes,
                 (double)expected_ns / 1e3);
        slice(t, MACHINE, row_of(ask->link, ask->way), ask->client, NULL, x->granted_ns, now_ns, args);
        slice(t, PROGRAMS, ask->client, ask->client, share_work_words[ask->way], x->granted_ns, now_ns, args);
        join(t, ask, task, x->granted_ns);
    }
    x->seq = 0;
}

void share_trace_kernels(share_trace *t, uint32_t client, uint32_t link, const share_past *p,
                         const share_expected *expected, uint64_t now_ns)
{
    char args[96];
    if (!t || !p->p_ns || p->p_ns > now_ns - t->begin_ns || t->told_task[client] == p->task)
        return;
    t->told_task[client] = p->task;
    name_rows(t, link);
    snprintf(args, sizeof args, ",\"task\":%u,\"expected_us\":%.3f", p->task, (double)expected->p_ns / 1e3);
    slice(t, MACHINE, link * ROWS + ROW_KERNELS, client, NULL, now_ns - p->p_ns, now_ns,
          expected->is_known ? args : "");
}
