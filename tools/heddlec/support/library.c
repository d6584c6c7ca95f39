/* SPDX-License-Identifier: MIT */
/* library.c - the table of library functions, and the reserved words of C++ and CUDA. */
#include "support/library.h"

#include "support/base.h"

#include <string.h>

/* Blank-separated names with equal properties. */
static const struct family {
    hc_library_kind kind;
    const char *header;
    hc_library_effect effect;
    int is_real; /* also with suffix f or l */
    const char *names;
} families[] = {
    {HC_L_MATH, "math.h", HC_L_NOTHING, 1,
     " acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma "
     "fmax"
     " fmin fmod hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround nan nearbyint nextafter"
     " pow remainder rint round scalbln scalbn sin sinh sqrt tan tanh tgamma trunc j0 j1 jn y0 y1 yn exp10 "},
    {HC_L_MATH, "math.h", HC_L_WRITES, 1, " frexp modf remquo sincos "},
    {HC_L_MATH, "stdlib.h", HC_L_NOTHING, 0, " abs labs llabs "},
    {HC_L_MEMORY, "string.h", HC_L_WRITES, 0, " memcpy memmove memset "},
    {HC_L_PRINT, "stdio.h", HC_L_OUTPUT, 0, " printf "},
    {HC_L_TRAP, "stdlib.h", HC_L_NOTHING, 0, " abort exit _exit "},
    {HC_L_TRAP, "assert.h", HC_L_NOTHING, 0, " __assert_fail __assert __assert_rtn __assert_perror_fail "},
    {HC_L_SLEEP, "unistd.h", HC_L_TIME, 0, " usleep sleep "},
    {HC_L_OMP, "omp.h", HC_L_TIME, 0, " omp_get_wtime "},
    {HC_L_OMP, "omp.h", HC_L_NOTHING, 0,
     " omp_get_thread_num omp_get_num_threads omp_get_max_threads omp_get_num_procs omp_get_wtick omp_in_parallel"
     " omp_get_level omp_get_active_level omp_get_ancestor_thread_num omp_get_team_size omp_get_thread_limit "
     "omp_in_final"
     " omp_get_team_num omp_get_num_teams omp_is_initial_device omp_get_dynamic omp_get_nested"
     " omp_get_max_active_levels omp_get_num_devices omp_get_default_device omp_get_initial_device"
     " omp_get_device_num omp_get_max_task_priority omp_get_cancellation "},
    {HC_L_BUILTIN, NULL, HC_L_NOTHING, 0,
     " expect expect_with_probability offsetof constant_p unreachable trap assume_aligned assume choose_expr "
     "types_compatible_p"
     " popcount popcountl popcountll clz clzl clzll ctz ctzl ctzll ffs ffsl ffsll parity parityl parityll"
     " bswap16 bswap32 bswap64 isnan isinf isinf_sign isfinite isnormal signbit signbitf signbitl fpclassify isgreater"
     " isgreaterequal isless islessequal islessgreater isunordered huge_val huge_valf huge_vall inf inff infl nans "
     "nansf"
     " prefetch alloca add_overflow sub_overflow mul_overflow object_size "},
    {HC_L_BUILTIN, "math.h", HC_L_NOTHING, 0,
     " __isnan __isnanf __isinf __isinff __finite __finitef __signbit __signbitf __fpclassify __fpclassifyf "},
    {HC_L_OMP_HOST, "omp.h", HC_L_WRITES, 0,
     " omp_set_num_threads omp_set_dynamic omp_set_nested omp_set_schedule omp_get_schedule omp_set_max_active_levels"
     " omp_set_default_device omp_init_lock omp_destroy_lock omp_set_lock omp_unset_lock omp_test_lock "
     "omp_init_nest_lock"
     " omp_destroy_nest_lock omp_set_nest_lock omp_unset_nest_lock omp_test_nest_lock omp_target_alloc omp_target_free"
     " omp_target_memcpy omp_target_is_present omp_fulfill_event omp_display_env "},
    {HC_L_ISO, "stdlib.h", HC_L_NOTHING, 0, " malloc calloc rand srand getenv div ldiv "},
    {HC_L_ISO, "stdlib.h", HC_L_READS, 0, " atoi atol atof atoll "},
    {HC_L_ISO, "stdlib.h", HC_L_WRITES, 0, " strtol strtod strtof strtoul strtoll strtoull "},
    {HC_L_ISO, "stdlib.h", HC_L_ENDS, 0, " free realloc "},
    {HC_L_ISO, "string.h", HC_L_READS, 0, " strlen strcmp strncmp strchr strrchr strstr memcmp memchr "},
    {HC_L_ISO, "string.h", HC_L_WRITES, 0, " strcpy strncpy strcat strncat "},
    {HC_L_ISO, "stdio.h", HC_L_WRITES, 0, " sprintf snprintf "},
    {HC_L_ISO, "stdio.h", HC_L_OUTPUT, 0, " puts putchar "},
    {HC_L_HOST, "stdlib.h", HC_L_NOTHING, 0,
     " aligned_alloc valloc memalign posix_memalign random srandom rand_r drand48 lrand48 srand48 "},
    {HC_L_HOST, "stdlib.h", HC_L_ENDS, 0, " reallocarray munmap "},
    {HC_L_HOST, "stdlib.h", HC_L_WRITES, 0, " qsort bsearch qsort_r "},
    {HC_L_HOST, "string.h", HC_L_WRITES, 0, " strtok strdup bcopy bzero "},
    {HC_L_HOST, "stdio.h", HC_L_WRITES, 0, " sscanf vsnprintf "},
    {HC_L_HOST, "stdio.h", HC_L_OUTPUT, 0, " perror "},
    {HC_L_FILE, "stdio.h", HC_L_OUTPUT, 0,
     " fprintf vprintf vfprintf fputs fputc putc fwrite fflush fclose write system remove rename dprintf "},
    {HC_L_FILE, "stdio.h", HC_L_WRITES, 0, " scanf fscanf fread fgets fgetc getc getchar ungetc fopen read getline "},
    {HC_L_FILE, "setjmp.h", HC_L_WRITES, 0, " setjmp _setjmp __sigsetjmp longjmp siglongjmp "},
    {HC_L_FILE, "stdarg.h", HC_L_NOTHING, 0, " va_start va_end va_arg va_copy "},
    {HC_L_HOST, "time.h", HC_L_TIME, 0,
     " gettimeofday clock_gettime clock time getrusage times clock_getres nanosleep "},
};

