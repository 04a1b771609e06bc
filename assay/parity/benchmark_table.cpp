// SPDX-License-Identifier: Apache-2.0
#include "assay/parity/benchmark_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::parity {
namespace {

constexpr std::string_view absent = "–";

std::string cell(std::optional<double> mean, std::optional<double> std = {}) {
  if (!mean) return std::string(absent);
  return std ? fmt::format("{:.3f} ({:.3f})", *mean, *std) : fmt::format("{:.3f}", *mean);
}

std::string cell(const std::optional<PaperValue>& value) {
  return value ? cell(value->mean, value->std) : std::string(absent);
}

std::string paper_row(const PaperModel& m) {
  return fmt::format("| {} (paper) | {} | {} | {} | {} | ref |\n", m.key,
                     m.parameters ? with_thousands(*m.parameters) : std::string(absent),
                     cell(m.dice), cell(m.avd), cell(m.mcc));
}

/// The specification shows its three variants; another paper's file shows all its models, and any
/// other target its own row.
bool is_shown(const PaperModel& model, const ParityReport& report) {
  return !report.paper_source.empty() || model.key.starts_with("meshnet_") ||
         model.key == report.paper.key;
}

std::string our_row(const ParityResult& r, std::string_view parameters, std::string_view mark) {
  return fmt::format("| {} (ours) | {} | {} | {} | {} | {}{} |", r.model, parameters,
                     cell(r.dice_mean, r.dice_std), cell(r.avd_mean), cell(r.mcc_mean), mark,
                     name(r.parity_level));
}

std::string specified_row(const ParityReport& report, const Paper& paper) {
  const ParityResult& r = report.result;
  const ParityResult first = parity_of({r.dice_mean, r.dice_std, r.avd_mean, r.mcc_mean},
                                       paper.models.front(), report.limits, 0);
  return our_row(first, "-", fmt::format("{} ", parity_symbol(first.parity_level)));
}

}  // namespace

std::string_view parity_symbol(ParityLevel level) {
  switch (level) {
    case ParityLevel::strict:
    case ParityLevel::acceptable: return "✅";
    case ParityLevel::minimum: return "⚠️";
    default: return "❌";
  }
}

std::string benchmark_table(const ParityReport& report, const Paper& paper) {
  std::string out =
      "| Model | Parameters | DICE (↑) | AVD (↓) | MCC (↑) | Parity |\n"
      "|-------|------------|----------|---------|---------|--------|\n";
  for (const PaperModel& model : paper.models)
    if (is_shown(model, report)) out += paper_row(model);
  out += "|---|---|---|---|---|---|\n";
  if (report.options.compat_spec) return out + specified_row(report, paper);
  const auto& ours = report.achieved.description.parameters;
  return out + our_row(report.result, ours ? with_thousands(*ours) : std::string(absent), "");
}

}  // namespace assay::parity
