/* SPDX-License-Identifier: MIT */
/* Pragmas, broken at random: lines of the language with bytes changed, pieces lost, doubled, or replaced by words of
 * the language. The parser accepts a pragma, or refuses it with a sentence and a place. The spans of an accepted one
 * lie in its line, and the overlay's offsets lead back to them (heddlec/spans.h). The text fills its allocation, so
 * that a read beyond it is found. The same seed gives the same lines. Ends after a number of lines or after a time. */
#include "fuzz/mutate.h"
#include "heddlec/spans.h"

#include <time.h>

#define N_LINES 1000000u
#define TIME_LIMIT_S 30

static const char *const seeds[] = {
    "#pragma omp task depend(in: a[i][j:n], (*p)[0:n], s.p[0:n]) depend(out: x, y[1:2]) priority(k) firstprivate(i, j)",
    "#pragma omp target parallel map(always, tofrom: A[0:n*n]) map(to: b) num_threads(64) if(target: n > 3 ? 1 : 0)",
    "int x;\n#pragma omp taskloop grainsize(strict: 10) collapse(2) reduction(task, +: s) lastprivate(l)\nfor (;;) ;",
    "#pragma omp parallel for schedule(monotonic: static, f(a, \"):\")) linear(val(i): 2) aligned(p: 64) ordered(2)",
    "# 1 \"a.c\"\n#define X 1\n#pragma heddle region assume(eligible)\n#pragma omp critical (name) hint(h)\n",
    "/* a\n#pragma omp task */ #pragma omp task depend(iterator(i = 0:n), in: a[i]) // b\n",
    "#pragma omp declare reduction(add: int: omp_out += omp_in) initializer(i = 0)\n#pragma omp threadprivate(x)",
    "#pragma omp atomic capture seq_cst\n#pragma omp cancel for if(1)\n#pragma omp depobj(o) update(in)\n",
    "#pragma omp declare target to(f) link(x)\n#pragma omp target update to(a[0:n]) from(present: b)\n",
};
static const char *const words[] = {
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ":",
    "::",
    "?",
    ",",
    "\"",
    "'",
    "\\",
    "\n",
    "/*",
    "*/",
    "//",
    "#",
    "#pragma omp ",
    "\n#pragma omp task ",
    "depend(",
    "in:",
    "[0:n]",
    "a[i:1]",
    " task",
    " target data",
    "nowait ",
    "map(to:",
    "reduction(",
    "min:",
    "if(",
    "schedule(",
    "static,",
    "default(none)",
    "iterator(i=0:n),",
    "->x",
    ".y",
    "1'0",
    "0x1p-3",
    "omp_all_memory",
    "\t",
    "\r",
    "\xc3\xa9",
    "\xff",
    "# 4 \"<b>\" 3\n",
    "\n# 5 \"<c>\"\n",
    "allocate(x: y)",
    "((((((((((((((((((((((((((((((((",
};
static uint64_t n_pragmas, n_broken, n_errors;

static void hear(void *arg, const hc_message *m)
{
    (void)arg;
    CHECK(m->sentence[0] && (m->code || m->level == HC_NOTE) && m->text && m->begin < m->end && m->begin <= m->text->n);
    n_errors += m->level == HC_ERROR;
}

static void try_text(const char *text, size_t n)
{
    char *bytes = malloc(n + 1);
    uint32_t i;
    hc_text t;
    hc_pragmas p;
    CHECK(bytes);
    memcpy(bytes, text, n);
    bytes[n] = 0;
    hc_text_init(&t, "<fuzz>", bytes, n);
    p = hc_parse_pragmas(&t);
    check_all(&t, &p);
    n_pragmas += p.n;
    for (i = 0; i < p.n; i++)
        n_broken += (uint64_t)p.at[i].is_broken;
    CHECK(n_broken <= n_errors);
    free(bytes);
    hc_reset();
}

int main(void)
{
    uint64_t seed = check_seed(21), i, k;
    time_t end = time(NULL) + TIME_LIMIT_S;
    char text[MOST_BYTES];
    hc_hear(hear, NULL);
    for (i = 0; i < N_LINES && (i % 1024 || time(NULL) < end); i++) {
        const char *first = seeds[i % (sizeof seeds / sizeof *seeds)];
        size_t n = strlen(first);
        memcpy(text, first, n);
        for (k = check_below(&seed, 5); k > 0; k--)
            mutate(text, &n, words, sizeof words / sizeof *words, &seed);
        try_text(text, n);
    }
    printf("%llu texts: %llu pragmas, %llu of them broken, %llu errors\n", (unsigned long long)i,
           (unsigned long long)n_pragmas, (unsigned long long)n_broken, (unsigned long long)n_errors);
    CHECK(n_pragmas - n_broken > i / 4 && n_broken > i / 10); /* otherwise the test covers nothing */
    return 0;
}
