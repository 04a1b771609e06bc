// SPDX-License-Identifier: Apache-2.0
#include "assay/report/text/qa_scores.hpp"

#include <fmt/format.h>

#include "assay/base/csv.hpp"
#include "assay/base/text.hpp"
#include "assay/report/text/printable.hpp"
#include "assay/report/text/text_table.hpp"

namespace assay::report {
namespace {

std::string percent(double share) {
  return fmt::format("{:.1f}", share * 100);
}

std::string percent(const std::optional<double>& share) {
  return share ? percent(*share) : "–";
}

std::string limits(double lower, double upper) {
  return percent(lower) + " – " + percent(upper) + " %";
}

/// Words before the score of a run that has not answered everything, because it is not final.
std::string partial(const qa::QaScores& s) {
  const std::size_t answered = s.ledger.answered(), expected = s.ledger.expected();
  if (answered == expected) return "";
  return fmt::format("of {}, {} answered; {} ", counted(expected, "question"), answered,
                     s.settings.policy == qa::FailurePolicy::wrong ? "counting the others as wrong,"
                                                                   : "of those with a label,");
}

/// How the headline's interval was found: "Wilson", "Wilson, by 72 slides".
std::string qa_interval_words(const qa::QaScores& scores) {
  const auto& score = scores.headline();
  std::string out = "Wilson";
  if (score && score->interval.clusters != 0)
    out += fmt::format(", by {}", counted(score->interval.clusters, "slide"));
  else if (score && scores.metric == stats::ClassificationMetric::balanced_accuracy)
    out += ", by class";
  return out;
}

std::string headline(const qa::ScoredQa& run, const TerminalStyle& style) {
  std::string out = bold(printable(run.result.benchmark_name), style.color);
  if (!run.result.model_name.empty()) out += " · " + printable(run.result.model_name);
  const auto& score = run.scores.headline();
  if (!score) return out + ": nothing to score\n";
  const stats::Interval& interval = score->interval.interval;
  return out + fmt::format(": {}{} {} % ({} of {} right), 95 % interval {} ({})\n",
                           partial(run.scores), qa_metric_words(run.scores.metric),
                           percent(score->items.point), score->correct, score->n,
                           limits(interval.lower, interval.upper), qa_interval_words(run.scores));
}

std::string unfinished_line(const qa::QaResult& result) {
  if (!result.unfinished) return "";
  return fmt::format("  unfinished run: {} of {} done so far\n", result.unfinished->done,
                     counted(result.unfinished->expected, "question"));
}

/// What the interval takes into account, and the figure that the specification asks for.
std::string interval_lines(const qa::QaScores& s) {
  const auto& score = s.headline();
  if (!score) return "";
  const stats::BootstrapResult& b = score->items;
  std::string out =
      fmt::format("  as specified: bootstrap mean ± SD {} ± {} % ({} resamples of questions)\n",
                  percent(b.mean), percent(b.std), b.n_replicates);
  if (score->interval.clusters != 0)
    out += fmt::format("  {} share {}: they count as {:.0f} independent ones\n",
                       counted(score->n, "question"), counted(score->interval.clusters, "slide"),
                       score->interval.effective_items);
  if (s.one_slide)
    out += fmt::format(
        "  all {} are on one slide: the interval is about questions on this slide, and there is "
        "none by slide\n",
        counted(score->n, "question"));
  return out;
}

std::string ledger_line(const qa::QaScores& s) {
  std::string out = fmt::format("  {} expected = ", s.ledger.expected());
  bool first = true;
  for (const auto& row : qa::outcomes()) {
    const std::size_t count = s.ledger.count(row.value);
    if (count == 0 && row.value != qa::Outcome::scored) continue;
    out += fmt::format("{}{} {}", first ? "" : " + ", count, row.name);
    first = false;
  }
  if (s.slides != 0) out += fmt::format(" · {}", counted(s.slides, "slide"));
  return out + "\n";
}

std::string policy_lines(const qa::QaScores& s) {
  if (!s.wrong || s.ledger.count(qa::Outcome::scored) == s.ledger.expected()) return "";
  std::string out = fmt::format("  without label = wrong: {} %", percent(s.wrong->items.point));
  out += s.scored ? fmt::format(" · scored only: {} % (n = {})", percent(s.scored->items.point),
                                s.scored->n)
                  : " · scored only: none";
  out += fmt::format(" · bounds: {}\n", limits(s.worst, s.best));
  if (const std::size_t skipped = s.ledger.count(qa::Outcome::skipped); skipped != 0)
    out += fmt::format("  {} not asked; the run is not complete\n",
                       counted(skipped, "question") + (skipped == 1 ? " was" : " were"));
  return out;
}

std::string vote_lines(const qa::QaScores& s) {
  if (s.majority.at.empty()) return "";
  std::string out =
      fmt::format("  majority votes, mean ± SD over subsets of {} runs:", s.majority.runs);
  for (std::size_t k = 0; k < s.majority.at.size(); ++k) {
    const qa::MajorityScore& at = s.majority.at[k];
    out += fmt::format("{} maj@{} {}{} %", k == 0 ? "" : ",", k + 1, percent(at.mean),
                       at.std ? " ± " + percent(*at.std) : "");
  }
  if (s.majority.left_out != 0)
    out += fmt::format(" · without {} that only some questions have",
                       counted(s.majority.left_out, "run"));
  if (s.vote_agreement) out += fmt::format(" · votes agree {} %", percent(*s.vote_agreement));
  return out + "\n";
}

std::string cost_line(const qa::QaScores& s) {
  if (!s.total_cost_usd && !s.total_tokens) return "";
  std::string out = "  cost:";
  out += s.total_cost_usd ? fmt::format(" ${:.2f}", *s.total_cost_usd) : " unknown";
  if (s.total_tokens) out += fmt::format(" · {} tokens", *s.total_tokens);
  return out + "\n";
}

std::string published_line(const qa::QaScores& s) {
  if (s.published == nullptr) return "";
  std::string out = fmt::format("  published ({}):", qa::published_giant_source);
  bool first = true;
  for (const qa::PublishedSystem& system : s.published->systems) {
    out += fmt::format("{} {} {:.1f}", first ? "" : ",", system.name, system.score.mean);
    if (system.score.std) out += fmt::format(" ± {:.1f}", *system.score.std);
    first = false;
  }
  return out + " %\n";
}

std::string class_table(const qa::QaScores& s) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t c = 0; c < s.classes.size(); ++c) {
    const qa::ClassScore& row = s.classes[c];
    rows.push_back({std::to_string(row.label), printable(row.name), std::to_string(row.n),
                    percent(row.recall()), percent(row.precision()), std::to_string(row.predicted),
                    std::to_string(s.confusion.none[c])});
  }
  return text_table({{"label"},
                     {"class", Align::left},
                     {"n"},
                     {"recall %"},
                     {"precision %"},
                     {"predicted"},
                     {"no label"}},
                    rows);
}

