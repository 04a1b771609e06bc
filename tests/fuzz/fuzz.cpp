// SPDX-License-Identifier: Apache-2.0
/// All fuzzers in one program: `fuzz --target=fuzz_csv` and libFuzzer's own options, which begin
/// with one dash. Without a target it lists them.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tests/fuzz/targets.hpp"

namespace {

const assay::fuzz::Target* chosen_target(int count, char** arguments) {
  constexpr std::string_view option = "--target=";
  static const auto targets = assay::fuzz::all_targets();
  for (int i = 1; i < count; ++i)
    for (const assay::fuzz::Target& target : targets)
      if (std::string_view(arguments[i]) == std::string(option) + std::string(target.name))
        return &target;
  for (const assay::fuzz::Target& target : targets) std::puts(target.name.data());
  return nullptr;
}

const assay::fuzz::Target* target = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  target = chosen_target(*count, *arguments);
  if (target == nullptr) std::exit(2);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  target->run(std::as_bytes(std::span(data, size)));
  return 0;
}
