// SPDX-License-Identifier: Apache-2.0
/// Checksums made right. A mutation of compressed or journalled data all but never has the right
/// checksum, so readers would refuse it before the code that is to be searched. Targets try every
/// input as it is and repaired; the readers themselves stay as they are shipped.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/targets.hpp"

namespace assay::fuzz {

/// The checksum and length after every member of gzip data that begins at `at`.
std::vector<std::byte> with_gzip_checksums(Input input, std::size_t at = 0);

/// The checksum after the zlib stream that begins at `at`.
std::vector<std::byte> with_zlib_checksum(Input input, std::size_t at);

/// The checksums in the directory of a zip archive.
std::vector<std::byte> with_zip_checksums(Input input);

/// The checksum of every line of a journal.
std::string with_journal_checksums(std::string_view text);

/// Calls `run` with the input and, where that is another one, with the repaired input.
template <class Repaired, class Run>
void run_both(Input input, const Repaired& repaired, Run run) {
  run(input);
  if (!std::ranges::equal(input, repaired)) run(Input(repaired));
}

}  // namespace assay::fuzz
