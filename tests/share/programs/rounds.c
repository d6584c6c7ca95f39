/* SPDX-License-Identifier: MIT */
/* rounds.c - stands in for one of the programs of apps/cumas: takes their options (program.h), meets others at the same barrier and prints
 * the same lines, by the driver's functions. Its name is its file's. A round copies 4 to 7 MB in, which the name chooses, runs a kernel of some
 * ms, and copies half of them out; --mb and --work (us) say otherwise.
 *
 * ROUNDS_TROUBLE=NAME:WHAT:ROUND makes the program of this name have trouble in that round: `wrong`, `die` (by a signal), `hang`, `fail` (exit
 * status 2 and a sentence), `mute` (no line). */
#include "api.h"

#include "barrier.h"

#include <getopt.h>
#include <signal.h>
#include <unistd.h>

enum { MOST = 1000, MB = 1000000 };

static const char *name, *page, *list;
static uint32_t n_rounds = 1, n_programs, work_us;
static double mb, gap_us = 100, patience = 60, places[MOST + 1];
static unsigned char *host;
static CUdeviceptr device;
static CUfunction f;

void compute(void **params)
{
    unsigned char *data = *(unsigned char **)params[0];
    usleep(work_us);
    data[0] = (unsigned char)(data[0] + 1);
}

static int has_trouble(const char *what, uint32_t round)
{
    const char *told = getenv("ROUNDS_TROUBLE");
    char mine[128];
    snprintf(mine, sizeof mine, "%s:%s:%u", name, what, round);
    return told && strcmp(told, mine) == 0;
}

static void take(int option)
{
    switch (option) {
    case 'm': mb = atof(optarg); break;
    case 'w': work_us = (uint32_t)atoi(optarg); break;
    case 'r': n_rounds = (uint32_t)atoi(optarg); break;
    case 'b': page = optarg; break;
    case 'n': n_programs = (uint32_t)atoi(optarg); break;
    case 'p': list = optarg; break;
    case 'g': gap_us = atof(optarg); break;
    case 't': patience = atof(optarg); break;
    default: fprintf(stderr, "%s: an unknown option\n", name), exit(2);
    }
}

static void read_options(int argc, char **argv)
{
    static const struct option known[] = {
        {"mb", 1, NULL, 'm'},      {"work", 1, NULL, 'w'},     {"rounds", 1, NULL, 'r'},
        {"barrier", 1, NULL, 'b'}, {"programs", 1, NULL, 'n'}, {"places", 1, NULL, 'p'},
        {"gap", 1, NULL, 'g'},     {"patience", 1, NULL, 't'}, {NULL, 0, NULL, 0}};
    int option;
    name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
    mb = 4 + name[0] % 4, work_us = 2000 + 1000 * (uint32_t)(name[strlen(name) - 1] % 8);
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1)
        take(option);
    for (uint32_t r = 1; list && r <= n_rounds && r <= MOST; r++) {
        places[r] = *list == '-' ? -1 : atof(list);
        list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL;
    }
}

static void meet(uint64_t *go_ns)
{
    char error[BARRIER_ERROR];
    *go_ns = page ? barrier_meet(error) : barrier_now();
    if (*go_ns)
        return;
    fprintf(stderr, "%s: %s\n", name, error);
    exit(2);
}

/* t: times before the copy in, behind it, behind the kernel, at the end. */
static int is_right(uint64_t t[4], uint32_t round)
{
    const size_t in = (size_t)(mb * MB), out = in / 2;
    void *params[] = {&device, NULL};
    memset(host, (int)round, in);
    t[0] = barrier_now();
    TRY(cu.cuMemcpyHtoD(device, host, in));
    t[1] = barrier_now();
    TRY(cu.cuLaunchKernel(f, 8, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
    TRY(cu.cuStreamSynchronize(NULL));
    t[2] = barrier_now();
    memset(host, 255, out);
    TRY(cu.cuMemcpyDtoH(host, device, out));
    TRY(cu.cuCtxSynchronize());
    t[3] = barrier_now();
    return host[0] == (unsigned char)(round + 1) && host[out - 1] == (unsigned char)round &&
           !has_trouble("wrong", round);
}

static void have_trouble(uint32_t round)
{
    if (has_trouble("die", round))
        raise(SIGKILL);
    if (has_trouble("hang", round))
        pause();
    if (has_trouble("fail", round))
        fprintf(stderr, "%s: it does not work\n", name), exit(2);
}

static int play(uint32_t round)
{
    uint64_t t[4], go, none;
    int right;
    if (round)
        meet(&go);
    else
        go = barrier_now();
    if (places[round] < 0) {
        meet(&none);
        return 0;
    }
    go += (uint64_t)(places[round] * gap_us * 1000);
    barrier_wait_until(go);
    have_trouble(round);
    right = is_right(t, round);
    if (round)
        meet(&none);
    if (!has_trouble("mute", round))
        printf("round\t%s\t%u\t%llu\t%llu\t%.3f\t%.3f\t%.3f\t%.3f\t%016x\t%s\n", name, round, (unsigned long long)go,
               (unsigned long long)t[3], (double)(t[3] - go) / 1e6, (double)(t[1] - t[0]) / 1e6,
               (double)(t[2] - t[1]) / 1e6, (double)(t[3] - t[2]) / 1e6, round, right ? "right" : "wrong");
    fflush(stdout);
    return !right;
}

int main(int argc, char **argv)
{
    CUcontext c;
    int is_wrong = 0;
    char error[BARRIER_ERROR];
    read_options(argc, argv);
    api_load("lookup", NULL, 0);
    TRY(cu.cuInit(0));
    TRY(cu.cuDevicePrimaryCtxRetain(&c, 0));
    TRY(cu.cuCtxSetCurrent(c));
    TRY(cu.cuMemAlloc(&device, (size_t)(mb * MB)));
    TRY(cu.cuModuleGetFunction(&f, NULL, "compute"));
    host = malloc((size_t)(mb * MB));
    if (page && barrier_join(page, n_programs, patience, error))
        fprintf(stderr, "%s: %s\n", name, error), exit(2);
    atexit(barrier_leave);
    puts("what\tprogram\tround\tbegin_ns\tend_ns\tms\tin_ms\tkernels_ms\tout_ms\tdigest\tresult");
    for (uint32_t round = 0; round <= n_rounds; round++)
        is_wrong |= play(round);
    return is_wrong;
}
