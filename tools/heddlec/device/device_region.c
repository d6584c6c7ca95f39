/* SPDX-License-Identifier: MIT */
/* device_region.c - inner parallel regions and their constructs. A construct becomes one statement in braces, on the
 * line of its pragma: private copies of variables in clauses, the statement, the final use of the copies. */
#include "device/device.h"

#include <string.h>

/* ---- own copies -------------------------------------------------------------------------------------------------- */

static const hc_decl *named_by(const hc_part *part)
{
    const hc_node *n = part->node;
    return part->item && part->dim == -1 && n->kind == HC_N_NAME && hc_is_var(n->decl) ? n->decl : NULL;
}

/* hd_own_<name>, distinct from that of an enclosing construct. */
static const char *own_name(hc_device *d, const hc_decl *decl)
{
    const char *before = hc_name_of(d, decl), *name = hc_format("hd_own_%s", decl->name);
    size_t n = strlen(name);
    return strncmp(before, name, n) ? name : hc_format("%s_%d", name, before[n] ? before[n + 1] - '0' + 1 : 2);
}

static void declare_own(hc_device *d, const hc_decl *decl, const char *name)
{
    const hc_type *t = hc_unqualified(decl->type);
    if (t->kind == HC_T_VLA) {
        hc_write_top(d);
        hc_puts(&d->w.out, " ");
        hc_write_own_array(d, decl, name);
        hc_puts(&d->w.out, " ");
    } else {
        hc_dev_putf(d, "%s; ", hc_declaration(d, t, name));
    }
}

static void copy_first(hc_device *d, const hc_decl *decl)
{
    const char *outer = hc_name_of(d, decl), *name = own_name(d, decl);
    if (decl->type->kind == HC_T_ARRAY) {
        declare_own(d, decl, name);
        hc_dev_putf(d, "memcpy(%s, %s, sizeof %s); ", name, outer, name);
    } else if (decl->type->kind == HC_T_VLA) {
        declare_own(d, decl, name);
        hc_dev_putf(d, "memcpy(%s, %s, sizeof *%s * (size_t)(%s)); ", name, outer, name, hc_array_length(d, decl));
    } else {
        hc_dev_putf(d, "%s = %s; ", hc_declaration(d, hc_unqualified(decl->type), name), outer);
    }
    hc_push_name(d, decl, name, 0);
}

/* Takes the variable's own name if the outer variable is not needed any more. */
static void copy_none(hc_device *d, const hc_decl *decl, const char *name)
{
    declare_own(d, decl, name);
    hc_push_name(d, decl, name, 0);
}

/* ---- reductions -------------------------------------------------------------------------------------------------- */

static const struct operation {
    const char *word, *start, *combined, *update; /* update: printf of the variable and the result */
} operations[] = {{"+", "0", "hd_a + hd_b", "%s + %s"},
                  {"-", "0", "hd_a + hd_b", "%s + %s"},
                  {"*", "1", "hd_a * hd_b", "%s * %s"},
                  {"&", "~0", "hd_a & hd_b", "%s & %s"},
                  {"|", "0", "hd_a | hd_b", "%s | %s"},
                  {"^", "0", "hd_a ^ hd_b", "%s ^ %s"},
                  {"&&", "1", "hd_a && hd_b", "%s && %s"},
                  {"||", "0", "hd_a || hd_b", "%s || %s"},
                  {"min", NULL, "hd_b < hd_a ? hd_b : hd_a", "%2$s < %1$s ? %2$s : %1$s"},
                  {"max", NULL, "hd_b > hd_a ? hd_b : hd_a", "%2$s > %1$s ? %2$s : %1$s"}};

static const struct operation *operation_of(const hc_part *part)
{
    const hc_decl *decl = named_by(part);
    const char *word = part->clause->word;
    for (size_t i = 0; decl && word && i < sizeof operations / sizeof *operations; i++)
        if (!strcmp(operations[i].word, word) && part->item->n_dims == 0 && hc_is_number(decl->type) &&
            decl->type->kind != HC_T_ENUM && decl->type->size <= 8)
            return &operations[i];
    return NULL;
}

static void refuse_reduction(const hc_part *part)
{
    HC_REFUSE(151, part->node, "a reduction is of variables that are numbers, with one of + * - & | ^ && || min max");
}

