/* SPDX-License-Identifier: MIT */
/* tree.h - the program as a tree: the C parser's knowledge, in a few node kinds. Only tree*.c and clang.h use libclang.
 *
 * Nodes. A node covers the range begin .. end of the preprocessed text (hc_text, not the overlay). Children lie inside
 * their parent, do not overlap and are in the order of the text (hc_tree_check verifies it). So copying the text
 * between children and processing the children copies the node. Parentheses are nodes; implicit casts are not: a node's
 * `type` is the expression's own, `becomes` the type to which its context converts it (NULL: no conversion). System
 * headers have no nodes except declarations that the program refers to (hc_decl with node NULL).
 *
 * Pragmas. A directive with a statement is HC_N_DIRECTIVE: its children are its clauses' expressions, in the order of
 * hc_overlay_each, then the statement (node->body). A stand-alone one has no statement. A declarative pragma is no
 * node. A directive's begin is the '#', its end that of the statement (or of the line).
 *
 * Declarations. VAR and FIELD cover one declarator with its initialiser ("*p = x", "b[n]"); the specifiers before the
 * first one belong to the DECLS around (also at file scope) or to the RECORD. PARAM has its specifiers. Children of a
 * VAR are the expressions of its array bounds, then the initialiser (node->init).
 *
 * Everything lives until the program ends. */
#ifndef HEDDLEC_TREE_H
#define HEDDLEC_TREE_H

#include "parse/overlay.h"

typedef struct hc_node hc_node;
typedef struct hc_decl hc_decl;
typedef struct hc_type hc_type;
typedef struct hc_unit hc_unit;

// clang-format off
#define HC_NODE_MAP(X)                                                                                                  \
    X(FILE)                                                                                                             \
    /* Declarations: node->decl. */                                                                                     \
    X(FUNCTION) X(VAR) X(PARAM) X(TYPEDEF) X(RECORD) X(FIELD) X(ENUM) X(ENUMERATOR)                                     \
    /* Statements; an expression that is one ends behind its semicolon. */                                              \
    X(BLOCK) X(DECLS) X(IF) X(FOR) X(WHILE) X(DO) X(SWITCH) X(CASE) X(DEFAULT_CASE) X(BREAK) X(CONTINUE) X(RETURN)      \
    X(GOTO) X(COMPUTED_GOTO) X(LABEL) X(NULL_STMT) X(ASM) X(DIRECTIVE)                                                  \
    /* Expressions. */                                                                                                  \
    X(NAME)             /* a use of a variable, parameter, function or enumerator: node->decl */                        \
    X(LITERAL)          /* number, character, string; node->type */                                                     \
    X(PAREN)            /* ( child ) */                                                                                 \
    X(UNARY)            /* node->op; postfix ++ and -- have op "p++", "p--"; also & * + - ! ~ and __extension__ */      \
    X(BINARY)           /* node->op: + - * / % << >> < > <= >= == != & | ^ && || and "," */                             \
    X(ASSIGN)           /* node->op: = += -= ... */                                                                     \
    X(CONDITION)        /* a ? b : c; GNU a ?: c has two children */                                                    \
    X(CALL)             /* first child the callee; node->decl the function when named directly, else NULL */            \
    X(INDEX)            /* a[i] */                                                                                      \
    X(MEMBER)           /* a.f, a->f: node->decl the field, node->op "." or "->" */                                     \
    X(CAST)             /* (type) child; before it the lengths in the type that are expressions */                      \
    X(COMPOUND_LITERAL) /* (type){ ... } */                                                                             \
    X(INIT_LIST)        /* an initialiser in braces: its elements in the order of the text */                           \
    X(DESIGNATED)       /* an element with designators, .f = v, [i] = v: its children the indices, then v, which is */  \
                        /* node->init; node->decl the field named last; node->type that of v */                         \
    X(SIZEOF)           /* sizeof, _Alignof, offsetof: no value of a child is used */                                   \
    X(STMT_EXPR)        /* GNU ({ ... }) */                                                                             \
    X(GENERIC)          /* _Generic(...) */                                                                             \
    X(OTHER)            /* anything else; children are treated, the text around them is kept */
// clang-format on

typedef enum hc_node_kind {
#define X(id) HC_N_##id,
    HC_NODE_MAP(X)
#undef X
        HC_N_KINDS
} hc_node_kind;

/* Of the parts that a node has none of, the pointers are NULL:
 *   body   FUNCTION, FOR, WHILE, DO, SWITCH, CASE, DEFAULT_CASE, LABEL, DIRECTIVE: the statement; IF: what follows the test
 *   init   FOR: DECLS with its semicolon, or an expression without; VAR: the initialiser; ENUMERATOR, DESIGNATED: the value
 *   test   IF, FOR, WHILE, DO, SWITCH; CASE: its value (a GNU range has a second child for the upper one)
 *   step   FOR
 *   other  IF: else */
struct hc_node {
    hc_node_kind kind;
    int is_constant;     /* an integer constant expression, as far as easily seen, with: */
    int64_t value;       /* as its own type holds it */
    uint32_t begin, end; /* in unit->text; end is behind the last character, including a statement's semicolon */
    hc_node *parent, *first, *last, *next, *prev;
    hc_node *body, *init, *test, *step, *other;
    hc_unit *unit;
    const hc_type *type, *becomes; /* of expressions */
    hc_decl *decl;
    const char *op;
    const hc_pragma *pragma; /* DIRECTIVE */
};

