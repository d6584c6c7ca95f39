/* SPDX-License-Identifier: MIT */
/* words.c - the tables behind words.h: directives, clauses, their combinations, and near misses. */
#include "parse/words.h"

#include <string.h>

static const struct {
    const char *words;
    hc_stand stand;
} directives[HC_N_DIRECTIVES] = {
#define X(id, words, stand) [HC_##id] = {words, HC_##stand},
    HC_DIRECTIVE_MAP(X)
#undef X
};

static const struct {
    const char *word;
    hc_form form;
} clauses[HC_N_CLAUSES] = {
#define X(id, word, form) [HC_C_##id] = {word, HC_F_##form},
    HC_CLAUSE_MAP(X)
#undef X
};

static const char *const other_directives[] = {
    "target simd",
    "target parallel for simd",
    "target parallel loop",
    "target teams distribute",
    "target teams distribute simd",
    "target teams distribute parallel for",
    "target teams distribute parallel for simd",
    "target teams loop",
    "teams distribute",
    "teams distribute simd",
    "teams distribute parallel for",
    "teams distribute parallel for simd",
    "teams loop",
    "distribute simd",
    "distribute parallel for",
    "distribute parallel for simd",
    "parallel loop",
    "parallel master taskloop",
    "parallel master taskloop simd",
    "parallel masked taskloop",
    "parallel masked taskloop simd",
    "master taskloop",
    "master taskloop simd",
    "masked taskloop",
    "masked taskloop simd",
    "loop",
    "scan",
    "scope",
    "tile",
    "unroll",
    "interop",
    "dispatch",
    "error",
    "nothing",
    "assume",
    "assumes",
    "begin assumes",
    "end assumes",
    "metadirective",
    "begin metadirective",
    "end metadirective",
    "declare mapper",
    "declare variant",
    "begin declare variant",
    "end declare variant",
    "allocate",
    "allocators",
    NULL,
};

static const char other_clauses[] =
    "absent adjust_args align allocator allocators append_args at atomic_default_mem_order bind compare "
    "contains destroy device_type doacross dynamic_allocators enter exclusive fail full has_device_addr holds "
    "inclusive "
    "indirect induction init initializer interop match message no_openmp no_openmp_routines no_parallelism nocontext "
    "nontemporal novariants num_teams otherwise partial permutation reverse_offload severity simd sizes thread_limit "
    "threads threadset transparent unified_address unified_shared_memory use use_device_addr uses_allocators weak when";

static const char other_modifiers[] = "align allocator iterator mapper saved self step";

/* ---- which clause goes with which directive ---------------------------------------------------------------------- */

_Static_assert(HC_N_CLAUSES <= 64, "a bit a clause");
#define B(id) (UINT64_C(1) << HC_C_##id)
#define PRIVATES (B(PRIVATE) | B(FIRSTPRIVATE) | B(ALLOCATE))
#define ON_PARALLEL \
    (PRIVATES | B(IF) | B(NUM_THREADS) | B(DEFAULT) | B(SHARED) | B(COPYIN) | B(REDUCTION) | B(PROC_BIND))
#define IN_LOOP (PRIVATES | B(LASTPRIVATE) | B(COLLAPSE) | B(ORDER))
#define ON_FOR (IN_LOOP | B(LINEAR) | B(REDUCTION) | B(SCHEDULE) | B(ORDERED_CLAUSE))
#define ON_SIMD                                                                                              \
    (B(IF) | B(SAFELEN) | B(SIMDLEN) | B(LINEAR) | B(ALIGNED) | B(PRIVATE) | B(LASTPRIVATE) | B(REDUCTION) | \
     B(COLLAPSE) | B(ORDER))
#define ON_SECTIONS (PRIVATES | B(LASTPRIVATE) | B(REDUCTION))
#define ON_ANY_TASK                                                                                             \
    (PRIVATES | B(IF) | B(FINAL) | B(UNTIED) | B(DEFAULT) | B(MERGEABLE) | B(SHARED) | B(PRIORITY) | B(LABEL) | \
     B(IN_REDUCTION))
