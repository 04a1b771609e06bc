// SPDX-License-Identifier: Apache-2.0
#include "assay/report/page/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assay/report/page/page_parts.hpp"

namespace page_test {

using namespace assay;
using namespace assay::report;
using testing::HasSubstr;
using testing::Not;

constexpr const char* attack = "<script>alert('x')</script>\"&";

compare::ResultTable table(const std::string& model, std::vector<std::optional<double>> dice) {
  compare::ResultTable out;
  out.model_name = model;
  for (std::size_t i = 0; i < dice.size(); ++i) out.ids.push_back("c" + std::to_string(i));
  out.cases = dice.size();
  out.averages = {{"dice", std::move(dice)}};
  return out;
}

PageContent example() {
  PageContent content;
  content.study.title = "A study";
  content.study.models = {table("first", {0.5, 0.75, std::nullopt})};
  content.study.models[0].unscored = {{"c9", "no prediction"}};
  content.study.ids = {"c0", "c1", "c2", "c9"};
  return content;
}

nlohmann::json data_of(const PageContent& content) {
  return nlohmann::json::parse(page_data(content.study));
}

TEST(Page, holds_values_in_columns) {
  const auto data = data_of(example());
  EXPECT_EQ(data["ids"], (nlohmann::json{"c0", "c1", "c2", "c9"}));
  EXPECT_EQ(data["values"], (nlohmann::json{{{0.5, 0.75, nullptr, nullptr}}}));
  EXPECT_EQ(data["lost"], (nlohmann::json{{3, 0, "no prediction"}}));
  EXPECT_EQ(data["metrics"][0]["better"], "higher");
  EXPECT_TRUE(data["baseline"].is_null());
}

TEST(Page, holds_groups_as_codes) {
  PageContent content = example();
  content.study.models[0].groups = {{"site", {"b", "a", "b"}}};
  const auto group = data_of(content)["groups"][0];
  EXPECT_EQ(group["levels"], (nlohmann::json{"b", "a"}));
  EXPECT_EQ(group["codes"], (nlohmann::json{0, 1, 0, -1}));
}

TEST(Page, infinity_is_read_back_by_browsers) {
  PageContent content = example();
  content.study.models[0].averages[0].values[0] = std::numeric_limits<double>::infinity();
  EXPECT_THAT(page_data(content.study), HasSubstr("[1e999,0.75,null,null]"));
}

TEST(Page, text_stays_text) {
  PageContent content = example();
  content.study.title = attack;
  content.study.models[0].model_name = attack;
  content.study.models[0].ids[0] = content.study.ids[0] = attack;
  content.study.models[0].unscored[0].reason = attack;
  content.study.models[0].groups = {{attack, {attack, "", ""}}};
  content.notes = {attack};
  content.documents = {{attack, attack, attack, attack}};
  content.findings = {{attack, attack, {attack}, {{attack}, {{attack}}, {}, {attack}}}};
  const std::string html = report_page(content).html;
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert"));
  EXPECT_THAT(html, HasSubstr("\\u003cscript>alert"));
}

TEST(Page, lets_only_its_own_script_run) {
  const std::string html = report_page(example()).html;
  EXPECT_THAT(html, HasSubstr("default-src 'none'; img-src data: blob:;"));
  EXPECT_THAT(html, HasSubstr("script-src 'sha256-"));
  EXPECT_THAT(html, Not(HasSubstr("http-equiv=\"refresh\"")));
  EXPECT_EQ(html.find("src=\"http"), std::string::npos);
}

CaseVolume volume(std::size_t place, std::size_t side) {
  CaseVolume out = {.place = place, .why = "worst", .shape = {side, side, side}};
  out.labels = {"lesion"};
  out.regions = {{"1", "lesion", {1}}};
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < out.size(); ++i) {
    state = state * 1664525U + 1013904223U;
    out.image.push_back(static_cast<std::uint8_t>(state >> 24U));
  }
  out.reference.assign(out.size(), 1);
  out.predictions = {{0, out.reference}};
  return out;
}

TEST(Page, keeps_its_budget_and_says_what_it_dropped) {
  PageContent content = example();
  content.volumes = {volume(1, 40), volume(0, 40), volume(2, 40)};
  const PageText all = report_page(content);
  EXPECT_TRUE(all.dropped.empty());
  content.budget_bytes = all.html.size() - 20'000;
  const PageText fewer = report_page(content);
  EXPECT_LE(fewer.html.size(), content.budget_bytes);
  ASSERT_EQ(fewer.dropped.size(), 1U);
  EXPECT_THAT(fewer.dropped[0], HasSubstr("c2"));
  EXPECT_THAT(fewer.html, HasSubstr(fewer.dropped[0]));
  EXPECT_THAT(fewer.html, HasSubstr("volume-1-image"));
  EXPECT_THAT(fewer.html, Not(HasSubstr("volume-2-image")));
}

TEST(Page, of_nothing_is_still_a_page) {
  PageContent content;
  content.study.title = "Nothing";
  EXPECT_THAT(report_page(content).html, HasSubstr("<title>Nothing</title>"));
}

TEST(Page, names_metrics_shortly) {
  using enum metrics::LengthUnit;
  EXPECT_EQ(metric_title("dice", mm), "Dice");
  EXPECT_EQ(metric_title("hd95", mm), "HD95 (mm)");
  EXPECT_EQ(metric_title("hd95", px), "HD95 (px)");
  EXPECT_EQ(metric_title("volume_reference_ml", mm), "reference volume (mL)");
  EXPECT_EQ(metric_title("their_own", px), "their_own");
}

TEST(Page, escapes_json_for_script_elements) {
  EXPECT_EQ(json_text("a\"b\\c</script>\n\x01"), R"("a\"b\\c\u003c/script>\u000a\u0001")");
}

}  // namespace page_test
