/* SPDX-License-Identifier: MIT */
/* device_type.c - types and declarations in the common part of C and C++. */
#include "device/device.h"

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

/* ---- alignment --------------------------------------------------------------------------------------------------- */

/* 0 if some member's is unknown, or if the members do not add up to the whole. */
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

/* ---- variable length --------------------------------------------------------------------------------------------- */

int hc_is_flat(const hc_type *t) { return t && hc_is_variable_array(t->kind == HC_T_POINTER ? t->of : t); }

uint32_t hc_flat_rank(const hc_type *t)
{
    uint32_t n = 0;
    for (t = t->of; hc_is_variable_array(t); t = t->of)
        n++;
    return n;
}

const hc_type *hc_flat_element(const hc_type *t)
{
    for (t = t->of; hc_is_variable_array(t); t = t->of)
        ;
    return t;
}

/* ---- declarations ------------------------------------------------------------------------------------------------ */

const char *hc_record_keyword(const hc_decl *decl)
{
    if (decl->kind == HC_N_ENUM)
        return "enum";
    return decl->type->kind == HC_T_UNION ? "union" : "struct";
}

const char *hc_type_name(const hc_device *d, const hc_decl *decl)
{
    const char *other = d ? hc_new_name(d->p, decl) : NULL;
    return other ? other : hc_dev_name(hc_own_name(decl));
}

/* The word of a type's name that names its declaration. */
static const char *word_in(const hc_device *d, const hc_type *t, const char *s, size_t n)
{
    const hc_decl *named = t->named;
    return named && strlen(named->name) == n && !memcmp(s, named->name, n) ? hc_type_name(d, named) : hc_dev_word(s, n);
}

static const char *name_in(const hc_device *d, const hc_type *t)
{
    hc_buf b = {0};
    const char *s = t->name ? t->name : "void";
    if (strchr(s, '(') && t->decl)
        return hc_format("%s%s %s", t->is_const ? "const " : "", hc_record_keyword(t->decl), hc_type_name(d, t->decl));
    while (d && *s) {
        size_t n = 0;
        while (isalnum((unsigned char)s[n]) || s[n] == '_')
            n++;
        const char *other = n ? word_in(d, t, s, n) : NULL;
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

static char *pointer_declaration(const hc_device *d, const hc_type *of, char *pointer)
{
    int has_list = hc_is_array(of) || of->kind == HC_T_FUNCTION;
    return hc_declaration(d, of, has_list ? hc_format("(%s)", pointer) : pointer);
}

char *hc_declaration(const hc_device *d, const hc_type *t, const char *name)
{
    switch (t->kind) {
    case HC_T_POINTER: return pointer_declaration(d, hc_is_flat(t) ? hc_flat_element(t) : t->of, pointer_text(t, name));
    case HC_T_VLA: return pointer_declaration(d, hc_flat_element(t), hc_format("*%s", name));
    case HC_T_ARRAY: return hc_declaration(d, t->of, hc_format("%s[%llu]", name, (unsigned long long)t->n));
    case HC_T_OPEN_ARRAY: return hc_declaration(d, t->of, hc_format("%s[]", name));
    case HC_T_FUNCTION: return hc_declaration(d, t->of, hc_format("%s(%s)", name, params_text(d, t)));
    default: return hc_format(*name ? "%s %s" : "%s%s", name_in(d, t), name);
    }
}

char *hc_type_text(const hc_device *d, const hc_type *t) { return hc_declaration(d, t, ""); }
