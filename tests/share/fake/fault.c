/* SPDX-License-Identifier: MIT */
/* fault.c - counts calls, and makes those fail or hang that FAKE_CUDA_FAULTS names. */
#include "fake.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fake_site *sites;

uint64_t fake_number(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    return text ? strtoull(text, NULL, 0) : otherwise;
}

int fake_listed(const char *variable, const char *name)
{
    const char *at = getenv(variable);
    size_t n = strlen(name);
    while (at && *at) {
        if (!strncmp(at, name, n) && (at[n] == ',' || !at[n]))
            return 1;
        at = strchr(at, ',');
        at = at ? at + 1 : NULL;
    }
    return 0;
}

static void enlist(fake_site *site)
{
    pthread_mutex_lock(&lock);
    if (!__atomic_load_n(&site->is_known, __ATOMIC_RELAXED)) {
        site->next = sites, sites = site;
        __atomic_store_n(&site->is_known, 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
}

static CUresult suffer(const char *what)
{
    if (!strncmp(what, "hang", 4))
        for (;;)
            pause();
    return atoi(what);
}

static CUresult fault_of(const char *name, uint64_t n_calls)
{
    const char *at = getenv("FAKE_CUDA_FAULTS");
    size_t n = strlen(name);
    while (at && *at) {
        if (!strncmp(at, name, n) && at[n] == ':') {
            char *what;
            uint64_t nth = strtoull(at + n + 1, &what, 10);
            if (*what == ':' && (nth == n_calls || nth == 0))
                return suffer(what + 1);
        }
        at = strchr(at, ',');
        at = at ? at + 1 : NULL;
    }
    return CUDA_SUCCESS;
}

CUresult fake_enter(fake_site *site)
{
    uint64_t n = __atomic_add_fetch(&site->n_calls, 1, __ATOMIC_RELAXED);
    if (!__atomic_load_n(&site->is_known, __ATOMIC_ACQUIRE))
        enlist(site);
    return fault_of(site->name, n);
}

uint64_t fake_calls(const char *name)
{
    uint64_t n = 0;
    pthread_mutex_lock(&lock);
    for (fake_site *s = sites; s; s = s->next)
        if (!strcmp(s->name, name))
            n += __atomic_load_n(&s->n_calls, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
    return n;
}