#define ON_TASKLOOP \
    (ON_ANY_TASK | B(LASTPRIVATE) | B(GRAINSIZE) | B(NUM_TASKS) | B(COLLAPSE) | B(NOGROUP) | B(REDUCTION))
#define ON_TARGET_ANY (B(IF) | B(DEVICE) | B(NOWAIT) | B(DEPEND))
#define ON_TARGET (ON_TARGET_ANY | PRIVATES | B(MAP) | B(IS_DEVICE_PTR) | B(DEFAULTMAP))
#define ON_TEAMS (PRIVATES | B(DEFAULT) | B(SHARED) | B(REDUCTION))
#define MEMORY_ORDERS (B(SEQ_CST) | B(ACQ_REL) | B(ACQUIRE) | B(RELEASE) | B(RELAXED))

static const uint64_t fits[HC_N_DIRECTIVES] = {
    [HC_PARALLEL] = ON_PARALLEL,
    [HC_FOR] = ON_FOR | B(NOWAIT),
    [HC_PARALLEL_FOR] = ON_PARALLEL | ON_FOR,
    [HC_SIMD] = ON_SIMD,
    [HC_FOR_SIMD] = ON_FOR | ON_SIMD | B(NOWAIT),
    [HC_PARALLEL_FOR_SIMD] = ON_PARALLEL | ON_FOR | ON_SIMD,
    [HC_SECTIONS] = ON_SECTIONS | B(NOWAIT),
    [HC_PARALLEL_SECTIONS] = ON_PARALLEL | ON_SECTIONS,
    [HC_SINGLE] = PRIVATES | B(COPYPRIVATE) | B(NOWAIT),
    [HC_MASKED] = B(FILTER),
    [HC_PARALLEL_MASTER] = ON_PARALLEL,
    [HC_PARALLEL_MASKED] = ON_PARALLEL | B(FILTER),
    [HC_CRITICAL] = B(NAME) | B(HINT),
    [HC_ATOMIC] = B(READ) | B(WRITE) | B(UPDATE) | B(CAPTURE) | B(HINT) | MEMORY_ORDERS,
    [HC_ORDERED] = B(NAME) | B(DEPEND),
    [HC_FLUSH] = B(NAME) | (MEMORY_ORDERS & ~B(RELAXED)),
    [HC_CANCEL] = B(NAME) | B(IF),
    [HC_CANCELLATION_POINT] = B(NAME),
    [HC_TASK] = ON_ANY_TASK | B(DEPEND) | B(AFFINITY) | B(DETACH),
    [HC_TASKLOOP] = ON_TASKLOOP,
    [HC_TASKLOOP_SIMD] = ON_TASKLOOP | ON_SIMD,
    [HC_TASKGROUP] = B(TASK_REDUCTION) | B(ALLOCATE),
    [HC_TASKWAIT] = B(DEPEND) | B(NOWAIT),
    [HC_DEPOBJ] = B(NAME) | B(DEPEND) | B(UPDATE),
    [HC_TARGET] = ON_TARGET | B(IN_REDUCTION),
    [HC_TARGET_PARALLEL] = ON_TARGET | (ON_PARALLEL & ~B(COPYIN)),
    [HC_TARGET_PARALLEL_FOR] = ON_TARGET | (ON_PARALLEL & ~B(COPYIN)) | ON_FOR,
    [HC_TARGET_TEAMS] = ON_TARGET | ON_TEAMS,
    [HC_TEAMS] = ON_TEAMS,
    [HC_DISTRIBUTE] = IN_LOOP | B(DIST_SCHEDULE),
    [HC_TARGET_DATA] = ON_TARGET_ANY | B(MAP) | B(USE_DEVICE_PTR), /* depend, nowait: refused with their own code */
    [HC_TARGET_ENTER_DATA] = ON_TARGET_ANY | B(MAP),
    [HC_TARGET_EXIT_DATA] = ON_TARGET_ANY | B(MAP),
    [HC_TARGET_UPDATE] = ON_TARGET_ANY | B(TO) | B(FROM),
    [HC_DECLARE_TARGET] = B(TO) | B(LINK),
    [HC_DECLARE_SIMD] = B(SIMDLEN) | B(LINEAR) | B(ALIGNED) | B(UNIFORM) | B(INBRANCH) | B(NOTINBRANCH),
    [HC_DECLARE_REDUCTION] = B(NAME),
    [HC_THREADPRIVATE] = B(NAME),
    [HC_REGION] = B(ASSUME),
};

