/* SPDX-License-Identifier: MIT */
/* base.c - the small files of src/base: output files that appear whole or not at all, the clock, the machine. */
#include "base/base.h"
#include "base/machine.h"
#include "check.h"

#include <dirent.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

static char dir[] = "/tmp/heddle_base_XXXXXX";

static const char *in_dir(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static uint32_t n_files(void)
{
    DIR *d = opendir(dir);
    struct dirent *e;
    uint32_t n = 0;
    CHECK(d);
    while ((e = readdir(d)))
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static void check_text(const char *name, const char *expected)
{
    char text[64] = {0};
    FILE *f = fopen(in_dir(name), "r");
    CHECK(f && fread(text, 1, sizeof text - 1, f) == strlen(expected) && !strcmp(text, expected));
    fclose(f);
}

static void test_file(void)
{
    hd_file *f;
    CHECK(hd_file_create(&f, in_dir("a"), NULL) == HEDDLE_OK);
    hd_file_print(f, "%s %d\n", "old", 1);
    CHECK(access(in_dir("a"), F_OK) != 0); /* not before it is whole */
    CHECK(hd_file_commit(f, NULL) == HEDDLE_OK && n_files() == 1);
    check_text("a", "old 1\n");
    CHECK(hd_file_create(&f, in_dir("a"), NULL) == HEDDLE_OK);
    hd_file_print(f, "new");
    check_text("a", "old 1\n"); /* the old one stands until then */
    hd_file_drop(f);
    CHECK(n_files() == 1);
    check_text("a", "old 1\n");
    CHECK(hd_file_create(&f, in_dir("a"), NULL) == HEDDLE_OK);
    hd_file_print(f, "new");
    CHECK(hd_file_commit(f, NULL) == HEDDLE_OK && n_files() == 1);
    check_text("a", "new");
    hd_file_drop(NULL);
}

static void test_refused(void)
{
    hd_error e = {{0}};
    hd_file *f = (hd_file *)&e;
    CHECK(hd_file_create(&f, in_dir("none/b"), &e) == HEDDLE_EIO && !f && strstr(e.text, "none/b"));
    CHECK(mkdtemp(strcpy(e.text, in_dir("sub_XXXXXX"))));
    CHECK(hd_file_create(&f, in_dir("sub"), NULL) == HEDDLE_OK);
    CHECK(rename(e.text, in_dir("sub")) == 0); /* a folder stands where the file should go */
    hd_file_print(f, "x");
    CHECK(hd_file_commit(f, &e) == HEDDLE_EIO && strlen(e.text) > 10);
    CHECK(n_files() == 2 && rmdir(in_dir("sub")) == 0);
}

/* The disk is full: found at the latest when the file is closed. */
static void test_full(void)
{
    hd_error e = {{0}};
    hd_file *f;
    if (access("/dev/full", W_OK)) {
        printf("no /dev/full here\n");
        return;
    }
    CHECK(symlink("/dev/full", in_dir("full")) == 0);
    CHECK(hd_file_create(&f, in_dir("c"), NULL) == HEDDLE_OK);
    hd_file_drop(f);
    /* The file beside the path has a name that is known: point it at the full disk. */
    snprintf(e.text, sizeof e.text, "%s/c.tmp%ld", dir, (long)getpid());
    CHECK(symlink("/dev/full", e.text) == 0);
    if (hd_file_create(&f, in_dir("c"), &e) == HEDDLE_OK) {
        hd_file_print(f, "%5000d", 1);
        CHECK(hd_file_commit(f, &e) == HEDDLE_EIO && strlen(e.text) > 10);
    }
    CHECK(access(in_dir("c"), F_OK) != 0);
    snprintf(e.text, sizeof e.text, "%s/c.tmp%ld", dir, (long)getpid());
    (void)unlink(e.text);
    CHECK(unlink(in_dir("full")) == 0);
}

static void test_clock(void)
{
    uint64_t a = hd_host_clock(), b, i;
    for (i = 0; i < 1000; i++) {
        b = hd_host_clock();
        CHECK(b >= a);
        a = b;
    }
    a = hd_host_clock();
    usleep(20000);
    b = hd_host_clock() - a;
    CHECK_MSG(b >= 20000000 && b < 10000000000u, "20 ms are %llu ns", (unsigned long long)b);
}

static void test_machine(void)
{
    hd_machine m;
    cpu_set_t set;
    uint32_t i, k;
    memset(&m, 0xff, sizeof m);
    hd_machine_look(&m);
    CHECK(sched_getaffinity(0, sizeof set, &set) == 0);
    CHECK_MSG(m.pub.n_threads == (uint32_t)CPU_COUNT(&set) && m.pub.n_cores <= m.pub.n_threads && m.pub.n_cores > 0,
              "%u threads, %u cores", m.pub.n_threads, m.pub.n_cores);
    for (i = 0; i < m.pub.n_threads; i++) {
        CHECK(CPU_ISSET(m.cpu[i], &set));
        for (k = 0; k < i; k++)
            CHECK(m.cpu[k] != m.cpu[i]);
    }
    hd_machine_pin(m.cpu[m.pub.n_threads - 1]);
    CHECK(sched_getcpu() == (int)m.cpu[m.pub.n_threads - 1]);
    hd_machine_look(&m); /* now only one may be used */
    CHECK_MSG(m.pub.n_threads == 1 && m.pub.n_cores == 1, "pinned, yet %u threads", m.pub.n_threads);
}

int main(void)
{
    uint64_t held = hd_held_bytes();
    CHECK(mkdtemp(dir));
    test_file();
    test_refused();
    test_full();
    CHECK(unlink(in_dir("a")) == 0 && rmdir(dir) == 0);
    test_clock();
    test_machine();
    CHECK(hd_held_bytes() == held);
    return 0;
}
