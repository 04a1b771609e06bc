// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "assay/base/csv.hpp"
#include "assay/base/text.hpp"
#include "assay/report/text/qa_scores.hpp"
#include "assay/report/text/text_table.hpp"

namespace assay::report {
namespace {

std::string p_value(double p) {
  return p < 0.001 ? fmt::format("{:.1e}", p) : fmt::format("{:.3f}", p);
}

std::string points(double difference) {
  return fmt::format("{:+.1f}", difference * 100);
}

std::string interval(const qa::PairedScore& s) {
  return points(s.tested.interval.lower) + " to " + points(s.tested.interval.upper);
}

/// What the test says, in a sentence.
std::string answer(const qa::QaComparison& c, const qa::PairedScore& s, double alpha) {
  const stats::SignFlipTest& test = s.tested.test;
  const char* unit = s.clusters == 0 ? "question" : "slide";
  if (s.is_significant)
    return fmt::format("{} is {}", printable(c.second_run),
                       s.tested.interval.estimate > 0 ? "better" : "worse");
  if (test.units == 0) return "no question tells them apart";
  if (test.least_pvalue > alpha)
    return fmt::format(
        "no difference can be shown, because only {} tell{} them apart and p cannot fall below "
        "{}",
        counted(test.units, unit), test.units == 1 ? "s" : "", p_value(test.least_pvalue));
  return "no difference was shown";
}

std::string test_line(const qa::QaComparison& c, const qa::PairedScore& s, double alpha) {
  const stats::SignFlipTest& test = s.tested.test;
  std::string out = fmt::format("    {} of {}: p = {}", qa::test_name(c.metric, s),
                                qa_metric_words(c.metric), p_value(test.pvalue));
  if (c.benchmarks > 1)
    out += fmt::format(", {} after Holm's correction for {} benchmarks", p_value(s.corrected_p),
                       c.benchmarks);
  out += "; " + answer(c, s, alpha) + "\n";
  if (s.one_slide)
    out += fmt::format("    all {} are on one slide, so this says nothing about other slides\n",
                       counted(s.n, "question"));
  return out;
}

std::string score_lines(const qa::QaComparison& c, const qa::PairedScore& s, const char* what,
                        double alpha) {
  return fmt::format(
             "  {}: n = {} · {:.1f} % against {:.1f} % · difference {} points, {:g} % CI {}{}\n",
             what, s.n, s.second * 100, s.first * 100, points(s.tested.interval.estimate),
             100 * (1 - alpha), interval(s),
             s.clusters == 0 ? "" : fmt::format(" by {}", counted(s.clusters, "slide"))) +
         test_line(c, s, alpha) +
         fmt::format("    right in both {}, only first {}, only second {}, neither {}\n",
                     s.both_right, s.only_first, s.only_second, s.both_wrong);
}

/// A name with its position, unless the name contains it already.
std::string placed(const std::string& name, std::string_view place) {
  const std::string mark = fmt::format(" ({})", place);
  return printable(name) + (name.ends_with(mark) ? "" : mark);
}

std::string label(const std::optional<std::int64_t>& value) {
  return value ? std::to_string(*value) : "–";
}

std::string flip_table(const std::vector<qa::Flip>& flips, const std::string& heading) {
  if (flips.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  rows.reserve(flips.size());
  for (const qa::Flip& flip : flips)
    rows.push_back({printable(flip.item_id), std::to_string(flip.truth_label),
                    label(flip.first_label), label(flip.second_label),
                    printable(excerpt(flip.first_prediction)),
                    printable(excerpt(flip.second_prediction))});
  return "\n" + heading + "\n" +
         text_table({{"item", Align::left},
                     {"truth"},
                     {"first"},
                     {"second"},
                     {"first answer", Align::left},
                     {"second answer", Align::left}},
                    rows);
}

/// Both lists of flips, with the word for each.
template <class Each>
void for_flips(const qa::QaComparison& c, Each each) {
  for (const qa::Flip& flip : c.lost) each("lost", flip);
  for (const qa::Flip& flip : c.won) each("won", flip);
}

}  // namespace

std::string qa_comparison_report(const qa::QaComparison& c, const QaReportStyle& style) {
  const std::string name = printable(c.benchmark_name);
  std::string out = bold(name, style.terminal.color) +
                    fmt::format(": {} against {}, {}\n", placed(c.second_run, "second"),
                                placed(c.first_run, "first"), qa_metric_words(c.metric));
  out += score_lines(c, c.all, "answers without a label count as wrong", c.alpha);
  if (c.scored_by_both && c.scored_by_both->n != c.all.n)
    out += score_lines(c, *c.scored_by_both, "scored by both", c.alpha);
  if (!c.only_first.empty() || !c.only_second.empty())
    out += fmt::format("  left out: {} only in the first, {} only in the second\n",
                       c.only_first.size(), c.only_second.size());
  return out + flip_table(c.lost, "right only in the first") +
         flip_table(c.won, "right only in the second");
}

std::string qa_comparison_markdown(const std::vector<qa::QaComparison>& comparisons) {
  const double level = comparisons.empty() ? 0.95 : 1 - comparisons.front().alpha;
  std::string out = fmt::format(
      "| benchmark | n | first % | second % | difference | {:g} % CI | p | corrected p | lost | "
      "won "
      "|\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
      100 * level);
  for (const qa::QaComparison& c : comparisons)
    out += fmt::format("| {} | {} | {:.1f} | {:.1f} | {} | {} | {} | {} | {} | {} |\n",
                       printable(c.benchmark_name), c.all.n, c.all.first * 100, c.all.second * 100,
                       points(c.all.tested.interval.estimate), interval(c.all),
                       p_value(c.all.tested.test.pvalue), p_value(c.all.corrected_p), c.lost.size(),
                       c.won.size());
  return out;
}

std::string qa_comparison_csv(const std::vector<qa::QaComparison>& comparisons) {
  std::string out =
      "benchmark,item_id,change,truth_label,first_label,second_label,first_prediction,"
      "second_prediction\n";
  const auto field = [](const std::optional<std::int64_t>& value) {
    return value ? std::to_string(*value) : "";
  };
  for (const qa::QaComparison& c : comparisons)
    for_flips(c, [&](const char* change, const qa::Flip& flip) {
      out += fmt::format("{},{},{},{},{},{},{},{}\n", csv_field(c.benchmark_name),
                         csv_field(flip.item_id), change, flip.truth_label, field(flip.first_label),
                         field(flip.second_label), csv_field(flip.first_prediction),
                         csv_field(flip.second_prediction));
    });
  return out;
}

}  // namespace assay::report