/* if is unique per directive it names; the caller checks its word. */
static const uint64_t unique =
    B(IF) | B(FINAL) | B(NUM_THREADS) | B(DEVICE) | B(PRIORITY) | B(GRAINSIZE) | B(NUM_TASKS) | B(COLLAPSE) |
    B(SAFELEN) | B(SIMDLEN) | B(FILTER) | B(DETACH) | B(ORDERED_CLAUSE) | B(DEFAULT) | B(SCHEDULE) | B(DIST_SCHEDULE) |
    B(PROC_BIND) | B(ORDER) | B(HINT) | B(READ) | B(WRITE) | B(UPDATE) | B(CAPTURE) | MEMORY_ORDERS | B(NOWAIT) |
    B(NOGROUP) | B(UNTIED) | B(MERGEABLE) | B(INBRANCH) | B(NOTINBRANCH) | B(LABEL) | B(ASSUME);

static const uint64_t exclusive[] = {
    B(GRAINSIZE) | B(NUM_TASKS),    B(INBRANCH) | B(NOTINBRANCH), MEMORY_ORDERS,
    B(READ) | B(WRITE) | B(UPDATE), B(READ) | B(CAPTURE),         B(WRITE) | B(CAPTURE),
};

static const struct {
    hc_clause_kind kind;
    const char *words, *more;
} modifiers[] = {
    {HC_C_MAP, "to from tofrom alloc release delete", "always close present"},
    {HC_C_DEPEND, "in out inout mutexinoutset inoutset depobj source sink", ""},
    {HC_C_TO, "present", ""},
    {HC_C_FROM, "present", ""},
    {HC_C_LASTPRIVATE, "conditional", ""},
    {HC_C_LINEAR, "val ref uval", ""},
    {HC_C_GRAINSIZE, "strict", ""},
    {HC_C_NUM_TASKS, "strict", ""},
    {HC_C_DEVICE, "ancestor device_num", ""},
    {HC_C_REDUCTION, "+ - * & | ^ && || min max", "default inscan task"},
    {HC_C_IN_REDUCTION, "+ - * & | ^ && || min max", ""},
    {HC_C_TASK_REDUCTION, "+ - * & | ^ && || min max", ""},
    {HC_C_DEFAULT, "none shared firstprivate private", ""},
    {HC_C_DEFAULTMAP, "tofrom to from alloc firstprivate none default present", "scalar aggregate pointer all"},
    {HC_C_SCHEDULE, "static dynamic guided auto runtime", "monotonic nonmonotonic simd"},
    {HC_C_DIST_SCHEDULE, "static", ""},
    {HC_C_PROC_BIND, "master primary close spread", ""},
    {HC_C_ORDER, "concurrent", "reproducible unconstrained"},
    {HC_C_UPDATE, "in out inout mutexinoutset inoutset", ""},
    {HC_C_ASSUME, "eligible", ""},
};

const char *hc_directive_words(hc_directive d) { return directives[d].words; }
const char *hc_clause_word(hc_clause_kind k) { return clauses[k].word; }
hc_stand hc_stand_of(hc_directive d) { return directives[d].stand; }
hc_form hc_form_of(hc_clause_kind k) { return clauses[k].form; }
int hc_is_heddle(hc_directive d) { return d == HC_REGION; }
const char *hc_other_directive(uint32_t i) { return other_directives[i]; }
int hc_fits(hc_directive d, hc_clause_kind k) { return fits[d] >> k & 1; }
int hc_is_unique(hc_clause_kind k) { return unique >> k & 1; }
int hc_is_other_clause(const char *s, uint32_t n) { return hc_word_in(other_clauses, s, n); }
int hc_is_other_modifier(const char *s, uint32_t n) { return hc_word_in(other_modifiers, s, n); }

