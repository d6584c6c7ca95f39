/* SPDX-License-Identifier: MIT */
/* report.c - writes the daemon's state (report.h). */
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const way_words[SHARE_N_CHANNELS] = {"in", "out", "kernels"};
const char *const share_work_words[SHARE_N_CHANNELS] = {"copies in", "copies out", "computes"};
const char *const share_wait_words[SHARE_N_CHANNELS] = {"waits to copy in", "waits to copy out", "waits to compute"};
static const char *const class_words[SHARE_N_CLASSES] = {"high", "normal", "low"};

static uint64_t us(uint64_t ns) { return ns / 1000u; }

/* A program's name may hold anything. */
static void print_name(FILE *out, const char *name)
{
    fputc('"', out);
    for (; *name; name++)
        if (*name == '"' || *name == '\\' || (unsigned char)*name < 32 || (unsigned char)*name >= 127)
            fprintf(out, "\\u%04x", (unsigned char)*name);
        else
            fputc(*name, out);
    fputc('"', out);
}

static uint64_t busy_ns(const share_report_input *in, uint32_t card, uint32_t way)
{
    uint64_t ns = in->arbiter->links[card][way].busy_ns;
    return share_arbiter_holder(in->arbiter, card, way) ? ns + in->now_ns - in->arbiter->links[card][way].since_ns : ns;
}

/* What a channel was used for, and its holder; the object is left open. */
static void print_channel(FILE *out, const share_report_input *in, uint32_t card, uint32_t way)
{
    const share_ask *h = share_arbiter_holder(in->arbiter, card, way);
    fprintf(out, "{\"way\": \"%s\", \"holder\": %" PRId32 ", \"busy_us\": %" PRIu64, way_words[way],
            h && in->peer_of[h->client] ? in->peer_of[h->client]->pid : 0, us(busy_ns(in, card, way)));
    fprintf(out, ", \"bytes\": %" PRIu64 ", \"turns\": %" PRIu64 ", \"lost\": %" PRIu64,
            in->arbiter->links[card][way].n_bytes, in->arbiter->links[card][way].n_turns,
            in->arbiter->links[card][way].n_lost);
}

static void print_link(FILE *out, const share_report_input *in, uint32_t card, uint32_t way)
{
    const share_idle_way *idle = &in->idle->ways[card][way];
    print_channel(out, in, card, way);
    fprintf(out, ", \"idle\": {\"n\": %" PRIu64 ", \"median_us\": %.1f, \"p90_us\": %.1f}}", idle->n,
            (double)share_idle_ns(idle, 500) / 1e3, (double)share_idle_ns(idle, 900) / 1e3);
}

static void print_card(FILE *out, const share_report_input *in, uint32_t card)
{
    fprintf(out, "{\"uuid\": \"");
    for (int i = 0; i < 16; i++)
        fprintf(out, "%02x", in->cards[card].uuid[i]);
    fprintf(out, "\", \"memory_bytes\": %" PRIu64 ", \"links\": [", in->cards[card].memory_bytes);
    print_link(out, in, card, 0);
    fputs(", ", out);
    print_link(out, in, card, 1);
    if (in->arbiter->rules.orders_kernels) {
        fputs(", ", out);
        print_channel(out, in, card, SHARE_KERNELS);
        fputc('}', out);
    }
    fputs("]}", out);
}

/* For memory of a link; how, or SHARE_MEM_NO_WAIT. */
static share_mem_wait waits_for(const share_report_input *in, const share_peer *p, uint32_t link)
{
    return in->memory->clients[p->client].waits[link].kind;
}

static uint64_t memory_wanted(const share_report_input *in, const share_peer *p, uint32_t link)
{
    return waits_for(in, p, link) == SHARE_MEM_LINE ? in->memory->clients[p->client].declared_bytes[link]
                                                    : in->memory->clients[p->client].waits[link].n_bytes;
}

static void print_memory_waits(FILE *out, const share_report_input *in, const share_peer *p, const char *comma)
{
    for (int g = 0; g < SHARE_MOST_GPUS; g++) {
        uint32_t link = (uint32_t)p->link_of[g];
        if (p->link_of[g] < 0 || waits_for(in, p, link) == SHARE_MEM_NO_WAIT)
            continue;
        fprintf(out,
                "%s{\"for\": \"memory\", \"gpu\": %u, \"bytes\": %" PRIu64 ", \"reserved_bytes\": %" PRIu64
                ", \"is_in_line\": %s, \"since_us\": %" PRIu64 "}",
                comma, link, memory_wanted(in, p, link), share_memory_reserved(in->memory, link),
                waits_for(in, p, link) == SHARE_MEM_LINE ? "true" : "false", us(in->now_ns - p->wait[g].since_ns));
        comma = ", ";
    }
}

