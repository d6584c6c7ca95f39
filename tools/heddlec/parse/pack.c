/* SPDX-License-Identifier: MIT */
/* pack.c - `#pragma pack` of gcc, clang and nvcc: the value in force at a place of the text. */
#include "support/text.h"

#include <stdlib.h>
#include <string.h>

typedef struct pack {
    HC_LIST(uint32_t) before; /* pushed values */
    uint32_t now;
} pack;

static const char *behind(const char *s, const char *word)
{
    while (*s == ' ' || *s == '\t')
        s++;
    return strncmp(s, word, strlen(word)) ? NULL : s + strlen(word);
}

/* The contents of the brackets: push, pop, a name, a number; the last number counts. */
static void take(pack *p, const char *s)
{
    const char *digits = s + strcspn(s, "0123456789)\n");
    if (behind(s, "push"))
        *HC_ADD(&p->before) = p->now;
    if (behind(s, "pop"))
        p->now = p->before.n ? p->before.at[--p->before.n] : 0;
    if (*digits >= '0' && *digits <= '9')
        p->now = (uint32_t)strtoul(digits, NULL, 10);
    else if (behind(s, ")"))
        p->now = 0;
}

uint32_t hc_pack_at(const hc_text *t, uint32_t at)
{
    pack p = {{0}, 0};
    for (uint32_t l = 0; l < t->n_lines && t->lines[l].begin < at; l++) {
        const char *s = behind(t->bytes + t->lines[l].begin, "#pragma");
        s = s ? behind(s, "pack") : NULL;
        s = s ? behind(s, "(") : NULL;
        if (s)
            take(&p, s);
    }
    return p.now;
}
