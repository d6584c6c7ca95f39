/* SPDX-License-Identifier: MIT */
/* device_team.c - statements that all threads execute together. A statement without an inner region runs on all threads
 * if it changes no memory. Otherwise thread 0 runs it, with neighbouring statements that may join it, and passes the
 * variables it changed to the others. All threads evaluate conditions. */
#include "device/device.h"

#include <string.h>

/* ---- barriers ---------------------------------------------------------------------------------------------------- */

static unsigned conflicts_of(unsigned access)
{
    return access == HC_READ ? HC_WRITE | HC_REGION : access == HC_WRITE ? HC_READ | HC_REGION : HC_ANY;
}

static int needs_barrier(const hc_device *d, unsigned access) { return (d->s.dirty & conflicts_of(access)) != 0; }

void hc_before(hc_device *d, unsigned access)
{
    if (needs_barrier(d, access)) {
        hc_puts(&d->w.out, "heddle_team_barrier(hd_thread); ");
        d->s.code->needs |= HC_NEEDS_THREAD;
        d->s.dirty = 0;
    }
    d->s.dirty |= access;
}

/* ---- what thread 0 does ------------------------------------------------------------------------------------------ */

/* Whether the declared variables are used only up to `end`: then the declaration may join thread 0's section. */
static int is_confined(hc_device *d, const hc_node *decls, uint32_t end)
{
    for (const hc_node *v = decls->first; v; v = v->next) {
        const hc_variable *known = v->kind == HC_N_VAR ? hc_variable_of(d->s.code, v->decl) : NULL;
        if (v->kind != HC_N_VAR || !known || known->is_block ||
            (known->uses_begin != UINT32_MAX && known->uses_end > end))
            return 0;
    }
    return 1;
}

static int is_declaration_without_effect(hc_device *d, hc_node *n)
{
    return n->kind == HC_N_DECLS && !(hc_effects(d, n) & HC_WRITE);
}

static int may_go_along(hc_device *d, hc_node *n)
{
    if (n->kind == HC_N_CASE || n->kind == HC_N_DEFAULT_CASE || n->kind == HC_N_LABEL || !hc_is_plain_statement(d, n))
        return 0;
    if (n->kind == HC_N_DECLS)
        return is_declaration_without_effect(d, n) && (hc_effects(d, n) & HC_READ);
    return hc_effects(d, n) != 0;
}

static int has_effect(hc_device *d, hc_node *n) { return n->kind != HC_N_DECLS && (hc_effects(d, n) & HC_WRITE); }

/* The last statement with an effect, from `first` up to `end`. */
static hc_node *last_effect(hc_device *d, hc_node *first, const hc_node *end)
{
    hc_node *last = NULL;
    for (hc_node *n = first; n && n != end && may_go_along(d, n); n = n->next)
        if (has_effect(d, n))
            last = n;
    return last;
}

/* A declaration before `last` with variables used behind it; NULL: none. */
static hc_node *open_declaration(hc_device *d, hc_node *first, const hc_node *last)
{
    for (hc_node *n = first; n != last; n = n->next)
        if (n->kind == HC_N_DECLS && !is_confined(d, n, last->end))
            return n;
    return NULL;
}

/* The section ends behind the last statement with an effect; declarations in it must be used only there. */
static hc_node *last_of_section(hc_device *d, hc_node *first)
{
    hc_node *last = last_effect(d, first, NULL), *open = last ? open_declaration(d, first, last) : NULL;
    while (open) {
        last = last_effect(d, first, open);
        open = last ? open_declaration(d, first, last) : NULL;
    }
    return last;
}

static int begins_section(hc_device *d, hc_node *n)
{
    return may_go_along(d, n) && (has_effect(d, n) || n->kind == HC_N_DECLS) && last_of_section(d, n) != NULL;
}

/* ---- values that thread 0 changed -------------------------------------------------------------------------------- */

typedef HC_LIST(const hc_decl *) decls;

static void add_changed(hc_device *d, hc_node *n, uint32_t begin, uint32_t end, decls *out)
{
    hc_node *place = hc_changed_by(n);
    const hc_decl *target = place ? hc_target(place) : NULL;
    const hc_variable *v = target ? hc_variable_of(d->s.code, target) : NULL;
    if (!v || v->is_block || target->type->kind == HC_T_VLA || v->is_loop_only ||
        (v->uses_begin >= begin && v->uses_end <= end))
        return;
    for (uint32_t i = 0; i < out->n; i++)
        if (out->at[i] == target)
            return;
    *HC_ADD(out) = target;
}

