/* SPDX-License-Identifier: MIT */
/* rtree.c - boxes of a plane, found by overlap.
 *
 * A node holds up to FAN boxes: inserted ones (level 0), or bounds of the nodes below. Insertion descends where bounds grow
 * least. A full node is split where the two halves cover least. A walk that removes boxes shrinks the bounds above; a leaf
 * with hardly any boxes left is dissolved and its boxes are inserted again.
 *
 * Sizes are compared as floating-point numbers. They decide where boxes are stored, never which are found. */
#include "graph/rtree.h"
#include "heddle/core/task.h" /* HD_NONE */

#define FAN 15u
#define FEW 4u      /* a leaf with fewer boxes is dissolved */
#define HALF_MIN 5u /* least number of boxes in a half */
#define HEIGHT_MAX 64u

typedef struct rnode {
    _Alignas(64) uint32_t n;
    uint32_t level;   /* in a free node: the next free node */
    uint32_t id[FAN]; /* of a box or node; HD_BOX_MARKED: a marked box is below */
    hd_box box[FAN];
} rnode;
_Static_assert(sizeof(rnode) == 576, "nine lines");

#define NODE(t, i) ((rnode *)(t)->nodes.at + (i))
#define ID(x, k) ((x)->id[k] & ~HD_BOX_MARKED)

typedef struct item { /* a box in transit */
    hd_box box;
    uint32_t id;
} item;

void hd_rtree_init(hd_rtree *t)
{
    memset(t, 0, sizeof *t);
    t->free_nodes = HD_NONE;
}