/* list is blank-separated, with blanks at both ends. Returns the begin of the word with n characters in it, or NULL. */
static const char *find_word(const char *list, const char *word, size_t n)
{
    for (const char *at = strchr(list, ' '); at && at[1]; at = strchr(at + 1, ' '))
        if (!strncmp(at + 1, word, n) && at[1 + n] == ' ')
            return at + 1;
    return NULL;
}

static const hc_library *find(const char *name, size_t n, int is_builtin, int is_real)
{
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        const struct family *f = &families[i];
        const char *at = is_real > f->is_real || (!f->header && !is_builtin) ? NULL : find_word(f->names, name, n);
        if (at) {
            hc_library *l = HC_NEW(hc_library);
            *l = (hc_library){hc_copy(at, n), f->kind, f->header, f->effect};
            return l;
        }
    }
    return NULL;
}

const hc_library *hc_library_of(const char *name)
{
    static const char prefix[] = "__builtin_";
    int is_builtin = !strncmp(name, prefix, sizeof prefix - 1);
    size_t n;
    const hc_library *l;
    if (is_builtin)
        name += sizeof prefix - 1;
    n = strlen(name);
    l = find(name, n, is_builtin, 0);
    if (!l && n > 1 && (name[n - 1] == 'f' || name[n - 1] == 'l'))
        l = find(name, n - 1, is_builtin, 1);
    return l;
}

int hc_is_taken_word(const char *word, size_t n)
{
    static const char taken[] =
        " alignas alignof and and_eq asm bitand bitor bool catch char8_t char16_t char32_t class co_await co_return "
        "co_yield"
        " compl concept const_cast consteval constexpr constinit decltype delete dynamic_cast explicit export false "
        "friend"
        " mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public reinterpret_cast"
        " requires static_assert static_cast template this thread_local throw true try typeid typename using virtual "
        "wchar_t"
        " xor xor_eq threadIdx blockIdx blockDim gridDim warpSize dim3 min max norm norm3d norm4d rnorm rsqrt rcbrt "
        "umin umax"
        " clock clock64 ";
    static const char vectors[] = " char uchar short ushort int uint long ulong longlong ulonglong float double ";
    if (find_word(taken, word, n))
        return 1;
    return n > 1 && word[n - 1] >= '1' && word[n - 1] <= '4' && find_word(vectors, word, n - 1) != NULL;
}
