/* SPDX-License-Identifier: MIT */
/* tagged.cu - words {value, tag} of 8 and 16 bytes on a GPU. They pass through the L2 cache, through a block's shared
 * memory, and through that of another block of the cluster. A reader that sees a tag has its value, because each word is
 * stored and loaded whole.
 *
 *     tagged        reads at least HEDDLE_TAGGED_WORDS words of each kind (10,000,000)
 *
 * A lane writes one word all the time, tag after tag, and waits for no reader; another lane reads it all the time. Each
 * read is checked, and enough reads must see a new tag. Words written in two halves must be seen torn, else the test is
 * blind. Exit status 0: all right; 1: a failure, described; 77: no GPU. Writers and readers leave after LIMIT_NS. */
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "heddle/body.h"

#define LIMIT_NS 20000000000ull
#define N_THREADS 512u
#define N_LANES (N_THREADS / 2u) /* writers, or readers, in a block that has both */
#define CLUSTER 2u
#define MOST_BLOCKS 1024u

enum { L2, SHARED, CLUSTERS, N_MEDIA };
enum { EIGHT, SIXTEEN, HALVES, N_KINDS };
static const char *const media[] = {"the L2 cache", "shared memory", "shared memory of the cluster"};
static const char *const kinds[] = {"8 bytes", "16 bytes", "8 bytes in two halves"};

typedef struct tagged {
    uint64_t n_reads;                     /* per lane */
    unsigned long long n_changes, n_torn; /* reads that saw a new tag; reads with another tag's value */
    uint32_t n_readers, n_done, gave_up;  /* lanes                                                          */
    uint32_t bad[5];                      /* one torn word: tag, number of its lane, values */
    uint32_t pad[3];
    ulonglong2 words[MOST_BLOCKS][N_THREADS]; /* for the L2 cache */
} tagged;

/* ---- words ---- */

/* Content of a word: a tag, and values that depend on the tag and on the word's number. */
typedef struct word {
    uint32_t tag, value[3];
} word;

static __device__ word word_of(uint32_t tag, uint32_t whose)
{
    const uint32_t h = tag * 2654435761u ^ whose * 2246822519u;
    const word w = {tag, {h, h * 3u + 1u, h ^ 0x5a5a5a5au}};
    return w;
}

static __device__ int word_is_whole(const word *w, uint32_t whose, int kind)
{
    const word want = word_of(w->tag, whose);
    if (w->tag == 0) /* not written yet */
        return (w->value[0] | (kind == SIXTEEN ? w->value[1] | w->value[2] : 0u)) == 0;
    return w->value[0] == want.value[0] &&
           (kind != SIXTEEN || (w->value[1] == want.value[1] && w->value[2] == want.value[2]));
}

/* 64 bits hold value, tag; 128 bits hold values, tag. */
#define LOAD_64(space, p)                                                              \
    asm volatile("ld.relaxed." space ".b64 %0,[%1];" : "=l"(low) : "l"(p) : "memory"); \
    w.value[0] = (uint32_t)low;                                                        \
    w.tag = (uint32_t)(low >> 32)
#define STORE_64(space, p) \
    asm volatile("st.relaxed." space ".b64 [%0],%1;" ::"l"(p), "l"((uint64_t)w.tag << 32 | w.value[0]) : "memory")
#define LOAD_128(space, p)                                                               \
    asm volatile("{.reg .b128 q; ld.relaxed." space ".b128 q,[%2]; mov.b128 {%0,%1},q;}" \
                 : "=l"(low), "=l"(high)                                                 \
                 : "l"(p)                                                                \
                 : "memory");                                                            \
    w.value[0] = (uint32_t)low;                                                          \
    w.value[1] = (uint32_t)(low >> 32);                                                  \
    w.value[2] = (uint32_t)high;                                                         \
    w.tag = (uint32_t)(high >> 32)
#define STORE_128(space, p)                                                                            \
    asm volatile("{.reg .b128 q; mov.b128 q,{%1,%2}; st.relaxed." space ".b128 [%0],q;}" ::"l"(p),     \
                 "l"((uint64_t)w.value[1] << 32 | w.value[0]), "l"((uint64_t)w.tag << 32 | w.value[2]) \
                 : "memory")
/* Without the fence ptxas would merge the two stores. */
#define STORE_HALVES(space, p)                                                              \
    asm volatile("st.relaxed." space ".b32 [%0],%1;" ::"l"(p), "r"(w.value[0]) : "memory"); \
    asm volatile("fence.acq_rel.cta;" ::: "memory");                                        \
    asm volatile("st.relaxed." space ".b32 [%0],%1;" ::"l"((char *)(p) + 4), "r"(w.tag) : "memory")

