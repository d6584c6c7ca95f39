/* SPDX-License-Identifier: MIT */
/* section.c - the variables and array sections of depend and map clauses. */
#include "analysis/understand.h"

#include <string.h>

#define MAX_DIMS 8 /* of heddle_omp_depend_section */

/* ---- sections ---------------------------------------------------------------------------------------------------- */

static void refuse(int code, const hc_unit *u, const hc_item *item, const char *what)
{
    hc_say(HC_ERROR, code, &u->text, item->whole.begin, item->whole.end, "%s", what);
}

static uint32_t count_dims(const hc_parts *parts, const hc_item *item)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < parts->n; i++)
        if (parts->at[i].item == item && parts->at[i].dim >= (int)n)
            n = (uint32_t)parts->at[i].dim + 1;
    return n > item->n_dims ? n : item->n_dims;
}

hc_array_section hc_array_section_of(const hc_parts *parts, const hc_item *item)
{
    hc_array_section s = {.n_dims = count_dims(parts, item)};
    s.dims = s.n_dims ? hc_new(s.n_dims * sizeof *s.dims) : NULL;
    for (uint32_t i = 0; i < s.n_dims; i++)
        s.dims[i].is_section = item->dims[i].is_section;
    for (uint32_t i = 0; i < parts->n; i++) {
        const hc_part *part = &parts->at[i];
        if (part->item == item && part->dim < 0)
            s.base = part->node;
        else if (part->item == item && part->is_length)
            s.dims[part->dim].length = part->node;
        else if (part->item == item)
            s.dims[part->dim].lower = part->node;
    }
    return s;
}

const hc_type *hc_type_behind(const hc_array_section *s, uint32_t n)
{
    const hc_type *t = s->base ? s->base->type : NULL;
    while (t && n-- > 0)
        t = t->kind == HC_T_POINTER || hc_is_array(t) ? t->of : NULL;
    return t;
}

static int is_one(const struct hc_depend_dim *d)
{
    return !d->is_section || (d->lower && d->length && d->length->is_constant && d->length->value == 1);
}

/* Sets n_lead; 0 if a section spans pointers. */
static int find_lead(hc_array_section *s)
{
    for (uint32_t d = 1; d < s->n_dims; d++) {
        const hc_type *t = hc_type_behind(s, d);
        if (!t || t->kind != HC_T_POINTER)
            continue;
        for (uint32_t i = 0; i < d; i++) {
            if (!is_one(&s->dims[i]))
                return 0;
            s->dims[i].is_section = 0;
        }
        s->n_lead = d;
    }
    return 1;
}

static const char rows[] =
    "a section of an array of pointers is not one stretch of memory: give each row its own item, as in "
    "rows[i][0:n], or use an array of more dimensions";

static int is_known(const hc_array_section *s, const hc_unit *u, const hc_item *item)
{
    const hc_type *whole = hc_type_behind(s, s->n_lead);
    if (s->n_dims - s->n_lead > MAX_DIMS)
        refuse(120, u, item, "a section of more than 8 dimensions");
    else if (s->n_dims == s->n_lead && whole && whole->kind == HC_T_OPEN_ARRAY)
        refuse(120, u, item, "an array whose length is not known here: write a section, a[0:n]");
    else
        return 1;
    return 0;
}

/* ---- depend ------------------------------------------------------------------------------------------------------ */

/* Tasks in mutexinoutset or inoutset are ordered as they are created. */
static int is_set(const hc_clause *c)
{
    return c->word && (!strcmp(c->word, "mutexinoutset") || !strcmp(c->word, "inoutset"));
}

static int mode_of(const hc_clause *c)
{
    static const char *const words[] = {"in", "out", "inout"};
    for (int i = 0; c->word && i < 3; i++)
        if (!strcmp(c->word, words[i]))
            return i + 1;
    return is_set(c) ? 3 : 0;
}

static void refuse_mode(const hc_unit *u, const hc_clause *c)
{
    hc_say(HC_ERROR, 121, &u->text, c->at.begin, c->at.end,
           "depend(%s) is not supported: name the memory with in, out or inout", c->word ? c->word : "");
}

static int has_zero_length(const hc_array_section *s)
{
    for (uint32_t i = 0; i < s->n_dims; i++)
        if (s->dims[i].length && s->dims[i].length->is_constant && s->dims[i].length->value == 0)
            return 1;
    return 0;
}

