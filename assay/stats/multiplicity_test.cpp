// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "assay/base/named.hpp"
#include "assay/base/test_files.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/vectors_for_test.hpp"

namespace multiplicity_test {

using namespace assay;
using namespace assay::stats;

using Values = std::vector<double>;

void expect_values(const Values& found, const Values& wanted, double rtol, const std::string& id) {
  ASSERT_EQ(found.size(), wanted.size()) << id;
  for (std::size_t i = 0; i < found.size(); ++i)
    vectors::expect_near(found[i], wanted[i], rtol, id);
}

/// Closed testing with Simes' or Bonferroni's local test: the definition, exponential and slow.
Values closed_test(const Values& p, bool simes) {
  Values adjusted(p.size(), 0);
  for (unsigned subset = 1; subset < 1U << p.size(); ++subset) {
    Values members;
    for (std::size_t i = 0; i < p.size(); ++i)
      if (subset >> i & 1U) members.push_back(p[i]);
    std::sort(members.begin(), members.end());
    const auto m = static_cast<double>(members.size());
    double local = members[0] * m;
    for (std::size_t i = 0; simes && i < members.size(); ++i)
      local = std::min(local, members[i] * m / static_cast<double>(i + 1));
    for (std::size_t i = 0; i < p.size(); ++i)
      if (subset >> i & 1U) adjusted[i] = std::max(adjusted[i], std::min(local, 1.0));
  }
  return adjusted;
}

TEST(Multiplicity, worked_by_hand) {
  const Values p = {0.01, 0.04, 0.03};
  const std::map<Correction, Values> table = {
      {Correction::holm, {0.03, 0.06, 0.06}},
      {Correction::bonferroni, {0.03, 0.12, 0.09}},
      {Correction::sidak, {1 - std::pow(0.99, 3), 1 - std::pow(0.96, 3), 1 - std::pow(0.97, 3)}},
      {Correction::hochberg, {0.03, 0.04, 0.04}},
      {Correction::hommel, {0.03, 0.04, 0.04}},
      {Correction::bh, {0.03, 0.04, 0.04}},
      {Correction::by, {0.055, 0.22 / 3, 0.22 / 3}},
      {Correction::gbs, {3 * 0.01 / 0.99, 0.03 / 0.97, 0.03 / 0.97}},
      {Correction::tsbh, {0.03, 0.04, 0.04}},  // the first stage rejects all three
      {Correction::tsbky, {0.03 * 1.05, 0.04 * 1.05, 0.04 * 1.05}},
      {Correction::holm_sidak, {1 - std::pow(0.99, 3), 1 - std::pow(0.97, 2), 1 - 0.97 * 0.97}},
  };
  for (const auto& [correction, wanted] : table)
    expect_values(adjust(p, correction).pvalues, wanted, 1e-13,
                  std::string(name_in(corrections(), correction)));
}

TEST(Multiplicity, a_second_stage_spends_alpha_on_what_may_be_true) {
  // At 0.05 the first stage rejects one of four, so 3 / 4 of the hypotheses may be true.
  const Values p = {0.01, 0.03, 0.2, 0.9};
  const Adjusted plain = adjust(p, Correction::bh), found = adjust(p, Correction::tsbh);
  EXPECT_EQ(plain.reject, (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(found.reject, (std::vector<bool>{true, true, false, false}));
  for (std::size_t i = 0; i < p.size(); ++i)
    EXPECT_NEAR(found.pvalues[i], plain.pvalues[i] * 0.75, 1e-15);
}

TEST(Multiplicity, knows_the_names_of_other_tools) {
  const std::map<std::string_view, Correction> table = {
      {"fdr_bh", Correction::bh},       {"fdr_by", Correction::by},
      {"fdr_gbs", Correction::gbs},     {"simes-hochberg", Correction::hochberg},
      {"fdr_tsbh", Correction::tsbh},   {"fdr_tsbky", Correction::tsbky},
      {"bonf", Correction::bonferroni}, {"hs", Correction::holm_sidak},
      {"fdr", Correction::bh},
  };
  for (const auto& [name, correction] : table)
    EXPECT_EQ(correction_named(name), correction) << name;
  for (const auto& row : corrections()) EXPECT_EQ(correction_named(row.name), row.value);
  EXPECT_EQ(test::refusal([&] { correction_named("tukey"); }),
            "unknown method 'tukey' (known: holm, bonferroni, sidak, hochberg, hommel, "
            "holm-sidak, bh, by, gbs, tsbh, tsbky)");
}

TEST(Multiplicity, adjusted_values_never_decrease) {
  // A known mistake leaves the running maximum out and gives [.03, .022, .012].
  EXPECT_EQ(holm(Values{.01, .011, .012}).pvalues, (Values{.03, .03, .03}));
}

TEST(Multiplicity, the_limit_itself_is_rejected) {
  EXPECT_EQ(holm(Values{0.05}, 0.05).reject, std::vector<bool>{true});
  EXPECT_EQ(holm(Values{0.025, 0.06}, 0.05).reject, (std::vector<bool>{true, false}));
}

TEST(Multiplicity, refuses_nan_and_passes_nothing_through) {
  for (const auto& row : corrections()) {
    EXPECT_THROW(adjust(Values{0.1, NAN}, row.value), Error) << row.name;
    EXPECT_THROW(adjust(Values{-0.1}, row.value), Error) << row.name;
    EXPECT_TRUE(adjust(Values{}, row.value).pvalues.empty()) << row.name;
  }
}

TEST(Multiplicity, equals_closed_testing) {
  Generator generator(5);
  for (int trial = 0; trial < 60; ++trial) {
    Values p(1 + static_cast<std::size_t>(generator.below(7)));
    for (double& value : p) value = std::round(generator.uniform() * 40) / 200;
    expect_values(holm(p).pvalues, closed_test(p, false), 1e-13, "holm");
    expect_values(adjust(p, Correction::hommel).pvalues, closed_test(p, true), 1e-13, "hommel");
  }
}

/// Adaptive procedures estimate how many hypotheses are true, and may thus lower a p-value.
bool is_adaptive(Correction correction) {
  return correction == Correction::gbs || correction == Correction::tsbh ||
         correction == Correction::tsbky;
}

TEST(Multiplicity, laws_of_every_procedure) {
  Generator generator(6);
  for (const auto& row : corrections())
    for (int trial = 0; trial < 20; ++trial) {
      Values p(12);
      for (double& value : p) value = generator.uniform() * 0.3;
      std::sort(p.begin(), p.end());
      const Adjusted found = adjust(p, row.value);
      for (std::size_t i = 0; i < p.size() && !is_adaptive(row.value); ++i)
        EXPECT_GE(found.pvalues[i], p[i]) << row.name;
      EXPECT_TRUE(std::is_sorted(found.pvalues.begin(), found.pvalues.end())) << row.name;
      Values reversed(p.rbegin(), p.rend());
      Values back = adjust(reversed, row.value).pvalues;
      std::reverse(back.begin(), back.end());
      EXPECT_EQ(back, found.pvalues) << row.name;
    }
}

TEST(Multiplicity, vectors) {
  const auto cases = vectors::cases("multipletests");
  for (const auto& item : cases) {
    const std::string typed = item.at("method");
    const Correction correction = correction_named(typed);
    const auto& want = *vectors::expected(item, "scipy-1.10.1");
    const Adjusted found = adjust(vectors::numbers(item.at("p")), correction, item.at("alpha"));
    expect_values(found.pvalues, vectors::numbers(want.at("p_adjusted")), item.at("rtol"),
                  item.at("id"));
    EXPECT_EQ(vectors::Json(found.reject), want.at("reject")) << item.at("id");
  }
}

TEST(Multiplicity, vectors_of_the_specification) {
  const auto cases = vectors::reference("holm");
  for (const auto& item : cases) {
    const Values p = vectors::numbers(item.at("p"));
    // statsmodels rejects NaN and divides by zero on an empty list: not imitated.
    if (p.empty() || std::any_of(p.begin(), p.end(), [](double v) { return std::isnan(v); }))
      continue;
    const Adjusted found = holm(p, item.at("alpha"));
    expect_values(found.pvalues, vectors::numbers(item.at("corrected")), 0, item.dump());
    EXPECT_EQ(vectors::Json(found.reject), item.at("reject"));
  }
}

}  // namespace multiplicity_test