#if __CUDA_ARCH__ >= 900
#define OF_CLUSTER "cluster"
#else
#define OF_CLUSTER "gpu" /* never run */
#endif

/* ACCESS with the scope of the medium, which PTX needs as text. */
#define IN_SCOPE(ACCESS, p)            \
    do {                               \
        if (MEDIUM == L2) {            \
            ACCESS("gpu", p);          \
        } else if (MEDIUM == SHARED) { \
            ACCESS("cta", p);          \
        } else {                       \
            ACCESS(OF_CLUSTER, p);     \
        }                              \
    } while (0)

template <int MEDIUM, int KIND> static __device__ word load(const ulonglong2 *p)
{
    word w = {0, {0, 0, 0}};
    uint64_t low, high;
    if (KIND == SIXTEEN)
        IN_SCOPE(LOAD_128, p);
    else
        IN_SCOPE(LOAD_64, p);
    return w;
}

template <int MEDIUM, int KIND> static __device__ void store(ulonglong2 *p, word w)
{
    if (KIND == HALVES)
        IN_SCOPE(STORE_HALVES, p);
    else if (KIND == SIXTEEN)
        IN_SCOPE(STORE_128, p);
    else
        IN_SCOPE(STORE_64, p);
}

/* ---- writers and readers ---- */

