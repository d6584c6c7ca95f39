/* SPDX-License-Identifier: MIT */
/* device_type.c - types and declarations as C that C++ takes, too. */
#include "device.h"

#include <ctype.h>
#include <string.h>

int hc_is_number(const hc_type *t)
{
    return t->kind == HC_T_BOOL || t->kind == HC_T_INTEGER || t->kind == HC_T_FLOATING || t->kind == HC_T_ENUM;
}

const hc_type *hc_pointer_to(const hc_type *t)
{
    hc_type *made = HC_NEW(hc_type);
    made->kind = HC_T_POINTER;
    made->size = 8;
    made->of = t;
    return made;
}

static const char *without_word(const char *name, const char *word)
{
    size_t n = strlen(word);
    return strncmp(name, word, n) == 0 && name[n] == ' ' ? name + n + 1 : name;
}

const hc_type *hc_unqualified(const hc_type *t)
{
    hc_type *made;
    if (!t->is_const && !t->is_volatile)
        return t;
    made = HC_NEW(hc_type);
    *made = *t;
    made->is_const = made->is_volatile = 0;
    made->name = without_word(without_word(without_word(t->name, "const"), "volatile"), "const");
    return made;
}

/* Equal but for qualifiers outside. long and long long differ in C++, whatever their sizes. */
int hc_is_same(const hc_type *a, const hc_type *b)
{
    if (a == b)
        return 1;
    if (a->kind != b->kind)
        return 0;
    switch (a->kind) {
    case HC_T_STRUCT:
    case HC_T_UNION:
    case HC_T_ENUM: return a->decl == b->decl || (a->decl && b->decl && !strcmp(a->decl->id, b->decl->id));
    case HC_T_POINTER: return a->of->is_const == b->of->is_const && hc_is_same(a->of, b->of);
    case HC_T_ARRAY: return a->n == b->n && hc_is_same(a->of, b->of);
    case HC_T_INTEGER:
        return a->size == b->size && a->is_unsigned == b->is_unsigned &&
               (a->size < 8 || !strstr(a->name, "long long") == !strstr(b->name, "long long"));
    case HC_T_FLOATING: return a->size == b->size;
    case HC_T_VOID:
    case HC_T_BOOL:
    case HC_T_FUNCTION: return 1;
    default: return !strcmp(a->name, b->name);
    }
}

/* ---- alignment ---------------------------------------------------------------------------------------------------------- */

/* 0 when some member's is not known, or when the members do not add up to the whole. */
static uint64_t alignment_of_record(const hc_type *t)
{
    uint64_t most = 1, end = 0;
    if (!t->decl || !t->decl->node)
        return 0;
    for (hc_node *f = t->decl->node->first; f; f = f->next) {
        uint64_t each = f->kind == HC_N_FIELD ? hc_alignment(f->decl->type) : 1;
        if (each == 0 || (f->kind == HC_N_FIELD && f->first))
            return 0;
        most = each > most ? each : most;
        if (f->kind == HC_N_FIELD && t->kind == HC_T_STRUCT)
            end = (end + each - 1) / each * each + f->decl->type->size;
        else if (f->kind == HC_N_FIELD && f->decl->type->size > end)
            end = f->decl->type->size;
    }
    return (end + most - 1) / most * most == t->size ? most : 0;
}

uint64_t hc_alignment(const hc_type *t)
{
    if (hc_is_array(t))
        return hc_alignment(t->of);
    if (t->kind == HC_T_STRUCT || t->kind == HC_T_UNION)
        return alignment_of_record(t);
    return t->size;
}

/* ---- variable length ---------------------------------------------------------------------------------------------------- */

int hc_is_flat(const hc_type *t)
{
    t = t && t->kind == HC_T_POINTER ? t->of : t;
    for (; t && hc_is_array(t); t = t->of)
        if (t->kind == HC_T_VLA)
            return 1;
    return 0;
}

uint32_t hc_flat_rank(const hc_type *t)
{
    uint32_t n = 0;
    for (t = t->of; hc_is_array(t); t = t->of)
        n++;
    return n;
}

const hc_type *hc_flat_element(const hc_type *t)
{
    for (t = t->of; hc_is_array(t); t = t->of)
        ;
    return t;
}

/* ---- declarations -------------------------------------------------------------------------------------------------------- */

const char *hc_record_keyword(const hc_decl *decl)
{
    if (decl->kind == HC_N_ENUM)
        return "enum";
    return decl->type->kind == HC_T_UNION ? "union" : "struct";
}

/* One that has none gets one, so that variables of it can be declared apart. */
const char *hc_record_tag(const hc_decl *decl)
{
    hc_place p;
    if (decl->name[0] || !decl->node)
        return hc_dev_name(decl->name);
    p = hc_place_of(&decl->node->unit->text, decl->node->begin);
    return hc_format("hd_record_%u_%u", p.line, p.column);
}

static const char *name_in(const hc_device *d, const hc_type *t)
{
    hc_buf b = {0};
    const char *s = t->name ? t->name : "void";
    if (strchr(s, '(') && t->decl)
        return hc_format("%s%s %s", t->is_const ? "const " : "", hc_record_keyword(t->decl), hc_record_tag(t->decl));
    while (d && *s) {
        size_t n = 0;
        while (isalnum((unsigned char)s[n]) || s[n] == '_')
            n++;
        const char *other = n ? hc_dev_word(NULL, s, n) : NULL;
        hc_put(&b, other ? other : s, other ? strlen(other) : n ? n : 1);
        s += n ? n : 1;
    }
    return d ? b.at : s;
}

static char *params_text(const hc_device *d, const hc_type *t)
{
    hc_buf b = {0};
    for (uint32_t i = 0; i < t->n_params; i++)
        hc_putf(&b, "%s%s", i ? ", " : "", hc_type_text(d, t->params[i]));
    if (t->is_variadic && b.at)
        hc_puts(&b, ", ...");
    return b.at ? b.at : hc_copy("void", t->is_variadic ? 0 : 4);
}

static char *pointer_text(const hc_type *t, const char *name)
{
    const char *space = *name && (t->is_const || t->is_volatile) ? " " : "";
    return hc_format("*%s%s%s%s", t->is_const ? "const" : "",
                     t->is_volatile ? (t->is_const ? " volatile" : "volatile") : "", space, name);
}

char *hc_declaration(const hc_device *d, const hc_type *t, const char *name)
{
    char *inner;
    switch (t->kind) {
    case HC_T_POINTER:
        inner = pointer_text(t, name);
        if (hc_is_flat(t))
            return hc_declaration(d, hc_flat_element(t), inner);
        if (hc_is_array(t->of) || t->of->kind == HC_T_FUNCTION)
            inner = hc_format("(%s)", inner);
        return hc_declaration(d, t->of, inner);
    case HC_T_VLA: return hc_declaration(d, hc_flat_element(t), hc_format("*%s", name));
    case HC_T_ARRAY: return hc_declaration(d, t->of, hc_format("%s[%llu]", name, (unsigned long long)t->n));
    case HC_T_OPEN_ARRAY: return hc_declaration(d, t->of, hc_format("%s[]", name));
    case HC_T_FUNCTION: return hc_declaration(d, t->of, hc_format("%s(%s)", name, params_text(d, t)));
    default: return hc_format(*name ? "%s %s" : "%s%s", name_in(d, t), name);
    }
}

char *hc_type_text(const hc_device *d, const hc_type *t) { return hc_declaration(d, t, ""); }