/// A cell of a Markdown table.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : printable(text)) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::vector<std::string> markdown_row(const qa::ScoredQa& run) {
  const auto& score = run.scores.headline();
  if (!score) return {};
  const stats::BootstrapResult& b = score->items;
  const stats::Interval& interval = score->interval.interval;
  return {cell(run.result.benchmark_name),
          cell(run.result.model_name),
          std::string(qa_metric_words(run.scores.metric)),
          percent(b.point),
          percent(interval.lower) + " – " + percent(interval.upper),
          percent(b.mean) + " ± " + percent(b.std),
          fmt::format("{} / {}", run.scores.ledger.count(qa::Outcome::scored),
                      run.scores.ledger.expected()),
          percent(run.scores.worst) + " – " + percent(run.scores.best)};
}

}  // namespace

std::string_view qa_metric_words(stats::ClassificationMetric metric) {
  return metric == stats::ClassificationMetric::accuracy ? "accuracy" : "balanced accuracy";
}

std::string qa_report(const qa::ScoredQa& run, const QaReportStyle& style) {
  const qa::QaScores& s = run.scores;
  std::string out = headline(run, style.terminal) + unfinished_line(run.result) +
                    interval_lines(s) + ledger_line(s) + policy_lines(s) + vote_lines(s) +
                    cost_line(s) + published_line(s);
  if (style.classes && !s.classes.empty()) out += "\n" + class_table(s);
  return out;
}

std::string qa_markdown(const std::vector<qa::ScoredQa>& runs) {
  std::string out =
      "| benchmark | model | metric | point % | 95 % CI | bootstrap % | scored | bounds % |\n"
      "|---|---|---|---:|---:|---:|---:|---:|\n";
  for (const qa::ScoredQa& run : runs) {
    const auto cells = markdown_row(run);
    if (!cells.empty()) out += "| " + joined(cells, " | ") + " |\n";
  }
  return out;
}

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

/// A name followed by its place, unless the name contains it already.
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