static decls changed_in(hc_device *d, hc_node *first, hc_node *last)
{
    decls out = {0};
    for (hc_node *n = first;; n = n->next) {
        HC_EACH_NODE (m, n)
            add_changed(d, m, first->begin, last->end, &out);
        if (n == last)
            return out;
    }
}

static void leave_values(hc_device *d, const decls *l)
{
    for (uint32_t i = 0; i < l->n; i++)
        hc_dev_putf(d, " %s = %s;", hc_member_text(d, l->at[i]), hc_name_of(d, l->at[i]));
}

static void take_values(hc_device *d, const decls *l)
{
    if (l->n == 0)
        return;
    hc_puts(&d->w.out, " ");
    hc_before(d, HC_READ);
    for (uint32_t i = 0; i < l->n; i++)
        hc_dev_putf(d, "%s%s = %s;", i ? " " : "", hc_name_of(d, l->at[i]), hc_member_text(d, l->at[i]));
}

/* Only blanks follow thread 0's last section: it continues. */
static int goes_on(const hc_device *d)
{
    size_t at = d->s.section_end;
    if (at == 0 || at > d->w.out.n || needs_barrier(d, HC_WRITE))
        return 0;
    while (at < d->w.out.n && strchr(" \n", d->w.out.at[at]))
        at++;
    return at == d->w.out.n;
}

static void open_section(hc_device *d, hc_scene *outer)
{
    if (goes_on(d)) {
        memmove(d->w.out.at + d->s.section_end - 2, d->w.out.at + d->s.section_end, d->w.out.n - d->s.section_end);
        d->w.out.n -= 2;
        d->w.out.at[d->w.out.n] = 0;
        d->s.at.counted = d->s.at.counted < d->w.out.n ? d->s.at.counted : d->w.out.n;
        if (d->w.out.at[d->w.out.n - 1] == ';')
            hc_puts(&d->w.out, " ");
    } else {
        hc_before(d, HC_WRITE);
        hc_puts(&d->w.out, "HEDDLE_OMP_ONE { ");
    }
    d->s.code->needs |= HC_NEEDS_THREAD;
    *outer = d->s;
    d->s.mode = HC_THREAD;
}

static void close_section(hc_device *d, const hc_scene *outer, const decls *changed)
{
    leave_values(d, changed);
    hc_puts(&d->w.out, " }");
    d->s.mode = outer->mode;
    d->s.section_end = changed->n ? 0 : d->w.out.n;
    take_values(d, changed);
}

static void write_section(hc_device *d, hc_node *first, hc_node *last)
{
    decls changed = changed_in(d, first, last);
    hc_scene outer;
    hc_dev_indent(d, first->kind == HC_N_DIRECTIVE && first->body ? first->body : first);
    open_section(d, &outer);
    for (hc_node *n = first;; n = n->next) {
        hc_write(&d->w, n);
        if (n == last)
            break;
        hc_write_text(&d->w, n->unit, n->end, n->next->begin);
    }
    close_section(d, &outer, &changed);
}

void hc_team_alone(hc_device *d, hc_node *n) { write_section(d, n, n); }

/* ---- expressions ------------------------------------------------------------------------------------------------- */

static void read_before(hc_device *d, hc_node *n)
{
    if (hc_effects(d, n) & HC_READ)
        hc_before(d, HC_READ);
}

static hc_node *team_call_in(hc_device *d, hc_node *root)
{
    HC_EACH_NODE (n, root)
        if (hc_is_team_call(d, n))
            return n;
    return NULL;
}

/* A version that returns a value leaves only reads pending; others may leave anything. */
static void after_calls(hc_device *d, hc_node *root)
{
    HC_EACH_NODE (n, root)
        if (hc_is_team_call(d, n))
            d->s.dirty = n->type && n->type->kind != HC_T_VOID ? d->s.dirty | HC_READ : HC_ANY;
}

/* Whether an earlier operand decides if n is evaluated. */
static int is_conditional(const hc_node *n, const hc_node *root)
{
    for (const hc_node *up = n->parent; n != root; n = up, up = up->parent)
        if ((up->kind == HC_N_CONDITION ||
             (up->kind == HC_N_BINARY && (!strcmp(up->op, "&&") || !strcmp(up->op, "||")))) &&
            up->first != n)
            return 1;
    return 0;
}

