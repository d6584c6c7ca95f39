/* SPDX-License-Identifier: MIT */
/* share_replay.c - `heddle share replay FILE...`: reads its options; what it prints comes from the simulator. */
#include "cli.h"
#include "share_words.h"

#include <stdlib.h>
#include <string.h>

/* "4" or "2..12". */
static int read_rows(const char *text, share_replay_options *o)
{
    char *end;
    unsigned long first = text ? strtoul(text, &end, 10) : 0, last = first;
    if (text && !strncmp(end, "..", 2))
        last = strtoul(end + 2, &end, 10);
    if (!text || *text < '0' || *text > '9' || *end || first < 1 || last > 64 || first > last)
        return text ? cli_bad("--row: '%s' is no number from 1 to 64, and no two as 2..12", text) : CLI_BAD;
    o->row_first = (uint32_t)first, o->row_last = (uint32_t)last;
    return CLI_OK;
}

static int read_real(const char *option, const char *text, double most, double *x)
{
    char *end;
    double value = text ? strtod(text, &end) : 0;
    if (!text)
        return CLI_BAD;
    if (end == text || *end || !(value >= 0 && value <= most))
        return cli_bad("%s: '%s' is no number from 0 to %g", option, text, most);
    *x = value;
    return CLI_OK;
}

static int read_policies(const char *word, uint32_t *policies)
{
    share_policy one = SHARE_POLICY_NONE;
    int status;
    if (word && !strcmp(word, "all")) {
        *policies = (1u << SHARE_N_POLICIES) - 1;
        return CLI_OK;
    }
    status = share_read_policy("--policy", word, &one);
    *policies = 1u << one;
    return status;
}

static int read_count(int argc, char **argv, int *i, uint64_t most, uint64_t *n)
{
    const char *option = argv[*i];
    return share_read_number(option, share_value_of(argc, argv, i), 1, most, n);
}

static int read_slack(int argc, char **argv, int *i, share_replay_options *o)
{
    uint64_t n = 0;
    int status = share_read_number("--slack", share_value_of(argc, argv, i), 0, 100, &n);
    o->slack_percent = (uint32_t)n;
    return status;
}

static int read_option(share_replay_options *o, int argc, char **argv, int *i)
{
    const char *name = argv[*i];
    uint64_t n = o->n_orders;
    int status = CLI_OK;
    if (!strcmp(name, "--policy"))
        return read_policies(share_value_of(argc, argv, i), &o->policies);
    if (!strcmp(name, "--row"))
        return read_rows(share_value_of(argc, argv, i), o);
    if (!strcmp(name, "--rate"))
        return read_real(name, share_value_of(argc, argv, i), 1e6, &o->gb_per_s);
    if (!strcmp(name, "--wrong"))
        return read_real(name, share_value_of(argc, argv, i), 5, &o->wrong);
    if (!strcmp(name, "--seed"))
        return read_count(argc, argv, i, UINT64_MAX, &o->seed);
    if (!strcmp(name, "--slack"))
        return read_slack(argc, argv, i, o);
    if (!strcmp(name, "--orders"))
        status = read_count(argc, argv, i, 100000, &n);
    else if (!strcmp(name, "--json"))
        o->is_json = 1;
    else if (!strcmp(name, "--unknown"))
        o->is_unknown = 1;
    else if (name[0] == '-')
        return share_unknown("replay", name);
    else
        argv[o->n_paths++] = argv[*i]; /* in front of what was not read yet */
    o->n_orders = (uint32_t)n;
    return status;
}

static int check(const share_replay_options *o)
{
    if (!o->n_paths)
        return cli_bad("share replay takes a file of tasks; see heddle help share");
    if (o->gb_per_s <= 0)
        return cli_bad("--rate: a link of 0 GB/s copies nothing");
    for (int i = 0; i < SHARE_N_POLICIES; i++)
        if (o->policies == 1u << i)
            return share_check_row((share_policy)i, o->row_first);
    return CLI_OK;
}

int share_replay_command(int argc, char **argv)
{
    share_replay_options o = {.policies = 1u << SHARE_POLICY_EXACT,
                              .row_first = 12,
                              .row_last = 12,
                              .n_orders = 25,
                              .slack_percent = SHARE_SLACK_PERCENT,
                              .seed = 7,
                              .gb_per_s = 55,
                              .paths = argv};
    cli_buffer text;
    share_why why;
    int status = CLI_OK;
    for (int i = 0; i < argc && !status; i++)
        status = read_option(&o, argc, argv, &i);
    if (!status)
        status = check(&o);
    if (status || cli_buffer_open(&text))
        return CLI_BAD;
    status = share_replay_file(&o, text.out, &why) ? share_refused(&why) : cli_buffer_print(&text);
    cli_buffer_free(&text);
    return status;
}
