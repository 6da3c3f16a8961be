// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Marks a loop that is compiled for every x86-64, for AVX2 and for AVX-512, and chosen when the program starts. All
/// give the same bits: the order of operations is fixed by the lanes in the source and contraction is off. Not with
/// AddressSanitizer or ThreadSanitizer, whose run time is not there yet when the choice is made.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define MANTISSA_VECTOR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define MANTISSA_VECTOR_CLONES
#endif

/// For the body that the clones share: it must take on their instruction set.
#define MANTISSA_IN_CLONE [[gnu::always_inline]] inline
