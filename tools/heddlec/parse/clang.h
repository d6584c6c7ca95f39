/* SPDX-License-Identifier: MIT */
/* clang.h - shared by the files that build a tree (tree.c, tree_*.c); internal to this folder: the builder, tokens of
 * the overlay, declarators, types and declarations made from libclang's cursors.
 *
 * libclang gives the place and meaning of nodes. The tokens give the rest: which token is an operator, where a
 * declarator begins, and what stands between two semicolons. libclang has no query for these, or only since some
 * version. Offsets are of the overlay until hc_add_node writes them into a node. */
#ifndef HEDDLEC_CLANG_H
#define HEDDLEC_CLANG_H

#include <clang-c/Index.h>

#include "parse/tree.h"

/* ---- tokens (tree_tokens.c) -------------------------------------------------------------------------------------- */

/* A name, number, string, or any other single character. partner: of a bracket, the index of the matching one. */
typedef struct hc_token {
    uint32_t begin, end, partner;
} hc_token;

typedef struct hc_tokens {
    const char *s;
    HC_LIST(hc_token);
} hc_tokens;

hc_tokens hc_tokens_of(const char *s, uint32_t n);
uint32_t hc_token_from(const hc_tokens *t, uint32_t offset);       /* the first at or behind offset */
int hc_token_is(const hc_tokens *t, uint32_t i, const char *word); /* 0 behind the last one */
uint32_t hc_token_semicolon(const hc_tokens *t, uint32_t i);       /* the next one outside brackets */
const char *hc_tokens_between(const hc_tokens *t, uint32_t a,
                              uint32_t b); /* interned, between offsets a and b; "" if none */

/* A declarator: its tokens first .. last, including its initialiser, and its '[' from the outermost dimension inwards. */
typedef struct hc_declarator {
    uint32_t first, last;
    HC_LIST(uint32_t) brackets;
} hc_declarator;

hc_declarator hc_declarator_at(const hc_tokens *t, uint32_t name);
/* Of a type's name or an unnamed parameter; its specifiers count as part of it. */
hc_declarator hc_abstract_declarator(const hc_tokens *t, uint32_t first, uint32_t last);

/* ---- the builder ------------------------------------------------------------------------------------------------- */

/* A cursor and its range in the overlay. */
typedef struct hc_kid {
    CXCursor c;
    uint32_t begin, end;
    hc_node *node;
} hc_kid;
typedef HC_LIST(hc_kid) hc_kids;

typedef struct hc_known_decl {
    CXCursor cursor;
    hc_decl *decl;
} hc_known_decl;

typedef struct hc_known_type {
    CXType type;
    const hc_type *made;
} hc_known_type;

typedef struct hc_builder {
    hc_unit *unit;
    CXFile file; /* the overlay */
    hc_tokens t;
    struct { /* powers of two of slots, at most half full */
        hc_known_decl *at;
        uint32_t n, room;
    } decls;
    struct {
        hc_known_type *at;
        uint32_t n, room;
    } types;
} hc_builder;

void hc_build_unit(hc_builder *b, CXTranslationUnit tu);

char *hc_clang_text(CXString s); /* a copy; disposes of s */
hc_kid hc_kid_of(CXCursor c);
uint32_t hc_back(const hc_builder *b, uint32_t offset);     /* of a first character */
uint32_t hc_back_end(const hc_builder *b, uint32_t offset); /* of an end */

/* ---- nodes (tree_build.c) ---------------------------------------------------------------------------------------- */

hc_node *hc_add_node(hc_builder *b, hc_node_kind kind, hc_node *parent, uint32_t begin, uint32_t end);
/* The children of c that become nodes, in the order of the text, each range once. Also records uses of type names. */
hc_kids hc_kids_of(hc_builder *b, CXCursor c);
hc_node *hc_build(hc_builder *b, CXCursor c, hc_node *parent, int is_statement);
/* Adds expressions before `end` in the specifiers of declaration c, as in typeof, to parent, once: libclang attaches
 * them to each of its declarators. */
void hc_build_specifiers(hc_builder *b, CXCursor c, hc_node *parent, uint32_t end);
/* Expressions among the children of a declaration (bounds, widths, the initialiser) and types defined in a parameter.
 * Returns the last expression. */
hc_node *hc_build_expressions(hc_builder *b, CXCursor c, hc_node *parent);

/* ---- declarations (tree_decl.c) ---------------------------------------------------------------------------------- */

hc_decl *hc_decl_of(hc_builder *b, CXCursor c); /* NULL: c has no hc_decl */
void hc_build_file(hc_builder *b, CXTranslationUnit tu);
hc_node *hc_build_decls(hc_builder *b, hc_kids kids, hc_node *parent, uint32_t first, uint32_t last);
/* Definitions of records and enums; NULL if already built, or only a use. */
hc_node *hc_build_record(hc_builder *b, CXCursor c, hc_node *parent);
int hc_is_record(CXCursor c);
void hc_note_type_use(hc_builder *b, CXCursor type_ref);
void hc_note_type_uses_in(hc_builder *b, CXCursor c);

/* ---- types (tree_types.c) ---------------------------------------------------------------------------------------- */

const hc_type *hc_type_of(hc_builder *b, CXType t);
/* The same if t may have variable dimensions: finds their expressions among owner's children. */
const hc_type *hc_type_declared(hc_builder *b, CXType t, hc_node *owner, hc_declarator d);
int hc_is_variable(CXType t);                /* some dimension of t has a variable length */
int hc_is_same_type(CXType a, CXType b);     /* except outer qualifiers */
const hc_type *hc_decayed(const hc_type *t); /* array and function: the pointer; others: t itself */
/* The type of n after conversion by its context. */
static inline const hc_type *hc_converted(const hc_node *n) { return n->becomes ? n->becomes : n->type; }

/* ---- constants (tree_value.c) ------------------------------------------------------------------------------------ */

/* Sets value and is_constant of n from its children's. */
void hc_fold(hc_node *n);
/* Of sizeof, _Alignof and offsetof; self is its cursor. */
void hc_fold_sizeof(hc_builder *b, hc_node *n, hc_kid self);

#endif
