// SPDX-License-Identifier: Apache-2.0
/// Whether a sanitizer is active, for tests that try very many inputs.
#pragma once

namespace assay::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)  // GCC
inline constexpr bool sanitized = true;
#elif defined(__has_feature)  // clang
inline constexpr bool sanitized =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool sanitized = false;
#endif

/// The step through the inputs of an exhaustive or random test: 1, so that all are tried, and
/// `step` under a sanitizer. There each input takes some fifty times as long, and a sanitizer looks
/// for invalid accesses, which do not depend on any single input.
constexpr int every(int step) {
  return sanitized ? step : 1;
}

}  // namespace assay::test
