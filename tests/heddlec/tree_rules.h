/* SPDX-License-Identifier: MIT */
/* tree_rules.h - what must hold for every tree, whatever the source: nesting and order; operators are C's; names are
 * their declarations'; statements end at their semicolon. Each word of the program's text belongs to a node: a rewrite
 * through the tree would otherwise miss it. */
#ifndef TREE_RULES_H
#define TREE_RULES_H

#include "parse/tree.h"

#include <string.h>

typedef struct tree_rules {
    const hc_unit *u;
    uint8_t *known; /* one per character: a word of a node begins here */
    const char *broken;
} tree_rules;

static inline int is_word_of(const char *words, const char *s, size_t n)
{
    for (const char *w = strstr(words, " "); w && w[1]; w = strchr(w + 1, ' '))
        if (!strncmp(w + 1, s, n) && w[1 + n] == ' ')
            return 1;
    return 0;
}

static inline void break_rule(tree_rules *r, uint32_t at, const char *rule)
{
    hc_place p = hc_place_of(&r->u->text, at);
    if (!r->broken)
        r->broken = hc_format("%s:%u:%u: %s: `%.40s`", p.file, p.line, p.column, rule, r->u->text.bytes + at);
}

static inline uint32_t length_of(const hc_node *n) { return n->end - n->begin; }

static inline void check_words_of_node(tree_rules *r, const hc_node *n)
{
    static const char binary[] = " + - * / % << >> < > <= >= == != & | ^ && || , ";
    static const char unary[] = " p++ p-- ++ -- & * + - ! ~ __extension__ __real__ __imag__ __real __imag ";
    static const char assign[] = " = += -= *= /= %= <<= >>= &= |= ^= ";
    const char *ops = n->kind == HC_N_BINARY   ? binary
                      : n->kind == HC_N_UNARY  ? unary
                      : n->kind == HC_N_ASSIGN ? assign
                                               : NULL;
    if (ops && !(n->op && is_word_of(ops, n->op, strlen(n->op))))
        break_rule(r, n->begin, "no such operator");
    if (n->kind == HC_N_NAME && !(n->decl && strlen(n->decl->name) == hc_token_end(hc_source(n), 0, length_of(n)) &&
                                  !strncmp(n->decl->name, hc_source(n), strlen(n->decl->name))))
        break_rule(r, n->begin, "not the name of its declaration");
    if (n->kind >= HC_N_NAME && n->kind < HC_N_OTHER && !n->type)
        break_rule(r, n->begin, "an expression without a type");
    if (n->kind == HC_N_MEMBER && (!n->decl || n->decl->kind != HC_N_FIELD))
        break_rule(r, n->begin, "a member of nothing");
}

static inline int is_statement_place(const hc_node *n)
{
    const hc_node *p = n->parent;
    if (!p || n->kind == HC_N_RECORD || n->kind == HC_N_PARAM)
        return 0;
    if (p->kind == HC_N_BLOCK || p->kind == HC_N_FILE)
        return 1;
    return (n == p->body || n == p->other) && p->kind != HC_N_FUNCTION;
}

static inline void check_end(tree_rules *r, const hc_node *n)
{
    const char *last = r->u->text.bytes + n->end - 1;
    if (is_statement_place(n) && *last != ';' && *last != '}' && !(n->kind == HC_N_DIRECTIVE && !n->body))
        break_rule(r, n->begin, "a statement that does not end with a semicolon or brace");
    if (n->kind == HC_N_VAR && strchr(",;", *last))
        break_rule(r, n->begin, "a declarator that reaches too far");
}

typedef struct clause_walk {
    tree_rules *r;
    const hc_node *next; /* child of the directive that must come next */
} clause_walk;

static inline void check_expression(void *arg, const hc_clause *c, const hc_item *item, int dim, int is_length,
                                    hc_span at)
{
    clause_walk *walk = arg;
    (void)c, (void)item, (void)dim, (void)is_length;
    if (!walk->next || walk->next->begin != at.begin || walk->next->end != at.end)
        break_rule(walk->r, at.begin, "an expression of a clause that is no child in its place");
    walk->next = walk->next ? walk->next->next : NULL;
}

/* A directive's children are the expressions of its clauses, then the statement. */
static inline void check_directive(tree_rules *r, const hc_node *n)
{
    clause_walk walk = {r, n->first};
    if (n->kind != HC_N_DIRECTIVE)
        return;
    hc_overlay_each(n->pragma, check_expression, &walk);
    if (walk.next != n->body || (n->body && n->body->next))
        break_rule(r, n->begin, "a directive with children that are neither its clauses' nor its statement");
}

static inline void know(tree_rules *r, uint32_t at) { r->known[at] = 1; }

static inline void know_all(tree_rules *r, uint32_t begin, uint32_t end) { memset(r->known + begin, 1, end - begin); }

static inline void know_between_children(tree_rules *r, const hc_node *n)
{
    uint32_t at = n->begin;
    for (const hc_node *k = n->first; k; k = k->next) {
        know_all(r, at, k->begin);
        at = k->end;
    }
    know_all(r, at, n->end);
}

