/* SPDX-License-Identifier: MIT */
/* des3.c - triple DES (encrypt, decrypt, encrypt, under three keys) of packets, each padded with zeros to whole blocks. In ECB
 * blocks are independent. In CBC each is added to the result before, with zeros before the first of a packet. (One of the
 * workloads of Pagoda: TOPC 6(4), Table 3.)
 *
 * Input: a capture's packets, or a file cut into pieces of 2048 to 65536 bytes. Without: packets of noise. A task that encrypts in CBC
 * takes whole packets: narrower blocks are refused. */
#include "des3_bodies.h"
#include "des.h"
#include "input.h"
#include "narrow.h"
#include "noise.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIDE (1ull << 30)
enum { IN, BEGIN, TABLES };

extern const app app_des3;

typedef struct des3_case {
    narrow n;
    des3_record record;
    uint64_t keys[3][DES_ROUNDS];
    int64_t seed, cut;
} des3_case;

/* ---- options ---- */

/* Which of two words the option is: 0 or 1; else -1. */
static int choose(const app_request *q, const char *key, const char *no, const char *yes, uint32_t *out, char *error)
{
    const char *text = app_opt_text(&app_des3, q, key);
    *out = !strcmp(text, yes);
    if (*out || !strcmp(text, no))
        return 0;
    snprintf(error, APP_ERROR, "option %s: '%.64s' is neither %s nor %s", key, text, no, yes);
    return -1;
}

static int get_keys(des3_case *p, const app_request *q, char *error)
{
    const char *text = app_opt_text(&app_des3, q, "key");
    if (strlen(text) != 48 || strspn(text, "0123456789abcdefABCDEF") != 48) {
        snprintf(error, APP_ERROR, "option key: '%.64s' is no three keys of 16 hexadecimal digits each", text);
        return -1;
    }
    for (int k = 0; k < 3; k++) {
        char one[17] = {0};
        memcpy(one, text + (size_t)(16 * k), 16);
        des_keys(strtoull(one, NULL, 16), p->keys[k]);
    }
    return 0;
}

static int get_options(des3_case *p, const app_request *q, char *error)
{
    const app *a = &app_des3;
    return choose(q, "mode", "ecb", "cbc", &p->record.chained, error) ||
                   choose(q, "way", "encrypt", "decrypt", &p->record.backward, error) || get_keys(p, q, error) ||
                   app_opt_i64(a, q, "cut", 0, 1, &p->cut, error) ||
                   app_opt_i64(a, q, "seed", 0, INT32_MAX, &p->seed, error)
               ? -1
               : 0;
}

/* ---- what rounds and boxes need ---- */

/* Round k of all 48 in their order: the second key goes the other way. Whether that pass is backward. */
static uint64_t round_key(const des3_case *p, int k)
{
    const int pass = k / DES_ROUNDS, i = k % DES_ROUNDS, backward = (int)p->record.backward != (pass == 1);
    return p->keys[p->record.backward ? 2 - pass : pass][backward ? DES_ROUNDS - 1 - i : i];
}

static void put_keys(const des3_case *p, uint32_t *to)
{
    memset(to, 0, DES3_KEYS * sizeof *to);
    for (int k = 0; k < DES3_ROUNDS; k++) {
        const uint64_t key = round_key(p, k);
        for (int box = 0; box < DES_BOXES; box++)
            to[2 * k + box % 2] |= (uint32_t)(key >> (42 - 6 * box) & 63) << (24 - box / 2 * 8);
    }
}

static void put_tables(uint32_t *to)
{
    for (int box = 0; box < DES_BOXES; box++)
        for (uint32_t six = 0; six < 64; six++)
            *to++ = des_box(box, six);
}

/* ---- packets ---- */

static int ends_in_pcap(const char *path)
{
    const size_t n = strlen(path);
    return n >= 5 && !strcmp(path + n - 5, ".pcap");
}

/* The lengths of the known answers: a linear congruential generator's. */
static int cut_file(const char *path, input_records *out, char *error)
{
    uint64_t n_bytes, at = 0, s = 12345;
    if (input_bytes(path, &out->letters, &n_bytes, error))
        return -1;
    out->begin = app_alloc(n_bytes / 2048 + 2, sizeof *out->begin, "the packets", error);
    if (!out->begin) {
        free(out->letters);
        return -1;
    }
    for (out->n = 0; at < n_bytes; out->n++) {
        out->begin[out->n] = at;
        s = (1103515245 * s + 12345) % (1u << 31);
        at += 2048 + 8 * ((s >> 8) % 7937);
    }
    out->begin[out->n] = n_bytes;
    return 0;
}