static void print_waits(FILE *out, const share_report_input *in, const share_peer *p)
{
    const char *comma = "";
    fputs(", \"waits\": [", out);
    for (uint32_t i = 0; i < in->arbiter->n_asks; i++) {
        const share_ask *a = &in->arbiter->asks[i];
        if (a->client != (uint32_t)p->client || a->state != SHARE_WAITS)
            continue;
        fprintf(out,
                "%s{\"for\": \"%s\", \"gpu\": %u, \"bytes\": %" PRIu64 ", \"since_us\": %" PRIu64
                ", \"overtaken\": %u}",
                comma, way_words[a->way], a->link, a->n_bytes, us(in->now_ns - a->since_ns), a->n_overtaken);
        comma = ", ";
    }
    print_memory_waits(out, in, p, comma);
    fputc(']', out);
}

static uint64_t number(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }

static void print_client(FILE *out, const share_report_input *in, const share_peer *p)
{
    uint64_t used = 0, copied[SHARE_N_WAYS] = {0, 0};
    for (int g = 0; g < SHARE_MOST_GPUS; g++) {
        used += number(&p->page->told[g].used_bytes);
        for (int w = 0; w < SHARE_N_WAYS; w++)
            copied[w] += number(&p->page->told[g].copied_bytes[w]);
    }
    fprintf(out, "{\"pid\": %" PRId32 ", \"name\": ", p->pid);
    print_name(out, p->name);
    fprintf(out,
            ", \"class\": \"%s\", \"memory_bytes\": %" PRIu64 ", \"declared_bytes\": %" PRIu64
            ", \"in_bytes\": %" PRIu64 ", \"out_bytes\": %" PRIu64,
            class_words[p->class_], used, p->declared_bytes == SHARE_BY_HISTORY ? 0 : p->declared_bytes, copied[0],
            copied[1]);
    fprintf(out,
            ", \"tasks\": %" PRIu64 ", \"launches\": %" PRIu64 ", \"staged\": %" PRIu64 ", \"gated\": %" PRIu64
            ", \"passed\": %" PRIu64 ", \"ahead\": %" PRIu64 ", \"not_ahead\": %" PRIu64,
            number(&p->page->n_tasks), number(&p->page->n_launches), number(&p->page->n_staged),
            number(&p->page->n_gated), number(&p->page->n_passed), number(&p->page->n_ahead),
            number(&p->page->n_not_ahead));
    fprintf(out, ", \"kernels_gated\": %" PRIu64 ", \"kernels_passed\": %" PRIu64, number(&p->page->n_kernels_gated),
            number(&p->page->n_kernels_passed));
    print_waits(out, in, p);
    fputc('}', out);
}

static void print_json(FILE *out, const share_report_input *in)
{
    const char *comma = "";
    fprintf(out,
            "{\"version\": %d, \"policy\": \"%s\", \"row\": %u, \"patience_ms\": %" PRIu64
            ", \"kernels\": \"%s\", \"uptime_ms\": %" PRIu64 ", \"gpus\": [",
            SHARE_VERSION, share_policy_word(in->arbiter->rules.policy), in->arbiter->rules.row,
            in->arbiter->rules.patience_ns / 1000000u, in->arbiter->rules.orders_kernels ? "ordered" : "free",
            (in->now_ns - in->begin_ns) / 1000000u);
    for (uint32_t i = 0; i < in->n_cards; i++, comma = ", ") {
        fputs(comma, out);
        print_card(out, in, i);
    }
    fputs("], \"clients\": [", out);
    comma = "";
    for (int i = 0; i < SHARE_MOST_CLIENTS; i++)
        if (in->peer_of[i]) {
            fputs(comma, out);
            print_client(out, in, in->peer_of[i]);
            comma = ", ";
        }
    fprintf(out, "], \"known_tasks\": %u, \"mps\": ", in->n_known);
    print_name(out, in->mps);
    fprintf(out, ", \"unseen\": {\"programs\": %u, \"last\": ", in->n_unseen);
    print_name(out, in->unseen);
    fputs("}}\n", out);
}

/* ---- for people ---- */

/* The client's number of the first GPU that it waits for memory of; -1: none. */
static int short_of(const share_report_input *in, const share_peer *p)
{
    for (int g = 0; g < SHARE_MOST_GPUS; g++)
        if (p->link_of[g] >= 0 && waits_for(in, p, (uint32_t)p->link_of[g]) != SHARE_MEM_NO_WAIT)
            return g;
    return -1;
}