/* Marks the words of the pragma itself, and of nodes without children inside. */
static inline void know_words(tree_rules *r, const hc_node *n)
{
    switch (n->kind) {
    case HC_N_NAME:
    case HC_N_LABEL: know(r, n->begin); break;
    case HC_N_MEMBER: know(r, n->end - (uint32_t)strlen(n->decl->name)); break;
    case HC_N_DESIGNATED: know_all(r, n->begin, n->init->begin); break;
    case HC_N_DIRECTIVE:
    case HC_N_OTHER:
    case HC_N_ASM:
    case HC_N_LITERAL:
    case HC_N_GOTO: know_between_children(r, n); break;
    case HC_N_DECLS: /* of labels */
    case HC_N_SIZEOF:
        if (!strncmp(hc_source(n), n->kind == HC_N_DECLS ? "__label__" : "__builtin_offsetof", 9)) /* names members */
            know_between_children(r, n);
        break;
    default: break;
    }
}

static inline int is_about_functions(const hc_type *t)
{
    while (t && t->kind != HC_T_FUNCTION)
        t = t->of;
    return t != NULL;
}

/* `f(a, b) int a, b; {`: the words in the parentheses are those of the parameters. */
static inline void know_names_of_params(tree_rules *r, const hc_node *function)
{
    const char *s = r->u->text.bytes;
    uint32_t end = function->first ? function->first->begin : function->begin;
    for (uint32_t at = function->begin; at < end; at++)
        for (const hc_node *p = function->first; p && p->kind == HC_N_PARAM; p = p->next)
            if (hc_is_name(s, at, end) && hc_token_end(s, at, end) - at == strlen(p->decl->name) &&
                !memcmp(s + at, p->decl->name, strlen(p->decl->name)))
                know(r, at);
}

/* Marks a declared name, also where it recurs. In pointers to functions the parameters' names declare nothing. */
static inline void know_declared(tree_rules *r, const hc_node *n)
{
    const char *name = strstr(hc_source(n), n->decl->name);
    if (n->decl->node == n)
        know(r, n->decl->name_at);
    else if (name && name < hc_source(n) + length_of(n))
        know(r, (uint32_t)(name - r->u->text.bytes));
    if (n->kind == HC_N_FUNCTION)
        know_names_of_params(r, n);
    if (n->kind != HC_N_FUNCTION && is_about_functions(n->decl->type))
        know_all(r, n->begin, n->init ? n->init->begin : n->end);
}

static inline int visit_rules(void *arg, hc_node *n)
{
    tree_rules *r = arg;
    if (n->kind >= HC_N_FUNCTION && n->kind <= HC_N_ENUMERATOR)
        know_declared(r, n);
    check_words_of_node(r, n);
    check_end(r, n);
    check_directive(r, n);
    if (!r->broken)
        know_words(r, n);
    return !r->broken;
}

static const char c_words[] =
    " auto break case char const continue default do double else enum extern float for goto if inline int long "
    "register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Alignas "
    "_Alignof "
    "_Atomic _Bool _Complex _Generic _Noreturn _Static_assert _Thread_local __attribute__ __attribute __extension__ "
    "__inline __inline__ __asm__ asm __asm __volatile__ __restrict __restrict__ __const __signed__ __typeof__ typeof "
    "__alignof__ "
    "__real__ __imag__ __int128 __thread __builtin_va_list _Float16 __auto_type __bf16 __label__ ";

/* Every word of [begin, end) must be a keyword, in the parentheses of an attribute, or marked. */
static inline void check_words(tree_rules *r, uint32_t at, uint32_t end)
{
    const char *s = r->u->text.bytes;
    int depth = 0; /* of an attribute's parentheses */
    for (; at < end && !r->broken; at = hc_token_end(s, at, end)) {
        const hc_line *line;
        while (at < end && (s[at] == '\n' || hc_blank_end(s, at, end) > at))
            at = s[at] == '\n' ? at + 1 : hc_blank_end(s, at, end);
        if (at >= end)
            return;
        line = &r->u->text.lines[hc_line_at(&r->u->text, at)];
        if (line->is_marker || s[at] == '#') {
            at = hc_line_end(&r->u->text, hc_line_at(&r->u->text, at)) - 1;
            continue;
        }
        depth += depth > 0 ? (s[at] == '(') - (s[at] == ')') : 0;
        if (!hc_is_name(s, at, end) || depth > 0 || r->known[at])
            continue;
        if (!is_word_of(c_words, s + at, hc_token_end(s, at, end) - at))
            break_rule(r, at, "a word that the tree does not know");
        else if (!strncmp(s + at, "__attribute", 11))
            depth = 1, at = hc_blank_end(s, hc_token_end(s, at, end), end);
    }
}

/* NULL, or the broken rule and its place. */
static inline const char *broken_rule(hc_unit *u)
{
    tree_rules r = {u, hc_new(u->text.n + 1), hc_tree_check(u->root)};
    if (!r.broken)
        hc_visit(u->root, visit_rules, &r);
    for (uint32_t i = 0; i < u->type_uses.n; i++)
        know(&r, u->type_uses.at[i].begin);
    for (const hc_node *n = u->root->first; n && !r.broken; n = n->next)
        check_words(&r, n->begin, n->end);
    return r.broken;
}

#endif