static void start_reduction(hc_device *d, const hc_part *part)
{
    const struct operation *o = operation_of(part);
    const hc_decl *decl = named_by(part);
    const char *name, *outer;
    if (!o) {
        refuse_reduction(part);
        return;
    }
    name = own_name(d, decl);
    outer = hc_name_of(d, decl);
    hc_dev_putf(d, "%s = %s; ", hc_declaration(d, hc_unqualified(decl->type), name), o->start ? o->start : outer);
    hc_push_name(d, decl, name, 0);
}

/* All threads have the result. Each sets its own copy of the variable; thread 0 sets a variable that exists once. */
static int end_reduction(hc_device *d, const hc_part *part, uint32_t n_names)
{
    const struct operation *o = operation_of(part);
    const hc_decl *decl = named_by(part);
    const char *own, *outer, *type;
    uint32_t n = d->names.n;
    int is_memory;
    if (!o)
        return 0;
    own = hc_name_of(d, decl);
    type = hc_type_text(d, hc_unqualified(decl->type));
    hc_dev_putf(d, " HEDDLE_OMP_REDUCE(%s, %s, %s);", type, own, o->combined);
    d->names.n = n_names;
    outer = hc_name_of(d, decl);
    is_memory = hc_is_memory_name(d, decl);
    d->names.n = n;
    hc_dev_putf(d, is_memory ? " HEDDLE_OMP_ONE { %s = " : " %s = ", outer);
    hc_puts(&d->w.out, hc_format(o->update, outer, own));
    hc_puts(&d->w.out, is_memory ? "; }" : ";");
    return is_memory;
}

/* ---- all clauses of a construct ---------------------------------------------------------------------------------- */

/* A loop's variables are private in spite of clauses, except lastprivate; a plain simd loop leaves their last value. */
static int is_loop_variable(const hc_copies *c, const hc_decl *decl)
{
    for (uint32_t i = 0; i < c->n_loops; i++)
        if (c->loops[i].var == decl)
            return 1;
    return 0;
}

static int is_listed(const hc_copies *c, hc_clause_kind kind, const hc_decl *decl)
{
    for (uint32_t i = 0; i < c->parts.n; i++)
        if (c->parts.at[i].clause->kind == kind && named_by(&c->parts.at[i]) == decl)
            return 1;
    return 0;
}

static void open_copy(hc_device *d, hc_copies *c, const hc_part *part)
{
    const hc_decl *decl = named_by(part);
    hc_clause_kind kind = part->clause->kind;
    if (kind == HC_C_REDUCTION && part->item && part->dim == -1) {
        if (c->is_shared_out)
            start_reduction(d, part);
        else if (!operation_of(part))
            refuse_reduction(part);
        return;
    }
    if (!decl || (is_loop_variable(c, decl) && kind != HC_C_LASTPRIVATE))
        return;
    if (kind == HC_C_LINEAR && c->is_shared_out)
        HC_REFUSE(240, part->node,
                  "linear on a loop that threads share out: compute the value from the loop's variable");
    else if (kind == HC_C_FIRSTPRIVATE && (c->is_shared_out || !is_listed(c, HC_C_LASTPRIVATE, decl)))
        copy_first(d, decl);
    else if (kind == HC_C_PRIVATE)
        copy_none(d, decl, hc_dev_name(decl->name));
    else if (kind == HC_C_LASTPRIVATE && c->is_shared_out) {
        c->has_last = 1;
        if (!is_listed(c, HC_C_FIRSTPRIVATE, decl) && !is_loop_variable(c, decl))
            copy_none(d, decl, own_name(d, decl));
    }
}

static void refuse_clauses(const hc_node *n)
{
    static const hc_clause_kind kinds[] = {HC_C_ORDERED_CLAUSE, HC_C_COPYIN, HC_C_COPYPRIVATE};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const hc_clause *c = hc_clause_of(n->pragma, kinds[i]);
        if (c)
            hc_say(HC_ERROR, 150, &n->unit->text, c->at.begin, c->at.end, "`%s` in a task is not supported",
                   hc_clause_word(c->kind));
    }
}

static void open_copies(hc_device *d, hc_node *n, hc_copies *c, int is_shared_out)
{
    refuse_clauses(n);
    c->parts = hc_parts_of(n);
    c->n_names = d->names.n;
    c->top = d->s.top;
    c->is_shared_out = is_shared_out;
    for (uint32_t i = 0; i < c->parts.n; i++)
        open_copy(d, c, &c->parts.at[i]);
}

