/* SPDX-License-Identifier: MIT */
/* The parser of pragmas: each accepted directive and clause has the parts listed here; each refusal has its code, its
 * column and a helpful sentence. */
#include "heddlec/spans.h"

static struct {
    hc_message m;
    char sentence[512];
} heard[16];
static uint32_t n_heard;

static void hear(void *arg, const hc_message *m)
{
    (void)arg;
    CHECK(n_heard < sizeof heard / sizeof *heard);
    heard[n_heard].m = *m;
    snprintf(heard[n_heard++].sentence, sizeof heard->sentence, "%s", m->sentence);
}

static hc_pragmas parse(hc_text *t, const char *line)
{
    hc_pragmas p;
    n_heard = 0;
    hc_reset();
    hc_text_init(t, "<test>", line, strlen(line));
    p = hc_parse_pragmas(t);
    check_all(t, &p);
    return p;
}

/* ---- what is accepted -------------------------------------------------------------------------------------------- */

static void put_span(hc_buf *out, const hc_text *t, hc_span s) { hc_put(out, t->bytes + s.begin, s.end - s.begin); }

static void put_item(hc_buf *out, const hc_text *t, const hc_item *item)
{
    uint32_t i;
    put_span(out, t, item->base);
    for (i = 0; i < item->n_dims; i++) {
        hc_puts(out, " [");
        put_span(out, t, item->dims[i].lower);
        hc_puts(out, item->dims[i].is_section ? "|" : "");
        put_span(out, t, item->dims[i].length);
        hc_puts(out, "]");
    }
}

/* `depend in {a [i|n]} {b}`; modifiers as <...>, parts on their own as +x. */
static void put_clause(hc_buf *out, const hc_text *t, const hc_clause *c)
{
    uint32_t i;
    hc_putf(out, "; %s", *hc_clause_word(c->kind) ? hc_clause_word(c->kind) : "()");
    if (c->word)
        hc_putf(out, " %s", c->word);
    if (c->more)
        hc_putf(out, " <%s>", c->more);
    for (i = 0; i < c->n_items; i++) {
        hc_puts(out, " {");
        put_item(out, t, &c->items[i]);
        hc_puts(out, "}");
    }
    if (c->extra.base.begin < c->extra.base.end) {
        hc_puts(out, " +");
        put_item(out, t, &c->extra);
    }
}

static const char *show(const hc_text *t, const hc_pragma *p)
{
    hc_buf out = {0};
    uint32_t i;
    hc_puts(&out, hc_directive_words(p->directive));
    for (i = 0; i < p->n_clauses; i++)
        put_clause(&out, t, &p->clauses[i]);
    return out.at;
}

