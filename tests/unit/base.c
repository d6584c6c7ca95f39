/* SPDX-License-Identifier: MIT */
/* base.c - the small files of src/base: output files appear whole or not at all; the clock; the machine. */
#include "base/file.h"
#include "base/machine.h"
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
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
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
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
    check_text("a", "old 1\n"); /* the old file stays until then */
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
    CHECK(rename(e.text, in_dir("sub")) == 0); /* a folder is in the file's place */
    hd_file_print(f, "x");
    CHECK(hd_file_commit(f, &e) == HEDDLE_EIO && strlen(e.text) > 10);
    CHECK(n_files() == 2 && rmdir(in_dir("sub")) == 0);
}

/* Runs a child and returns how it ended. */
static int status_of(void (*child)(void))
{
    int status;
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        child();
        _exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    return status;
}

/* A path that is no regular file is written through and stays what it is. */
static void test_through(void)
{
    char got[16] = {0};
    hd_error e = {{0}};
    hd_file *f;
    struct stat s;
    int end;
    CHECK(mkfifo(in_dir("pipe"), 0600) == 0 && (end = open(in_dir("pipe"), O_RDONLY | O_NONBLOCK)) >= 0);
    CHECK(hd_file_check(in_dir("pipe"), NULL) == HEDDLE_OK);
    CHECK(hd_file_save(in_dir("pipe"), "through", 7, NULL) == HEDDLE_OK);
    CHECK(read(end, got, sizeof got) == 7 && !strcmp(got, "through"));
    CHECK(lstat(in_dir("pipe"), &s) == 0 && S_ISFIFO(s.st_mode) && n_files() == 2);
    CHECK(hd_file_create(&f, in_dir("pipe"), NULL) == HEDDLE_OK);
    close(end);
    hd_file_print(f, "nobody reads");
    CHECK(hd_file_commit(f, &e) == HEDDLE_EIO && strstr(e.text, "Broken pipe")); /* and no SIGPIPE */
    CHECK(unlink(in_dir("pipe")) == 0 && n_files() == 1);
}

static void test_full(void)
{
    hd_error e = {{0}};
    struct stat s;
    if (mknod(in_dir("full"), S_IFCHR | 0600, makedev(1, 7)) != 0 || hd_file_check(in_dir("full"), NULL) != HEDDLE_OK) {
        printf("no device can be made here\n");
        (void)unlink(in_dir("full"));
        return;
    }
    CHECK(hd_file_save(in_dir("full"), "x", 1, &e) == HEDDLE_EIO && strstr(e.text, "No space left"));
    CHECK(lstat(in_dir("full"), &s) == 0 && S_ISCHR(s.st_mode) && n_files() == 2);
    CHECK(unlink(in_dir("full")) == 0);
}

/* A program's output and a file written to the same place do not overwrite each other. */
static void print_and_save(void)
{
    int out = open(in_dir("out"), O_WRONLY | O_CREAT, 0600);
    CHECK(dup2(out, 1) == 1 && write(1, "before ", 7) == 7);
    CHECK(hd_file_save("/proc/self/fd/1", "text", 4, NULL) == HEDDLE_OK);
    CHECK(hd_file_save("/dev/fd/1", " more", 5, NULL) == HEDDLE_OK);
    CHECK(write(1, " after", 6) == 6);
}

static void test_own_output(void)
{
    CHECK(status_of(print_and_save) == 0);
    check_text("out", "before text more after");
    CHECK(unlink(in_dir("out")) == 0 && n_files() == 1);
}