static const hc_depend_range *ranges_of(const hc_parts *parts, const hc_clause *c)
{
    hc_depend_range *ranges = c->n_iterators ? hc_new(c->n_iterators * sizeof *ranges) : NULL;
    for (uint32_t i = 0; i < parts->n; i++) {
        const hc_part *part = &parts->at[i];
        if (part->clause != c || part->item || !ranges)
            continue;
        if (part->is_length == 0)
            ranges[part->dim].begin = part->node;
        else if (part->is_length == 1)
            ranges[part->dim].end = part->node;
        else
            ranges[part->dim].step = part->node;
    }
    return ranges;
}

static int has_iterator(const hc_unit *u, const hc_clause *c, const char *name)
{
    for (uint32_t k = 0; k < c->n_iterators; k++) {
        hc_span at = c->iterators[k].name;
        if (strlen(name) == at.end - at.begin && !memcmp(name, u->text.bytes + at.begin, at.end - at.begin))
            return 1;
    }
    return 0;
}

/* The C parser sees an iterator in all clauses of the directive: no other clause may use its name for something else. */
static int is_clear(const hc_task *t, const hc_parts *parts, const hc_clause *c)
{
    for (uint32_t i = 0; i < parts->n; i++) {
        const hc_part *part = &parts->at[i];
        HC_EACH_NODE (n, part->node)
            if (n->kind == HC_N_NAME && n->decl && has_iterator(t->unit, c, n->decl->name) &&
                !(part->item && has_iterator(t->unit, part->clause, n->decl->name))) {
                hc_say(HC_ERROR, 123, &t->unit->text, c->at.begin, c->at.end,
                       "another clause names '%s', too: give the iterator another name", n->decl->name);
                return 0;
            }
    }
    return 1;
}

static void add_depend(hc_task *t, const hc_parts *parts, const hc_clause *c, const hc_item *item)
{
    hc_array_section s = hc_array_section_of(parts, item);
    if (!s.base)
        return;
    if (s.base->kind == HC_N_NAME && s.base->decl && !strcmp(s.base->decl->name, "omp_all_memory")) {
        t->is_between_barriers = 1;
    } else if (!find_lead(&s)) {
        refuse(120, t->unit, item, rows);
    } else if (has_zero_length(&s)) {
        hc_say(HC_WARNING, 112, &t->unit->text, item->whole.begin, item->whole.end,
               "a section of no elements is no dependence; it is left out");
    } else if (is_known(&s, t->unit, item)) {
        *HC_ADD(&t->depends) = (hc_depend){.mode = c->kind == HC_C_DEPEND ? mode_of(c) : 3,
                                           .clause = c,
                                           .item = item,
                                           .base = s.base,
                                           .dims = s.dims,
                                           .ranges = ranges_of(parts, c),
                                           .n_dims = s.n_dims,
                                           .n_lead = s.n_lead};
    }
}

static void add_items(hc_task *t, const hc_parts *parts, const hc_clause *c)
{
    if (is_set(c))
        hc_say(HC_WARNING, 123, &t->unit->text, c->at.begin, c->at.end,
               "depend(%s) is taken as inout: these tasks run one after the other, as they are created", c->word);
    for (uint32_t i = 0; i < c->n_items; i++)
        add_depend(t, parts, c, &c->items[i]);
}

/* A variable that is not a number has no copies to add up: tasks change it directly, one after the other. */
static void take_turns(hc_task *t, const hc_parts *parts)
{
    for (uint32_t i = 0; i < parts->n; i++) {
        const hc_part *part = &parts->at[i];
        int is_reduction = part->clause->kind == HC_C_REDUCTION || part->clause->kind == HC_C_IN_REDUCTION;
        if (!is_reduction || !part->item || part->dim >= 0 ||
            (part->node->kind == HC_N_NAME && hc_is_var(part->node->decl) && hc_reduced(t->node, part->node->decl)))
            continue;
        hc_say(HC_WARNING, 151, &t->unit->text, part->item->whole.begin, part->item->whole.end,
               "this reduction is not of a number, so that its tasks run one after the other");
        add_depend(t, parts, part->clause, part->item);
    }
}

