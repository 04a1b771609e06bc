// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>

#include "assay/base/file.hpp"
#include "tests/fuzz/targets.hpp"

namespace assay::corpus_test {

TEST(Fuzz, corpus_is_handled) {
  const std::filesystem::path corpus = ASSAY_SOURCE_DIR "/tests/fuzz/corpus";
  for (const fuzz::Target& target : fuzz::all_targets()) {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(corpus / target.name)) {
      SCOPED_TRACE(entry.path().string());
      const Buffer file = read_bytes(entry.path());
      target.run(file.bytes());
      ++files;
    }
    EXPECT_GE(files, 10U) << target.name;
  }
}

}  // namespace assay::corpus_test