/* The line after "#pragma omp ", and its parts. */
static const struct {
    const char *line, *shown;
} accepted[] = {
    {"parallel", "parallel"},
    {"parallel num_threads(4) if(n > 3) proc_bind(close) copyin(x)",
     "parallel; num_threads {4}; if {n > 3}; proc_bind close; copyin {x}"},
    {"parallel for schedule(static, f(a, b)) private(i, j)", "parallel for; schedule static +f(a, b); private {i} {j}"},
    {"parallel for if(parallel: x ? y : z) ordered", "parallel for; if parallel {x ? y : z}; ordered"},
    {"parallel for simd", "parallel for simd"},
    {"parallel sections default(none)", "parallel sections; default none"},
    {"parallel master", "parallel master"},
    {"parallel masked filter(0)", "parallel masked; filter {0}"},
    {"for nowait schedule(monotonic: dynamic) collapse(2)", "for; nowait; schedule dynamic <monotonic>; collapse {2}"},
    {"for schedule(simd, nonmonotonic : guided , 1 ? 2 : 3) ordered(2)",
     "for; schedule guided <simd nonmonotonic> +1 ? 2 : 3; ordered {2}"},
    {"for order(reproducible: concurrent) linear(i: 2)", "for; order concurrent <reproducible>; linear {i} +2"},
    {"for lastprivate(conditional: x) linear(val(p, q): step(2))",
     "for; lastprivate conditional {x}; linear val {p} {q} +step(2)"},
    {"for simd safelen(8) simdlen(4) aligned(p, q: 64) linear(i)",
     "for simd; safelen {8}; simdlen {4}; aligned {p} {q} +64; linear {i}"},
    {"simd reduction(max: m)", "simd; reduction max {m}"},
    {"sections firstprivate(a)", "sections; firstprivate {a}"},
    {"section", "section"},
    {"single copyprivate(x) allocate(omp_default_mem_alloc: x)",
     "single; copyprivate {x}; allocate {x} +omp_default_mem_alloc"},
    {"single allocate(x)", "single; allocate {x}"},
    {"master", "master"},
    {"masked filter(k + 1)", "masked; filter {k + 1}"},
    {"critical", "critical"},
    {"critical (a_name) hint(omp_lock_hint_none)", "critical; () a_name; hint {omp_lock_hint_none}"},
    {"atomic", "atomic"},
    {"atomic read seq_cst", "atomic; read; seq_cst"},
    {"atomic write release", "atomic; write; release"},
    {"atomic update relaxed", "atomic; update; relaxed"},
    {"atomic capture acq_rel", "atomic; capture; acq_rel"},
    {"atomic acquire read", "atomic; acquire; read"},
    {"ordered", "ordered"},
    {"ordered depend(source)", "ordered; depend source"},
    {"ordered depend(sink: i - 1, j)", "ordered; depend sink {i - 1} {j}"},
    {"ordered threads", "ordered; () threads"},
    {"barrier", "barrier"},
    {"flush", "flush"},
    {"flush(a, b)", "flush; () {a} {b}"},
    {"cancel for if(x)", "cancel; () for; if {x}"},
    {"cancellation point taskgroup", "cancellation point; () taskgroup"},
    {"task untied mergeable final(d > 3) priority(n - k) label(\"one) (two\")",
     "task; untied; mergeable; final {d > 3}; priority {n - k}; label {\"one) (two\"}"},
    {"task shared(s) affinity(a[0:n]) detach(e) in_reduction(+: r)",
     "task; shared {s}; affinity {a [0|n]}; detach {e}; in_reduction + {r}"},
    {"task depend(in: x, y[1:2])", "task; depend in {x} {y [1|2]}"},
    {"task depend(in:a[i][j:n])depend(out:b)", "task; depend in {a [i] [j|n]}; depend out {b}"},
    {"task depend(inout: (*p)[0:n], s.p[0:n], q->r[k].t[:n])",
     "task; depend inout {(*p) [0|n]} {s.p [0|n]} {q->r[k].t [|n]}"},
    {"task depend(in: a[i ? 1 : 2 : c ? d : e], b[:], c[k:], d[f(x, y[0])])",
     "task; depend in {a [i ? 1 : 2|c ? d : e]} {b [|]} {c [k|]} {d [f(x, y[0])]}"},
    {"task depend(in: *a[i], &b, (double *)p, f(x)[2:1], ((int (*)[n])p)[0:2][0:n])",
     "task; depend in {*a[i]} {&b} {(double *)p} {f(x) [2|1]} {((int (*)[n])p) [0|2] [0|n]}"},
    {"task depend(in: a[')'], b[\"]\"[0]], c[x['[']:1'0])",
     "task; depend in {a [')']} {b [\"]\"[0]]} {c [x['[']|1'0]}"},
    {"task depend(in: a [ 0 : n ] [ 1 ] , b )", "task; depend in {a [0|n] [1]} {b}"},
    {"task depend(mutexinoutset: a) depend(inoutset: b) depend(depobj: o)",
     "task; depend mutexinoutset {a}; depend inoutset {b}; depend depobj {o}"},
    {"task depend(out: omp_all_memory)", "task; depend out {omp_all_memory}"},
    {"task, if(task: 0), private(x)", "task; if task {0}; private {x}"},
    {"task /* why */ depend(/* , ) */in /* : */: /*(*/ a /*x*/ [ /*[*/ 0:n] ) // ends here",
     "task; depend in {a [0|n]}"},
    {"taskloop grainsize(strict: 10) nogroup collapse(2) lastprivate(x)",
     "taskloop; grainsize strict {10}; nogroup; collapse {2}; lastprivate {x}"},
    {"taskloop simd num_tasks(n) reduction(task, +: a[0:n])",
     "taskloop simd; num_tasks {n}; reduction + <task> {a [0|n]}"},
    {"taskgroup task_reduction(&&: x)", "taskgroup; task_reduction && {x}"},
    {"taskwait", "taskwait"},
    {"taskwait depend(in: a) nowait", "taskwait; depend in {a}; nowait"},
    {"taskyield", "taskyield"},
    {"depobj(o) depend(in: x)", "depobj; () {o}; depend in {x}"},
    {"depobj(o) update(inout)", "depobj; () {o}; update inout"},
    {"depobj(o) destroy", "depobj; () {o}; () destroy"},
    {"target map(to: x, p[0:n]) map(always, tofrom: s) map(a[0:2][0:3]) device(0) is_device_ptr(d)",
     "target; map to {x} {p [0|n]}; map tofrom <always> {s}; map {a [0|2] [0|3]}; device {0}; is_device_ptr {d}"},
    {"target map(close present from: a) defaultmap(tofrom: scalar) nowait",
     "target; map from <close present> {a}; defaultmap tofrom <scalar>; nowait"},
    {"target defaultmap(none)", "target; defaultmap none"},
    {"target parallel map(tofrom: A[0:n*n]) num_threads(64)",
     "target parallel; map tofrom {A [0|n*n]}; num_threads {64}"},
    {"target parallel if(target: a) if(parallel: b)", "target parallel; if target {a}; if parallel {b}"},
    {"target parallel for reduction(+: s)", "target parallel for; reduction + {s}"},
    {"target teams shared(x)", "target teams; shared {x}"},
    {"teams default(shared)", "teams; default shared"},
    {"distribute dist_schedule(static, 8)", "distribute; dist_schedule static +8"},
    {"target data map(alloc: b[:n]) use_device_ptr(b) if(target data: x)",
     "target data; map alloc {b [|n]}; use_device_ptr {b}; if target data {x}"},
    {"target enter data map(to: a) depend(in: a)", "target enter data; map to {a}; depend in {a}"},
    {"target exit data map(release: a) map(delete: b) device(device_num: 1)",
     "target exit data; map release {a}; map delete {b}; device device_num {1}"},
    {"target update to(a[0:n]) from(present: b)", "target update; to {a [0|n]}; from present {b}"},
    {"declare target", "declare target"},
    {"declare target (f, g)", "declare target; to {f} {g}"},
    {"declare target to(f) link(x)", "declare target; to {f}; link {x}"},
    {"begin declare target", "begin declare target"},
    {"end declare target", "end declare target"},
    {"declare simd uniform(p, n) linear(i: 1) notinbranch",
     "declare simd; uniform {p} {n}; linear {i} +1; notinbranch"},
    {"declare simd inbranch", "declare simd; inbranch"},
    {"declare reduction(add: int, float: omp_out += omp_in) initializer(omp_priv = 0)", "declare reduction; () add"},
    {"threadprivate(a, b)", "threadprivate; () {a} {b}"},
};