void hd_rtree_clear(hd_rtree *t)
{
    hd_list_clear(&t->nodes);
    hd_list_clear(&t->homeless);
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

/* Branch-free. */
static inline int boxes_meet(const hd_box *a, const hd_box *b)
{
    return (a->row <= b->row_end) & (b->row <= a->row_end) & (a->col <= b->col_end) & (b->col <= a->col_end);
}

static inline void stretch(hd_box *b, const hd_box *more)
{
    b->row = more->row < b->row ? more->row : b->row;
    b->col = more->col < b->col ? more->col : b->col;
    b->row_end = more->row_end > b->row_end ? more->row_end : b->row_end;
    b->col_end = more->col_end > b->col_end ? more->col_end : b->col_end;
}

/* Signed, because the machine converts that faster; longer lengths are rare, and only placement suffers. */
static inline double length_of(uint64_t first, uint64_t last) { return (double)(int64_t)(last - first) + 1; }
static inline double size_of(const hd_box *b) { return length_of(b->row, b->row_end) * length_of(b->col, b->col_end); }

int hd_box_minus(const hd_box *box, const hd_box *q, hd_box rest[4])
{
    hd_box b = *box;
    int n = 0;
    if (b.row < q->row) {
        rest[n] = b;
        rest[n++].row_end = q->row - 1;
        b.row = q->row;
    }
    if (b.row_end > q->row_end) {
        rest[n] = b;
        rest[n++].row = q->row_end + 1;
        b.row_end = q->row_end;
    }
    if (b.col < q->col) {
        rest[n] = b;
        rest[n++].col_end = q->col - 1;
    }
    if (b.col_end > q->col_end) {
        rest[n] = b;
        rest[n++].col = q->col_end + 1;
    }
    return n;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* The caller has made room. */
static uint32_t new_node(hd_rtree *t, uint32_t level)
{
    uint32_t i = t->free_nodes;
    if (i == HD_NONE)
        i = (uint32_t)t->nodes.n++;
    else
        t->free_nodes = NODE(t, i)->level;
    NODE(t, i)->n = 0;
    NODE(t, i)->level = level;
    return i;
}

static void free_node(hd_rtree *t, uint32_t i)
{
    NODE(t, i)->level = t->free_nodes;
    t->free_nodes = i;
}

/* Prefetches the cache lines of a node. */
static inline void ask_for(const rnode *x)
{
    uint32_t i;
    for (i = 0; i < sizeof *x; i += 64)
        __builtin_prefetch((const char *)x + i);
}

static inline void append(rnode *x, const hd_box *box, uint32_t id)
{
    x->box[x->n] = *box;
    x->id[x->n++] = id;
}

static inline void drop(rnode *x, uint32_t k)
{
    x->box[k] = x->box[--x->n];
    x->id[k] = x->id[x->n];
}

/* Recomputes bounds and mark of entry k of x from the node below. */
static void renew(const hd_rtree *t, rnode *x, uint32_t k)
{
    uint32_t child = ID(x, k), i, marked;
    const rnode *c = NODE(t, child);
    hd_box b = c->box[0];
    marked = c->id[0] & HD_BOX_MARKED;
    for (i = 1; i < c->n; i++) {
        stretch(&b, &c->box[i]);
        marked |= c->id[i] & HD_BOX_MARKED;
    }
    x->box[k] = b;
    x->id[k] = child | marked;
}

static void append_node(const hd_rtree *t, rnode *x, uint32_t child)
{
    x->id[x->n] = child;
    renew(t, x, x->n++);
}

/* ---- splitting --------------------------------------------------------------------------------------------------- */

typedef struct crowd {
    item at[FAN + 1];
    uint8_t order[FAN + 1];
} crowd;

static inline double middle(const hd_box *b, int by_col)
{
    return by_col ? (double)b->col + (double)b->col_end : (double)b->row + (double)b->row_end;
}

static void sort(crowd *c, int by_col)
{
    double key[FAN + 1], x;
    uint32_t i, k;
    for (i = 0; i <= FAN; i++) {
        x = middle(&c->at[i].box, by_col);
        for (k = i; k > 0 && key[k - 1] > x; k--) {
            key[k] = key[k - 1];
            c->order[k] = c->order[k - 1];
        }
        key[k] = x;
        c->order[k] = (uint8_t)i;
    }
}

/* The axis along which the boxes spread further, in units of their own length: rows and columns have different scales. */
static int reach_by_col(const crowd *c)
{
    hd_box b = c->at[FAN].box;
    double rows = 0, cols = 0;
    uint32_t i;
    for (i = 0; i <= FAN; i++) {
        stretch(&b, &c->at[i].box);
        rows += length_of(c->at[i].box.row, c->at[i].box.row_end);
        cols += length_of(c->at[i].box.col, c->at[i].box.col_end);
    }
    return length_of(b.col, b.col_end) * rows >= length_of(b.row, b.row_end) * cols;
}

/* Size of the first half, such that both halves cover least. Of equal cuts, takes the one that puts the new box into the
 * smaller half: its neighbours often follow, and the other half stays well filled. */
static uint32_t best_cut(const crowd *c)
{
    double head[FAN + 1], tail[FAN + 1], least = -1;
    hd_box h = c->at[c->order[0]].box, l = c->at[c->order[FAN]].box;
    uint32_t i, k, best = HALF_MIN, newest_first = c->order[0] == FAN;
    for (i = 0; i <= FAN; i++) {
        stretch(&h, &c->at[c->order[i]].box);
        head[i] = size_of(&h);
        stretch(&l, &c->at[c->order[FAN - i]].box);
        tail[FAN - i] = size_of(&l);
    }
    for (i = HALF_MIN; i <= FAN + 1 - HALF_MIN; i++) {
        k = newest_first ? i : FAN + 1 - i;
        if (least >= 0 && head[k - 1] + tail[k] >= least)
            continue;
        least = head[k - 1] + tail[k];
        best = k;
    }
    return best;
}

/* Splits the full node i: about half of its entries and the new one move to a new node, which is returned. */
static uint32_t split(hd_rtree *t, uint32_t i, const hd_box *box, uint32_t id)
{
    rnode *x = NODE(t, i);
    uint32_t beside = new_node(t, x->level), k, cut;
    crowd c;
    for (k = 0; k < FAN; k++)
        c.at[k] = (item){x->box[k], x->id[k]};
    c.at[FAN] = (item){*box, id};
    sort(&c, reach_by_col(&c));
    cut = best_cut(&c);
    x->n = 0;
    for (k = 0; k <= FAN; k++)
        append(k < cut ? x : NODE(t, beside), &c.at[c.order[k]].box, c.at[c.order[k]].id);
    return beside;
}

/* ---- putting ----------------------------------------------------------------------------------------------------- */

/* The entry with the least growth of its bounds; of equal ones, the smallest. */
static uint32_t choose(const rnode *x, const hd_box *box)
{
    double least = 0, small = 0;
    uint32_t k, best = 0;
    for (k = 0; k < x->n; k++) {
        hd_box b = x->box[k];
        double size = size_of(&b), more;
        stretch(&b, box);
        more = size_of(&b) - size;
        if (k == 0 || more < least || (more <= least && size < small)) {
            least = more;
            small = size;
            best = k;
        }
    }
    return best;
}

/* Inserts below node i. Returns a new node beside it after a split, or HD_NONE. */
static uint32_t put_below(hd_rtree *t, uint32_t i, const hd_box *box, uint32_t id)
{
    rnode *x = NODE(t, i);
    uint32_t k, beside;
    t->n_looks++;
    if (x->level == 0) {
        if (x->n == FAN)
            return split(t, i, box, id);
        append(x, box, id);
        return HD_NONE;
    }
    k = choose(x, box);
    stretch(&x->box[k], box);
    x->id[k] |= id & HD_BOX_MARKED;
    beside = put_below(t, ID(x, k), box, id);
    if (beside == HD_NONE)
        return HD_NONE;
    renew(t, x, k);
    if (x->n < FAN) {
        append_node(t, x, beside);
        return HD_NONE;
    }
    {
        rnode above = {0, 0, {0}, {{0, 0, 0, 0}}};
        append_node(t, &above, beside);
        return split(t, i, &above.box[0], above.id[0]);
    }
}

int hd_rtree_put(hd_rtree *t, uint32_t *root, const hd_box *box, uint32_t id)
{
    uint32_t old = *root, beside;
    if (hd_list_room(&t->nodes, HEIGHT_MAX, sizeof(rnode)))
        return -1;
    t->n_boxes++;
    if (old == HD_NONE)
        old = *root = new_node(t, 0);
    beside = put_below(t, old, box, id);
    if (beside == HD_NONE)
        return 0;
    *root = new_node(t, NODE(t, old)->level + 1);
    append_node(t, NODE(t, *root), old);
    append_node(t, NODE(t, *root), beside);
    return 0;
}

/* ---- walking ----------------------------------------------------------------------------------------------------- */

static int make_homeless(hd_rtree *t, const hd_box *box, uint32_t id)
{
    if (hd_list_room(&t->homeless, 1, sizeof(item)))
        return -1;
    ((item *)t->homeless.at)[t->homeless.n++] = (item){*box, id};
    t->n_boxes--;
    return 0;
}

/* Box k of leaf x is met. Its remains stay in x if there is room: the bounds still hold. */
static int meet_box(hd_rtree *t, rnode *x, uint32_t k, hd_walk *w, int *changed)
{
    uint32_t id = x->id[k];
    hd_box rest[4];
    int n = w->met(w, ID(x, k), &x->box[k], rest), i;
    if (n == HD_BOX_KEPT)
        return 0;
    *changed = 1;
    if (n == 0)
        drop(x, k);
    else
        x->box[k] = rest[0];
    t->n_boxes += (uint64_t)(int64_t)(n - 1);
    for (i = 1; i < n; i++)
        if (x->n < FAN)
            append(x, &rest[i], id);
        else if (make_homeless(t, &rest[i], id))
            return -1;
    return 0;
}

static int walk(hd_rtree *t, uint32_t i, hd_walk *w, int *changed);

/* Dissolves the node below entry k of x if it holds too little. */
static int settle(hd_rtree *t, rnode *x, uint32_t k)
{
    uint32_t i, child = ID(x, k);
    rnode *c = NODE(t, child);
    if (c->n >= FEW || (c->n && c->level)) {
        renew(t, x, k);
        return 0;
    }
    for (i = 0; i < c->n; i++)
        if (make_homeless(t, &c->box[i], c->id[i]))
            return -1;
    free_node(t, child);
    drop(x, k);
    return 0;
}

static int meet_node(hd_rtree *t, rnode *x, uint32_t k, hd_walk *w, int *changed)
{
    int below = 0;
    if (walk(t, ID(x, k), w, &below))
        return -1;
    *changed |= below;
    return below ? settle(t, x, k) : 0;
}

/* Mask of the met entries of x. Prefetches all met child nodes at once: a tree exceeds the caches, and serial misses would
 * dominate a walk. */
static uint32_t met_entries(const hd_rtree *t, const rnode *x, const hd_walk *w)
{
    uint32_t met = 0, k;
    for (k = 0; k < x->n; k++)
        met |= (uint32_t)boxes_meet(&x->box[k], &w->q) << k;
    for (k = 0; w->marked_only && k < x->n; k++)
        met &= x->id[k] & HD_BOX_MARKED ? UINT32_MAX : ~(1u << k);
    for (k = 0; x->level && k < x->n; k++)
        if (met >> k & 1)
            ask_for(NODE(t, ID(x, k)));
    return met;
}

/* Goes from the last entry to the first, because drop() moves the last entry, already visited, into the gap. */
static int walk(hd_rtree *t, uint32_t i, hd_walk *w, int *changed)
{
    rnode *x = NODE(t, i);
    uint32_t met = met_entries(t, x, w), k;
    t->n_looks++;
    while (met) {
        k = 31u - (uint32_t)__builtin_clz(met);
        met &= ~(1u << k);
        if ((w->marked_only && !(x->id[k] & HD_BOX_MARKED)) || (w->may_meet && !w->may_meet(w, &x->box[k])))
            continue;
        if (x->level ? meet_node(t, x, k, w, changed) : meet_box(t, x, k, w, changed))
            return -1;
    }
    return 0;
}

/* Removes roots that are empty or have a single child. */
static void lower(hd_rtree *t, uint32_t *root)
{
    while (*root != HD_NONE && (NODE(t, *root)->n == 0 || (NODE(t, *root)->level && NODE(t, *root)->n == 1))) {
        uint32_t old = *root;
        *root = NODE(t, old)->n ? ID(NODE(t, old), 0) : HD_NONE;
        free_node(t, old);
    }
}

int hd_rtree_walk(hd_rtree *t, uint32_t *root, hd_walk *w)
{
    uint64_t i;
    int changed = 0;
    if (*root == HD_NONE)
        return 0;
    if (walk(t, *root, w, &changed))
        return -1;
    if (!changed)
        return 0;
    lower(t, root);
    for (i = 0; i < t->homeless.n; i++) {
        item x = ((item *)t->homeless.at)[i];
        if (hd_rtree_put(t, root, &x.box, x.id))
            return -1;
    }
    t->homeless.n = 0;
    return 0;
}
