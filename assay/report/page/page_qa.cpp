// SPDX-License-Identifier: Apache-2.0
/// Questions on the page: scores with intervals, the ledger, how agents arrived at their answers.
#include <fmt/format.h>

#include <algorithm>

#include "assay/base/named.hpp"
#include "assay/compare.hpp"
#include "assay/report/html.hpp"
#include "assay/report/page/page_parts.hpp"

namespace assay::report {
namespace {

std::string percent_text(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string interval(const stats::ScoreInterval& score) {
  return fmt::format("{} to {}", percent_text(score.interval.lower),
                     percent_text(score.interval.upper));
}

/// What the intervals are, and where they say less than they seem to.
std::string interval_note(const std::vector<QaStudyPart>& parts) {
  std::string out =
      "Intervals are Wilson's. Where questions share classes or slides, they use the equivalent "
      "number of independent questions. Questions without a label count as wrong.";
  const bool one_slide =
      std::ranges::any_of(parts, [](const QaStudyPart& part) { return part.scores.one_slide; });
  if (one_slide)
    out +=
        " Where all questions are on one slide, there is no interval by slide, and the interval is "
        "about questions on that slide.";
  return out;
}

std::string cost_of(const qa::QaScores& scores) {
  return scores.total_cost_usd ? fmt::format("${:.4g}", *scores.total_cost_usd) : "unknown";
}

std::string without_label(const qa::QaLedger& ledger) {
  std::string out;
  for (const Named<qa::Outcome>& row : qa::outcomes())
    if (row.value != qa::Outcome::scored && ledger.count(row.value) != 0)
      out.append(out.empty() ? "" : ", ")
          .append(std::to_string(ledger.count(row.value)))
          .append(" ")
          .append(row.name);
  return out.empty() ? "none" : out;
}

/// How many count, and of a run that is not through how many of them were answered.
std::string number_of(const qa::QaScores& s) {
  const std::string n = s.headline() ? std::to_string(s.headline()->n) : "0";
  return s.ledger.answered() == s.ledger.expected()
             ? n
             : fmt::format("{} (of {}, {} answered)", n, s.ledger.expected(), s.ledger.answered());
}

std::vector<std::string> answers_row(const QaStudyPart& part) {
  const qa::QaScores& s = part.scores;
  const auto& headline = s.headline();
  return {part.result.benchmark_name,
          part.result.model_name,
          std::string(name_in(stats::classification_metrics(), s.metric)),
          headline ? percent_text(headline->items.point) : "–",
          headline ? interval(headline->interval) : "–",
          number_of(s),
          without_label(s.ledger),
          cost_of(s)};
}

}  // namespace

std::string qa_section(const PageContent& content) {
  PaperTable table = {.header = {"Benchmark", "Model", "Score", "Value", "95 % interval", "n",
                                 "Without a label", "Cost"},
                      .rows = {},
                      .footnotes = {interval_note(content.study.qa)}};
  for (const QaStudyPart& part : content.study.qa) {
    table.rows.push_back(answers_row(part));
    if (const auto& unfinished = part.result.unfinished)
      table.footnotes.push_back(fmt::format(
          "The run of {} on {} is unfinished: {} of {} are done.", part.result.model_name,
          part.result.benchmark_name, unfinished->done, counted(unfinished->expected, "question")));
  }
  std::string out = html_table(table, "Scores of question answering");
  for (const Figure& figure : content.qa_figures) out += figure_html(figure);
  return out + "<div id=\"item-table\"></div>\n";
}

std::string qa_answer(const ShownAnswer& answer) {
  TrajectoryView view = answer.view;
  view.anchors = fmt::format("answer-{}-{}-{}-", answer.part, answer.item, view.trajectory.run);
  const qa::Trajectory& t = view.trajectory;
  const bool right = view.result && view.result->correct;
  return fmt::format(
      "<details class=\"trajectory\" data-part=\"{}\" data-item=\"{}\"><summary><b>{} · {}</b> "
      "<span class=\"{}\">{}</span> <span class=\"soft\">{}</span></summary>\n{}</details>\n",
      answer.part, answer.item, html_escaped(t.benchmark), html_escaped(t.item_id),
      right ? "good" : "bad", right ? "right" : "not right", html_escaped(t.question),
      trajectory_body(view));
}

}  // namespace assay::report
