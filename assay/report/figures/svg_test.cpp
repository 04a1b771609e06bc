// SPDX-License-Identifier: Apache-2.0
#include "assay/report/figures/svg.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "assay/metrics.hpp"
#include "assay/report/figures/chart.hpp"
#include "assay/report/figures/xml_for_test.hpp"

namespace svg_test {

using namespace assay;
using namespace assay::report;

TEST(SvgText, numbers_are_short) {
  const struct {
    double value;
    int decimals;
    const char* text;
  } cases[] = {{0, 2, "0"},        {1, 2, "1"},          {-0.001, 2, "0"},
               {0.5, 2, ".5"},     {-0.25, 2, "-.25"},   {12.345, 2, "12.35"},
               {12.34, 1, "12.3"}, {7.999, 1, "8"},      {1.05, 3, "1.05"},
               {100, 0, "100"},    {-3.006, 2, "-3.01"}, {1e300, 2, "1000000000"}};
  for (const auto& each : cases) EXPECT_EQ(svg_number(each.value, each.decimals), each.text);
  EXPECT_EQ(svg_number(std::nan("")), "0");
  EXPECT_EQ(svg_number(std::numeric_limits<double>::infinity()), "0");
}

TEST(SvgText, numbers_read_back_within_half_a_digit) {
  for (int k = -4000; k < 4000; ++k) {
    const double value = k * 0.0737;
    EXPECT_NEAR(std::stod(svg_number(value)), value, 0.00501) << value;
    EXPECT_NEAR(std::stod(svg_number(value, 1)), value, 0.0501) << value;
  }
}

TEST(SvgText, no_text_can_become_markup_or_break_the_document) {
  EXPECT_EQ(svg_escaped("<script>a&b\"'"), "&lt;script&gt;a&amp;b&quot;&#39;");
  EXPECT_EQ(svg_escaped("a\xFF\x01z"), "a\xEF\xBF\xBD\xEF\xBF\xBDz");
  EXPECT_EQ(svg_escaped("Zürich"), "Zürich");
}

TEST(SvgText, longer_text_is_wider_and_shortened_text_fits) {
  EXPECT_LT(text_width("iii", 12), text_width("www", 12));
  EXPECT_DOUBLE_EQ(text_width("abc", 24), 2 * text_width("abc", 12));
  const std::string name = "a_model_with_a_very_long_name_and_a_date_2026";
  for (double room = 20; room < 300; room += 7) {
    const std::string shown = shortened(name, 12, room);
    EXPECT_LE(text_width(shown, 12), std::fmax(room, text_width("a…", 12))) << room;
  }
  EXPECT_EQ(shortened(name, 12, 1000), name);
  EXPECT_TRUE(shortened(name, 12, 120).starts_with("a_mod"));
  EXPECT_TRUE(shortened(name, 12, 120).ends_with("2026"));
}

TEST(SvgText, numbers_for_people) {
  EXPECT_EQ(figure_number(0.8765), "0.876");
  EXPECT_EQ(figure_number(-0.0123), "−0.012");
  EXPECT_EQ(figure_number(0.00123), "0.0012");
  EXPECT_EQ(figure_number(123.4), "123");
  EXPECT_EQ(figure_number(-metrics::infinity), "−∞");
  EXPECT_EQ(signed_number(2.5), "+2.50");
  EXPECT_EQ(signed_number(0), "0");
}

TEST(SvgText, keys_are_safe_names_of_files) {
  EXPECT_EQ(key_part("nsd@2mm"), "nsd-2mm");
  EXPECT_EQ(key_part("../../etc/passwd"), "etc-passwd");
  EXPECT_EQ(key_part("<>"), "unnamed");
  EXPECT_LE(key_part(std::string(500, 'x')).size(), 60U);
}

TEST(Scale, is_linear_between_its_ends_and_holds_what_lies_outside) {
  const Scale scale({10, 20}, {100, 300});
  EXPECT_DOUBLE_EQ(scale(10), 100);
  EXPECT_DOUBLE_EQ(scale(15), 200);
  EXPECT_DOUBLE_EQ(scale(25), 300);
  EXPECT_DOUBLE_EQ(Scale({0, 1}, {50, 0})(0.25), 37.5);
}

TEST(Scale, a_logarithmic_axis_gives_each_decade_the_same_room) {
  const Scale scale({0.1, 1000}, {0, 400}, ScaleKind::logarithmic);
  EXPECT_NEAR(scale(1), 100, 1e-9);
  EXPECT_NEAR(scale(100), 300, 1e-9);
  EXPECT_DOUBLE_EQ(scale(0), 0);  // an empty lesion is at the edge
  std::string labels;
  for (const Tick& tick : scale.ticks()) labels += tick.label + " ";
  EXPECT_EQ(labels, "0.1 1 10 100 1000 ");
}

TEST(Scale, ticks_are_round_ascending_and_inside) {
  const Extent domains[] = {{0, 1},      {0.62, 0.94}, {-0.031, 0.012}, {0, 1e9},
                            {-5, -4.99}, {3, 3},       {1e-9, 3e-9},    {-1e300, 1e300}};
  for (const Extent& domain : domains) {
    const Scale scale(domain, {0, 500});
    const auto ticks = scale.ticks(5);
    ASSERT_GE(ticks.size(), 2U) << domain.low;
    ASSERT_LE(ticks.size(), 12U) << domain.low;
    for (std::size_t k = 0; k < ticks.size(); ++k) {
      EXPECT_GE(scale(ticks[k].value), 0);
      EXPECT_LE(scale(ticks[k].value), 500);
      if (k != 0) EXPECT_GT(scale(ticks[k].value), scale(ticks[k - 1].value));
      if (k != 0) EXPECT_NE(ticks[k].label, ticks[k - 1].label) << domain.low;
    }
  }
}

TEST(Scale, labels_have_as_many_decimals_as_steps_need) {
  std::string labels;
  for (const Tick& tick : Scale({-0.05, 0.1}, {0, 1}).ticks(3)) labels += tick.label + " ";
  EXPECT_EQ(labels, "−0.05 0 0.05 0.10 ");
}

TEST(Scale, padding_stays_within_what_is_possible) {
  const Extent padded_dice = padded({0.5, 1}, {0, 1});
  EXPECT_EQ(padded_dice.high, 1);
  EXPECT_LT(padded_dice.low, 0.5);
  EXPECT_GT(padded({0.5, 1}).high, 1);
  EXPECT_FALSE(extent_of(std::vector<double>{metrics::infinity}));
}

TEST(Drawing, is_well_formed_whatever_is_written) {
  Drawing drawing(100, 50);
  drawing.text({1, 2}, "<b>\"x\"</b> & \x02", {.room = 40});
  drawing.line({0, 0}, {1, 1}, {.stroke = tone::ink, .dashes = "4 3"});
  drawing.tooltip({0, 0, 1, 1}, "</title><script>");
  const std::string svg = drawing.svg("a \"title\" <");
  const auto elements = xml::elements(svg);
  EXPECT_EQ(elements.front().name, "svg");
  EXPECT_EQ(elements.front().attributes.at("aria-label"), "a \"title\" <");
  EXPECT_EQ(svg.find("<script"), std::string::npos);
}

}  // namespace svg_test
