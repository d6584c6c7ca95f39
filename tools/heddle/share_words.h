/* SPDX-License-Identifier: MIT */
/* share_words.h - reads words on the command line of `heddle share`. What is wrong with one is said here. */
#ifndef SHARE_WORDS_H
#define SHARE_WORDS_H

#include "share.h"

/* The word behind the option at *i, which moves there; NULL: it is missing. */
const char *share_value_of(int argc, char **argv, int *i);
/* CLI_OK or CLI_BAD; text NULL: it was missing. */
int share_read_number(const char *option, const char *text, uint64_t least, uint64_t most, uint64_t *n);
int share_read_policy(const char *option, const char *word, share_policy *policy);
/* CLI_BAD: the policy does not take so many rows. */
int share_check_row(share_policy policy, uint32_t row);
/* CLI_BAD. */
int share_refused(const share_why *why);
int share_unknown(const char *verb, const char *word);

/* The verb `replay` (share_replay.c). */
int share_replay_command(int argc, char **argv);

#endif