/* Packet k of made-up ones has from a 32nd of the largest size to all of it, as 2048 to 65536 bytes. */
static uint64_t made_up_bytes(const des3_case *p, uint64_t k)
{
    const uint64_t most = p->n.c.n[1], least = (most + 31) / 32;
    return least + noise_u64((uint64_t)p->seed, k) % (most - least + 1);
}

static int make_up(const des3_case *p, input_records *out, char *error)
{
    const uint64_t n = p->n.c.n[0];
    out->n = n;
    out->begin = app_alloc(n + 1, sizeof *out->begin, "the packets", error);
    if (!out->begin)
        return -1;
    out->begin[0] = 0;
    for (uint64_t k = 0; k < n; k++)
        out->begin[k + 1] = out->begin[k] + made_up_bytes(p, k);
    out->letters = app_alloc(out->begin[n], 1, "the packets", error);
    if (!out->letters) {
        free(out->begin);
        return -1;
    }
    for (uint64_t i = 0; i < out->begin[n]; i++)
        out->letters[i] = (char)(noise_u64((uint64_t)p->seed + 1, i / 8) >> i % 8 * 8);
    return 0;
}

/* Copies the packets to where each begins with a block, and sets the largest length. */
static int pad(des3_case *p, const input_records *from, uint64_t *most, char *error)
{
    uint64_t *begin = narrow_input(&p->n, BEGIN, from->n + 1, sizeof *begin, "the packets", error), at = 0;
    uint8_t *in;
    if (!begin)
        return -1;
    *most = 0;
    for (uint64_t k = 0; k < from->n; k++) {
        const uint64_t n = from->begin[k + 1] - from->begin[k];
        begin[k] = at;
        at += (n + DES3_BLOCK - 1) / DES3_BLOCK * DES3_BLOCK;
        *most = n > *most ? n : *most;
    }
    begin[from->n] = at;
    in = narrow_input(&p->n, IN, at, 1, "the packets", error);
    if (!in)
        return -1;
    memset(in, 0, at);
    for (uint64_t k = 0; k < from->n; k++)
        memcpy(in + begin[k], from->letters + from->begin[k], from->begin[k + 1] - from->begin[k]);
    return narrow_results(&p->n, at, 1, error);
}

static int read_packets(des3_case *p, const app_request *q, input_records *out, char *error)
{
    const char *path = q->n_inputs ? q->inputs[0] : NULL;
    if (!path)
        return app_sizes(&app_des3, q, (const uint64_t[2]){0, 0}, MAX_SIDE, 1, p->n.c.n, p->n.c.b, error) ||
                       make_up(p, out, error)
                   ? -1
                   : 0;
    return ends_in_pcap(path) && !p->cut ? input_packets(path, out, error) : cut_file(path, out, error);
}

static int get_packets(des3_case *p, const app_request *q, char *error)
{
    app_case *c = &p->n.c;
    input_records packets;
    uint64_t n[2];
    int rc;
    if (read_packets(p, q, &packets, error))
        return -1;
    rc = pad(p, &packets, &n[1], error);
    n[0] = packets.n;
    free(packets.begin);
    free(packets.letters);
    if (rc || !q->n_inputs)
        return rc;
    return app_sizes(&app_des3, q, n, MAX_SIDE, 1, c->n, c->b, error);
}

/* ---- prepare ---- */

/* A task's packets alone, in the list of all. */
static void cut(const narrow *n, void *record, tile_rect *t)
{
    ((des3_record *)record)->base = ((const uint64_t *)n->in[BEGIN].host)[t->row];
}

static const narrow_form form = {
    .record_bytes = sizeof(des3_record),
    .in = {offsetof(des3_record, in), offsetof(des3_record, begin), offsetof(des3_record, tables)},
    .out = offsetof(des3_record, out),
    .cut = cut};

static int check_blocks(const des3_case *p, char *error)
{
    const app_case *c = &p->n.c;
    if (!p->record.chained || p->record.backward || c->b[1] == c->n[1])
        return 0;
    snprintf(error, APP_ERROR, "blocks of %llu columns: CBC is encrypted by packets, of up to %llu bytes",
             (unsigned long long)c->b[1], (unsigned long long)c->n[1]);
    return -1;
}

