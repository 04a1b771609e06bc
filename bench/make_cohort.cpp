// SPDX-License-Identifier: Apache-2.0
/// make_cohort FOLDER SIDE CASES [JOBS]: writes the synthetic cohort that benchmarks score.
#include <cstdlib>
#include <iostream>
#include <span>

#include "assay/demo/demo_cohort.hpp"
#include "assay/error.hpp"

namespace {

std::size_t number(const char* text) {
  return std::strtoull(text, nullptr, 10);  // 0 for nonsense, which the library refuses
}

}  // namespace

int main(int count, char** values) {
  const std::span<char*> arguments(values, static_cast<std::size_t>(count));
  if (count < 4 || count > 5) {
    std::cerr << "usage: make_cohort FOLDER SIDE CASES [JOBS]\n";
    return 2;
  }
  const unsigned jobs = count > 4 ? static_cast<unsigned>(number(arguments[4])) : 1;
  try {
    assay::demo::write_demo_cohort(arguments[1], {.cases = number(arguments[3]),
                                                  .side = number(arguments[2]),
                                                  .with_faults = false,
                                                  .jobs = jobs});
  } catch (const assay::Error& e) {
    std::cerr << "make_cohort: " << e.what() << '\n';
    return 2;
  }
}
