/* SPDX-License-Identifier: MIT */
/* cumas_used.c - when a GPU had kernels and copies out, by a trace that is written here as heddle share's daemon writes it. */
#include "used.h"

#include "check.h"

#include <math.h>
#include <string.h>

#define CLOCK 5000 /* ms: when the daemon began */

static const char head[] =
    "[\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"links and GPUs\","
    "\"begin_ns\":5000000000}},\n"
    "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":2,\"args\":{\"name\":\"programs\"}},\n"
    "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":1,\"args\":{\"name\":\"GPU 0 kernels\"}}";
static const struct {
    int process, row;
    double begin_ms, long_ms;
} events[] = {
    {1, 0, 0, 30},  {2, 7, 0, 100},                /* a copy in; a program */
    {1, 1, 15, 10}, {1, 1, 10, 10}, {1, 1, 12, 1}, /* as they were told: one from 10 to 25, */
    {1, 1, 47, 3},  {1, 1, 40, 5},  {1, 1, 42, 1}, /* idle for 15 and 2 */
    {1, 2, 30, 10}, {1, 2, 45, 10},                /* idle for 5 */
    {1, 1, 110, 5}, {1, 1, 120, 5},                /* the next round, in which nothing goes out */
};

static void write_trace(const char *name, const char *first)
{
    FILE *out = fopen(name, "w");
    CHECK(out != NULL);
    fputs(first, out);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        fprintf(
            out,
            ",\n{\"ph\":\"X\",\"name\":\"lud 7\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"program\":"
            "\"lud 7\",\"task\":1}}",
            events[i].process, events[i].row, events[i].begin_ms * 1e3, events[i].long_ms * 1e3);
        fprintf(out, ",\n{\"ph\":\"s\",\"name\":\"task\",\"cat\":\"task\",\"id\":1,\"pid\":1,\"tid\":1,\"ts\":%.3f}",
                events[i].begin_ms * 1e3);
    }
    CHECK(!fclose(out)); /* without an end, as when the daemon was killed */
}

static void check_idle(const used *u, used_row row, double from_ms, double to_ms, double expected)
{
    const double idle = used_idle_ms(u, row, CLOCK + from_ms, CLOCK + to_ms);
    CHECK_MSG(fabs(idle - expected) < 1e-6, "row %d from %.0f to %.0f: %.3f ms, not %.3f", (int)row, from_ms, to_ms,
              idle, expected);
}

int main(void)
{
    static const char name[] = "cumas_used.trace";
    used u;
    write_trace(name, head);
    CHECK(!used_read(&u, name));
    CHECK(u.n[USED_KERNELS] == 8 && u.n[USED_OUT] == 2);
    check_idle(&u, USED_KERNELS, 0, 100, 17);
    check_idle(&u, USED_OUT, 0, 100, 5);
    check_idle(&u, USED_KERNELS, 100, 200, 5);
    check_idle(&u, USED_OUT, 100, 200, -1);
    check_idle(&u, USED_KERNELS, 40, 46, 0); /* one alone */
    used_free(&u);
    write_trace(name, "[\n{\"ph\":\"M\"}"); /* nobody says when it began */
    CHECK(used_read(&u, name));
    used_free(&u);
    CHECK(used_read(&u, "no such trace"));
    used_free(&u);
    remove(name);
    return 0;
}
