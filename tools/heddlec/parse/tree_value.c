/* SPDX-License-Identifier: MIT */
/* tree_value.c - values of integer constant expressions, computed here because libclang evaluates declarations only.
 * Uncertain ones (floating point, addresses, division by zero) have no value. */
#include "parse/clang.h"

#include <stdlib.h>
#include <string.h>

/* The value converted to t's size and sign. */
static int64_t as_type(int64_t value, const hc_type *t)
{
    unsigned bits = (unsigned)t->size * 8;
    if (t->kind == HC_T_BOOL)
        return value != 0;
    if (bits == 0 || bits >= 64)
        return value;
    value = (int64_t)((uint64_t)value << (64 - bits));
    return t->is_unsigned ? (int64_t)((uint64_t)value >> (64 - bits)) : value >> (64 - bits);
}

static int is_integer(const hc_type *t)
{
    return t && (t->kind == HC_T_BOOL || t->kind == HC_T_INTEGER || t->kind == HC_T_ENUM) && t->size <= 8;
}

static void set(hc_node *n, int64_t value)
{
    if (is_integer(n->type)) {
        n->value = as_type(value, n->type);
        n->is_constant = 1;
    }
}

/* The value of an operand after conversion by its operator. */
static int operand(const hc_node *n, int64_t *value)
{
    if (!n || !n->is_constant || !is_integer(hc_converted(n)))
        return 0;
    *value = as_type(n->value, hc_converted(n));
    return 1;
}

/* ---- literals ---------------------------------------------------------------------------------------------------- */

static int64_t escaped(const char *s)
{
    static const char letters[] = "abfnrtv", values[] = "\a\b\f\n\r\t\v";
    const char *letter = strchr(letters, *s);
    if (*s == 'x')
        return (int64_t)strtoull(s + 1, NULL, 16);
    if (*s >= '0' && *s <= '7')
        return (int64_t)strtoull(s, NULL, 8);
    if (*s == 'e')
        return 27;
    return letter && *s ? values[letter - letters] : *s;
}

/* Of one character; wide and multi-character ones have no value. */
static void fold_character(hc_node *n, const char *s)
{
    size_t length = n->end - n->begin;
    if (s[0] != '\'' || (s[1] != '\\' && length != 3) || (s[1] == '\\' && s[2] == 'u'))
        return;
    set(n, (char)(s[1] == '\\' ? escaped(s + 2) : s[1]));
}

static void fold_literal(hc_node *n)
{
    const char *s = hc_source(n);
    if (!is_integer(n->type))
        return;
    if (s[0] < '0' || s[0] > '9')
        fold_character(n, s);
    else if (s[0] == '0' && (s[1] == 'b' || s[1] == 'B'))
        set(n, (int64_t)strtoull(s + 2, NULL, 2));
    else
        set(n, (int64_t)strtoull(s, NULL, 0));
}

/* ---- operators --------------------------------------------------------------------------------------------------- */

static void fold_unary(hc_node *n)
{
    int64_t a;
    if (!operand(n->first, &a) || n->op[1])
        return;
    switch (n->op[0]) {
    case '+': set(n, a); break;
    case '-': set(n, (int64_t)(0 - (uint64_t)a)); break;
    case '~': set(n, ~a); break;
    case '!': set(n, !a); break;
    default: break;
    }
}

typedef struct operands {
    int64_t a, b;
    uint64_t ua, ub;
    int is_unsigned;
} operands;

static int fold_division(hc_node *n, const operands *o)
{
    if (n->op[0] != '/' && n->op[0] != '%')
        return 0;
    if (o->b == 0 || (!o->is_unsigned && o->b == -1))
        return 1; /* -1: INT64_MIN has no quotient */
    if (n->op[0] == '/')
        set(n, o->is_unsigned ? (int64_t)(o->ua / o->ub) : o->a / o->b);
    else
        set(n, o->is_unsigned ? (int64_t)(o->ua % o->ub) : o->a % o->b);
    return 1;
}

