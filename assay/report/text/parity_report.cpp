// SPDX-License-Identifier: Apache-2.0
#include "assay/report/text/parity_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/base/csv.hpp"
#include "assay/base/shortest.hpp"
#include "assay/base/text.hpp"
#include "assay/parity/report.hpp"
#include "assay/report/text/printable.hpp"
#include "assay/report/text/text_table.hpp"

namespace assay::report {
namespace {

std::string upper(std::string_view text) {
  std::string out = ascii_uppered(text);
  std::ranges::replace(out, '_', ' ');
  return out;
}

std::string four_digits(const std::optional<double>& x) {
  return x ? fmt::format("{:.4f}", *x) : std::string(absent);
}

std::string yes_or_no(const std::optional<bool>& x) {
  return x ? (*x ? "yes" : "no") : std::string(absent);
}

std::string published(const std::optional<parity::PaperValue>& v) {
  if (!v) return std::string(absent);
  return v->std ? fmt::format("{:.3f} ± {:.3f}", v->mean, *v->std) : fmt::format("{:.3f}", v->mean);
}

std::string change(const parity::MetricDetail& d) {
  if (!d.diff) return std::string(absent);
  if (!std::isfinite(*d.pct_diff)) return fmt::format("{:+.4f}", *d.diff);
  return fmt::format("{:+.4f} ({:+.1f} %)", *d.diff, *d.pct_diff);
}

std::vector<std::string> metric_row(const char* title, const parity::MetricDetail& d,
                                    const std::optional<parity::PaperValue>& paper) {
  return {title,
          four_digits(d.achieved),
          published(paper),
          change(d),
          yes_or_no(d.within_tolerance),
          yes_or_no(d.acceptable),
          yes_or_no(d.minimum),
          yes_or_no(d.within_paper_sd),
          yes_or_no(d.meets_or_exceeds)};
}

std::string metrics_table(const parity::ParityReport& r) {
  const std::vector<Column> columns = {{"", Align::left}, {"ours"},        {"paper"},
                                       {"difference"},    {"strict"},      {"acceptable"},
                                       {"minimum"},       {"within ± SD"}, {"meets or exceeds"}};
  const parity::ParityDetails& d = r.result.details;
  const std::string dash(absent);
  const std::vector<std::string> std_row = {
      "SD of Dice (ddof 0)",
      four_digits(d.dice_std.achieved),
      d.dice_std.paper ? fmt::format("{:.3f}", *d.dice_std.paper) : dash,
      dash,
      yes_or_no(d.dice_std.acceptable),
      dash,
      dash,
      dash,
      dash};
  return text_table(
      columns, {metric_row("Dice ↑", d.dice, r.paper.dice), std_row,
                metric_row("AVD ↓", d.avd, r.paper.avd), metric_row("MCC ↑", d.mcc, r.paper.mcc)});
}

std::string section(std::string_view title, const std::string& body, bool color) {
  return body.empty() ? "" : "\n" + bold(title, color) + "\n" + body;
}

/// " (n = 6; 0.0102 with ddof 1)"
std::string spread_note(const parity::SpreadReading& spread) {
  if (!spread.n) return "";
  const auto sample = spread.sample_std();
  return fmt::format(" (n = {}{})", *spread.n,
                     sample ? fmt::format("; {:.4f} with ddof 1", *sample) : "");
}

std::string spreads(const parity::ParityReport& r) {
  std::string out;
  for (const parity::SpreadVerdict& v : r.by_spread)
    out += fmt::format("  {:.4f} over {}{}, {}: {}{}\n", *v.spread.std.value, words(v.spread.over),
                       spread_note(v.spread), printable(v.spread.std.place), name(v.level),
                       v.used ? "  <- used" : "");
  return out;
}

std::string macro(const parity::ParityReport& r) {
  const parity::MacroVerdict& m = r.macro;
  if (m.dice_macro.value)
    return fmt::format("  macro Dice {:.4f}, SD {}: {}\n", *m.dice_macro.value,
                       four_digits(m.dice_std), name(m.level));
  if (m.already)
    return fmt::format("  the file's Dice seems to be that already: {}\n", name(m.level));
  if (!m.estimated) return "";
  return fmt::format("  macro Dice {:.4f}–{:.4f} (estimated), SD {}: {}\n", m.estimated->low,
                     m.estimated->high, four_digits(m.dice_std), name(m.level));
}

std::string comparison(const parity::ParityReport& r) {
  if (!r.comparison) return "";
  const parity::PaperComparison& c = *r.comparison;
  std::string out =
      fmt::format("  ours {:.4f} (SD {:.4f}, {} {}), paper {}\n", c.our_mean, c.our_std, c.n,
                  words(r.achieved.sample.over), published(r.paper.dice));
  out += fmt::format("  difference of the means {:+.4f}", c.difference);
  if (c.interval)
    out += fmt::format(", {:g} % interval {:+.4f} to {:+.4f}", 100 * (1 - c.alpha),
                       c.interval->lower, c.interval->upper);
  out += fmt::format(
      "; {}, {}; Cohen's d {}\n", c.test_type, c.p_text(),
      c.cohens_d ? fmt::format("{:.3f} ({})", *c.cohens_d, c.interpretation) : "undefined");
  return out + "  " + c.conclusion + "\n";
}

std::string efficiency(const parity::ParityReport& r) {
  if (!r.paper_dice_per_million) return "";
  return fmt::format(
      "  Dice per million parameters: ours {}, paper {:.2f}\n",
      r.dice_per_million ? fmt::format("{:.2f}", *r.dice_per_million) : std::string(absent),
      *r.paper_dice_per_million);
}

std::string checks(const std::vector<parity::CheckItem>& items) {
  std::string out;
  for (const parity::CheckItem& item : items) {
    const std::string_view mark = item.answer == parity::CheckAnswer::yes  ? "[yes]"
                                  : item.answer == parity::CheckAnswer::no ? "[no] "
                                                                           : "[?]  ";
    out += fmt::format(
        "  {} {}: {}{}\n", mark, printable(item.item),
        item.answer == parity::CheckAnswer::cannot_be_checked ? "cannot be checked, because " : "",
        printable(item.because));
  }
  return out;
}

std::string sentences(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out.append("  - ").append(printable(text)).append("\n");
  return out;
}

std::string headline(const parity::ParityReport& r, bool color) {
  const std::string against =
      r.paper_source.empty() ? "the published" : printable(r.paper_source) + ":";
  return fmt::format("{} (from {}) against {} {}\n\nParity level: {}\n\n",
                     printable(r.achieved.source),
                     r.achieved.origin.empty() ? "nothing" : r.achieved.origin, against,
                     printable(r.paper.name), bold(upper(name(r.result.parity_level)), color));
}

}  // namespace

std::string parity_screen(const parity::ParityReport& r, bool color) {
  return headline(r, color) + metrics_table(r) + section("Why", sentences(r.explanation), color) +
         section("Level by SD (ddof 0, as specified)", spreads(r), color) +
         section("If the paper's Dice is the mean over lesion and background", macro(r), color) +
         section("Against the paper's mean Dice", comparison(r), color) +
         section("Efficiency", efficiency(r), color) +
         section("Minimum viable", checks(r.minimum_viable), color) +
         section("Success checklist", checks(r.checklist), color);
}

std::string specified_parity_screen(const parity::ParityReport& r) {
  const parity::ParityResult& p = r.result;
  const parity::ParityDetails& d = p.details;
  const std::string rule(60, '=');
  const auto line = [](const char* title, const parity::MetricDetail& m) {
    return fmt::format("  {:<5} {:.4f} vs {:.4f} ({:+.1f}%)\n", title, *m.achieved, *m.paper,
                       *m.pct_diff);
  };
  std::string out = fmt::format(
      "\n{0}\nPAPER PARITY VALIDATION\n{0}\n{1} {2}: DICE={3:.4f}±{4:.4f} (parity: {5})\n\n"
      "Detailed Comparison:\n",
      rule, parity::parity_symbol(p.parity_level), printable(p.model), *p.dice_mean, *p.dice_std,
      name(p.parity_level));
  out += line("DICE:", d.dice);
  if (d.avd.diff) out += line("AVD:", d.avd);
  if (d.mcc.diff) out += line("MCC:", d.mcc);
  out += fmt::format("\nParity Level: {}\n", upper(name(p.parity_level)));
  switch (p.parity_level) {
    case parity::ParityLevel::strict:
      return out + "🎉 Congratulations! Strict paper parity achieved!\n";
    case parity::ParityLevel::acceptable:
      return out + "✅ Good! Acceptable paper parity achieved.\n";
    case parity::ParityLevel::minimum:
      return out + "⚠️ Warning: Only minimum viable parity achieved.\n";
    default: return out + "❌ Failed: Results do not match paper.\n";
  }
}

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