static int load(app_case *c, const app_request *q, char *error)
{
    des3_case *p = (des3_case *)c;
    uint32_t *tables;
    if (app_check_request(&app_des3, q, 1, error) || get_options(p, q, error) || get_packets(p, q, error) ||
        check_blocks(p, error) || app_tasks_cut(c, error))
        return -1;
    tables = narrow_input(&p->n, TABLES, DES3_TABLES + DES3_KEYS, sizeof *tables, "the tables", error);
    if (!tables)
        return -1;
    put_tables(tables);
    put_keys(p, tables + DES3_TABLES);
    p->n.in[IN].rows_at = p->n.out.rows_at = p->n.in[BEGIN].host;
    narrow_set(&p->n, &p->record, &form);
    return 0;
}

static app_case *prepare(const app_request *q, char *error)
{
    return app_prepare(&app_des3, sizeof(des3_case), load, q, error);
}

/* ---- reference and answer ---- */

static uint64_t get(const uint8_t *p)
{
    uint64_t block = 0;
    for (int i = 0; i < DES3_BLOCK; i++)
        block = block << 8 | p[i];
    return block;
}

static void put(uint8_t *p, uint64_t block)
{
    for (int i = 0; i < DES3_BLOCK; i++)
        p[i] = (uint8_t)(block >> (56 - 8 * i));
}

static uint64_t thrice(const des3_case *p, uint64_t block)
{
    const int backward = (int)p->record.backward;
    for (int pass = 0; pass < 3; pass++)
        block = des_block(block, p->keys[backward ? 2 - pass : pass], backward != (pass == 1));
    return block;
}

static void fill_packets(void *self, uint64_t first, uint64_t end)
{
    des3_case *p = self;
    const uint8_t *in = p->n.in[IN].host;
    const uint64_t *begin = p->n.in[BEGIN].host;
    uint8_t *want = p->n.want;
    for (uint64_t k = first; k < end; k++) {
        uint64_t before = 0;
        for (uint64_t at = begin[k]; at < begin[k + 1]; at += DES3_BLOCK) {
            const uint64_t block = get(in + at);
            const uint64_t out = p->record.backward ? thrice(p, block) ^ before : thrice(p, block ^ before);
            put(want + at, out);
            before = p->record.chained ? (p->record.backward ? block : out) : 0;
        }
    }
}

static int reference(app_case *c)
{
    const narrow *n = (const narrow *)c;
    return narrow_reference(c, 1, c->n[0], n->n_results / c->n[0] * 1000, fill_packets);
}

static void answer_block(const narrow *n, const app_sink *s, const char *key, uint64_t at)
{
    char hex[17];
    snprintf(hex, sizeof hex, "%016llx", (unsigned long long)get((const uint8_t *)n->out.host + at));
    s->text(s->self, key, hex);
}

static void answer(app_case *c, const app_sink *s)
{
    const narrow *n = (const narrow *)c;
    const des3_record *r = &((const des3_case *)c)->record;
    char hex[65];
    app_sha256(n->out.host, n->n_results, hex);
    s->u64(s->self, "padded_bytes", n->n_results);
    if (hex[0])
        s->text(s->self, r->backward ? "plain_sha256" : r->chained ? "cbc_iv0_per_task_sha256" : "ecb_sha256", hex);
    if (!r->chained)
        answer_block(n, s, r->backward ? "plain_first_block_hex" : "ecb_first_block_hex", 0);
    answer_block(n, s,
                 r->backward  ? "plain_last_block_hex"
                 : r->chained ? "cbc_last_block_hex"
                              : "ecb_last_block_hex",
                 n->n_results - DES3_BLOCK);
}

static const app_option options[] = {
    {"mode", "ecb", "ecb or cbc: blocks by themselves, or chained within a packet from a vector of zeros"},
    {"way", "encrypt", "encrypt or decrypt; chains are encrypted by one thread, and decrypted by all"},
    {"key", "0123456789abcdef23456789abcdef01456789abcdef0123", "three keys of 16 hexadecimal digits"},
    {"cut", "0", "1: the bytes of a capture are cut, too, instead of its packets"},
    {"seed", "1", "of the packets that are made up when there is no input"},
    {NULL, NULL, NULL}};

const app app_des3 = {
    .name = "des3",
    .summary = "triple DES of packets (rows) of up to so many bytes (columns), in ECB or CBC",
    .formats = "a name that ends in .pcap: the packets of a capture\n"
               "         any other: a file, cut into packets of 2048 to 65536 bytes",
    .options = options,
    .table = &des3,
    .apart = &des3_apart,
    .set_apart = narrow_apart,
    .scenarios = narrow_scenarios,
    .n = {64, 65536},
    .b = {1, 65536},
    .prepare = prepare,
    .read = narrow_read,
    .reference = reference,
    .check = narrow_equal,
    .answer = answer,
    .free = narrow_free,
};