static int fold_comparison(hc_node *n, const operands *o)
{
    int less = o->is_unsigned ? o->ua < o->ub : o->a < o->b, equal = o->a == o->b;
    if (!strcmp(n->op, "<"))
        set(n, less);
    else if (!strcmp(n->op, "<="))
        set(n, less || equal);
    else if (!strcmp(n->op, ">"))
        set(n, !less && !equal);
    else if (!strcmp(n->op, ">="))
        set(n, !less);
    else if (!strcmp(n->op, "=="))
        set(n, equal);
    else if (!strcmp(n->op, "!="))
        set(n, !equal);
    else
        return 0;
    return 1;
}

static void fold_shift(hc_node *n, const operands *o)
{
    if (o->ub >= n->type->size * 8)
        return;
    if (n->op[0] == '<')
        set(n, (int64_t)(o->ua << o->ub));
    else
        set(n, o->is_unsigned ? (int64_t)(o->ua >> o->ub) : o->a >> o->ub);
}

static void fold_binary(hc_node *n)
{
    operands o;
    if (!operand(n->first, &o.a) || !operand(n->last, &o.b))
        return;
    o.ua = (uint64_t)o.a;
    o.ub = (uint64_t)o.b;
    o.is_unsigned = hc_converted(n->first)->is_unsigned;
    if (fold_division(n, &o) || fold_comparison(n, &o))
        return;
    if (!strcmp(n->op, "<<") || !strcmp(n->op, ">>"))
        fold_shift(n, &o);
    else if (!strcmp(n->op, "&&") || !strcmp(n->op, "||"))
        set(n, n->op[0] == '&' ? o.a && o.b : o.a || o.b);
    else if (n->op[0] == '+' || n->op[0] == '-' || n->op[0] == '*')
        set(n, (int64_t)(n->op[0] == '+' ? o.ua + o.ub : n->op[0] == '-' ? o.ua - o.ub : o.ua * o.ub));
    else if (n->op[0] == '&' || n->op[0] == '|' || n->op[0] == '^')
        set(n, n->op[0] == '&' ? o.a & o.b : n->op[0] == '|' ? o.a | o.b : o.a ^ o.b);
}

static void fold_condition(hc_node *n)
{
    int64_t test, value;
    const hc_node *chosen;
    if (!n->first || !n->first->next || !operand(n->first, &test))
        return;
    chosen = !test ? n->last : n->first->next == n->last ? n->first : n->first->next;
    if (operand(chosen, &value))
        set(n, value);
}

void hc_fold(hc_node *n)
{
    int64_t value;
    switch (n->kind) {
    case HC_N_LITERAL: fold_literal(n); break;
    case HC_N_NAME:
        if (n->decl && n->decl->kind == HC_N_ENUMERATOR)
            set(n, n->decl->value);
        break;
    case HC_N_PAREN:
    case HC_N_CAST:
    case HC_N_DESIGNATED:
        if (n->last && operand(n->last, &value))
            set(n, value);
        break;
    case HC_N_UNARY: fold_unary(n); break;
    case HC_N_BINARY: fold_binary(n); break;
    case HC_N_CONDITION: fold_condition(n); break;
    default: break;
    }
}

/* ---- sizeof, _Alignof, offsetof ---------------------------------------------------------------------------------- */

static enum CXChildVisitResult find_type(CXCursor c, CXCursor parent, CXClientData arg)
{
    (void)parent;
    if (clang_getCursorKind(c) != CXCursor_TypeRef)
        return CXChildVisit_Continue;
    *(CXType *)arg = clang_getCursorType(c);
    return CXChildVisit_Break;
}

