/* SPDX-License-Identifier: MIT */
/* variable.c - reads the variables (variable.h). */
#include "variable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct variable {
    const char *name, *help;
    uint64_t otherwise, least, most;
} variable;
#define VARIABLE(name, variable, otherwise, least, most, help) {variable, help, otherwise, least, most},
static const variable variables[] = {SHARE_SETTINGS(VARIABLE)};
#undef VARIABLE

static uint64_t values[SHARE_N_SETTINGS];
static int is_loaded, is_off;

static uint64_t read_number(const variable *v)
{
    const char *text = getenv(v->name);
    unsigned long long n;
    char *end;
    if (!text || *text < '0' || *text > '9')
        return v->otherwise;
    errno = 0;
    n = strtoull(text, &end, 10);
    return errno || *end || n < v->least || n > v->most ? v->otherwise : n;
}

void share_setting_load(void)
{
    const char *text = getenv("HEDDLE_SHARE");
    for (int i = 0; i < SHARE_N_SETTINGS; i++)
        values[i] = read_number(&variables[i]);
    is_off = text && !strcmp(text, "off");
    is_loaded = 1;
}

uint64_t share_setting(share_set which) { return is_loaded ? values[which] : variables[which].otherwise; }
int share_setting_is_off(void) { return is_off; }

uint32_t share_setting_class(void)
{
    const char *text = getenv("HEDDLE_SHARE_CLASS");
    if (text && !strcmp(text, "high"))
        return SHARE_HIGH;
    return text && !strcmp(text, "low") ? SHARE_LOW : SHARE_NORMAL;
}

int share_setting_at(uint32_t i, const char **name, const char **help)
{
    static const variable words[] = {
        {"HEDDLE_SHARE", "off = heddle share leaves the program alone", 0, 0, 0},
        {"HEDDLE_SHARE_RECORD", "file for the program's tasks, for heddle share replay", 0, 0, 0},
        {"HEDDLE_SHARE_TIMED", "1 = each kernel is waited for and timed, for HEDDLE_SHARE_RECORD", 0, 0, 0},
        {"HEDDLE_SHARE_KERNELS", "for heddle share start: kernels of different programs are free, or ordered", 0, 0, 0},
        {"HEDDLE_SHARE_MPS", "for heddle share start: programs run under MPS: auto, on, off", 0, 0, 0},
        {"HEDDLE_SHARE_POLICY", "for heddle share start: in which order programs copy; see heddle help share", 0, 0, 0},
        {"HEDDLE_SHARE_ROW", "for heddle share start: how often a program may be overtaken", 0, 0, 0},
        {"HEDDLE_SHARE_PATIENCE", "for heddle share start: how long a program waits behind others: 2s, 200ms", 0, 0, 0},
        {"HEDDLE_SHARE_TRACE", "for heddle share start: file of what it does, for Perfetto", 0, 0, 0},
        {"HEDDLE_SHARE_REQUIRE", "1 = heddle share run without a daemon is an error", 0, 0, 0},
        {"HEDDLE_SHARE_CLASS", "who goes first on the link: high, normal, low", 0, 0, 0}};
    enum { N_NUMBERS = sizeof variables / sizeof variables[0], N_WORDS = sizeof words / sizeof words[0] };
    const variable *v = i < N_WORDS ? &words[i] : &variables[i < N_WORDS + N_NUMBERS ? i - N_WORDS : 0];
    if (i >= N_WORDS + N_NUMBERS)
        return 0;
    *name = v->name, *help = v->help;
    return 1;
}