// clang-format off
#define HC_TYPE_MAP(X)                                                                                                  \
    X(VOID) X(BOOL) X(INTEGER) X(FLOATING) X(COMPLEX) X(ENUM) X(POINTER) X(ARRAY) X(VLA) X(OPEN_ARRAY) X(STRUCT)        \
    X(UNION) X(FUNCTION) X(VECTOR) X(ATOMIC) X(OTHER)
// clang-format on

typedef enum hc_type_kind {
#define X(id) HC_T_##id,
    HC_TYPE_MAP(X)
#undef X
        HC_T_KINDS
} hc_type_kind;

/* Typedefs are resolved; `name` is the user's spelling. One type may have several structs. A parameter declared as an
 * array is a POINTER; the `bound`s of its inner dimensions are in `of`. */
struct hc_type {
    hc_type_kind kind;
    const char *name; /* as the parser spells it ("const double *", "double[64]")     */
    uint64_t size;    /* in bytes; 0 when incomplete or variable                      */
    int is_const, is_volatile, is_unsigned, is_variadic, is_restrict;
    const hc_type *of;            /* pointee, element, result                                     */
    uint64_t n;                   /* ARRAY: elements                                              */
    const hc_node *bound;         /* VLA: the expression of its length; NULL for [*]              */
    const hc_decl *decl;          /* STRUCT, UNION, ENUM                                          */
    const hc_decl *named;         /* declaration of `name`: a typedef or a record, or NULL */
    const hc_type *const *params; /* FUNCTION                                                */
    uint32_t n_params;
};

struct hc_decl {
    hc_node_kind kind;   /* HC_N_FUNCTION ... HC_N_ENUMERATOR */
    const char *name;    /* "" when it has none               */
    const char *id;      /* equal for one entity of all sources, different for different ones (including static ones) */
    const hc_type *type; /* TYPEDEF: its type */
    hc_node *node;       /* its definition (or first declaration, if undefined) in the program's own text, else NULL */
    uint32_t name_at;    /* where its name stands in node's text */
    hc_decl *owner;      /* RECORD or ENUM of a FIELD or ENUMERATOR; function of a local, a parameter */
    int is_global;       /* file scope */
    int is_static, is_extern, is_inline, is_system, is_register, is_thread_local;
    int is_definition; /* node is a definition */
    int is_declared_target;
    int is_kept;   /* address.c: a variable's address may be kept somewhere */
    int64_t value; /* ENUMERATOR */
    void *mark;    /* for analyses; one at a time */
};

/* A word of the text that uses a type's name: a typedef, or the tag behind struct, union, enum. A definition is not a use. */
typedef struct hc_type_use {
    uint32_t begin, end;
    hc_decl *decl; /* TYPEDEF, RECORD, ENUM */
} hc_type_use;

struct hc_unit { /* one source file */
    hc_text text;
    hc_pragmas pragmas;
    hc_overlay overlay;
    hc_node *root;                  /* FILE: all declarations of the program's own text in order */
    HC_LIST(hc_decl *) decls;       /* every declaration met, also of system headers */
    HC_LIST(hc_type_use) type_uses; /* in the order of the text */
    int is_lax;   /* calls undeclared functions, or uses numbers as addresses: compilers accepted it */
    int is_for_c; /* region.c: its target constructs go to the C compiler */
};

/* Parses a preprocessed text: pragmas, overlay, tree; then once more with OpenMP, only for errors (HC103). arguments:
 * extra ones for the parser, NULL-terminated. NULL after errors. */
hc_unit *hc_parse_unit(const char *path, const char *bytes, size_t n, const char *const *arguments);

/* Visits the nodes of a tree, parents first. fn returns 0 to skip a node's children. */
typedef int (*hc_visit_fn)(void *arg, hc_node *n);
void hc_visit(hc_node *n, hc_visit_fn fn, void *arg);
/* Writes the tree, one node per line, independent of the version of libclang. */
void hc_tree_dump(const hc_node *n, hc_buf *out);
/* NULL, or what is wrong with the order or nesting of n's children. */
const char *hc_tree_check(const hc_node *n);

const char *hc_node_name(hc_node_kind k);
static inline const char *hc_source(const hc_node *n) { return n->unit->text.bytes + n->begin; }
/* An array of known or unknown length; an array or a pointer. NULL is neither. */
static inline int hc_is_array(const hc_type *t)
{
    return t && (t->kind == HC_T_ARRAY || t->kind == HC_T_VLA || t->kind == HC_T_OPEN_ARRAY);
}
static inline int hc_is_address(const hc_type *t) { return t && (t->kind == HC_T_POINTER || hc_is_array(t)); }
/* A function, or a pointer to one. */
static inline int hc_is_function(const hc_type *t)
{
    return t && (t->kind == HC_T_FUNCTION || (t->kind == HC_T_POINTER && t->of && t->of->kind == HC_T_FUNCTION));
}
/* An array with its length, or its elements' length, known only at run time. hc_leads_to_rows: pointers, or an array of
 * them, to pointers to such arrays. */
int hc_is_variable_array(const hc_type *t);
int hc_leads_to_rows(const hc_type *t);
/* Equal except for outer qualifiers. long and long long are distinct in C++, even at equal size. */
int hc_is_same(const hc_type *a, const hc_type *b);
hc_node *hc_unparen(hc_node *n); /* without PAREN and CAST around it */

#endif