/* heddlec and the program run on the same kind of machine. */
static uint64_t builtin_size(const hc_tokens *t, uint32_t first, uint32_t last)
{
    static const struct {
        const char *word;
        uint64_t size;
    } words[] = {{"char", 1}, {"_Bool", 1}, {"short", sizeof(short)}, {"float", sizeof(float)}, {"__int128", 16}};
    uint64_t size = sizeof(int), n_long = 0;
    for (uint32_t i = first; i <= last; i++) {
        n_long += (uint64_t)hc_token_is(t, i, "long");
        if (hc_token_is(t, i, "double"))
            size = n_long ? sizeof(long double) : sizeof(double);
        else
            for (size_t k = 0; k < sizeof words / sizeof *words; k++)
                size = hc_token_is(t, i, words[k].word) ? words[k].size : size;
    }
    return n_long && size == sizeof(int) ? sizeof(long) : size;
}

static int is_builtin_word(const hc_tokens *t, uint32_t i)
{
    static const char *const words[] = {"char",   "_Bool",    "short",    "int",   "long",     "float", "double",
                                        "signed", "unsigned", "__int128", "const", "volatile", NULL};
    for (const char *const *w = words; *w; w++)
        if (hc_token_is(t, i, *w))
            return 1;
    return 0;
}

/* The size of the type named by tokens first .. last, 0 if unknown here: words of C or one name, then stars or lengths. */
static uint64_t size_of_name(hc_builder *b, const hc_node *n, CXCursor c, uint32_t first, uint32_t last)
{
    CXType named = {.kind = CXType_Invalid};
    uint32_t i = first;
    uint64_t size;
    clang_visitChildren(c, find_type, &named);
    while (i <= last && hc_is_name(b->t.s, b->t.at[i].begin, b->t.at[i].end) &&
           (named.kind != CXType_Invalid || is_builtin_word(&b->t, i)))
        i++;
    if (i == first)
        return 0;
    size = named.kind != CXType_Invalid ? hc_type_of(b, named)->size : builtin_size(&b->t, first, i - 1);
    for (; i <= last && hc_token_is(&b->t, i, "*"); i++)
        size = sizeof(void *);
    for (const hc_node *k = n->first; k; k = k->next, i = b->t.at[i].partner + 1) {
        if (i > last || !hc_token_is(&b->t, i, "[") || !k->is_constant)
            return 0;
        size *= (uint64_t)k->value;
    }
    return i > last ? size : 0;
}

static enum CXChildVisitResult add_offset(CXCursor c, CXCursor parent, CXClientData arg)
{
    int64_t *offset = arg;
    (void)parent;
    if (clang_getCursorKind(c) == CXCursor_MemberRef) {
        CXCursor field = clang_getCursorReferenced(c);
        CXString name = clang_getCursorSpelling(field);
        long long bits =
            clang_Type_getOffsetOf(clang_getCursorType(clang_getCursorSemanticParent(field)), clang_getCString(name));
        *offset = bits < 0 || *offset < 0 ? -1 : *offset + bits / 8;
        clang_disposeString(name);
    }
    return CXChildVisit_Continue;
}

/* Without indices, and only if each name is a direct member of the type before it. */
static void fold_offsetof(hc_node *n, CXCursor c)
{
    CXType type = {.kind = CXType_Invalid};
    int64_t offset = 0;
    clang_visitChildren(c, find_type, &type);
    clang_visitChildren(c, add_offset, &offset);
    if (!n->first && type.kind != CXType_Invalid && offset >= 0)
        set(n, offset);
}

void hc_fold_sizeof(hc_builder *b, hc_node *n, hc_kid self)
{
    uint32_t word = hc_token_from(&b->t, self.begin), close;
    uint64_t size;
    if (hc_token_is(&b->t, word, "__builtin_offsetof")) {
        fold_offsetof(n, self.c);
        return;
    }
    if (!hc_token_is(&b->t, word, "sizeof"))
        return;
    close = b->t.at[word + 1].partner;
    if (n->first && n->first->begin <= hc_back(b, b->t.at[word + 1].begin))
        size = n->first->type ? n->first->type->size : 0;
    else
        size = size_of_name(b, n, self.c, word + 2, close - 1);
    if (size > 0)
        set(n, (int64_t)size);
}
