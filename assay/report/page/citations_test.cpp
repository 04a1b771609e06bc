// SPDX-License-Identifier: Apache-2.0
#include "assay/report/page/citations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "assay/base/text.hpp"
#include "assay/metrics.hpp"
#include "assay/report/studies_for_test.hpp"

namespace citations_test {

using namespace assay;
using namespace assay::report;
using testing::HasSubstr;
using testing::Not;

std::set<std::string> keys_of(const std::vector<const CitedWork*>& works) {
  std::set<std::string> out;
  for (const CitedWork* work : works) out.emplace(work->key);
  return out;
}

TEST(Citations, every_reference_of_a_metric_has_an_entry) {
  const std::set<std::string_view> without_paper = {"MeshNet stroke benchmark"};
  for (const metrics::Metric& metric : metrics::metrics())
    for (std::string_view part : parts_of(metric.reference, ';')) {
      part = trimmed(part.substr(0, part.find(" (")));
      if (part.empty() || without_paper.contains(part)) continue;
      EXPECT_EQ(works_of_reference(part).size(), 1U) << metric.name << ": " << part;
    }
}

TEST(Citations, keys_and_names_are_distinct_and_end_with_the_year) {
  std::set<std::string_view> keys, names;
  for (const CitedWork& work : cited_works()) {
    EXPECT_TRUE(keys.insert(work.key).second) << work.key;
    EXPECT_TRUE(names.insert(work.name).second) << work.name;
    EXPECT_TRUE(work.key.ends_with(work.year)) << work.key;
  }
}

TEST(Citations, are_of_what_was_measured_and_tested) {
  const auto alone = keys_of(works_of(studies::study({.models = 1})));
  EXPECT_TRUE(alone.contains("dice1945"));
  EXPECT_TRUE(alone.contains("bland1986"));
  EXPECT_FALSE(alone.contains("wilcoxon1945"));
  const auto two = keys_of(works_of(studies::study({.models = 2})));
  EXPECT_TRUE(two.contains("wilcoxon1945"));
  EXPECT_FALSE(two.contains("holm1979"));
  EXPECT_FALSE(two.contains("schuirmann1987"));
  const auto three = keys_of(works_of(studies::study({.models = 3, .margin = 0.01})));
  for (const char* key : {"holm1979", "schuirmann1987", "friedman1937", "nemenyi1963"})
    EXPECT_TRUE(three.contains(key)) << key;
}

TEST(Citations, entries_are_bibtex) {
  std::vector<const CitedWork*> all;
  for (const CitedWork& work : cited_works()) all.push_back(&work);
  const std::string text = bibtex(all, "9.9");
  EXPECT_EQ(std::ranges::count(text, '{'), std::ranges::count(text, '}'));
  EXPECT_EQ(std::ranges::count(text, '@'), std::ptrdiff_t(all.size()) + 1);
  EXPECT_THAT(text, HasSubstr("@article{dice1945,\n  author = {Dice, Lee R.},\n  title = "
                              "{{Measures of the Amount of Ecologic Association Between "
                              "Species}},\n  year = {1945},\n  journal = {Ecology}"));
  EXPECT_THAT(text, HasSubstr("note = {Version 9.9}"));
  EXPECT_THAT(text, Not(HasSubstr("= {}")));
}

}  // namespace citations_test