static const char *wait_for_memory(const share_report_input *in, const share_peer *p, char *text, size_t n)
{
    int g = short_of(in, p);
    uint32_t link = g < 0 ? 0 : (uint32_t)p->link_of[g];
    if (g < 0)
        return "";
    snprintf(text, n,
             "waits for memory since %" PRIu64 " ms: %s %" PRIu64 " MB, %" PRIu64 " of %" PRIu64
             " are promised or taken",
             (in->now_ns - p->wait[g].since_ns) / 1000000u,
             waits_for(in, p, link) == SHARE_MEM_MORE ? "wants"
             : p->declared_bytes == SHARE_BY_HISTORY  ? "had up to"
                                                      : "told of",
             memory_wanted(in, p, link) / 1000000u, share_memory_reserved(in->memory, link) / 1000000u,
             in->memory->capacity[link] / 1000000u);
    return text;
}

/* How many later tasks went before it; nothing when none did. */
static const char *overtaken(uint32_t n, char text[32])
{
    snprintf(text, 32, ", overtaken by %u", n);
    return n ? text : "";
}

static const char *doing(const share_report_input *in, const share_peer *p, char *text, size_t n)
{
    char by[32];
    for (uint32_t i = 0; i < in->arbiter->n_asks; i++) {
        const share_ask *a = &in->arbiter->asks[i];
        if (a->client == (uint32_t)p->client && a->state != SHARE_FAR) {
            snprintf(text, n, "%s since %" PRIu64 " ms%s",
                     a->state == SHARE_HOLDS ? share_work_words[a->way] : share_wait_words[a->way],
                     (in->now_ns - a->since_ns) / 1000000u, overtaken(a->n_overtaken, by));
            return text;
        }
    }
    return wait_for_memory(in, p, text, n);
}

static void print_line(FILE *out, const share_report_input *in, const share_peer *p)
{
    char text[160];
    uint64_t used = 0;
    for (int g = 0; g < SHARE_MOST_GPUS; g++)
        used += number(&p->page->told[g].used_bytes);
    fprintf(out, "%8" PRId32 "  %-20.20s %-7s %8" PRIu64 " MB  %6" PRIu64 " tasks  %s\n", p->pid, p->name,
            class_words[p->class_], used / 1000000u, number(&p->page->n_tasks), doing(in, p, text, sizeof text));
}

static void print_lines(FILE *out, const share_report_input *in)
{
    uint64_t up = in->now_ns - in->begin_ns ? in->now_ns - in->begin_ns : 1;
    fprintf(out, "policy %s%s, up for %" PRIu64 " s, %u tasks known from earlier runs\n",
            share_policy_word(in->arbiter->rules.policy), in->mps[0] ? ", under MPS" : "", up / 1000000000u,
            in->n_known);
    for (uint32_t i = 0; i < in->n_cards; i++) {
        for (uint32_t w = 0; w < SHARE_N_WAYS; w++)
            fprintf(out, "GPU %u, copies %s: taken %.0f %% of the time, %" PRIu64 " MB in %" PRIu64 " turns\n", i,
                    way_words[w], 100.0 * (double)busy_ns(in, i, w) / (double)up,
                    in->arbiter->links[i][w].n_bytes / 1000000u, in->arbiter->links[i][w].n_turns);
        if (in->arbiter->rules.orders_kernels)
            fprintf(out, "GPU %u, kernels: taken %.0f %% of the time, in %" PRIu64 " turns\n", i,
                    100.0 * (double)busy_ns(in, i, SHARE_KERNELS) / (double)up,
                    in->arbiter->links[i][SHARE_KERNELS].n_turns);
        else
            fprintf(out,
                    "GPU %u, kernels: not seen, they pass freely; heddle share start --kernels ordered sees them\n", i);
    }
    for (int i = 0; i < SHARE_MOST_CLIENTS; i++)
        if (in->peer_of[i])
            print_line(out, in, in->peer_of[i]);
    if (in->n_unseen)
        fprintf(out, "%u programs used CUDA without being seen (RTLD_DEEPBIND?), the last was %s\n", in->n_unseen,
                in->unseen);
}

char *share_report(const share_report_input *in, int is_json)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    if (!out)
        return NULL;
    if (is_json)
        print_json(out, in);
    else
        print_lines(out, in);
    return fclose(out) ? NULL : text;
}
