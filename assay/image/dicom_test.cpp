// SPDX-License-Identifier: Apache-2.0
#include "assay/image/dicom.hpp"

#include <gtest/gtest.h>

#include "assay/image/dicom_for_test.hpp"

namespace dicom_test {

using namespace assay;

std::optional<std::string> series_of(const std::string& file) {
  return dicom_series(std::as_bytes(std::span(file)));
}

TEST(Dicom, the_series_is_the_files_own_not_a_nested_one) {
  for (const bool is_explicit : {true, false}) {
    EXPECT_EQ(series_of(dicom_file("1.2.840.1", is_explicit)), "1.2.840.1");
    EXPECT_EQ(series_of(dicom_file("1.2.840.12", is_explicit)), "1.2.840.12");  // padded
  }
}

TEST(Dicom, anything_else_has_none) {
  EXPECT_EQ(series_of(""), std::nullopt);
  EXPECT_EQ(series_of(std::string(200, '\0')), std::nullopt);
  EXPECT_EQ(series_of(std::string(128, '\0') + "DICM"), std::nullopt);
}

TEST(Dicom, cut_off_or_damaged_it_is_refused_or_read_but_never_fatal) {
  for (const bool is_explicit : {true, false}) {
    const std::string whole = dicom_file("1.2.840.1", is_explicit);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      const auto cut = series_of(whole.substr(0, at));
      EXPECT_TRUE(!cut || *cut == "1.2.840.1");
      for (const int flip : {0x01, 0x80, 0xFF}) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ flip);
        const auto read = series_of(damaged);
        EXPECT_TRUE(!read || read->size() < whole.size());
      }
    }
  }
}

}  // namespace dicom_test
