// SPDX-License-Identifier: Apache-2.0
#include "assay/base/whole.hpp"

#include <gtest/gtest.h>

namespace assay::whole_test {

template <class Integer>
Integer read(const char* text) {
  return Whole(parse_json(text, "n"));
}

TEST(Whole, takes_whole_numbers_of_the_wanted_range) {
  EXPECT_EQ(read<std::int64_t>("-7"), -7);
  EXPECT_EQ(read<std::int64_t>("7.0"), 7);
  EXPECT_EQ(read<std::int64_t>("9007199254740992"), 9007199254740992);
  EXPECT_EQ(read<std::uint32_t>("4294967295"), 4294967295U);
  EXPECT_EQ(read<std::size_t>("1e3"), 1000U);
}

TEST(Whole, refuses_what_would_change_in_silence) {
  for (const char* text :
       {"1e300", "-1e300", "NaN", "Infinity", "0.5", "9007199254740993", "18446744073709551615",
        "-9007199254740993", "\"1\"", "null", "true", "[1]", "{}"})
    EXPECT_THROW(read<std::int64_t>(text), Error) << text;
  for (const char* text : {"-1", "4294967296", "-1.0", "4294967296.0"})
    EXPECT_THROW(read<std::uint32_t>(text), Error) << text;
}

}  // namespace assay::whole_test
