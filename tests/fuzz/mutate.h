/* SPDX-License-Identifier: MIT */
/* mutate.h - breaks a text a little, at random. */
#ifndef MUTATE_H
#define MUTATE_H

#include "check.h"

#include <string.h>

#define MOST_BYTES 4096u

/* Makes one change to the text of *n bytes, which has room for MOST_BYTES; may insert one of the n_words. */
static inline void mutate(char *text, size_t *n, const char *const *words, uint32_t n_words, uint64_t *seed)
{
    size_t at = check_below(seed, *n + 1), length = check_below(seed, *n - at + 1), room = MOST_BYTES - *n, from;
    const char *word = words[check_below(seed, n_words)];
    switch (check_below(seed, 6)) {
    case 0: /* a byte changes */
        if (at < *n)
            text[at] = (char)check_random(seed);
        return;
    case 1: /* a digit becomes another: keeps most files whole */
        for (; at < *n; at++)
            if (text[at] >= '0' && text[at] <= '9') {
                text[at] = (char)('0' + check_below(seed, 10));
                return;
            }
        return;
    case 2: /* a short piece is lost */
        length = length > 8 ? 8 : length;
        memmove(text + at, text + at + length, *n - at - length);
        *n -= length;
        return;
    case 3: /* the rest is lost */ *n = at; return;
    case 4: /* a piece of the text is doubled */
        from = check_below(seed, *n + 1);
        length = *n - from < room ? *n - from : room;
        length = check_below(seed, length + 1);
        memmove(text + at + length, text + at, *n - at);
        memmove(text + at, text + (from < at || length == 0 ? from : at + length), length);
        *n += length;
        return;
    default: /* a word is inserted */
        if (strlen(word) > room)
            return;
        memmove(text + at + strlen(word), text + at, *n - at);
        memcpy(text + at, word, strlen(word));
        *n += strlen(word);
    }
}

#endif
