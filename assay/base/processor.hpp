// SPDX-License-Identifier: Apache-2.0
/// What the processor can do beyond what the program was compiled for. A kernel has one source,
/// compiled in a version for each answer; contraction is off, so all give the same bits. (The
/// compiler's own dispatch, target_clones, resolves before main, which sanitizers and clang 14 do
/// not support.)
///
/// The environment may forbid what the processor can do: ASSAY_PROCESSOR=portable, or avx2. This
/// allows the versions for other processors to be tested and compared.
#pragma once

#include <string_view>

namespace assay {

bool has_avx2();

/// AVX2 with the instructions that count bits. Every processor with BMI2 counts leading zeros, too
/// (clang 14 has no name to ask for that).
bool has_bit_counts();

/// The AVX-512 instructions that every processor with AVX-512 has had since 2017.
bool has_avx512();

/// AVX-512 with carry-less products (polynomials over GF(2)), for checksums (VPCLMULQDQ).
bool has_wide_products();

/// The widest of these that is in use, for people: "AVX-512", "AVX2" or "portable". On 64-bit ARM
/// it is "NEON", which all of these processors have, so it needs no check.
std::string_view instruction_set();

}  // namespace assay
