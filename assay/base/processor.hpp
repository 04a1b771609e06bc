// SPDX-License-Identifier: Apache-2.0
/// What the processor can do beyond what the program was compiled for. A kernel has one source and
/// a version for each answer; contraction is off, so all give the same bits. (The compiler's own
/// dispatch, target_clones, resolves before main, which sanitizers and clang 14 do not support.)
///
/// The environment may forbid what the processor can do: ASSAY_PROCESSOR=portable, or avx2. So the
/// versions for other processors are tested, and can be compared.
#pragma once

#include <string_view>

namespace assay {

bool has_avx2();

/// AVX2 with the instructions that count bits. Every processor with BMI2 counts leading zeros, too
/// (clang 14 has no name to ask for that).
bool has_bit_counts();

/// The instructions on 64 bytes that every such processor has had since 2017.
bool has_avx512();

/// These with products of polynomials over two, for checksums (VPCLMULQDQ).
bool has_wide_products();

/// The widest of these that is in use, for people: "AVX-512", "AVX2" or "portable"; on 64-bit ARM
/// "NEON", which all of these processors have and nobody has to ask for.
std::string_view instruction_set();

}  // namespace assay
