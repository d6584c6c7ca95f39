/* SPDX-License-Identifier: MIT */
/* Records, unions, enums, tables, function pointers: how they are declared and initialised. */
// clang-format off
struct later;
typedef struct pair { float x, y; } pair;
typedef struct { int left : 3, : 2, right : 4; unsigned char bytes[4]; } packed_bits;
struct __attribute__((packed)) node {
    struct node *next, *const *others[2];
    union { int number; float real; struct { short low, high; }; };
    struct inner { double d; } in, *link;
    enum kind { LEAF, BRANCH = 4, ROOT = BRANCH << 1 } kind;
    pair pairs[2][3];
    int (*visit)(struct node *, void *arg), n;
    char tail[];
} __attribute__((aligned(16)));
enum { FIRST = -1, SECOND, THIRD = sizeof(pair), LAST = 'z' - 'a' };
_Static_assert(sizeof(struct pair) == 8, "two floats");

static const pair table[2][2] = {{{1, 2}, {.y = 3}}, [1] = {[0].x = 4, [1] = (pair){5, 6}}};
static const double coefficients[] = {1, -2.5, [4] = SECOND, 7,}, *const first = &coefficients[0];
static struct node *list, nodes[LAST - 20];
extern int counter, limits[];
int limits[3] = {1, [2] = 3}, counter;
_Bool (*compare)(const pair *, const pair *) = 0, flags[2];
char text[] = "abc" "def", letters[4] = {"ab"};
long double wide = 1.0L; float _Complex z; unsigned long long big = 1ULL << 40; __int128 huge;
volatile int *volatile latch; _Thread_local int own; typedef int (*handler)(int sig, pair *why);
handler install(int sig, handler h), previous[4];
int (*choose(int which, int (*fallback)(int)))(int);
static inline int low_of(struct node n) { return n.low + n.in.d + nodes[0].link->d + (&n)->pairs[1][2].x; }

int use(struct later *l, union { int i; float f; } *u)
{
    static int calls;
    static const struct { int a, b; } local[2] = {{1}, {2, 3}};
    enum kind k = LEAF; struct { int only; } once = {.only = 1};
    struct pair p = {.y = 1, .x = 2}, *q = &(struct pair){3, 4}, copy = *q;
    extern int elsewhere(int), remote;
    k = ROOT, k++, calls += local[k != LEAF].b + once.only + u->i + p.x;
    return l ? elsewhere(remote) : (int)copy.y + low_of(nodes[FIRST + 1]);
}
