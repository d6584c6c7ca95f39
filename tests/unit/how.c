/* SPDX-License-Identifier: MIT */
/* how.c - the lines that tell how a loop was divided: those of neighbouring cores that differ in numbers only are one. */
#include "check.h"
#include "engine/loop/fleet.h"

#include <string.h>

static void check_text(hd_list *how, const char *want)
{
    CHECK_MSG(how->n == strlen(want) && !strcmp(how->at, want), "%s instead of %s", (const char *)how->at, want);
    how->n = 0;
}

static void add_core(hd_list *how, unsigned core, double percent, unsigned n_slices)
{
    hd_how_add(how, "cpu:%u: %.1f %% of the indices in %u slices", core, percent, n_slices);
    hd_how_add(how, "\n");
}

static void check_joined(hd_list *how)
{
    hd_how_add(how, "split cut over 5 units\n");
    hd_how_add(how, "cuda:0: 80.0 %% of the indices in 9 slices\n");
    add_core(how, 0, 5.5, 12);
    add_core(how, 1, 9.9, 3);
    add_core(how, 2, 0.1, 12);
    add_core(how, 3, 10.0, 4);
    check_text(how, "split cut over 5 units\n"
                    "cuda:0: 80.0 % of the indices in 9 slices\n"
                    "each of cpu:0 to 3: 0.1 to 10.0 % of the indices in 3 to 12 slices\n");
    add_core(how, 7, 2, 3);
    add_core(how, 8, 2, 3);
    check_text(how, "each of cpu:7 to 8: 2.0 % of the indices in 3 slices\n");
}

/* A core that has more to tell, and what is no core. */
static void check_apart(hd_list *how)
{
    add_core(how, 0, 1, 2);
    hd_how_add(how, "cpu:1: 0.0 %% of the indices in 0 slices; left out: the loop would take 3 ms with it\n");
    hd_how_add(how, "cpu:2: 0.0 %% of the indices in 0 slices; left out: the loop would take 2.5 ms with it\n");
    add_core(how, 3, 1, 2);
    hd_how_add(how, "virtual:0: 1.0 %% of the indices in 2 slices\n");
    hd_how_add(how, "virtual:1: 1.0 %% of the indices in 2 slices\n");
    check_text(
        how, "cpu:0: 1.0 % of the indices in 2 slices\n"
             "each of cpu:1 to 2: 0.0 % of the indices in 0 slices; left out: the loop would take 2.5 to 3 ms with it\n"
             "cpu:3: 1.0 % of the indices in 2 slices\n"
             "virtual:0: 1.0 % of the indices in 2 slices\n"
             "virtual:1: 1.0 % of the indices in 2 slices\n");
}

/* A fleet of all the cores that there may be. */
static void check_many(hd_list *how)
{
    for (unsigned i = 0; i < 4096; i++)
        add_core(how, i, 0.1, i % 3);
    check_text(how, "each of cpu:0 to 4095: 0.1 % of the indices in 0 to 2 slices\n");
}

/* Lines as long as they come, which have no room to become one. */
static void check_long(hd_list *how)
{
    char word[319];
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = 0;
    for (int i = 0; i < 3; i++) {
        hd_how_add(how, "cpu:%d: %s", i, "lost: ");
        hd_how_add(how, "%s", word);
        hd_how_add(how, "%s", word);
        hd_how_add(how, "%s\n", word + 20);
    }
    CHECK(how->n == 3 * (strlen("cpu:0: lost: ") + 2 * 318 + 299));
    how->n = 0;
}

int main(void)
{
    hd_list how = {NULL, 0, 0, 0};
    check_joined(&how);
    check_apart(&how);
    check_many(&how);
    check_long(&how);
    hd_list_clear(&how);
    return 0;
}