static __device__ void meet_cluster(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

/* The address of p in the shared memory of the cluster's given block. */
static __device__ ulonglong2 *there(ulonglong2 *p, uint32_t block)
{
#if __CUDA_ARCH__ >= 900
    uint64_t at;
    asm volatile("mapa.u64 %0,%1,%2;" : "=l"(at) : "l"(p), "r"(block));
    return (ulonglong2 *)at;
#else
    (void)block;
    return p;
#endif
}

template <int MEDIUM, int KIND>
static __device__ void write_on(tagged *t, ulonglong2 *p, uint32_t whose, uint64_t limit)
{
    for (uint32_t tag = 1;; tag++) {
        store<MEDIUM, KIND>(p, word_of(tag, whose));
        if (tag % 256u == 0 &&
            (HEDDLE_ATOMIC_LOAD(&t->n_done, RELAXED, DEV) == t->n_readers || heddle_clock_ns() > limit))
            return;
    }
}

template <int MEDIUM, int KIND>
static __device__ void read_on(tagged *t, const ulonglong2 *p, uint32_t whose, uint64_t limit)
{
    uint32_t last = 0, n_changes = 0, n_torn = 0;
    for (uint64_t i = 0; i < t->n_reads; i++) {
        const word w = load<MEDIUM, KIND>(p);
        n_changes += w.tag != last;
        last = w.tag;
        if (!word_is_whole(&w, whose, KIND) && n_torn++ == 0 && atomicCAS(&t->bad[0], 0u, 1u) == 0) {
            t->bad[0] = w.tag;
            t->bad[1] = whose;
            for (int k = 0; k < 3; k++)
                t->bad[2 + k] = w.value[k];
        }
        if (i % 1024u == 0 && heddle_clock_ns() > limit) {
            t->gave_up = 1;
            break;
        }
    }
    atomicAdd(&t->n_changes, (unsigned long long)n_changes);
    atomicAdd(&t->n_torn, (unsigned long long)n_torn);
    atomicAdd(&t->n_done, 1u);
}

/* Through the L2 cache a block writes for the next one; in shared memory half of the block writes for the other half; in a
 * cluster the first block writes into the second one's memory. */
template <int MEDIUM, int KIND> static __global__ void __launch_bounds__(N_THREADS) trial(tagged *t)
{
    __shared__ ulonglong2 near[N_THREADS];
    const uint64_t limit = heddle_clock_ns() + LIMIT_NS;
    const uint32_t pair = MEDIUM == SHARED ? blockIdx.x : blockIdx.x / CLUSTER;
    const uint32_t lane = MEDIUM == SHARED ? threadIdx.x % N_LANES : threadIdx.x, whose = pair * N_THREADS + lane + 1u;
    const int writes = MEDIUM == SHARED ? threadIdx.x < N_LANES : blockIdx.x % CLUSTER == 0;
    ulonglong2 *p = MEDIUM == L2 ? &t->words[pair][lane] : &near[lane];
    near[threadIdx.x] = make_ulonglong2(0, 0);
    __syncthreads();
    if (MEDIUM == CLUSTERS) {
        meet_cluster();
        p = writes ? there(p, 1) : p;
    }
    if (writes)
        write_on<MEDIUM, KIND>(t, p, whose, limit);
    else
        read_on<MEDIUM, KIND>(t, p, whose, limit);
    if (MEDIUM == CLUSTERS)
        meet_cluster(); /* no block exits while others write to its memory */
}

/* ---- the host ---- */

static void fail(const char *doing, cudaError_t e)
{
    printf("FAILED: %s: %s\n", doing, cudaGetErrorString(e));
    exit(1);
}
#define CUDA(call)               \
    do {                         \
        cudaError_t e_ = (call); \
        if (e_ != cudaSuccess)   \
            fail(#call, e_);     \
    } while (0)

template <int MEDIUM, int KIND> static void launch(tagged *t, uint32_t n_blocks)
{
    cudaLaunchConfig_t c = {};
    cudaLaunchAttribute a[1];
    c.gridDim = dim3(n_blocks);
    c.blockDim = dim3(N_THREADS);
    a[0].id = cudaLaunchAttributeClusterDimension;
    a[0].val.clusterDim.x = CLUSTER;
    a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
    c.attrs = a;
    c.numAttrs = MEDIUM == CLUSTERS;
    CUDA(cudaLaunchKernelEx(&c, trial<MEDIUM, KIND>, t));
}

typedef void (*launcher)(tagged *t, uint32_t n_blocks);
static const launcher launchers[N_MEDIA][N_KINDS] = {
    {launch<L2, EIGHT>, launch<L2, SIXTEEN>, launch<L2, HALVES>},
    {launch<SHARED, EIGHT>, launch<SHARED, SIXTEEN>, launch<SHARED, HALVES>},
    {launch<CLUSTERS, EIGHT>, launch<CLUSTERS, SIXTEEN>, nullptr},
};

static void clear(tagged *t, uint64_t n_words, uint32_t n_readers)
{
    CUDA(cudaMemset(t, 0, sizeof *t));
    const uint64_t n_reads = (n_words + n_readers - 1u) / n_readers;
    CUDA(cudaMemcpy(&t->n_reads, &n_reads, sizeof n_reads, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(&t->n_readers, &n_readers, sizeof n_readers, cudaMemcpyHostToDevice));
}

/* Prints the result; returns 0, or 1 after a message. */
static int judge(const tagged *t, const char *what, int kind)
{
    const double n = (double)t->n_reads * t->n_readers;
    printf("%-45s %14.0f words read, %14llu new ones, %llu torn\n", what, n, t->n_changes, t->n_torn);
    if (t->gave_up)
        return printf("FAILED: %s: the readers were not through after %llu s\n", what, LIMIT_NS / 1000000000ull) > 0;
    if ((double)t->n_changes < n / 1000)
        return printf("FAILED: %s: fewer than one read in 1000 saw something new\n", what) > 0;
    if (kind == HALVES && t->n_torn == 0)
        return printf("FAILED: %s: nothing was seen torn, so this test is blind\n", what) > 0;
    if (kind == HALVES || t->n_torn == 0)
        return 0;
    return printf("FAILED: %s: for example tag %u in word %u with values %x %x %x\n", what, t->bad[0], t->bad[1],
                  t->bad[2], t->bad[3], t->bad[4]) > 0;
}

static int run(tagged *t, int medium, int kind, uint64_t n_words, uint32_t n_sms)
{
    static tagged got;
    const uint32_t n_blocks = (n_sms < 2u ? 2u : n_sms > MOST_BLOCKS ? MOST_BLOCKS : n_sms) / CLUSTER * CLUSTER;
    const uint32_t n_readers = n_blocks * N_LANES;
    char what[96];
    snprintf(what, sizeof what, "%s, %s", kinds[kind], media[medium]);
    clear(t, n_words, n_readers);
    launchers[medium][kind](t, n_blocks);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(&got, t, offsetof(tagged, words), cudaMemcpyDeviceToHost));
    return judge(&got, what, kind);
}

int main(void)
{
    const char *asked = getenv("HEDDLE_TAGGED_WORDS");
    const uint64_t n_words = asked ? strtoull(asked, nullptr, 0) : 10000000u;
    int n = 0, n_sms = 0, major = 0, n_failed = 0;
    void *t;
    if (cudaGetDeviceCount(&n) != cudaSuccess || n == 0) {
        printf("skipped: no GPU here\n");
        return 77;
    }
    CUDA(cudaDeviceGetAttribute(&n_sms, cudaDevAttrMultiProcessorCount, 0));
    CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    CUDA(cudaMalloc(&t, sizeof(tagged)));
    for (int medium = 0; medium < N_MEDIA; medium++)
        for (int kind = 0; kind < N_KINDS; kind++) {
            if (medium == CLUSTERS && major < 9)
                printf("%s, %s: this GPU has no clusters\n", kinds[kind], media[medium]);
            else if (launchers[medium][kind])
                n_failed += run((tagged *)t, medium, kind, kind == HALVES && n_words > 10000000u ? 10000000u : n_words,
                                (uint32_t)n_sms);
        }
    CUDA(cudaFree(t));
    return n_failed != 0;
}
