/* SPDX-License-Identifier: MIT */
/* share_words.c - words on the command line of `heddle share` (share_words.h). */
#include "share_words.h"

#include "cli.h"

#include <string.h>

const char *share_value_of(int argc, char **argv, int *i)
{
    if (*i + 1 < argc)
        return argv[++*i];
    cli_bad("%s takes a value", argv[*i]);
    return NULL;
}

int share_read_number(const char *option, const char *text, uint64_t least, uint64_t most, uint64_t *n)
{
    if (!text)
        return CLI_BAD;
    return cli_parse_u64(text, least, most, n) ? cli_bad("%s: '%s' is no number from %llu to %llu", option, text,
                                                         (unsigned long long)least, (unsigned long long)most)
                                               : CLI_OK;
}

int share_refused(const share_why *why) { return cli_bad("%s", why->text); }

int share_unknown(const char *verb, const char *word)
{
    return cli_bad("share %s: unknown option '%s'; see heddle help share", verb, word);
}

int share_read_policy(const char *option, const char *word, share_policy *policy)
{
    cli_guess guess = {.word = word};
    if (!word || !share_policy_of(word, policy))
        return word ? CLI_OK : CLI_BAD;
    for (int i = 0; i < SHARE_N_POLICIES; i++)
        cli_guess_offer(&guess, share_policy_word((share_policy)i));
    return cli_bad("%s: unknown policy '%s'%s", option, word, cli_guess_tail(&guess));
}

int share_check_row(share_policy policy, uint32_t row)
{
    uint32_t most = share_policy_most_row(policy);
    return row > most ? cli_bad("--policy %s takes at most --row %u: the time that it needs grows too fast",
                                share_policy_word(policy), most)
                      : CLI_OK;
}
