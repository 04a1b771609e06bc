// SPDX-License-Identifier: Apache-2.0
#include "assay/report/text/power_report.hpp"

#include <fmt/format.h>

#include "assay/base/text.hpp"
#include "assay/compare.hpp"
#include "assay/compare/power_words.hpp"
#include "assay/report/text/printable.hpp"
#include "assay/report/text/text_table.hpp"

namespace assay::report {
namespace {

std::string with_limits(const stats::Interval& value) {
  return fmt::format("{} (95 % CI {} to {})", compare::plain_number(value.estimate),
                     compare::plain_number(value.lower), compare::plain_number(value.upper));
}

std::string pilot_line(const compare::PowerStudy& study, const compare::PowerPlan& plan) {
  const compare::Pilot& pilot = plan.pilot;
  const bool has_two = !plan.model.empty();
  const bool has_clusters = !study.settings.cluster.empty();
  std::string out =
      "pilot: " + counted(pilot.n, has_two || has_clusters ? compare::pair_word(study) : "case");
  if (has_clusters) out += fmt::format(" of {}", counted(pilot.cases, "case"));
  out +=
      fmt::format(", {} {}, {} {}", has_two ? "mean difference" : "mean", with_limits(pilot.mean),
                  has_two ? "SD of the differences" : "SD", with_limits(pilot.sd));
  if (pilot.correlation) out += fmt::format(", correlation {:.2f}", *pilot.correlation);
  if (pilot.failures != 0)
    out += fmt::format("; {} counted as worst (--undefined exclude leaves {} out)",
                       counted(pilot.failures, "failure"), pilot.failures == 1 ? "it" : "them");
  return out + "\n";
}

std::string size_text(const std::optional<std::size_t>& size) {
  return size ? std::to_string(*size) : "–";
}

using PlanRow = std::vector<std::string>;

PlanRow plan_row(const compare::PowerStudy& study, const compare::PowerPlan& plan,
                 const compare::PlannedSize& size) {
  PlanRow row;
  if (plan.assumed_correlation) row.push_back(fmt::format("{:g}", *plan.assumed_correlation));
  row.push_back(fmt::format("{:.4g} %", 100 * size.power));
  row.push_back(size_text(size.pairs));
  if (!study.settings.cluster.empty())
    row.push_back(size.pairs ? std::to_string(compare::cases_for(plan, *size.pairs)) : "–");
  if (plan.is_simulated) row.push_back(size_text(size.signed_rank));
  row.push_back(size_text(size.cautious));
  return row;
}

std::vector<Column> columns_of(const compare::PowerStudy& study, const compare::PowerPlan& plan) {
  std::vector<Column> out;
  if (plan.assumed_correlation) out.push_back({"correlation"});
  out.push_back({"power"});
  out.push_back({std::string(compare::pair_word(study)) +
                 (plan.margin ? "s, two one-sided t tests" : "s, t test")});
  if (!study.settings.cluster.empty()) out.push_back({"cases"});
  if (plan.is_simulated) out.push_back({"signed-rank test"});
  out.push_back({plan.assumed_correlation ? "if the SD is larger"
                                          : fmt::format("t test{}, SD {}", plan.margin ? "s" : "",
                                                        compare::plain_number(plan.cautious_sd))});
  return out;
}

/// Plans of one metric that differ in the assumed correlation only are one table.
bool is_continued(const compare::PowerStudy& study, std::size_t plan) {
  return plan + 1 < study.plans.size() && study.plans[plan].assumed_correlation &&
         heading(study.plans[plan + 1]) == heading(study.plans[plan]);
}

}  // namespace

std::string power_report(const compare::PowerStudy& study, bool color) {
  std::string out;
  std::vector<PlanRow> rows;
  for (std::size_t p = 0; p < study.plans.size(); ++p) {
    const compare::PowerPlan& plan = study.plans[p];
    for (const compare::PlannedSize& size : plan.sizes) rows.push_back(plan_row(study, plan, size));
    if (is_continued(study, p)) continue;
    const std::string title = printable(heading(plan));
    out += bold(title, color) + ", " + compare::purpose(study, plan) + "\n" +
           pilot_line(study, plan) + "\n" + text_table(columns_of(study, plan), rows) + "\n";
    rows.clear();
  }
  for (const compare::PowerPlan& plan : study.plans)
    if (const std::string text = compare::remark(study, plan); !text.empty())
      out += printable(heading(plan) + "." + text) + "\n";
  for (const std::string& text : compare::assumptions(study)) out += printable(text) + "\n";
  return out;
}

}  // namespace assay::report
