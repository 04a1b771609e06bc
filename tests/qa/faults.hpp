// SPDX-License-Identifier: Apache-2.0
/// When and how the test server fails: by list, by chance with a seed, by content, or always.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tests/qa/settings.hpp"

namespace assay::test_server {

struct Fault {
  std::string_view name;
  int status;  ///< 0: the reply itself is touched
  std::string_view code, message;
};

std::span<const Fault> faults();

/// Which fault a request meets; nothing for none.
///   --faults 3=429,5=cut       by the number of the request, from 1
///   --fault-on TEXT=refused    every request whose first question contains the text
///   --fault-rate 0.3 --fault-kinds 429,500 --seed 1    by chance
///   --always 401               every request
const Fault* fault_for(const Settings& settings, std::uint64_t sequence, std::string_view text);

}  // namespace assay::test_server
