// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "assay/base/csv.hpp"
#include "assay/base/shortest.hpp"
#include "assay/base/text.hpp"
#include "assay/report/text/parity_report.hpp"
#include "assay/report/text/text_table.hpp"

namespace assay::report {
namespace {

std::string cell(const std::optional<parity::PaperValue>& v) {
  if (!v) return std::string(absent);
  const std::string std = v->std ? fmt::format(" ({:.3f})", *v->std) : "";
  return fmt::format("{:.3f}{}{}", v->mean, std, v->differs ? "*" : " ");
}

std::string shortest(const std::optional<double>& x) {
  return x ? assay::shortest(*x) : "";
}

void add_csv(std::vector<std::string>& row, const std::optional<parity::PaperValue>& v) {
  row.push_back(v ? shortest(v->mean) : "");
  row.push_back(v ? shortest(v->std) : "");
  row.push_back(v ? (v->differs ? "true" : "false") : "");
}

}  // namespace

PaperTable models_table(const parity::Paper& paper) {
  PaperTable table = {
      .header = {"key", "model", "parameters", "Dice ↑", "AVD ↓", "MCC ↑", "Dice per million"},
      .rows = {}};
  bool starred = false;
  for (const parity::PaperModel& m : paper.models) {
    const auto efficiency = parity::dice_per_million(m.dice.mean, m.parameters);
    table.rows.push_back(
        {m.key, m.name, m.parameters ? parity::with_thousands(*m.parameters) : std::string(absent),
         cell(m.dice), cell(m.avd), cell(m.mcc),
         efficiency ? fmt::format("{:.3f}", *efficiency) : std::string(absent)});
    starred = starred || m.dice.differs || (m.avd && m.avd->differs) || (m.mcc && m.mcc->differs);
  }
  table.footnotes = {"mean (SD) as published; Dice per million parameters is computed"};
  if (starred)
    table.footnotes.push_back(
        fmt::format("* differs from {} (p < 0.05, Holm-corrected)", paper.models.front().name));
  return table;
}

std::string models_csv(const parity::Paper& paper) {
  std::string out =
      "key,model,parameters,dice_mean,dice_std,dice_differs,avd_mean,avd_std,avd_differs,mcc_mean,"
      "mcc_std,mcc_differs,dice_per_million_parameters\n";
  for (const parity::PaperModel& m : paper.models) {
    std::vector<std::string> row = {m.key, m.name,
                                    m.parameters ? std::to_string(*m.parameters) : ""};
    add_csv(row, m.dice);
    add_csv(row, m.avd);
    add_csv(row, m.mcc);
    row.push_back(shortest(parity::dice_per_million(m.dice.mean, m.parameters)));
    for (std::string& field : row) field = csv_field(field);
    out.append(joined(row, ",")).append("\n");
  }
  return out;
}

}  // namespace assay::report
