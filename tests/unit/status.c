/* SPDX-License-Identifier: MIT */
/* status.c - texts of statuses; error sentences: each thread has its own, long ones are cut and stay terminated. */
#include "base/base.h"
#include "check.h"

#include <pthread.h>
#include <string.h>

static void test_texts(void)
{
    int s, k;
    for (s = 0; s >= HEDDLE_STATUS_MIN; s--) {
        const char *text = heddle_status_text((heddle_status)s);
        CHECK(text && strlen(text) > 3 && strcmp(text, "unknown status"));
        for (k = 0; k > s; k--)
            CHECK(strcmp(text, heddle_status_text((heddle_status)k)));
    }
    CHECK(!strcmp(heddle_status_text((heddle_status)(HEDDLE_STATUS_MIN - 1)), "unknown status"));
    CHECK(!strcmp(heddle_status_text((heddle_status)1), "unknown status"));
    CHECK(!strcmp(heddle_status_text(HEDDLE_ENOMEM), "out of memory"));
#define HEDDLE_X(name, value, text) CHECK(HEDDLE_##name == (value) && !strcmp(heddle_status_text(HEDDLE_##name), text));
    HEDDLE_STATUS_MAP(HEDDLE_X)
#undef HEDDLE_X
}

static void *other_thread(void *arg)
{
    (void)arg;
    CHECK(!strcmp(heddle_error_text(NULL), ""));
    CHECK(hd_say(NULL, HEDDLE_EIO, "in thread %d", 2) == HEDDLE_EIO);
    CHECK(!strcmp(heddle_error_text(NULL), "in thread 2"));
    return NULL;
}

static void test_sentences(void)
{
    pthread_t thread;
    hd_error e;
    CHECK(!strcmp(heddle_error_text(NULL), ""));
    CHECK(hd_say(NULL, HEDDLE_EBUSY, "task %u", 7u) == HEDDLE_EBUSY);
    CHECK(hd_say(&e, HEDDLE_EPARSE, "%0*d", 2000, 5) == HEDDLE_EPARSE);
    CHECK(strlen(e.text) == sizeof e.text - 1);
    CHECK(pthread_create(&thread, NULL, other_thread, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(!strcmp(heddle_error_text(NULL), "task 7") && hd_thread_error()->text == heddle_error_text(NULL));
}

static heddle_status tries(heddle_status s, int *went_on)
{
    HD_TRY(s);
    *went_on = 1;
    return HEDDLE_OK;
}

int main(void)
{
    int went_on = 0;
    test_texts();
    test_sentences();
    CHECK(tries(HEDDLE_ERANGE, &went_on) == HEDDLE_ERANGE && !went_on);
    CHECK(tries(HEDDLE_OK, &went_on) == HEDDLE_OK && went_on);
    return 0;
}