/* The temporary file's name is unpredictable, and a link in its place is not followed. A link at the path stays. */
static void test_links(void)
{
    char name[256];
    struct stat s;
    CHECK(hd_file_save(in_dir("victim"), "untouched", 9, NULL) == HEDDLE_OK);
    snprintf(name, sizeof name, "%s/c.tmp%ld", dir, (long)getpid());
    CHECK(symlink("victim", name) == 0);
    CHECK(hd_file_save(in_dir("c"), "text", 4, NULL) == HEDDLE_OK);
    check_text("victim", "untouched");
    check_text("c", "text");
    CHECK(lstat(in_dir("c"), &s) == 0 && S_ISREG(s.st_mode) && unlink(name) == 0);

    CHECK(symlink("victim", in_dir("link")) == 0 && chmod(in_dir("victim"), 0640) == 0);
    CHECK(hd_file_save(in_dir("link"), "replaced", 8, NULL) == HEDDLE_OK);
    check_text("victim", "replaced");
    CHECK(lstat(in_dir("link"), &s) == 0 && S_ISLNK(s.st_mode));
    CHECK(stat(in_dir("victim"), &s) == 0 && (s.st_mode & 0777) == 0640);
    CHECK(unlink(in_dir("victim")) == 0 && hd_file_save(in_dir("link"), "x", 1, NULL) == HEDDLE_EIO);
    CHECK(unlink(in_dir("link")) == 0 && unlink(in_dir("c")) == 0 && n_files() == 1);
}

/* Beyond the limit on file sizes the call fails; an earlier pending signal stays. */
static void write_beyond(void)
{
    const struct rlimit limit = {4096, 4096};
    hd_error e = {{0}};
    hd_file *f;
    sigset_t xfsz, waiting;
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CHECK(hd_file_create(&f, in_dir("b"), &e) == HEDDLE_OK);
    for (uint32_t i = 0; i < 100; i++)
        hd_file_print(f, "%5000d", 1);
    CHECK_MSG(hd_file_commit(f, &e) == HEDDLE_EIO && strstr(e.text, "File too large"), "%s", e.text);
    CHECK(n_files() == 1);
    sigemptyset(&xfsz);
    sigaddset(&xfsz, SIGXFSZ);
    CHECK(pthread_sigmask(SIG_BLOCK, &xfsz, NULL) == 0 && raise(SIGXFSZ) == 0);
    CHECK(hd_file_create(&f, in_dir("b"), &e) == HEDDLE_OK);
    hd_file_print(f, "%5000d", 1);
    CHECK(hd_file_commit(f, &e) == HEDDLE_EIO);
    CHECK(sigpending(&waiting) == 0 && sigismember(&waiting, SIGXFSZ));
}

static void discard_and_end(int sig)
{
    hd_files_discard();
    signal(sig, SIG_DFL);
    raise(sig);
}

static void write_and_be_ended(void)
{
    hd_file *f, *g;
    signal(SIGTERM, discard_and_end);
    CHECK(hd_file_create(&f, in_dir("b"), NULL) == HEDDLE_OK && hd_file_create(&g, in_dir("d"), NULL) == HEDDLE_OK);
    hd_file_print(f, "%100000d", 1);
    CHECK(hd_file_commit(g, NULL) == HEDDLE_OK && n_files() == 3);
    raise(SIGTERM);
}

/* A program that continues after a discard gets an error at commit, and can write the next file. */
static void test_discard(void)
{
    hd_file *f;
    int status = status_of(write_and_be_ended);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM && n_files() == 2);
    CHECK(unlink(in_dir("d")) == 0);
    for (uint32_t i = 0; i < 200; i++) { /* more than are registered at a time: none is kept */
        CHECK(hd_file_create(&f, in_dir("b"), NULL) == HEDDLE_OK && n_files() == 2);
        hd_files_discard();
        CHECK(n_files() == 1 && hd_file_commit(f, NULL) == HEDDLE_EIO);
    }
}

static void test_clock(void)
{
    uint64_t a = heddle_host_clock_ns(), b, i;
    for (i = 0; i < 1000; i++) {
        b = heddle_host_clock_ns();
        CHECK(b >= a);
        a = b;
    }
    a = heddle_host_clock_ns();
    usleep(20000);
    b = heddle_host_clock_ns() - a;
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
    hd_machine_look(&m); /* now only one processor may be used */
    CHECK_MSG(m.pub.n_threads == 1 && m.pub.n_cores == 1, "pinned, yet %u threads", m.pub.n_threads);
}

int main(void)
{
    uint64_t held = hd_held_bytes();
    CHECK(mkdtemp(dir));
    test_file();
    test_refused();
    test_through();
    test_full();
    test_own_output();
    test_links();
    CHECK(status_of(write_beyond) == 0);
    test_discard();
    CHECK(unlink(in_dir("a")) == 0 && rmdir(dir) == 0);
    test_clock();
    test_machine();
    CHECK(hd_held_bytes() == held);
    return 0;
}
