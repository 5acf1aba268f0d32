/* The car's equations, twice: with the processor's fused multiply-add and wide vectors where the
   compiler can choose them at run time, and without. Both give the same bits: fma() rounds once
   everywhere, and a * b + c that is not written as fma() is never fused.

   With GCC, -fno-math-errno makes this 1.5 times as fast or more: sqrt() can then be vectorised.
   Neither that nor no-trapping-math below changes a result. */

#include "vdsim_car.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang fp contract(off)
#elif defined(__GNUC__)
#pragma GCC optimize("O3", "fp-contract=off", "no-trapping-math")
#else
#pragma fp_contract(off)
#endif

#if defined(__GNUC__)
#define VD_INLINE static inline __attribute__((always_inline, unused))
#elif defined(_MSC_VER)
#define VD_INLINE static __forceinline
#else
#define VD_INLINE static inline
#endif

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter" /* the sizes of arrays */
#endif

VD_INLINE double vd_min(double a, double b) { return b < a ? b : a; }
VD_INLINE double vd_max(double a, double b) { return b > a ? b : a; }
VD_INLINE int64_t vd_min_whole(int64_t a, int64_t b) { return b < a ? b : a; }
VD_INLINE int64_t vd_max_whole(int64_t a, int64_t b) { return b > a ? b : a; }

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
#define VD_TWO_PROCESSORS
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#define VD_NAME(name) vd_##name##_wide
#include "vdsim_equations.h"
static void wide(double *car, double *ground, int64_t substeps)
{
    VD_ADVANCE(VD_NAME, car, ground, substeps);
}
#undef VD_NAME
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

#define VD_NAME(name) vd_##name##_plain
#include "vdsim_equations.h"
static void plain(double *car, double *ground, int64_t substeps)
{
    VD_ADVANCE(VD_NAME, car, ground, substeps);
}

void vdsim_advance(double *car, double *ground, int64_t substeps)
{
#ifdef VD_TWO_PROCESSORS
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        wide(car, ground, substeps);
        return;
    }
#endif
    plain(car, ground, substeps);
}