static void hoist_call(hc_device *d, hc_node *call, const hc_node *root)
{
    char *name = hc_format("hd_result_%u", d->s.hoisted.n + 1);
    if (is_conditional(call, root) || !call->type || call->type->kind == HC_T_VOID)
        HC_REFUSE(240, call,
                  "a function with an inner parallel region is called on a condition, in a statement that changes "
                  "memory: write it as an if");
    read_before(d, call);
    hc_dev_putf(d, "%s = %s; ", hc_declaration(d, hc_unqualified(call->type), name), hc_dev_text(d, call));
    after_calls(d, call);
    *HC_ADD(&d->s.hoisted) = call;
}

/* x[0] = f(...), f with an inner region: all threads call it, thread 0 assigns. */
static void write_hoisted(hc_device *d, hc_node *n)
{
    decls changed = changed_in(d, n, n);
    uint32_t n_hoisted = d->s.hoisted.n;
    hc_scene outer;
    hc_puts(&d->w.out, "{ ");
    for (hc_node *c = n; c;) {
        int is_call = hc_is_team_call(d, c);
        if (is_call)
            hoist_call(d, c, n);
        c = is_call ? hc_behind(n, c) : hc_inside(n, c);
    }
    open_section(d, &outer);
    hc_write(&d->w, n);
    close_section(d, &outer, &changed);
    d->s.hoisted.n = n_hoisted;
    d->s.section_end = 0; /* in its own braces */
    hc_puts(&d->w.out, " }");
}

static void team_expression(hc_device *d, hc_node *n)
{
    if (team_call_in(d, n) && (hc_effects(d, n) & HC_WRITE)) {
        write_hoisted(d, n);
        return;
    }
    read_before(d, n);
    hc_write(&d->w, n);
    after_calls(d, n);
}

/* ---- declarations ------------------------------------------------------------------------------------------------ */

/* Thread 0 computes what only one thread may compute. */
static void team_variable(hc_device *d, hc_node *var)
{
    const hc_variable *v = hc_variable_of(d->s.code, var->decl);
    int is_block = v && v->is_block;
    decls own = {0}, none = {0};
    hc_scene outer;
    if (!v || (!is_block && (!var->init || !(hc_effects(d, var->init) & HC_WRITE)))) {
        if (var->init)
            read_before(d, var->init);
        hc_write_variable(d, var);
        if (var->init)
            after_calls(d, var->init);
        return;
    }
    if (!var->init)
        return;
    if (!is_block) {
        *HC_ADD(&own) = var->decl;
        hc_dev_putf(d, "%s; ", hc_declaration(d, hc_unqualified(var->decl->type), hc_dev_name(var->decl->name)));
    }
    open_section(d, &outer);
    hc_write_setting(d, var);
    close_section(d, &outer, is_block ? &none : &own);
}

static int is_simple(hc_device *d, const hc_node *decls)
{
    for (hc_node *v = decls->first; v; v = v->next) {
        const hc_variable *known = v->kind == HC_N_VAR ? hc_variable_of(d->s.code, v->decl) : NULL;
        if (known && (known->is_block || (v->init && (hc_effects(d, v->init) & HC_WRITE))))
            return 0;
    }
    return 1;
}

static void team_declarations(hc_device *d, hc_node *n)
{
    const char *space = "";
    if (is_simple(d, n)) {
        read_before(d, n);
        hc_write(&d->w, n);
        after_calls(d, n);
        return;
    }
    for (hc_node *v = n->first; v; v = v->next) {
        size_t before = d->w.out.n;
        hc_puts(&d->w.out, space);
        if (v->kind == HC_N_VAR)
            team_variable(d, v);
        else if (v->kind == HC_N_RECORD || v->kind == HC_N_ENUM)
            hc_dev_putf(d, "%s;", hc_dev_text(d, v));
        space = d->w.out.n > before + strlen(space) ? " " : "";
    }
}

/* ---- control flow ------------------------------------------------------------------------------------------------ */

