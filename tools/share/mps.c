/* SPDX-License-Identifier: MIT */
/* mps.c - runs the tool of MPS (share.h). It is asked through a file, which can be read when the tool has gone, too. */
#include "share.h"

#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { START_MS = 10000, ASK_MS = 5000, READY_MS = 2000, QUIT_MS = 2000, NAP_MS = 5, MISSING = 127 };
static const char tool[] = "nvidia-cuda-mps-control";

/* ---- the tool ---- */

static int input_of(const char *text)
{
    int fd = text ? memfd_create("heddle-share-mps", 0) : open("/dev/null", O_RDONLY);
    if (fd >= 0 && text && (write(fd, text, strlen(text)) < 0 || lseek(fd, 0, SEEK_SET) < 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

static void become_tool(const share_mps *m, const char *text)
{
    char *words[] = {(char *)(uintptr_t)tool, text ? NULL : (char *)(uintptr_t) "-d", NULL};
    int in = input_of(text), out = open("/dev/null", O_WRONLY);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0 ||
        setenv("CUDA_MPS_PIPE_DIRECTORY", m->folder, 1) || setenv("CUDA_MPS_LOG_DIRECTORY", m->log, 1))
        _exit(1);
    execvp(tool, words);
    _exit(MISSING);
}

/* Its status, or -1: it has not ended, or cannot be had. */
static int wait_for(pid_t child, uint64_t ms)
{
    uint64_t end_ms = share_now_ms() + ms;
    struct timespec nap = {0, NAP_MS * 1000000};
    int status = 0;
    pid_t ended;
    while ((ended = waitpid(child, &status, WNOHANG)) == 0 && share_now_ms() < end_ms)
        nanosleep(&nap, NULL);
    return ended == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Starts the daemon (text NULL), or asks it. One that is told to quit waits for its programs: it is left to itself. */
static int run_tool(const share_mps *m, const char *text, uint64_t ms, int kills)
{
    pid_t child = fork();
    int status;
    if (child == 0)
        become_tool(m, text);
    status = child < 0 ? -1 : wait_for(child, ms);
    if (status < 0 && child > 0 && kills) {
        kill(child, SIGKILL);
        (void)waitpid(child, NULL, 0);
    }
    return status;
}

/* ---- the daemon ---- */

static int answers(const share_mps *m) { return run_tool(m, "get_server_list\n", ASK_MS, 1) == 0; }

/* The number in its folder is a process's, and it answers. */
static int is_running(const share_mps *m)
{
    char path[sizeof m->folder + 64];
    int pid = 0, is_there;
    FILE *in;
    snprintf(path, sizeof path, "%s/%s.pid", m->folder, tool);
    in = fopen(path, "re");
    is_there = in && fscanf(in, "%d", &pid) == 1 && pid > 0 && (!kill(pid, 0) || errno == EPERM);
    if (in)
        fclose(in);
    return is_there && answers(m);
}

static int name_folder(char *to, size_t n_bytes, const char *variable, const char *folder, const char *own)
{
    const char *given = getenv(variable);
    int n = given && *given ? snprintf(to, n_bytes, "%s", given) : snprintf(to, n_bytes, "%s/%s", folder, own);
    if (n < 0 || (size_t)n >= n_bytes)
        return -1;
    return mkdir(to, 0700) && errno != EEXIST ? -1 : 0;
}

static int find_folders(share_mps *m, share_why *why)
{
    struct sockaddr_un address;
    char folder[sizeof address.sun_path];
    const char *given = getenv("CUDA_MPS_PIPE_DIRECTORY");
    memset(m, 0, sizeof *m);
    if (share_place(&address, folder) ||
        name_folder(m->folder, sizeof m->folder, "CUDA_MPS_PIPE_DIRECTORY", folder, "mps") ||
        name_folder(m->log, sizeof m->log, "CUDA_MPS_LOG_DIRECTORY", folder, "mps-log"))
        return share_because(why, "the folders for MPS cannot be had: %s", strerror(errno));
    m->is_ours = !given || !*given;
    return 0;
}

/* It may be about to answer. */
static int is_ready(const share_mps *m)
{
    uint64_t end_ms = share_now_ms() + READY_MS;
    struct timespec nap = {0, 10 * NAP_MS * 1000000};
    while (!answers(m)) {
        if (share_now_ms() >= end_ms)
            return 0;
        nanosleep(&nap, NULL);
    }
    return 1;
}

static int start_tool(share_mps *m, share_why *why)
{
    int status = run_tool(m, NULL, START_MS, 1);
    if (status == MISSING)
        return share_because(why, "there is no %s here", tool);
    if (status)
        return share_because(why, "%s does not start; what it says is in %s", tool, m->log);
    m->is_ours = 1;
    if (is_ready(m))
        return 0;
    share_mps_stop(m);
    return share_because(why, "%s started, and does not answer; what it says is in %s", tool, m->log);
}

int share_mps_start(share_mps *m, share_why *why)
{
    if (find_folders(m, why))
        return -1;
    if (is_running(m) || !start_tool(m, why))
        return 0;
    m->folder[0] = 0;
    return -1;
}

void share_mps_stop(const share_mps *m)
{
    if (m->folder[0] && m->is_ours)
        (void)run_tool(m, "quit\n", QUIT_MS, 0);
}
