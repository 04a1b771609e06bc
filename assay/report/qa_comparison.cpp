// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "assay/core/words.hpp"
#include "assay/io/csv.hpp"
#include "assay/report/qa_scores.hpp"
#include "assay/report/text_table.hpp"

namespace assay {
namespace {

std::string p_value(double p) {
  return p < 0.001 ? fmt::format("{:.1e}", p) : fmt::format("{:.3f}", p);
}

std::string points(double difference) {
  return fmt::format("{:+.1f}", difference * 100);
}

std::string interval(const BootstrapResult& b) {
  return points(b.ci_lower) + " to " + points(b.ci_upper);
}

std::string score_lines(const PairedScore& s, const char* what) {
  std::string out = fmt::format(
      "  {}: n = {} · {:.1f} % against {:.1f} % · difference {} points, 95 % CI {}", what, s.n,
      s.second * 100, s.first * 100, points(s.difference.point), interval(s.difference));
  if (s.slides) out += fmt::format(", by slide {}", interval(*s.slides));
  return out + fmt::format(
                   "\n    right in both {}, only first {}, only second {}, neither {} · "
                   "McNemar p = {} (mid-p {})\n",
                   s.both_right, s.only_first, s.only_second, s.both_wrong, p_value(s.exact.pvalue),
                   p_value(s.mid_p.pvalue));
}

std::string label(const std::optional<std::int64_t>& value) {
  return value ? std::to_string(*value) : "–";
}

std::string excerpt(const std::string& text) {
  constexpr std::size_t longest = 40;
  std::size_t end = std::min(text.size(), longest);  // not within a letter of several bytes
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
    --end;
  return printable(text.substr(0, end)) + (end < text.size() ? "..." : "");
}

std::string flip_table(const std::vector<Flip>& flips, const std::string& heading) {
  if (flips.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  rows.reserve(flips.size());
  for (const Flip& flip : flips)
    rows.push_back({printable(flip.item_id), std::to_string(flip.truth_label),
                    label(flip.first_label), label(flip.second_label),
                    excerpt(flip.first_prediction), excerpt(flip.second_prediction)});
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
void for_flips(const QaComparison& c, Each each) {
  for (const Flip& flip : c.lost) each("lost", flip);
  for (const Flip& flip : c.won) each("won", flip);
}

}  // namespace

std::string qa_comparison_report(const QaComparison& c, const QaReportStyle& style) {
  const std::string name = printable(c.benchmark_name);
  std::string out =
      (style.terminal.color ? "\x1b[1m" + name + "\x1b[0m" : name) +
      fmt::format(": {} (second) against {} (first), {}\n", printable(c.second_run),
                  printable(c.first_run), name_in(classification_metrics(), c.metric));
  out += score_lines(c.all, "without label = wrong");
  if (c.scored_by_both && c.scored_by_both->n != c.all.n)
    out += score_lines(*c.scored_by_both, "scored by both");
  if (!c.only_first.empty() || !c.only_second.empty())
    out += fmt::format("  left out: {} only in the first, {} only in the second\n",
                       c.only_first.size(), c.only_second.size());
  return out + flip_table(c.lost, "right only in the first") +
         flip_table(c.won, "right only in the second");
}

std::string qa_comparison_markdown(const std::vector<QaComparison>& comparisons) {
  std::string out =
      "| benchmark | n | first % | second % | difference | 95 % CI | McNemar p | lost | won |\n"
      "|---|---:|---:|---:|---:|---:|---:|---:|---:|\n";
  for (const QaComparison& c : comparisons)
    out += fmt::format("| {} | {} | {:.1f} | {:.1f} | {} | {} | {} | {} | {} |\n",
                       printable(c.benchmark_name), c.all.n, c.all.first * 100, c.all.second * 100,
                       points(c.all.difference.point), interval(c.all.difference),
                       p_value(c.all.exact.pvalue), c.lost.size(), c.won.size());
  return out;
}

std::string qa_comparison_csv(const std::vector<QaComparison>& comparisons) {
  std::string out =
      "benchmark,item_id,change,truth_label,first_label,second_label,first_prediction,"
      "second_prediction\n";
  const auto field = [](const std::optional<std::int64_t>& value) {
    return value ? std::to_string(*value) : "";
  };
  for (const QaComparison& c : comparisons)
    for_flips(c, [&](const char* change, const Flip& flip) {
      out += fmt::format("{},{},{},{},{},{},{},{}\n", csv_field(c.benchmark_name),
                         csv_field(flip.item_id), change, flip.truth_label, field(flip.first_label),
                         field(flip.second_label), csv_field(flip.first_prediction),
                         csv_field(flip.second_prediction));
    });
  return out;
}

}  // namespace assay