void hc_find_depends(hc_task *t)
{
    hc_parts parts = hc_parts_of(t->node);
    take_turns(t, &parts);
    for (const hc_clause *c = hc_clause_of(t->node->pragma, HC_C_DEPEND); c; c = hc_clause_next(t->node->pragma, c)) {
        if (!mode_of(c))
            refuse_mode(t->unit, c);
        else if (is_clear(t, &parts, c))
            add_items(t, &parts, c);
    }
}

/* ---- map --------------------------------------------------------------------------------------------------------- */

static int is_same_text(const hc_node *a, const hc_node *b)
{
    return a->end - a->begin == b->end - b->begin && !memcmp(hc_source(a), hc_source(b), a->end - a->begin);
}

/* The section covers dimension d from its first element to its last. */
static int is_whole(const hc_array_section *s, uint32_t d)
{
    const hc_type *t = hc_type_behind(s, d);
    const hc_node *length = s->dims[d].length;
    if (!t || !s->dims[d].is_section)
        return t && t->kind == HC_T_ARRAY && t->n == 1;
    if (s->dims[d].lower && !(s->dims[d].lower->is_constant && s->dims[d].lower->value == 0))
        return 0;
    if (!length)
        return 1;
    if (t->kind == HC_T_ARRAY)
        return length->is_constant && (uint64_t)length->value == t->n;
    return t->kind == HC_T_VLA && t->bound && is_same_text(length, t->bound);
}

static int is_contiguous(const hc_array_section *s)
{
    uint32_t d = s->n_lead;
    while (d < s->n_dims && is_one(&s->dims[d]))
        d++;
    for (d++; d < s->n_dims; d++)
        if (!is_whole(s, d))
            return 0;
    return 1;
}

static const struct {
    const char *word;
    uint32_t how;
} map_words[] = {{"alloc", 0}, {"to", 1}, {"from", 2}, {"tofrom", 3}, {"release", 8}, {"delete", 16}};

static uint32_t how_of(const hc_clause *c)
{
    uint32_t how = c->kind == HC_C_TO ? 1 : c->kind == HC_C_FROM ? 2 : 3;
    for (uint32_t i = 0; c->word && i < sizeof map_words / sizeof map_words[0]; i++)
        if (!strcmp(c->word, map_words[i].word))
            how = map_words[i].how;
    return how | (hc_has_word(c, "always") ? 4 : 0);
}

/* NULL: nothing to map. */
static hc_map *make_map(const hc_unit *u, const hc_parts *parts, const hc_clause *c, const hc_item *item)
{
    hc_array_section s = hc_array_section_of(parts, item);
    const hc_type *t;
    hc_map *m;
    if (!s.base || !find_lead(&s) || !is_contiguous(&s)) {
        if (s.base)
            refuse(104, u, item,
                   "a mapped section has to be one stretch of memory: all of every dimension but the first");
        return NULL;
    }
    t = hc_type_behind(&s, s.n_dims);
    if (t && t->kind == HC_T_POINTER && !s.n_dims) {
        hc_say(HC_WARNING, 107, &u->text, item->whole.begin, item->whole.end,
               "this maps the pointer, not what it points to: write a section, p[0:n]");
        return NULL;
    }
    if (!is_known(&s, u, item))
        return NULL;
    m = HC_NEW(hc_map);
    *m = (hc_map){.clause = c, .item = item, .base = s.base, .dims = s.dims, .n_dims = s.n_dims, .n_lead = s.n_lead};
    m->how = how_of(c);
    m->name = hc_copy(u->text.bytes + item->whole.begin, item->whole.end - item->whole.begin);
    return m;
}

void hc_find_maps(hc_node *directive, hc_map_list *maps)
{
    const hc_pragma *g = directive->pragma;
    hc_parts parts = hc_parts_of(directive);
    for (uint32_t k = 0; k < g->n_clauses; k++) {
        const hc_clause *c = &g->clauses[k];
        if (c->kind != HC_C_MAP && c->kind != HC_C_TO && c->kind != HC_C_FROM)
            continue;
        for (uint32_t i = 0; i < c->n_items; i++) {
            hc_map *m = make_map(directive->unit, &parts, c, &c->items[i]);
            if (m)
                *HC_ADD(maps) = *m;
        }
    }
}

int hc_map_names(const hc_map *m, const hc_decl *d)
{
    const hc_node *name = m->base ? hc_unparen(m->base) : NULL;
    return m->decl ? hc_same(m->decl, d) : name && name->kind == HC_N_NAME && hc_same(name->decl, d);
}
