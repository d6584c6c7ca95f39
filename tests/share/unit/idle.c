/* SPDX-License-Identifier: MIT */
/* idle.c - times between turns of made-up clients: what is counted, and what is not. */
#include "idle.h"

#include "check.h"

#include <string.h>

static share_arbiter a;
static share_idle idle;
static share_page pages[2];
static share_peer peers[2];
static share_peer *peer_of[SHARE_MOST_CLIENTS];
static uint32_t seq;

static uint32_t ask(uint32_t client, int slot)
{
    share_ask x = {.client = client, .seq = ++seq, .call = seq, .slot = slot, .n_bytes = 1 << 20};
    share_arbiter_ask(&a, &x, 1, seq);
    return seq;
}

static void copies(uint32_t client, uint32_t turn, uint64_t begun_ns, uint64_t ended_ns)
{
    pages[client].told[0].link[0].begun = turn, pages[client].told[0].link[0].begun_ns = begun_ns;
    pages[client].told[0].link[0].ended = turn, pages[client].told[0].link[0].ended_ns = ended_ns;
}

static void ends(uint32_t client, uint32_t turn)
{
    share_ask mine = *share_arbiter_find(&a, client, turn);
    CHECK(mine.state == SHARE_HOLDS);
    share_idle_ends(&idle, peer_of, &mine);
    share_arbiter_end(&a, client, turn, 1 << 20, seq);
    share_idle_ended(&idle, &a, &mine);
}

static void begin(void)
{
    const share_rules rules = {SHARE_POLICY_STRINGS, 12, 1000000000u, 0};
    share_arbiter_init(&a, &rules);
    for (uint32_t i = 0; i < 2; i++) {
        CHECK(share_arbiter_join(&a, SHARE_NORMAL) == (int)i);
        share_arbiter_use(&a, i, 0);
        for (int g = 0; g < SHARE_MOST_GPUS; g++)
            peers[i].link_of[g] = g ? -1 : 0;
        peers[i].page = &pages[i];
        peer_of[i] = &peers[i];
    }
}

/* One after the other; the second begins so long after the first has ended. */
static void pair(int64_t after_ns)
{
    uint32_t first = ask(0, -1), second = ask(1, -1);
    copies(0, first, 1000000, 2000000);
    ends(0, first);
    copies(1, second, (uint64_t)(2000000 + after_ns), 3000000);
    ends(1, second);
}

int main(void)
{
    share_idle_way *w = &idle.ways[0][0];
    uint32_t first, second;
    begin();
    CHECK(share_idle_ns(w, 500) == 0);
    pair(7000);
    CHECK(w->n == 1 && share_idle_ns(w, 500) == 7000);
    pair(-7000); /* both copies at a time */
    CHECK(w->n == 2 && share_idle_ns(w, 0) == 0 && share_idle_ns(w, 1000) == 7000);
    for (int i = 0; i < SHARE_IDLE_KEPT; i++)
        pair(i * 10);
    CHECK(w->n == 2 + SHARE_IDLE_KEPT && share_idle_ns(w, 1000) == 10 * (SHARE_IDLE_KEPT - 1));
    CHECK(share_idle_ns(w, 500) == 10 * (SHARE_IDLE_KEPT - 1) / 2 / 10 * 10);

    first = ask(0, -1); /* nobody waits */
    copies(0, first, 1, 2);
    ends(0, first);
    second = ask(1, -1);
    copies(1, second, 90, 91);
    ends(1, second);
    CHECK(w->n == 2 + SHARE_IDLE_KEPT);

    first = ask(0, -1), second = ask(1, -1); /* the first one's last bytes are on their way yet */
    copies(0, first - 1, 1, 2);
    ends(0, first);
    copies(1, second, 90, 91);
    ends(1, second);
    CHECK(w->n == 2 + SHARE_IDLE_KEPT);

    first = ask(0, -1), second = ask(1, -1); /* the first one has gone */
    copies(0, first, 1, 2);
    ends(0, first);
    peer_of[0] = NULL;
    copies(1, second, 90, 91);
    ends(1, second);
    CHECK(w->n == 2 + SHARE_IDLE_KEPT);
    return 0;
}
