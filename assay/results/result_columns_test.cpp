// SPDX-License-Identifier: Apache-2.0
#include "assay/results/result_columns.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <locale>
#include <sstream>

#include "assay/base/decimal.hpp"
#include "assay/base/json.hpp"

namespace assay::results::result_columns_test {

/// Numbers as they are written from Berlin to Bern.
struct German : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

/// The library embedded in a program that speaks German: in C++, and in C where the machine does.
class Abroad : public ::testing::Test {
 protected:
  Abroad() : before_(std::locale::global(std::locale(std::locale::classic(), new German))) {
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"})
      if (std::setlocale(LC_ALL, name) != nullptr) break;
  }
  ~Abroad() override {
    std::setlocale(LC_ALL, "C");
    std::locale::global(before_);
  }

 private:
  std::locale before_;
};

TEST_F(Abroad, numbers_are_read_and_written_with_a_point) {
  std::ostringstream here;
  here << 1234.5;
  ASSERT_EQ(here.str(), "1.234,5");  // the locale is the one that is meant
  double value = 0;
  read_decimal("1234.5", value);
  EXPECT_EQ(value, 1234.5);
  EXPECT_EQ(parse_json("[1234.5, 1e999, 1e-999]", "x")[0], 1234.5);
  EXPECT_EQ(parse_json("[1.5e999]", "x")[0], INFINITY);
  EXPECT_EQ(parse_json("[1.5e-999]", "x")[0], 0.0);
  EXPECT_EQ(Cell::of("1.5e999").value, INFINITY);
  EXPECT_EQ(Cell::of("-2.5").value, -2.5);
  EXPECT_EQ(to_text(Json{{"a", 1234.5}, {"b", 1234567}}, {.indent = 0}),
            R"({"a":1234.5,"b":1234567})");
}

}  // namespace assay::results::result_columns_test