/* A condition that changes memory: thread 0 evaluates it and passes it to the others. */
static void tell_condition(hc_device *d, hc_node *n)
{
    static const hc_type truth = {.kind = HC_T_INTEGER, .name = "int", .size = 4};
    hc_scene outer = d->s;
    if (changed_in(d, n, n).n || team_call_in(d, n))
        HC_REFUSE(240, n,
                  "a condition of a loop or branch around an inner parallel region changes memory and more: change it "
                  "in a statement of its own");
    hc_dev_putf(d, "HEDDLE_OMP_TOLD(%s, ", hc_value_member(d, &truth));
    d->s.code->needs |= HC_NEEDS_THREAD;
    d->s.mode = HC_THREAD;
    hc_write(&d->w, n);
    d->s.mode = outer.mode;
    hc_puts(&d->w.out, ")");
    d->s.dirty = HC_READ;
}

/* A condition evaluated repeatedly contains its barrier. */
static void team_condition(hc_device *d, hc_node *n)
{
    unsigned effects = hc_effects(d, n);
    if (effects & HC_WRITE) {
        tell_condition(d, n);
        return;
    }
    d->s.dirty = HC_ANY;
    if (effects & HC_READ) {
        d->s.code->needs |= HC_NEEDS_THREAD;
        d->s.dirty = HC_READ;
        hc_puts(&d->w.out, "(heddle_team_barrier(hd_thread), ");
    }
    hc_write(&d->w, n);
    hc_puts(&d->w.out, effects & HC_READ ? ")" : "");
    after_calls(d, n);
}

/* The step of a for, and its initialisation. */
static void team_step(hc_device *d, hc_node *n)
{
    hc_scene outer = d->s;
    if (!(hc_effects(d, n) & HC_WRITE)) {
        team_condition(d, n);
        return;
    }
    if (changed_in(d, n, n).n || team_call_in(d, n))
        HC_REFUSE(240, n,
                  "a loop around an inner parallel region begins or goes on with changing memory and more: use a "
                  "variable of its own for the loop");
    d->s.code->needs |= HC_NEEDS_THREAD;
    hc_puts(&d->w.out, "HEDDLE_OMP_BY_ONE(");
    d->s.mode = HC_THREAD;
    hc_write(&d->w, n);
    d->s.mode = outer.mode;
    hc_puts(&d->w.out, ")");
    d->s.dirty = HC_ANY;
}

static void team_body(hc_device *d, hc_node *n)
{
    int is_one = hc_is_region(n) || (n->kind == HC_N_BLOCK && !hc_is_plain_statement(d, n));
    hc_puts(&d->w.out, is_one ? "" : "{ ");
    hc_team_statement(d, n);
    hc_puts(&d->w.out, is_one ? "" : " }");
}

/* A for evaluates its parts in another order than the text's. */
static void team_for(hc_device *d, hc_node *n)
{
    uint32_t at = n->begin;
    if (n->init && n->init->kind == HC_N_DECLS)
        read_before(d, n->init);
    for (hc_node *c = n->first; c; c = c->next) {
        hc_write_text(&d->w, n->unit, at, c->begin);
        if (c == n->init && c->kind == HC_N_DECLS)
            hc_write(&d->w, c);
        else if (c == n->body) {
            d->s.dirty = n->test && (hc_effects(d, n->test) & HC_READ) ? HC_READ : HC_ANY;
            team_body(d, c);
        } else if (c == n->test)
            team_condition(d, c);
        else
            team_step(d, c);
        at = c->end;
    }
    hc_write_text(&d->w, n->unit, at, n->end);
    d->s.dirty = HC_ANY;
}

static void team_loop(hc_device *d, hc_node *n)
{
    uint32_t at = n->begin;
    d->s.dirty = HC_ANY;
    for (hc_node *c = n->first; c; c = c->next) {
        hc_write_text(&d->w, n->unit, at, c->begin);
        if (c == n->test)
            team_condition(d, c);
        else
            team_body(d, c);
        at = c->end;
    }
    hc_write_text(&d->w, n->unit, at, n->end);
    d->s.dirty = HC_ANY;
}

