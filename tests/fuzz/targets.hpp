// SPDX-License-Identifier: Apache-2.0
/// What the fuzzers run, one function per reader of bytes from elsewhere. A test replays the corpus
/// through the same functions, so that what was once found stays found.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

#include "assay/error.hpp"

namespace assay::fuzz {

using Input = std::span<const std::byte>;

struct Target {
  std::string_view name;  ///< of the folder with its corpus
  void (*run)(Input input);
};

std::span<const Target> image_targets();
std::span<const Target> runs_targets();
std::span<const Target> model_targets();
std::span<const Target> result_targets();
std::span<const Target> qa_targets();

inline std::vector<Target> all_targets() {
  std::vector<Target> out;
  for (const auto& some :
       {image_targets(), runs_targets(), model_targets(), result_targets(), qa_targets()})
    out.insert(out.end(), some.begin(), some.end());
  return out;
}

/// Refusing is fine; anything else that goes wrong is a find.
template <class Call>
void allow_refusal(Call call) {
  try {
    call();
  } catch (const Error&) {  // the reader's way to say no
  }
}

inline void require(bool holds) {
  if (!holds) std::abort();
}

inline std::string_view as_text(Input input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

}  // namespace assay::fuzz