static void check_accepted(void)
{
    uint64_t clauses = 0, directives = 0;
    uint32_t i, k;
    for (i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        char line[512];
        hc_text t;
        hc_pragmas p;
        snprintf(line, sizeof line, "int x;\n  # pragma\tomp %s\nint y;\n#pragma omp task", accepted[i].line);
        p = parse(&t, line);
        CHECK_MSG(n_heard == 0, "%s: %s", line, heard[0].sentence);
        CHECK_MSG(p.n == 2 && !p.n_left && !p.at[0].is_broken, "%s", line);
        CHECK_MSG(!strcmp(show(&t, &p.at[0]), accepted[i].shown), "%s: %s", line, show(&t, &p.at[0]));
        directives |= UINT64_C(1) << p.at[0].directive;
        for (k = 0; k < p.at[0].n_clauses; k++)
            clauses |= UINT64_C(1) << p.at[0].clauses[k].kind;
    }
    /* All have been there, except those of `#pragma heddle`; and `requires`: none of its clauses is supported. */
    CHECK(directives ==
          ((UINT64_C(1) << HC_N_DIRECTIVES) - 1 - (UINT64_C(1) << HC_REGION) - (UINT64_C(1) << HC_REQUIRES)));
    CHECK(clauses == ((UINT64_C(1) << HC_N_CLAUSES) - 1 - (UINT64_C(1) << HC_C_ASSUME)));
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

/* The line after "#pragma omp "; the code, the underlined text, and part of the sentence. */
static const struct {
    const char *line;
    int code;
    const char *at, *sentence;
} refused[] = {
    {"taks", 100, "taks", "unknown directive 'taks'; did you mean 'task'?"},
    {"xyzzy", 100, "xyzzy", "unknown directive 'xyzzy'"},
    {"region", 100, "region", "unknown directive 'region'"},
    {"", 102, "", "a directive is expected"},
    {"+", 102, "+", "a directive is expected"},
    {"loop", 100, "loop", "directive 'loop' is not supported"},
    {"target parallel for simd", 100, "target parallel for simd",
     "directive 'target parallel for simd' is not supported"},
    {"task dpend(in: a)", 100, "dpend", "unknown clause 'dpend'; did you mean 'depend'?"},
    {"task firstprviate(a) untied", 100, "firstprviate", "unknown clause 'firstprviate'; did you mean 'firstprivate'?"},
    {"task qqqqqq", 100, "qqqqqq", "unknown clause 'qqqqqq'"},
    {"parallel fro", 100, "fro", "did you mean 'for'?"},
    {"cancel tskgroup", 100, "tskgroup", "did you mean 'taskgroup'?"},
    {"target entr data", 100, "entr", "did you mean 'enter'?"},
    {"task nontemporal(x)", 100, "nontemporal", "clause 'nontemporal' is not supported"},
    {"requires unified_shared_memory", 100, "unified_shared_memory", "clause 'unified_shared_memory' is not supported"},
    {"task depend(int: a)", 100, "int", "unknown modifier 'int' in clause 'depend'; did you mean 'in'?"},
    {"target map(tofrm: a)", 100, "tofrm", "did you mean 'tofrom'?"},
    {"target map(mapper(m), to: a)", 100, "mapper", "modifier 'mapper' in clause 'map' is not supported"},
    {"task affinity(iterator(i=0:n): a[i])", 100, "iterator",
     "modifier 'iterator' in clause 'affinity' is not supported"},
    {"single allocate(align(8): x)", 100, "align", "modifier 'align' in clause 'allocate' is not supported"},
    {"for schedule(dynamc)", 100, "dynamc", "unknown word 'dynamc' in clause 'schedule'; did you mean 'dynamic'?"},
    {"task default(nobody)", 100, "nobody", "unknown word 'nobody' in clause 'default'"},
    {"task if(tsk: x)", 100, "tsk", "unknown directive 'tsk' in clause 'if'; did you mean 'task'?"},
    {"for reduction(tsk, +: x)", 100, "tsk", "did you mean 'task'?"},
    {"for linear(vl(x))", 100, "vl", "did you mean 'val'?"},
    {"parallel depend(in: a)", 101, "depend(in: a)", "clause 'depend' has no meaning on 'parallel'"},
    {"taskloop depend(in: a)", 101, "depend(in: a)", "has no meaning on 'taskloop'"},
    {"parallel for nowait", 101, "nowait", "has no meaning on 'parallel for'"},
    {"task map(to: a)", 101, "map(to: a)", "has no meaning on 'task'"},
    {"barrier nowait", 101, "nowait", "has no meaning on 'barrier'"},
    {"task priority(1) untied priority (2)", 101, "priority (2)", "clause 'priority' is given twice"},
    {"task if(1) if(1)", 101, "if(1)", "clause 'if' is given twice"},
    {"taskloop grainsize(1) num_tasks(2)", 101, "num_tasks(2)", "clause 'num_tasks' may not stand beside 'grainsize'"},
    {"atomic read write", 101, "write", "may not stand beside 'read'"},
    {"atomic seq_cst relaxed", 101, "relaxed", "may not stand beside 'seq_cst'"},
    {"task depend", 102, "depend", "clause 'depend' needs brackets"},
    {"task untied(1)", 102, "untied(1)", "clause 'untied' takes no brackets"},
    {"task depend(in: a", 102, "(", "this bracket is not closed"},
    {"task depend(in: a[)]", 102, "(", "this bracket is not closed"},
    {"task depend(in: a))", 102, ")", "a clause is expected, found ')'"},
    {"task untied,", 102, "", "a clause is expected"},
    {"task 3", 102, "3", "a clause is expected, found '3'"},
    {"task (x)", 102, "(x)", "'task' takes no brackets of its own"},
    {"task depend(a)", 102, "depend(a)", "clause 'depend' has the form depend(in: list)"},
    {"task depend(in, a)", 102, "depend(in, a)", "has the form"},
    {"task depend(in out: a)", 102, "out", "'out' in clause 'depend' beside 'in'"},
    {"task depend(: a)", 102, "", "a word is missing in clause 'depend'"},
    {"task depend(in: )", 102, "", "an item is missing in clause 'depend'"},
    {"task depend(in: a,)", 102, "", "an item is missing"},
    {"task depend(in: a[])", 102, "", "an expression is missing in clause 'depend'"},
    {"task depend(in: a[i, j])", 102, ",", "one expression is expected in clause 'depend', found ','"},
    {"task depend(in: *a[0:n])", 102, "[0:n]", "a section may only stand at the end of an item"},
    {"task depend(in: a[0:n].x)", 102, "[0:n]", "a section may only stand at the end of an item"},
    {"task depend(in: a[b[0:1]:2])", 102, "[0:1]", "a section may only stand at the end of an item"},
    {"task depend(in: \"a)", 102, "(", "this bracket is not closed"},
    {"task private(a[0])", 102, "a[0]", "clause 'private' takes names of variables, and 'a[0]' is none"},
    {"task shared(in: a)", 102, "in: a", "takes names of variables"},
    {"task private()", 102, "", "an item is missing in clause 'private'"},
    {"task priority()", 102, "", "an expression is missing in clause 'priority'"},
    {"task priority(a, b)", 102, ",", "one expression is expected"},
    {"for schedule(4)", 100, "4", "unknown word '4'"},
    {"for schedule(monotonic)", 102, "schedule(monotonic)", "clause 'schedule' needs one of the words: static dynamic"},
    {"for reduction(x)", 102, "reduction(x)", "clause 'reduction' has the form reduction(+: list)"},
    {"for reduction(%: x)", 102, "%", "'%' in clause 'reduction' is no operator; known are + -"},
    {"for linear(val(x) y: 1)", 102, "(x) y", "',' or ')' is expected behind 'val(...)'"},
    {"critical (a b)", 102, "(a b)", "one name is expected in the brackets of 'critical'"},
    {"threadprivate", 102, "#pragma omp threadprivate", "'threadprivate' needs brackets"},
    {"declare reduction(a: int: b) initializer", 102, "initializer", "'initializer' has the form initializer(...)"},
    {"target update to(a[0:n:2])", 104, ":2", "a section with a stride is not supported"},
    {"task depend(iterator(i), in: a[i])", 102, "i", "an iterator has the form name = begin : end"},
    {"task depend(iterator(i = 0), in: a[i])", 102, "i = 0", "an iterator has the form name = begin : end"},
    {"task depend(iterator(i = 0:), in: a[i])", 102, "", "an expression is missing in clause 'depend'"},
};

static void check_refused(void)
{
    uint32_t i;
    for (i = 0; i < sizeof refused / sizeof *refused; i++) {
        char line[512];
        hc_text t;
        hc_pragmas p;
        const hc_message *m = &heard[0].m;
        size_t n = strlen(refused[i].at);
        snprintf(line, sizeof line, "#pragma omp %s\n;\n#pragma omp task", refused[i].line);
        p = parse(&t, line);
        CHECK_MSG(n_heard >= 1 && m->level == HC_ERROR && m->code == refused[i].code, "%s", line);
        CHECK_MSG(strstr(heard[0].sentence, refused[i].sentence), "%s: %s", line, heard[0].sentence);
        CHECK_MSG(!memcmp(line + m->begin, refused[i].at, n), "%s at '%s'", line, line + m->begin);
        CHECK_MSG(m->end == m->begin + (n ? n : 1), "%s: %u..%u", line, m->begin, m->end);
        CHECK_MSG(p.n == 1 || p.at[0].is_broken, "%s", line);
    }
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* One error does not hide the next, and the good part of the line stays. */
static void check_recovery(void)
{
    hc_text t;
    hc_pragmas p = parse(&t, "#pragma omp task depnd(in: a) untied depend(in: ) bind(x) private(y) untied");
    CHECK(n_heard == 5 && heard[3].m.code == 101 && heard[4].m.level == HC_NOTE);
    CHECK(heard[4].m.begin == (uint32_t)(strstr(t.bytes, "untied") - t.bytes));
    CHECK(p.n == 1 && p.at[0].is_broken && !strcmp(show(&t, &p.at[0]), "task; untied; private {y}"));
}

static void check_heddle(void)
{
    hc_text t;
    hc_pragmas p =
        parse(&t, "#pragma heddle region assume(eligible)\n#pragma heddle task\n#pragma heddle region assume(el)");
    CHECK(p.n == 2 && !p.at[0].is_broken && p.at[1].is_broken && n_heard == 2);
    CHECK(!strcmp(show(&t, &p.at[0]), "region; assume eligible"));
    CHECK(!strcmp(heard[0].sentence, "unknown directive 'task'") && heard[0].m.code == 100);
}

/* Comments, strings, system headers, other pragmas and the preprocessor's lines are no pragmas for heddlec. */
static void check_lines_left(void)
{
    hc_text t;
    hc_pragmas p = parse(&t, "/* one\n#pragma omp task\n*/ #pragma omp taskwait\n// #pragma omp task\n"
                             "char *s = \"#pragma omp task\";\n#pragma once\n#pragma ompx task\n#pragmaomp task\n"
                             "# 1 \"/usr/include/x.h\" 1 3 4\n#pragma omp task\n# 9 \"none/such.c\" 2\n"
                             "#define P #pragma omp task\n#pragma omp barrier");
    CHECK(n_heard == 0 && p.n == 2 && p.at[0].directive == HC_TASKWAIT && p.at[1].directive == HC_BARRIER);
    CHECK(hc_place_of(&t, p.at[1].at.begin).line == 10);
    parse(&t, "#pragma omp task /* goes\non */ untied\n");
    CHECK(n_heard == 1 && heard[0].m.code == 102);
}

/* Far from tasks, the C compiler gets what heddlec does not translate. */
static void check_left_to_c(void)
{
    static const char *const lines[] = {"target teams distribute parallel for",
                                        "target teams num_teams(2)",
                                        "teams loop",
                                        "target parallel for if(1)",
                                        "distribute",
                                        "loop bind(thread)"};
    for (uint32_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char line[96];
        hc_text t;
        hc_pragmas p;
        snprintf(line, sizeof line, "#pragma omp parallel\n#pragma omp %s", lines[i]);
        p = parse(&t, line);
        CHECK_MSG(n_heard == 0 && p.n == 1 && p.n_left == 1, "%s", lines[i]);
        CHECK(p.left[0].begin == (uint32_t)(strstr(line, "\n") + 1 - line) && p.left[0].end == strlen(line));
    }
}

/* Nested as deep as clang allows, and one deeper. */
static void check_deep(void)
{
    char line[1024], open[300], close[300];
    hc_text t;
    int n;
    memset(open, '(', sizeof open);
    memset(close, ')', sizeof close);
    for (n = 255; n <= 256; n++) {
        snprintf(line, sizeof line, "#pragma omp task if(%.*sx%.*s) untied", n, open, n, close);
        parse(&t, line);
        CHECK(n_heard == (n > 255) &&
              (n == 255 || !strcmp(heard[0].sentence, "too many brackets stand within this one")));
    }
}

static void check_clauses_of(void)
{
    hc_text t;
    hc_pragmas p = parse(&t, "#pragma omp task depend(in: a) untied depend(out: b)");
    const hc_clause *c = hc_clause_of(&p.at[0], HC_C_DEPEND);
    CHECK(c && !strcmp(c->word, "in") && c->word == hc_intern("in", 2));
    c = hc_clause_next(&p.at[0], c);
    CHECK(c && !strcmp(c->word, "out") && !hc_clause_next(&p.at[0], c));
    CHECK(!hc_clause_of(&p.at[0], HC_C_MAP));
}

int main(void)
{
    hc_hear(hear, NULL);
    check_accepted();
    check_refused();
    check_recovery();
    check_heddle();
    check_lines_left();
    check_left_to_c();
    check_deep();
    check_clauses_of();
    return 0;
}
