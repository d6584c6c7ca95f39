/* SPDX-License-Identifier: MIT */
/* ranges.cpp - HEDDLE_RANGES in C++: its list is evaluated once, and the count is right, in any kind of list. */
#include <heddle.h>

#include <cstdio>

namespace
{
double cells[4];
int n_calls;

double *next() { return &cells[n_calls++]; }

struct seen {
    const void *first;
    size_t n;
};

seen take(const heddle_range *ranges, size_t n) { return {n ? ranges->base : nullptr, n}; }

template <class T> seen take_two(T *p)
{
    return take(HEDDLE_RANGES(HEDDLE_IN(p, sizeof(T)), HEDDLE_OUT(p + 1, sizeof(T))));
}

int n_wrong;
void expect(const char *what, bool is)
{
    if (!is)
        std::printf("wrong: %s\n", what);
    n_wrong += !is;
}
} // namespace

int main()
{
    const heddle_range r = HEDDLE_IN(cells, 8);
    seen s = take(HEDDLE_RANGES(HEDDLE_INOUT(next(), 8)));
    expect("a call in the list is made once", s.n == 1 && s.first == cells && n_calls == 1);
    s = take(HEDDLE_RANGES(HEDDLE_IN(next(), 8), HEDDLE_OUT(next(), 8)));
    expect("two calls are made once each", s.n == 2 && n_calls == 3);
    expect("variables", take(HEDDLE_RANGES(r, r, r)).n == 3);
    expect("fields in braces", take(HEDDLE_RANGES({cells, 8, 1, 0, HEDDLE_MODE_IN}, r)).n == 2);
    expect("an empty list", take(HEDDLE_RANGES()).n == 0);
    expect("in a template", take_two(cells).n == 2);
    return n_wrong != 0;
}
