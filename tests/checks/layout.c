/* SPDX-License-Identifier: MIT */
/* layout.c - prints, as static assertions, the C compiler's offsets of the fields that a device reads; layout.sh has
 * C++ and nvcc confirm them. */
#include "heddle/loop.h"

#include <stdio.h>

#define SIZE(s)                     \
    {                               \
        "sizeof(" #s ")", sizeof(s) \
    }
#define AT(s, f)                                   \
    {                                              \
        "offsetof(" #s ", " #f ")", offsetof(s, f) \
    }

static const struct fact {
    const char *text;
    size_t value;
} facts[] = {SIZE(hd_edge),
             AT(hd_edge, task),
             AT(hd_edge, need),
             SIZE(hd_task),
             AT(hd_task, body),
             AT(hd_task, flags),
             AT(hd_task, n_in),
             AT(hd_task, n_succ),
             AT(hd_task, succ),
             AT(hd_task, arg_bytes),
             AT(hd_task, args_at),
             AT(hd_task, watch),
             AT(hd_task, cost_ns),
             AT(hd_task, first),
             AT(hd_task, args),
             SIZE(hd_blob),
             AT(hd_blob, n_bytes),
             AT(hd_blob, n_tasks),
             AT(hd_blob, n_roots),
             AT(hd_blob, n_watched),
             AT(hd_blob, shared_bytes),
             AT(hd_blob, n_edges),
             AT(hd_blob, edges_at),
             AT(hd_blob, args_at),
             AT(hd_blob, roots_at),
             SIZE(hd_fail),
             AT(hd_fail, stop),
             AT(hd_fail, task),
             SIZE(hd_control),
             AT(hd_control, outstanding),
             AT(hd_control, next_root),
             AT(hd_control, policy_cursor),
             AT(hd_control, asking),
             AT(hd_control, out),
             AT(hd_control, run),
             SIZE(hd_cursor),
             AT(hd_cursor, tail),
             AT(hd_cursor, head),
             SIZE(hd_tally),
             AT(hd_tally, n_tasks),
             AT(hd_tally, n_events),
             AT(hd_tally, n_given),
             SIZE(hd_event),
             AT(hd_event, begin),
             AT(hd_event, end),
             AT(hd_event, task),
             AT(hd_event, dep),
             SIZE(hd_run),
             AT(hd_run, tasks),
             AT(hd_run, params),
             AT(hd_run, control),
             AT(hd_run, count),
             AT(hd_run, link),
             AT(hd_run, cursors),
             AT(hd_run, slots),
             AT(hd_run, tallies),
             AT(hd_run, events),
             AT(hd_run, host),
             AT(hd_run, n_tasks),
             AT(hd_run, n_slots),
             AT(hd_run, policy),
             AT(hd_run, n_trace),
             AT(hd_run, spin),
             SIZE(heddle_thread),
             AT(heddle_thread, shared),
             AT(heddle_thread, fail),
             AT(heddle_thread, emulated),
             SIZE(heddle_body_info),
             AT(heddle_body_info, run),
             AT(heddle_body_info, arg_bytes),
             SIZE(heddle_table),
             AT(heddle_table, core_version),
             AT(heddle_table, bodies),
             AT(heddle_table, stubs),
             SIZE(heddle_span),
             AT(heddle_span, tile),
             SIZE(hd_span_launch),
             AT(hd_span_launch, n_columns),
             AT(hd_span_launch, fail),
             AT(hd_span_launch, stopped),
             AT(hd_span_launch, body),
             AT(hd_span_launch, params)};

int main(void)
{
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        printf("static_assert(%s == %zu, \"\");\n", facts[i].text, facts[i].value);
    return 0;
}