hc_clause_kind hc_find_clause(const char *s, uint32_t n)
{
    uint32_t k;
    for (k = 0; k < HC_N_CLAUSES; k++)
        if (n > 0 && strlen(clauses[k].word) == n && !memcmp(clauses[k].word, s, n))
            break;
    return (hc_clause_kind)k;
}

int hc_excludes(hc_clause_kind a, hc_clause_kind b)
{
    uint32_t i;
    for (i = 0; a != b && i < sizeof exclusive / sizeof *exclusive; i++)
        if ((exclusive[i] >> a & 1) && (exclusive[i] >> b & 1))
            return 1;
    return 0;
}

const char *hc_bare_words(hc_directive d)
{
    switch (d) {
    case HC_CANCEL:
    case HC_CANCELLATION_POINT: return "parallel sections for taskgroup";
    case HC_ORDERED: return "threads simd";
    case HC_DEPOBJ: return "destroy";
    default: return "";
    }
}

const char *hc_main_words(hc_clause_kind k)
{
    uint32_t i;
    for (i = 0; i < sizeof modifiers / sizeof *modifiers; i++)
        if (modifiers[i].kind == k)
            return modifiers[i].words;
    return "";
}

const char *hc_more_words(hc_clause_kind k)
{
    uint32_t i;
    for (i = 0; i < sizeof modifiers / sizeof *modifiers; i++)
        if (modifiers[i].kind == k)
            return modifiers[i].more;
    return "";
}

int hc_word_in(const char *words, const char *s, uint32_t n)
{
    while (*words) {
        size_t length = strcspn(words, " ");
        if (length == n && !memcmp(words, s, n))
            return 1;
        words += length + (words[length] == ' ');
    }
    return 0;
}

/* ---- near misses ------------------------------------------------------------------------------------------------- */

#define LONGEST 40u

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* The number of letters to change, add, drop or swap with a neighbour that turns one word into the other. */
static uint32_t distance(const char *a, uint32_t an, const char *b, uint32_t bn)
{
    uint32_t rows[3][LONGEST + 1], i, k;
    for (k = 0; k <= bn; k++)
        rows[0][k] = k;
    for (i = 1; i <= an; i++) {
        uint32_t *now = rows[i % 3], *last = rows[(i - 1) % 3], *before = rows[(i + 1) % 3];
        now[0] = i;
        for (k = 1; k <= bn; k++) {
            now[k] = least(least(last[k], now[k - 1]) + 1, last[k - 1] + (a[i - 1] != b[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                now[k] = least(now[k], before[k - 2] + 1);
        }
    }
    return rows[an % 3][bn];
}

hc_guess hc_guess_for(const char *word, uint32_t n) { return (hc_guess){word, n, NULL, 0, UINT32_MAX}; }

void hc_guess_try(hc_guess *g, const char *candidate, uint32_t n, int is_likely)
{
    uint32_t d, score, apart = n > g->n ? n - g->n : g->n - n;
    if (n == 0 || n > LONGEST || g->n > LONGEST || apart > (n + 1) / 3)
        return;
    d = distance(g->word, g->n, candidate, n);
    score = 2 * d + !is_likely;
    if (d > (n + 1) / 3 || d >= g->n || score >= g->score)
        return;
    g->score = score;
    g->best = candidate;
    g->best_n = n;
}

void hc_guess_each(hc_guess *g, const char *words, int is_likely)
{
    while (*words) {
        size_t length = strcspn(words, " ");
        hc_guess_try(g, words, (uint32_t)length, is_likely);
        words += length + (words[length] == ' ');
    }
}

const char *hc_guess_text(const hc_guess *g)
{
    return g->best ? hc_format("; did you mean '%.*s'?", (int)g->best_n, g->best) : "";
}
