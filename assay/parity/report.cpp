// SPDX-License-Identifier: Apache-2.0
#include "assay/parity/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.hpp"
#include "assay/parity.hpp"

namespace assay::parity {
namespace {

/// The SD that is comparable to the paper's, which is taken between runs or folds: the one given
/// with the mean, unless that is over subjects (or absent) and the file has a better one.
const SpreadReading& chosen_spread(const SpreadReading& own,
                                   const std::vector<SpreadReading>& others) {
  if (own.std.value && own.over != SpreadOver::subjects) return own;
  for (const SpreadOver wanted :
       {SpreadOver::runs, SpreadOver::outer_folds, SpreadOver::subjects}) {
    if (own.std.value && wanted == SpreadOver::subjects) break;
    for (const SpreadReading& other : others)
      if (other.over == wanted && other.std.value && other.n.value_or(2) >= 2) return other;
  }
  return own;
}

/// The specification's code fails without these numbers, and so does the mode that reproduces it.
void require_everything(const Achieved& a) {
  for (const NumberRead* r : {&a.dice, &a.dice_std.std, &a.avd, &a.mcc})
    if (!r->value)
      throw Error(Error::Kind::input, a.source,
                  r->missing +
                      ", and the specification's code stops there; without --compat spec the "
                      "level is not assessable");
}

struct Judge {
  const ParityReport& report;
  double slack;

  ParityLevel level(std::optional<double> dice, std::optional<double> dice_std) const {
    const Achieved& a = report.achieved;
    return parity_of({dice, dice_std, a.avd.value, a.mcc.value}, report.paper, report.limits, slack)
        .parity_level;
  }
};

std::vector<SpreadVerdict> by_spread(const ParityReport& report, const Judge& judge) {
  std::vector<SpreadVerdict> verdicts;
  const Achieved& a = report.achieved;
  const auto add = [&](const SpreadReading& spread) {
    if (!spread.std.value) return;
    verdicts.push_back({.spread = spread,
                        .level = judge.level(a.dice.value, spread.std.value),
                        .used = spread.std.place == report.dice_std.std.place});
  };
  add(a.dice_std);
  for (const SpreadReading& other : a.spreads) add(other);
  return verdicts;
}

MacroVerdict macro_verdict(const ParityReport& report, const Judge& judge) {
  const Achieved& a = report.achieved;
  MacroVerdict macro = {.dice_macro = a.dice_macro};
  if (a.dice_macro.value) {
    const auto same =
        std::ranges::find(a.macro_spreads, report.dice_std.over, &SpreadReading::over);
    if (same != a.macro_spreads.end()) macro.dice_std = same->std.value;
    macro.level = judge.level(a.dice_macro.value, macro.dice_std);
  } else if (const auto& pair = report.consistency.achieved;
             pair && pair->as_macro && !pair->as_foreground) {
    macro.already = true;
    macro.dice_std = report.dice_std.std.value;
    macro.level = report.result.parity_level;
  } else if (a.dice.value) {
    macro.estimated = macro_dice_bounds(*a.dice.value);
    if (!macro.estimated) return macro;
    // The background's Dice hardly varies, so the mean of both varies half as much as the lesion's
    // Dice.
    if (report.dice_std.std.value) macro.dice_std = *report.dice_std.std.value / 2;
    const ParityLevel low = judge.level(macro.estimated->low, macro.dice_std);
    const ParityLevel high = judge.level(macro.estimated->high, macro.dice_std);
    macro.level = low == high ? low : ParityLevel::not_assessable;
  }
  return macro;
}

std::optional<PaperComparison> comparison(const ParityReport& report) {
  if (report.achieved.sample.values.empty()) return std::nullopt;
  const PaperValue& dice = report.paper.dice;
  const ParityOptions& o = report.options;
  return compared_with_paper(
      report.achieved.sample.values, {dice.mean, dice.std, dice.n},
      {.alpha = o.alpha, .margin = o.margin, .compat_spec = o.compat_spec, .executor = o.executor});
}

void add_warnings(ParityReport& report, const Paper& paper) {
  const Achieved& a = report.achieved;
  report.warnings = a.warnings;
  if (!a.variant.empty() && a.variant != report.paper.key)
    report.warnings.push_back(
        fmt::format("the file says that its model is {}, but it is judged as "
                    "{}; --variant chooses",
                    a.variant, report.paper.key));
  if (!paper.gives_limits)
    report.warnings.push_back(
        fmt::format("{} gives no limits: acceptable and minimum are the specification's, made for "
                    "MeshNet-26 (Dice ≥ {:g} and ≥ {:g})",
                    paper.source, report.limits.acceptable_dice, report.limits.minimum_dice));
}

}  // namespace

ParityReport parity_report(const Achieved& achieved, const Paper& paper, std::string_view variant,
                           const ParityOptions& options) {
  const bool compat = options.compat_spec;
  if (compat) require_everything(achieved);
  ParityReport r = {
      .achieved = achieved,
      .paper_source = paper.source,
      .paper = variant_of(paper, variant),
      .limits = paper.limits,
      .options = options,
      .result = {},
      .dice_std = compat ? achieved.dice_std : chosen_spread(achieved.dice_std, achieved.spreads)};
  if (options.paper_n) r.paper.dice.n = options.paper_n;
  const Judge judge = {r, compat ? 0 : parity_slack};
  r.result =
      parity_of({achieved.dice.value, r.dice_std.std.value, achieved.avd.value, achieved.mcc.value},
                r.paper, r.limits, judge.slack);
  r.by_spread = by_spread(r, judge);
  r.consistency = consistency(paper, r.paper, achieved.dice.value, achieved.mcc.value);
  r.macro = macro_verdict(r, judge);
  r.comparison = comparison(r);
  if (achieved.dice.value)
    r.dice_per_million = dice_per_million(*achieved.dice.value, achieved.description.parameters);
  r.paper_dice_per_million = dice_per_million(r.paper.dice.mean, r.paper.parameters);
  const CheckInput input = {achieved, r.paper, r.limits, r.result, r.dice_std, r.comparison};
  r.minimum_viable = minimum_viable(input);
  r.checklist = success_checklist(input);
  r.benchmark_table = benchmark_table(r, paper);
  add_warnings(r, paper);
  r.explanation = parity_explanation(r, paper);
  return r;
}

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