/* if and switch: a condition once, then one of several statements. */
static void team_choice(hc_device *d, hc_node *n)
{
    unsigned before = 0, after = 0;
    uint32_t at = n->begin;
    int is_told = (hc_effects(d, n->test) & HC_WRITE) != 0;
    if (is_told && n->kind == HC_N_SWITCH)
        HC_REFUSE(240, n->test,
                  "a switch around an inner parallel region changes memory: change it in a statement of its own");
    if (!is_told)
        read_before(d, n->test);
    for (hc_node *c = n->first; c; c = c->next) {
        hc_write_text(&d->w, n->unit, at, c->begin);
        if (c == n->test) {
            if (is_told)
                tell_condition(d, c);
            else
                hc_write(&d->w, c);
            after_calls(d, c);
            before = d->s.dirty;
        } else {
            d->s.dirty = before;
            team_body(d, c);
            after |= d->s.dirty;
        }
        at = c->end;
    }
    hc_write_text(&d->w, n->unit, at, n->end);
    d->s.dirty = n->kind == HC_N_SWITCH ? HC_ANY : n->other ? after : after | before;
}

/* A label, case or default: other paths arrive here, too. */
static void team_label(hc_device *d, hc_node *n)
{
    hc_write_text(&d->w, n->unit, n->begin, n->body->begin);
    d->s.dirty = HC_ANY;
    if (n->body->kind == HC_N_DECLS) { /* its variables are used behind it */
        hc_puts(&d->w.out, "; ");
        hc_team_statement(d, n->body);
    } else {
        team_body(d, n->body);
    }
}

static void team_return(hc_device *d, hc_node *n)
{
    if (n->first && (hc_effects(d, n->first) & HC_WRITE))
        HC_REFUSE(240, n,
                  "a function with an inner parallel region changes memory while it returns: change it in a "
                  "statement of its own");
    if (n->first)
        hc_before(d, HC_READ);
    hc_write(&d->w, n);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static int has_own_array(hc_device *d, const hc_node *block)
{
    for (const hc_node *n = block->first; n; n = n->next)
        for (const hc_node *v = n->kind == HC_N_DECLS ? n->first : NULL; v; v = v->next)
            if (v->kind == HC_N_VAR && v->decl->type->kind == HC_T_VLA && hc_variable_of(d->s.code, v->decl))
                return 1;
    return 0;
}

static hc_node *team_one(hc_device *d, hc_node *n)
{
    if (begins_section(d, n)) {
        hc_node *last = last_of_section(d, n);
        write_section(d, n, last);
        return last;
    }
    hc_team_statement(d, n);
    return n;
}

/* Variable-length arrays are freed at the end of their block. */
static void team_block(hc_device *d, hc_node *n)
{
    const char *top = d->s.top;
    uint32_t at = n->begin + 1, n_names = d->names.n;
    hc_puts(&d->w.out, "{");
    if (has_own_array(d, n)) {
        d->s.top = hc_format("hd_top_%u", ++d->s.n_tops);
        d->s.code->needs |= HC_NEEDS_TOP;
        hc_dev_putf(d, " char *%s = %s;", d->s.top, top);
    }
    for (hc_node *c = n->first; c; c = c->next) {
        hc_write_text(&d->w, n->unit, at, c->begin);
        hc_dev_sync(d, c);
        c = team_one(d, c);
        at = c->end;
    }
    hc_write_text(&d->w, n->unit, at, n->end);
    d->s.top = top;
    d->names.n = n_names;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

/* No effect on memory: each thread does it for itself. */
static void write_by_all(hc_device *d, hc_node *n)
{
    read_before(d, n);
    d->s.mode = HC_THREAD;
    hc_write(&d->w, n);
    d->s.mode = HC_TEAM;
}

void hc_team_statement(hc_device *d, hc_node *n)
{
    if (begins_section(d, n) && n->kind != HC_N_DECLS) {
        write_section(d, n, n);
        return;
    }
    if (n->kind != HC_N_DECLS && hc_is_plain_statement(d, n)) {
        write_by_all(d, n);
        return;
    }
    switch (n->kind) {
    case HC_N_BLOCK: team_block(d, n); break;
    case HC_N_DECLS: team_declarations(d, n); break;
    case HC_N_DIRECTIVE: hc_team_region(d, n); break;
    case HC_N_FOR: team_for(d, n); break;
    case HC_N_WHILE:
    case HC_N_DO: team_loop(d, n); break;
    case HC_N_IF:
    case HC_N_SWITCH: team_choice(d, n); break;
    case HC_N_LABEL:
    case HC_N_CASE:
    case HC_N_DEFAULT_CASE: team_label(d, n); break;
    case HC_N_RETURN: team_return(d, n); break;
    default: team_expression(d, n); break;
    }
}