static void forget_copies(hc_device *d, const hc_copies *c)
{
    d->names.n = c->n_names;
    d->s.top = c->top;
}

/* The value of a variable after the construct, in the thread that had the last part. */
static char *last_value(hc_device *d, const hc_copies *c, const hc_decl *decl)
{
    for (uint32_t i = 0; i < c->n_loops; i++)
        if (c->loops[i].var == decl)
            return hc_final_text(d, &c->loops[i]);
    return hc_format("%s", hc_name_of(d, decl));
}

/* `condition`: this thread had the last part. */
static void end_last(hc_device *d, const hc_copies *c, const char *condition)
{
    uint32_t n = d->names.n;
    hc_dev_putf(d, " heddle_team_barrier(hd_thread); if (%s) {", condition);
    for (uint32_t i = 0; i < c->parts.n; i++) {
        const hc_decl *decl = named_by(&c->parts.at[i]);
        const char *own;
        if (c->parts.at[i].clause->kind != HC_C_LASTPRIVATE || !decl)
            continue;
        own = last_value(d, c, decl);
        d->names.n = c->n_names;
        if (decl->type->kind == HC_T_ARRAY)
            hc_dev_putf(d, " memcpy(%s, %s, sizeof %s);", hc_name_of(d, decl), own, own);
        else
            hc_dev_putf(d, " %s = %s;", hc_name_of(d, decl), own);
        d->names.n = n;
    }
    hc_puts(&d->w.out, " }");
}

/* 1: memory was written; other threads see it after a barrier. */
static int close_copies(hc_device *d, hc_copies *c, const char *has_last)
{
    int wrote = 0;
    for (uint32_t i = 0; c->is_shared_out && i < c->parts.n; i++)
        if (c->parts.at[i].clause->kind == HC_C_REDUCTION && c->parts.at[i].item && c->parts.at[i].dim == -1)
            wrote |= end_reduction(d, &c->parts.at[i], c->n_names);
    if (c->has_last)
        end_last(d, c, has_last);
    forget_copies(d, c);
    return wrote | c->has_last;
}

static int has_reduction(const hc_node *n) { return hc_clause_of(n->pragma, HC_C_REDUCTION) != NULL; }

/* ---- where threads may diverge ----------------------------------------------------------------------------------- */

static int differs(const hc_node *expression, const hc_node *region, int depth);

/* Whether a variable of the region is set from an expression that differs between threads. */
static int variable_differs(const hc_decl *decl, const hc_node *region, int depth)
{
    if (depth > 4 || !hc_is_local(decl) || !(hc_declared_in(decl, region) || hc_is_private_in(region, decl)))
        return 0;
    HC_EACH_NODE (n, (hc_node *)region) {
        hc_node *changed = hc_changed_by(n);
        if (n->kind == HC_N_VAR && n->decl == decl && n->init && differs(n->init, region, depth + 1))
            return 1;
        if (changed && hc_target(changed) == decl && n->last != changed && differs(n->last, region, depth + 1))
            return 1;
    }
    return 0;
}

static int differs(const hc_node *expression, const hc_node *region, int depth)
{
    HC_EACH_NODE (n, (hc_node *)expression) {
        if (n->kind == HC_N_CALL && n->decl && !strcmp(n->decl->name, "omp_get_thread_num"))
            return 1;
        if (n->kind == HC_N_NAME && hc_is_var(n->decl) && variable_differs(n->decl, region, depth))
            return 1;
    }
    return 0;
}

