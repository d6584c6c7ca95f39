/* SPDX-License-Identifier: MIT */
/* report.c - what `heddle share status` says to people of one program that copies and one that waits: since when, how many later tasks went
 * before it; and of kernels that nobody sees. */
#include "report.h"

#include "check.h"

#include <string.h>

#define MS 1000000u

static share_arbiter arbiter;
static share_memory memory;
static share_idle idle;
static share_page pages[2];
static share_peer peers[2];
static share_peer *peer_of[SHARE_MOST_CLIENTS];

static void come(uint32_t i, const char *name)
{
    share_ask a = {.client = i, .seq = 1, .call = 1, .slot = -1, .n_bytes = 1 << 20};
    share_peer_init(&peers[i], -1, 0);
    peers[i].client = share_arbiter_join(&arbiter, SHARE_NORMAL);
    CHECK(peers[i].client == (int)i);
    snprintf(peers[i].name, sizeof peers[i].name, "%s", name);
    peers[i].class_ = SHARE_NORMAL, peers[i].page = &pages[i], peers[i].link_of[0] = 0;
    peer_of[i] = &peers[i];
    share_memory_join(&memory, i, 0);
    share_arbiter_use(&arbiter, i, 0);
    share_arbiter_ask(&arbiter, &a, 1, (uint64_t)(i + 1) * 100 * MS);
}

static char *report(int is_json)
{
    static const share_card card;
    share_report_input in = {&card, 1, &arbiter, &memory, &idle, peer_of, 0, 1000 * MS, "", 0, 0, ""};
    char *text = share_report(&in, is_json);
    CHECK(text);
    return text;
}

static int count(const char *what, int is_json)
{
    char *text = report(is_json);
    int n = 0;
    for (const char *at = text; (at = strstr(at, what)); at++)
        n++;
    free(text);
    return n;
}

static void says(const char *sentence, int is_json, int is_said)
{
    char *text = report(is_json);
    CHECK_MSG((strstr(text, sentence) != NULL) == is_said, "'%s' in:\n%s", sentence, text);
    free(text);
}

int main(void)
{
    share_rules rules = {SHARE_POLICY_FIFO, 4, 2000u * MS, 0};
    share_arbiter_init(&arbiter, &rules);
    share_memory_init(&memory);
    come(0, "first");
    come(1, "second");
    says("copies in since 900 ms\n", 0, 1);
    says("waits to copy in since 800 ms\n", 0, 1);
    for (uint32_t i = 0; i < arbiter.n_asks; i++)
        arbiter.asks[i].n_overtaken = arbiter.asks[i].client ? 3 : 0;
    says("waits to copy in since 800 ms, overtaken by 3\n", 0, 1);
    says("\"overtaken\": 3}", 1, 1);
    says("GPU 0, kernels: not seen, they pass freely", 0, 1);

    share_memory_gpu(&memory, 0, 100 * MS);
    share_memory_used(&memory, 0, 0, 80 * MS);
    share_memory_ask(&memory, 1, 0, 2, 60 * MS, 0);
    peers[1].wait[0].since_ns = 400 * MS;
    arbiter.n_asks = 0;
    says("waits for memory since 600 ms: wants 60 MB, 80 of 100 are promised or taken", 0, 1);
    says("\"since_us\": 600000}", 1, 1);
    CHECK(count("waits for memory", 0) == 1 && count("\"for\": \"memory\"", 1) == 1);

    arbiter.rules.orders_kernels = 1;
    says("kernels: not seen", 0, 0);
    says("GPU 0, kernels: taken 0 % of the time", 0, 1);
    return 0;
}
