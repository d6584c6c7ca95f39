/* SPDX-License-Identifier: MIT */
/* words.c - device words: what they mean, and random texts, which are read to their end or refused with a sentence. */
#include "check.h"
#include "engine/loop/words.h"

static hd_word one(const char *text)
{
    hd_word w;
    CHECK_MSG(hd_word_read(&text, &w) == 1, "%s: %s", text, hd_thread_error()->text);
    return w;
}

static void check_meaning(void)
{
    const char *text = " 4*cuda:0/4\tcpu:6 \n virtual:speed=0.5,link=2e9,fail=7 ";
    hd_word w;
    CHECK(hd_word_read(&text, &w) == 1 && w.kind == HD_WORD_CUDA && w.n_times == 4 && w.which == 0 && w.n_parts == 4);
    CHECK(hd_word_read(&text, &w) == 1 && w.kind == HD_WORD_CPU && w.n_times == 1 && w.which == 6);
    CHECK(hd_word_read(&text, &w) == 1 && w.kind == HD_WORD_VIRTUAL && w.virt.speed == 0.5 && w.virt.link == 2e9 &&
          w.virt.fail == 7 && w.virt.memory == 64e6);
    CHECK(hd_word_read(&text, &w) == 0);
    CHECK(one("cuda:*").which == HD_WORD_ALL && one("cpu:*").which == HD_WORD_ALL);
    CHECK(one("virtual:peer=3e9,peers=0").virt.peer == 3e9 && one("virtual:peers=0").virt.peers == 0);
    CHECK(one("virtual:least=4096").virt.least == 4096 && one("virtual:").virt.least == 0);
    CHECK(one("virtual:").virt.peer == 0 && one("virtual:").virt.peers == 1);
    CHECK(one("serial").kind == HD_WORD_SERIAL && one("virtual:").virt.speed == 1.0);
}

/* Texts of pieces that words have, and of others. */
static void check_random_texts(uint64_t seed, int n)
{
    static const char *const pieces[] = {"cpu:",      "cuda:",
                                         "virtual:",  "serial",
                                         "*",         "/",
                                         "4",         "0",
                                         "speed=",    "link=",
                                         ",",         " ",
                                         "1e9",       "-1",
                                         "nan",       "x",
                                         "hang=",     "least=4",
                                         "peer=",     "peers=",
                                         "=",         "99999999999999999999",
                                         "0x7",       ";",
                                         "memory=1e6"};
    while (n-- > 0) {
        char text[512] = "";
        const char *at = text;
        hd_word w;
        int left = (int)check_below(&seed, 20), r, n_words = 0;
        while (left-- > 0)
            strcat(text, pieces[check_below(&seed, sizeof pieces / sizeof *pieces)]);
        while ((r = hd_word_read(&at, &w)) > 0) {
            CHECK_MSG(w.n_times >= 1 && w.n_parts >= 1 && w.kind <= HD_WORD_VIRTUAL, "%s", text);
            CHECK_MSG(w.kind != HD_WORD_VIRTUAL || (w.virt.speed > 0 && w.virt.speed <= 1 && w.virt.memory >= 1), "%s",
                      text);
            CHECK_MSG(++n_words < 64, "%s", text);
        }
        CHECK_MSG(r == 0 || strstr(hd_thread_error()->text, "devices"), "%s", text);
    }
}

int main(void)
{
    const char *text = getenv("HEDDLE_TEXTS");
    check_meaning();
    check_random_texts(check_seed(7), text ? atoi(text) : 200000);
    puts("words are read");
    return 0;
}
