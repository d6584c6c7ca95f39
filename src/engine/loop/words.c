/* SPDX-License-Identifier: MIT */
/* words.c - device words: [COUNT*]KIND[:WHICH][/PARTS], and of virtual devices KEY=VALUE,... */
#include "engine/loop/words.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#define MOST_WORD 256u
#define MOST_TIMES 4096u

static int wrong(const char *word, const char *what)
{
    (void)hd_say(
        NULL, HEDDLE_EINVAL,
        "devices: \"%s\": %s; a device is cpu:*, cpu:6, cuda:*, cuda:0, cuda:0/4, 4*cuda:0/4, virtual:speed=0.5 or "
        "serial",
        word, what);
    return -1;
}

/* A number without sign at *at, in front of `end` characters: 1, and *at is behind it. */
static int number(const char **at, uint32_t most, uint32_t *out)
{
    uint64_t n = 0;
    const char *p = *at;
    if (!isdigit((unsigned char)*p))
        return 0;
    for (; isdigit((unsigned char)*p); p++) {
        n = n * 10u + (uint64_t)(*p - '0');
        if (n > most)
            return 0;
    }
    *at = p;
    *out = (uint32_t)n;
    return 1;
}

static const struct {
    const char *name;
    size_t field;
    double least, most;
} keys[] = {{"speed", offsetof(hd_virtual_config, speed), 1e-6, 1.0},
            {"link", offsetof(hd_virtual_config, link), 1.0, 1e15},
            {"latency", offsetof(hd_virtual_config, latency), 0.0, 10.0},
            {"memory", offsetof(hd_virtual_config, memory), 1.0, 1e15},
            {"least", offsetof(hd_virtual_config, least), 1.0, 1e15},
            {"fail", offsetof(hd_virtual_config, fail), 0.0, 1e15},
            {"hang", offsetof(hd_virtual_config, hang), 0.0, 1e15},
            {"slow", offsetof(hd_virtual_config, slow), 0.0, 1e15},
            {"peer", offsetof(hd_virtual_config, peer), 1.0, 1e15},
            {"peers", offsetof(hd_virtual_config, peers), 0.0, 1.0}};
#define N_KEYS (sizeof keys / sizeof keys[0])

/* KEY=VALUE at *at. */
static int read_key(const char *word, const char **at, hd_virtual_config *v)
{
    const char *equals = strchr(*at, '=');
    char *end = NULL;
    size_t i, n = equals ? (size_t)(equals - *at) : 0;
    double value;
    for (i = 0; i < N_KEYS && !(n == strlen(keys[i].name) && !memcmp(*at, keys[i].name, n)); i++)
        ;
    if (!n || i == N_KEYS)
        return wrong(word,
                     "a virtual device has speed, link, latency, memory, least, fail, hang, slow, peer and peers");
    errno = 0;
    value = strtod(equals + 1, &end);
    if (end == equals + 1 || errno || !isfinite(value) || value < keys[i].least || value > keys[i].most)
        return wrong(word, "a value is no number, or out of range");
    *(double *)((char *)v + keys[i].field) = value;
    *at = end;
    return 1;
}

static int read_virtual(const char *word, const char *at, hd_word *out)
{
    out->virt.speed = 1.0;
    out->virt.memory = 64e6;
    out->virt.peers = 1.0;
    while (*at) {
        if (read_key(word, &at, &out->virt) < 0)
            return -1;
        if (*at && *at++ != ',')
            return wrong(word, "a comma is expected between its values");
    }
    return 1;
}

static int read_parts(const char *word, const char *at, hd_word *out)
{
    if (*at == '/') {
        at++;
        if (out->kind != HD_WORD_CUDA || !number(&at, MOST_TIMES, &out->n_parts) || !out->n_parts)
            return wrong(word, "only GPUs have parts, a whole number of them from 1 on");
    }
    return *at ? wrong(word, "there is more behind it") : 1;
}

static int read_which(const char *word, const char *at, hd_word *out)
{
    if (*at == '*')
        at++;
    else if (!number(&at, MOST_TIMES, &out->which))
        return wrong(word, "a number or * is expected behind the colon");
    if (out->kind == HD_WORD_CPU && !out->which)
        return wrong(word, "a fleet with no cores just leaves this word out");
    return read_parts(word, at, out);
}

static int read_kind(const char *word, const char *at, hd_word *out)
{
    static const struct {
        const char *name;
        hd_word_kind kind;
    } kinds[] = {{"cpu:", HD_WORD_CPU}, {"cuda:", HD_WORD_CUDA}, {"virtual:", HD_WORD_VIRTUAL}};
    size_t i;
    if (!strcmp(at, "serial"))
        return 1;
    for (i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const size_t n = strlen(kinds[i].name);
        if (strncmp(at, kinds[i].name, n))
            continue;
        out->kind = kinds[i].kind;
        return out->kind == HD_WORD_VIRTUAL ? read_virtual(word, at + n, out) : read_which(word, at + n, out);
    }
    return wrong(word, "there is no such kind");
}

/* The next word, alone; its length; 0: there is none. */
static size_t cut(const char **at, char word[MOST_WORD])
{
    size_t n;
    *at += strspn(*at, " \t\n;");
    n = strcspn(*at, " \t\n;");
    memcpy(word, *at, n < MOST_WORD ? n : MOST_WORD - 1);
    word[n < MOST_WORD ? n : MOST_WORD - 1] = 0;
    *at += n;
    return n;
}

int hd_word_read(const char **at, hd_word *out)
{
    char word[MOST_WORD];
    const char *p = word;
    uint32_t n_times;
    const size_t n = cut(at, word);
    memset(out, 0, sizeof *out);
    out->n_times = out->n_parts = 1;
    out->which = HD_WORD_ALL;
    if (!n)
        return 0;
    if (n >= MOST_WORD)
        return wrong(word, "it is too long");
    if (number(&p, MOST_TIMES, &n_times)) {
        if (*p++ != '*' || !n_times)
            return wrong(word, "behind a number of devices a * is expected");
        out->n_times = n_times;
    }
    return read_kind(word, p, out);
}
