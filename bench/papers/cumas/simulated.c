/* SPDX-License-Identifier: MIT */
/* simulated.c - what the simulator of `heddle share replay` says of the subjects. */
#include "cumas.h"

#include <string.h>

#define SIGMA 0.3 /* of estimates that are wrong */

int cumas_load(const cumas_kind *k, double rate, share_load *load)
{
    share_why why;
    return share_load_read(k->tasks, strlen(k->tasks), rate, load, &why) ? cli_bad("%s: %s", k->name, why.text)
                                                                         : CLI_OK;
}

int cumas_simulate(const share_load *load, const share_replay_how *how, uint32_t n, cumas_outcome *out)
{
    share_replay_how one = *how;
    out->n = 0;
    for (uint32_t i = 0; i < n; i++, one.seed++) {
        share_replay_result r;
        if (share_replay(load, &one, &r))
            return cli_bad("there is no memory for the simulation");
        out->ms[i] = r.makespan_ns / 1e6;
        out->mean_end_ms[i] = r.mean_end_ns / 1e6;
        out->idle_gpu_ms[i] = r.idle_ns[SHARE_P] / 1e6;
        out->idle_out_ms[i] = r.idle_ns[SHARE_R] / 1e6;
    }
    out->n = out->n_idle_gpu = out->n_idle_out = n;
    return CLI_OK;
}

int cumas_simulate_subject(const share_load *load, const cumas_subject *s, uint32_t n, cumas_outcome *out)
{
    const share_replay_how how = {.policy = s->policy,
                                  .row = s->row,
                                  .slack_percent = SHARE_SLACK_PERCENT,
                                  .wrong = s == &cumas_subjects[CUMAS_WRONG] ? SIGMA : 0,
                                  .seed = 1,
                                  .is_unknown = s == &cumas_subjects[CUMAS_UNKNOWN]};
    out->n = 0;
    if (!(s->bits & (CUMAS_PLAIN | CUMAS_WITH_MPS)))
        return cumas_simulate(load, &how, how.wrong > 0 ? CUMAS_MOST_ORDERS : n, out);
    snprintf(out->why, sizeof out->why, "is only measured");
    return CLI_OK;
}