/* All threads must reach a barrier, or none. */
static void check_uniform(const hc_node *n)
{
    const hc_node *region = n;
    while (region && !hc_is_region(region))
        region = hc_directive_around(region);
    for (const hc_node *up = n->parent; region && up && up != region; up = up->parent) {
        int is_branch = up->kind == HC_N_IF || up->kind == HC_N_SWITCH || up->kind == HC_N_WHILE ||
                        up->kind == HC_N_DO || up->kind == HC_N_FOR;
        if (is_branch && up->test && differs(up->test, region, 0)) {
            HC_REFUSE(155, n, "`%s` stands where threads may part: all of them or none must come here",
                      hc_directive_words(n->pragma->directive));
            return;
        }
    }
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

static void open_brace(hc_device *d, const hc_node *n)
{
    hc_dev_indent(d, n->body ? n->body : n);
    hc_puts(&d->w.out, "{ ");
}

static void comment(hc_device *d, const hc_node *n)
{
    hc_dev_putf(d, "/* %s */", hc_directive_words(n->pragma->directive));
}

/* The text between a pragma and its statement, then the statement. */
static void write_statement(hc_device *d, hc_node *n)
{
    hc_dev_trim(d);
    hc_write_text(&d->w, n->unit, n->pragma->at.end, n->body->begin);
    hc_write(&d->w, n->body);
}

static void put_barrier(hc_device *d)
{
    hc_puts(&d->w.out, " heddle_team_barrier(hd_thread);");
    d->s.code->needs |= HC_NEEDS_THREAD;
}

/* n is the last statement of its region, which ends with a barrier. */
static int ends_region(const hc_node *n)
{
    const hc_node *up = n->parent;
    if (n->next)
        return 0;
    return up && ((up->kind == HC_N_BLOCK && up->parent && hc_is_region(up->parent)) || hc_is_region(up));
}

static int has_barrier(const hc_node *n) { return !hc_clause_of(n->pragma, HC_C_NOWAIT) && !ends_region(n); }

static int is_loop(hc_directive k)
{
    return k == HC_FOR || k == HC_FOR_SIMD || k == HC_PARALLEL_FOR || k == HC_PARALLEL_FOR_SIMD || k == HC_SIMD;
}

static int is_sections(hc_directive k) { return k == HC_SECTIONS || k == HC_PARALLEL_SECTIONS; }

/* One thread alone does all the work of a construct that would be shared. */
static void write_alone(hc_device *d, hc_node *n, const char *who)
{
    hc_scene outer = d->s;
    hc_copies c = {0};
    open_brace(d, n);
    comment(d, n);
    hc_dev_putf(d, " %s{ ", who);
    open_copies(d, n, &c, 0);
    d->s.mode = HC_THREAD;
    write_statement(d, n);
    d->s.mode = outer.mode;
    forget_copies(d, &c);
    hc_puts(&d->w.out, " }");
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

static void write_sections_body(hc_device *d, hc_node *block)
{
    uint32_t at = block->begin, number = 0;
    hc_scene outer = d->s;
    for (hc_node *c = block->first; c; c = c->next) {
        hc_node *statement = hc_is_directive(c, HC_SECTION) ? c->body : c;
        hc_write_text(&d->w, c->unit, at, c->begin);
        hc_dev_indent(d, statement);
        if (d->s.mode == HC_SPREAD)
            hc_dev_putf(d, "HEDDLE_OMP_SECTION(%uu) { ", number++);
        else
            hc_puts(&d->w.out, "{ ");
        d->s.mode = HC_THREAD;
        if (statement != c)
            hc_dev_trim(d);
        if (statement != c)
            hc_write_text(&d->w, c->unit, c->pragma->at.end, statement->begin);
        hc_write(&d->w, statement);
        d->s.mode = outer.mode;
        hc_puts(&d->w.out, " }");
        at = c->end;
    }
    hc_write_text(&d->w, block->unit, at, block->end);
}

static char *last_section(const hc_node *block)
{
    uint32_t n = 0;
    for (const hc_node *c = block->first; c; c = c->next)
        n++;
    return hc_format("hd_thread->index == %uu %% hd_thread->team_size", n ? n - 1 : 0);
}

/* ---- the body of a construct ------------------------------------------------------------------------------------- */

/* Writes the statement of a construct with open copies. Returns the condition for having the last part. */
static char *write_inner(hc_device *d, hc_node *n, hc_copies *c)
{
    hc_directive k = n->pragma->directive;
    if (is_loop(k)) {
        hc_write_loop(d, n, c);
        return c->has_last ? hc_has_last_text(d, c) : NULL;
    }
    if (is_sections(k) && n->body->kind == HC_N_BLOCK) {
        hc_dev_trim(d);
        hc_write_text(&d->w, n->unit, n->pragma->at.end, n->body->begin);
        write_sections_body(d, n->body);
        return last_section(n->body);
    }
    if (k == HC_PARALLEL_MASTER || k == HC_PARALLEL_MASKED) {
        hc_scene outer = d->s;
        hc_puts(&d->w.out, d->s.mode == HC_SPREAD ? " HEDDLE_OMP_ONE" : "");
        d->s.mode = HC_THREAD;
        write_statement(d, n);
        d->s.mode = outer.mode;
        return NULL;
    }
    write_statement(d, n);
    return NULL;
}

/* A work-sharing construct in a region, or in code that one thread runs. */
static void write_shared_out(hc_device *d, hc_node *n)
{
    hc_copies c = {0};
    int is_spread = d->s.mode == HC_SPREAD && n->pragma->directive != HC_SIMD, wrote;
    char *has_last;
    if (is_spread)
        check_uniform(n);
    open_brace(d, n);
    comment(d, n);
    hc_puts(&d->w.out, " ");
    if (is_loop(n->pragma->directive) && hc_take_loops(n, &c))
        return;
    open_copies(d, n, &c, is_spread);
    if (is_spread)
        d->s.code->needs |= HC_NEEDS_THREAD;
    has_last = write_inner(d, n, &c);
    wrote = close_copies(d, &c, has_last);
    if (is_spread && (has_barrier(n) || (wrote && !ends_region(n))))
        put_barrier(d);
    hc_puts(&d->w.out, " }");
}

/* ---- regions ----------------------------------------------------------------------------------------------------- */

/* A region run by one thread: a plain statement. */
static void write_serial(hc_device *d, hc_node *n)
{
    hc_scene outer = d->s;
    d->s.mode = HC_THREAD;
    d->s.is_serial = 1;
    write_shared_out(d, n);
    d->s.mode = outer.mode;
    d->s.is_serial = outer.is_serial;
}

/* Within open braces: copies, statement, results. */
static void write_spread(hc_device *d, hc_node *n)
{
    hc_scene outer = d->s;
    hc_copies c = {0};
    char *has_last;
    int wrote;
    if (is_loop(n->pragma->directive) && hc_take_loops(n, &c))
        return;
    d->s.code->needs |= HC_NEEDS_THREAD;
    d->s.mode = HC_SPREAD;
    d->s.in_region = 1;
    d->s.top = "heddle_omp_slice(hd_thread, &hd_params->head)";
    open_copies(d, n, &c, 1);
    has_last = write_inner(d, n, &c);
    wrote = close_copies(d, &c, has_last);
    d->s.mode = outer.mode;
    d->s.in_region = outer.in_region;
    d->s.top = outer.top;
    d->s.dirty = !has_reduction(n) || c.has_last ? HC_REGION : wrote ? HC_WRITE : 0;
}

static int is_never(const hc_node *condition) { return condition && condition->is_constant && !condition->value; }

/* if (e): if false, thread 0 runs the region alone. */
static void write_conditional(hc_device *d, hc_node *n, hc_node *condition)
{
    const char *text = hc_dev_text(d, condition);
    unsigned dirty;
    if (hc_effects(d, condition) & HC_READ) {
        hc_before(d, HC_READ);
        hc_dev_putf(d, "const int hd_if = (%s) != 0; ", text);
        text = "hd_if";
    }
    hc_before(d, HC_REGION);
    hc_dev_putf(d, "if (%s) { ", text);
    comment(d, n);
    hc_puts(&d->w.out, " ");
    write_spread(d, n);
    dirty = d->s.dirty;
    hc_puts(&d->w.out, " } else { ");
    d->s.dirty = 0; /* after the barrier before both branches */
    hc_team_alone(d, n);
    d->s.dirty |= dirty;
    hc_puts(&d->w.out, " }");
}

void hc_team_region(hc_device *d, hc_node *n)
{
    hc_node *condition = hc_clause_expr(n, HC_C_IF);
    if (!hc_is_region(n)) {
        hc_write(&d->w, n);
        return;
    }
    if (is_never(condition)) {
        hc_team_alone(d, n);
        return;
    }
    open_brace(d, n);
    if (condition && !condition->is_constant) {
        write_conditional(d, n, condition);
    } else {
        hc_before(d, HC_REGION);
        comment(d, n);
        hc_puts(&d->w.out, " ");
        write_spread(d, n);
    }
    hc_puts(&d->w.out, " }");
}

/* ---- others ------------------------------------------------------------------------------------------------------ */

static void write_single(hc_device *d, hc_node *n)
{
    if (d->s.mode != HC_SPREAD) {
        write_alone(d, n, "");
    } else {
        if (has_barrier(n))
            check_uniform(n);
        write_alone(d, n, "HEDDLE_OMP_ONE ");
        if (has_barrier(n))
            put_barrier(d);
    }
    hc_puts(&d->w.out, " }");
}

static void write_masked(hc_device *d, hc_node *n)
{
    hc_node *filter = hc_clause_expr(n, HC_C_FILTER);
    const char *who =
        filter ? hc_format("if (hd_thread->index == (uint32_t)(%s)) ", hc_dev_text(d, filter)) : "HEDDLE_OMP_ONE ";
    d->s.code->needs |= d->s.mode == HC_SPREAD ? HC_NEEDS_THREAD : 0;
    write_alone(d, n, d->s.mode == HC_SPREAD ? who : "");
    hc_puts(&d->w.out, " }");
}

static uint32_t lock_of(hc_device *d, const char *name)
{
    for (uint32_t i = 0; i < d->locks.n; i++)
        if (!strcmp(d->locks.at[i], name))
            return i;
    *HC_ADD(&d->locks) = name;
    return d->locks.n - 1;
}

static void write_critical(hc_device *d, hc_node *n)
{
    const hc_clause *c = hc_clause_of(n->pragma, HC_C_NAME);
    uint32_t lock = lock_of(d, c && c->word ? c->word : "");
    d->s.code->needs |= HC_NEEDS_APP;
    write_alone(d, n, hc_format("HEDDLE_OMP_CRITICAL(hd_params->head.locks + %u) ", lock));
    hc_puts(&d->w.out, " }");
}

/* Identity of min or max: any operand replaces it. */
static const char *limit_of(const hc_type *t, int is_max)
{
    unsigned bits = (unsigned)t->size * 8;
    if (t->kind == HC_T_FLOATING)
        return is_max ? "HUGE_VAL" : "-HUGE_VAL";
    if (t->kind == HC_T_BOOL || t->is_unsigned)
        return is_max ? "~0ull" : "0";
    return hc_format(is_max ? "(int64_t)(~0ull >> %u)" : "-(int64_t)(~0ull >> %u) - 1", 65 - bits);
}

static const struct operation *operation_with(const char *word)
{
    const struct operation *o = operations;
    while (strcmp(o->word, word) != 0)
        o++;
    return o;
}

const char *hc_reduction_start(const char *word, const hc_type *t)
{
    const char *start = operation_with(word)->start;
    return start ? start
                 : hc_format("(%s)(%s)", t->kind == HC_T_BOOL ? "bool" : hc_unqualified(t)->name,
                             limit_of(t, !strcmp(word, "min")));
}

/* One thread of one task at a time; the lock's name is used by no critical construct. */
void hc_write_task_reduction(hc_device *d, const hc_capture *c)
{
    const char *own = hc_name_of(d, c->decl), *outer = hc_format("(*hd_t->%s)", hc_dev_name(c->field));
    if (d->s.mode == HC_TEAM)
        hc_before(d, HC_WRITE);
    d->s.code->needs |= HC_NEEDS_APP;
    hc_dev_putf(d, "\n    %sHEDDLE_OMP_CRITICAL(hd_params->head.locks + %u) { %s = ",
                d->s.mode == HC_TEAM ? "HEDDLE_OMP_ONE " : "", lock_of(d, "a reduction"), outer);
    hc_puts(&d->w.out, hc_format(operation_with(c->reduction)->update, outer, own));
    hc_puts(&d->w.out, "; }");
}

static void write_barrier(hc_device *d, hc_node *n)
{
    hc_dev_indent(d, n);
    if (d->s.mode == HC_SPREAD) {
        check_uniform(n);
        hc_puts(&d->w.out, "heddle_team_barrier(hd_thread);");
        d->s.code->needs |= HC_NEEDS_THREAD;
    } else if (d->s.in_region) {
        HC_REFUSE(155, n, "a barrier in a construct that one thread runs");
    } else {
        hc_puts(&d->w.out, ";");
    }
}

/* ---- tasks in tasks ---------------------------------------------------------------------------------------------- */

/* A taskloop that became one task has one copy only. */
static void check_chunks(const hc_node *n, const hc_decl *decl)
{
    if (hc_clause_of(n->pragma, HC_C_NUM_TASKS) || hc_clause_of(n->pragma, HC_C_GRAINSIZE))
        HC_REFUSE(140, n,
                  "a taskloop inside a task is one task, and each task of this one shall have a '%s' of its own: "
                  "declare it in the loop",
                  decl->name);
}

/* in_reduction adds to the variable itself: correct if the reduction's group is in the same task. */
static void check_reduction(const hc_node *n)
{
    if (!hc_clause_of(n->pragma, HC_C_IN_REDUCTION))
        return;
    for (const hc_node *up = hc_directive_around(n); up && !hc_is_task_directive(up); up = hc_directive_around(up))
        if (hc_clause_of(up->pragma, HC_C_TASK_REDUCTION))
            return;
    HC_REFUSE(151, n, "in_reduction of a task inside a task, whose taskgroup is not in that task");
}

/* A task in a final task is final, too. */
static void open_final(hc_device *d, hc_node *n)
{
    hc_node *final = d->p->asks_final ? hc_clause_expr(n, HC_C_FINAL) : NULL;
    if (!final)
        return;
    hc_dev_putf(d, "const int hd_is_final = hd_final || (%s); const int hd_final = hd_is_final; ",
                hc_dev_text(d, final));
    d->s.code->needs |= HC_NEEDS_FINAL;
}

/* A task created by a task: its statement, with private variables where it changes them. */
static void write_inner_task(hc_device *d, hc_node *n)
{
    const hc_task *of_host = hc_task_of(d->p, n), *t = of_host ? of_host : hc_inner_task_of(d->p, n);
    hc_copies c = {.n_names = d->names.n, .top = d->s.top};
    if (!d->s.is_spare)
        hc_say(HC_WARNING, 140, &n->unit->text, n->begin, n->pragma->at.end,
               "this task runs at once, as a part of the task around it: it adds no parallelism");
    open_brace(d, n);
    comment(d, n);
    hc_puts(&d->w.out, " ");
    if (t->is_loop && hc_take_loops(n, &c))
        return;
    check_reduction(n);
    open_final(d, n);
    for (uint32_t i = 0; i < t->captures.n; i++) {
        const hc_capture *own = &t->captures.at[i];
        if (!hc_needs_copy(t, own) || is_loop_variable(&c, own->decl))
            continue;
        if (t->is_loop)
            check_chunks(n, own->decl);
        if (own->how == HC_BY_VALUE)
            copy_first(d, own->decl);
        else
            copy_none(d, own->decl, own_name(d, own->decl));
    }
    if (t->is_loop)
        hc_write_loop(d, n, &c);
    else
        write_statement(d, n);
    forget_copies(d, &c);
    hc_puts(&d->w.out, " }");
}

/* A directive without meaning here: only the statement. */
static void write_bare(hc_device *d, hc_node *n)
{
    hc_dev_indent(d, n->body ? n->body : n);
    if (n->body)
        write_statement(d, n);
    else
        hc_puts(&d->w.out, ";");
}

void hc_write_directive(hc_device *d, hc_node *n)
{
    const int splits = hc_split_enter(d, n);
    switch (n->pragma->directive) {
    case HC_PARALLEL:
    case HC_PARALLEL_FOR:
    case HC_PARALLEL_FOR_SIMD:
    case HC_PARALLEL_SECTIONS:
    case HC_PARALLEL_MASTER:
    case HC_PARALLEL_MASKED: write_serial(d, n); break;
    case HC_FOR:
    case HC_FOR_SIMD:
    case HC_SIMD:
    case HC_SECTIONS: write_shared_out(d, n); break;
    case HC_TASK:
    case HC_TASKLOOP:
    case HC_TASKLOOP_SIMD:
        if (!hc_split_task(d, n, write_inner_task))
            write_inner_task(d, n);
        break;
    case HC_SINGLE: write_single(d, n); break;
    case HC_MASTER:
    case HC_MASKED: write_masked(d, n); break;
    case HC_CRITICAL: write_critical(d, n); break;
    case HC_ATOMIC: hc_write_atomic(d, n); break;
    case HC_BARRIER: write_barrier(d, n); break;
    case HC_FLUSH:
        hc_dev_indent(d, n);
        hc_puts(&d->w.out, "heddle_omp_flush();");
        break;
    default: write_bare(d, n); break;
    }
    d->s.splits = splits;
}
