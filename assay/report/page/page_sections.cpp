// SPDX-License-Identifier: Apache-2.0
/// The sections of the page below the first screen, and the small pieces that all of them use.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "assay/base/base64.hpp"
#include "assay/base/gzip.hpp"
#include "assay/base/named.hpp"
#include "assay/compare.hpp"
#include "assay/image/png.hpp"
#include "assay/report/html.hpp"
#include "assay/report/page/citations.hpp"
#include "assay/report/page/guidelines.hpp"
#include "assay/report/page/methods.hpp"
#include "assay/report/page/page_parts.hpp"

namespace assay::report {
namespace {

std::string packed_element(std::string_view id, std::span<const std::byte> bytes, int level) {
  const std::vector<std::byte> packed = deflate_zlib(bytes, level);
  return fmt::format("<script type=\"application/octet-stream\" id=\"{}\">{}</script>\n", id,
                     base64({reinterpret_cast<const char*>(packed.data()), packed.size()}));
}

constexpr std::size_t most_stills = 4;  // models per case; the viewer has them all

std::string block(std::size_t number, std::string_view name,
                  const std::vector<std::uint8_t>& voxels) {
  constexpr int best = 9;
  return packed_element(fmt::format("volume-{}-{}", number, name), std::as_bytes(std::span(voxels)),
                        best);
}

std::string document(const SourceDocument& source) {
  std::string out = "<details><summary>" + html_escaped(source.file) + " <span class=\"soft\">" +
                    html_escaped(source.kind) + "</span></summary>\n";
  if (!source.settings.empty())
    out += "<h4>Settings</h4>" + element("pre", source.settings, "tabindex=\"0\"");
  if (!source.provenance.empty())
    out += "<h4>Provenance</h4>" + element("pre", source.provenance, "tabindex=\"0\"");
  if (source.settings.empty() && source.provenance.empty())
    out += element("p", "This file does not say how it was made.", "class=\"soft\"");
  return out + "</details>\n";
}

}  // namespace

std::string element(std::string_view tag, std::string_view text, std::string_view attributes) {
  return fmt::format("<{0}{3}{1}>{2}</{0}>\n", tag, attributes, html_escaped(text),
                     attributes.empty() ? "" : " ");
}

std::string packed_block(std::string_view id, std::string_view bytes) {
  constexpr int usual = 6;
  return packed_element(id, std::as_bytes(std::span(bytes)), usual);
}

std::string page_part(std::string_view name, std::string_view html) {
  return fmt::format("<div data-part=\"{}\">\n{}</div>\n", name, html);
}

std::string html_table(const PaperTable& table, std::string_view caption) {
  std::string out = "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"" +
                    html_escaped(caption) + "\"><table>" +
                    element("caption", caption, "class=\"unseen\"") + "<thead><tr>";
  for (std::size_t c = 0; c < table.header.size(); ++c)
    out +=
        element("th", table.header[c], c == 0 ? "scope=\"col\"" : "scope=\"col\" class=\"number\"");
  out += "</tr></thead>\n<tbody>";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c)
      out += c == 0 ? element("th", row[c], "scope=\"row\"")
                    : element("td", typeset(row[c]), "class=\"number\"");
    out += "</tr>\n";
  }
  out += "</tbody></table></div>\n";
  for (const std::string& note : table.footnotes)
    out += element("p", typeset(note), "class=\"soft\"");
  return out;
}

std::string volume_blocks(const CaseVolume& volume, std::size_t number) {
  std::string out = block(number, "reference", volume.reference);
  if (!volume.image.empty()) out += block(number, "image", volume.image);
  for (const DrawnMask& mask : volume.predictions)
    out += block(number, std::to_string(mask.model), mask.voxels);
  return out;
}

std::string volume_stills(const CaseVolume& volume, const Study& study) {
  if (volume.is_spare) return "";
  const std::string& id = study.ids[volume.place];
  std::string out = "<article class=\"still\">" +
                    element("h3", volume.why.empty() ? id : fmt::format("{} ({})", id, volume.why));
  for (std::size_t p = 0; p < std::min(volume.predictions.size(), most_stills); ++p) {
    const std::string& model = study.models[volume.predictions[p].model].model_name;
    const Picture picture = case_picture(volume, p);
    out += fmt::format(
        "<figure><img src=\"data:image/png;base64,{}\" width=\"{}\" height=\"{}\" alt=\"{}\">{}"
        "</figure>\n",
        base64(png(picture)), picture.width, picture.height,
        html_escaped(fmt::format("Three planes of {}: {} against the reference", id, model)),
        element("figcaption", model));
  }
  return out + "</article>\n";
}

std::string sources_section(const PageContent& content) {
  std::string out = "<section id=\"sources\">\n<h2>Settings and provenance</h2>\n";
  for (const SourceDocument& source : content.documents) out += document(source);
  return out + "</section>\n";
}

// Text for authors to use: methods, tables, and what guidelines still require.

namespace {

/// Text to paste, shown verbatim, with a button that copies it.
std::string to_paste(std::string_view title, std::string_view text) {
  return fmt::format(
      "<details class=\"paste\"><summary>{}</summary><button type=\"button\" class=\"copy\">Copy"
      "</button>{}</details>\n",
      html_escaped(title), element("pre", text, "tabindex=\"0\""));
}

std::string methods(const PageContent& content) {
  const std::string text = methods_paragraph(content.study, content.version);
  if (text.empty()) return "";
  return "<details class=\"paste\"><summary>Methods</summary><button type=\"button\" "
         "class=\"copy\">Copy</button>" +
         element("pre", text, "class=\"prose\" tabindex=\"0\"") + "</details>\n";
}

std::string tables(const Study& study) {
  std::string out;
  for (const NamedTable& one : tables_to_paste(study))
    out += to_paste(one.title + ", Markdown", markdown_table(one.table)) +
           to_paste(one.title + ", LaTeX", latex_table(one.table));
  return out;
}

std::string_view css_of(GuidelineAnswer answer) {
  constexpr std::array<std::string_view, 3> classes = {"good", "soft", "bad"};
  return classes[static_cast<std::size_t>(answer)];
}

std::string checklist(const Study& study) {
  std::string rows;
  for (const GuidelineItem& item : guideline_checklist(study))
    rows += fmt::format(
        "<tr><td class=\"{}\">{}</td><th scope=\"row\">{}</th><td>{}</td><td "
        "class=\"soft\">{}</td></tr>\n",
        css_of(item.answer), html_escaped(name(item.answer)), html_escaped(item.item),
        html_escaped(item.because), html_escaped(item.guideline));
  if (rows.empty()) return "";
  return "<details><summary>Checklist: what CLAIM and Metrics Reloaded ask for</summary><div "
         "class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Checklist\"><table "
         "class=\"check\"><caption "
         "class=\"unseen\">What reporting guidelines ask</caption><thead><tr><th "
         "scope=\"col\">Answered here</th><th scope=\"col\">Asked</th><th scope=\"col\">Where, or "
         "what is left to say</th><th scope=\"col\">Guideline</th></tr></thead><tbody>" +
         rows + "</tbody></table></div></details>\n";
}

}  // namespace

std::string words_section(const PageContent& content) {
  return "<section id=\"words\">\n<h2>For your paper</h2>\n" + methods(content) +
         tables(content.study) +
         to_paste("References, BibTeX", bibtex(works_of(content.study), content.version)) +
         checklist(content.study) + "</section>\n";
}

// What other commands found, on the page: parity with a paper, cross-validations, comparisons.

namespace {

std::string plain_or_absent(const std::optional<double>& value) {
  return value ? compare::plain_number(*value) : "–";
}

std::string yes_no_cell(const std::optional<bool>& value) {
  return !value ? "–" : *value ? "yes" : "no";
}

std::vector<std::string> detail_row(std::string title, const parity::MetricDetail& d) {
  return {std::move(title),        plain_or_absent(d.achieved),     plain_or_absent(d.paper),
          plain_or_absent(d.diff), yes_no_cell(d.within_tolerance), yes_no_cell(d.acceptable)};
}

std::string parity_html(const parity::ParityReport& report) {
  const parity::ParityDetails& d = report.result.details;
  const PaperTable table = {
      .header = {"Metric", "Achieved", "Published", "Difference", "Within tolerance", "Acceptable"},
      .rows = {detail_row("Dice", d.dice),
               {"SD of Dice", plain_or_absent(d.dice_std.achieved),
                plain_or_absent(d.dice_std.paper), "–", "–", yes_no_cell(d.dice_std.acceptable)},
               detail_row("AVD", d.avd),
               detail_row("MCC", d.mcc)}};
  std::string out =
      fmt::format("<article><h3>Parity with {}: {}</h3>\n",
                  html_escaped(report.paper.name.empty() ? report.result.model : report.paper.name),
                  html_escaped(name(report.result.parity_level)));
  out += html_table(table, "Achieved and published values");
  for (const std::string& sentence : report.explanation) out += element("p", sentence);
  for (const std::string& warning : report.warnings) out += element("p", warning, "class=\"soft\"");
  return out + "</article>\n";
}

std::string spread_text(const compare::Spread& s) {
  return s.mean ? fmt::format("{} ({})", compare::plain_number(*s.mean), plain_or_absent(s.std))
                : "–";
}

std::string folds_html(const FoldsStudyPart& part) {
  PaperTable table = {
      .header = {"Metric", "Subjects", "Runs", "Outer folds", "SD of restarts"},
      .rows = {},
      .footnotes = {"Mean (SD, ddof 1) over subjects of all outer folds, over runs, "
                    "and over the means of outer folds: three spreads that must not be confused."}};
  for (const compare::NamedSpreads& s : part.result.spreads)
    table.rows.push_back({metric_title(s.metric, metrics::LengthUnit::mm), spread_text(s.subjects),
                          spread_text(s.runs), spread_text(s.outer_folds),
                          plain_or_absent(s.restarts.std)});
  std::string out = "<article>" + element("h3", "Cross-validation: " + part.name) +
                    html_table(table, "Spreads by name");
  for (const std::string& warning : part.result.warnings)
    out += element("p", warning, "class=\"soft\"");
  return out + "</article>\n";
}

std::string finding_html(const Finding& finding) {
  std::string out = "<article>" + element("h3", finding.title) +
                    element("p", finding.source, "class=\"soft\"") +
                    html_table(finding.table, finding.title);
  std::string list;
  for (const std::string& sentence : finding.sentences) list += element("li", sentence);
  return out + (list.empty() ? "" : "<ul>" + list + "</ul>\n") + "</article>\n";
}

}  // namespace

std::string findings_section(const PageContent& content) {
  const Study& study = content.study;
  std::string out;
  for (const parity::ParityReport& report : study.parity) out += parity_html(report);
  for (const FoldsStudyPart& part : study.folds) out += folds_html(part);
  for (const Finding& finding : content.findings) out += finding_html(finding);
  return out.empty() ? "" : "<section id=\"findings\">\n<h2>Findings</h2>\n" + out + "</section>\n";
}

// Questions on the page: scores with intervals, the ledger, how agents arrived at their answers.

namespace {

std::string percent_text(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string interval(const stats::ScoreInterval& score) {
  return fmt::format("{} to {}", percent_text(score.interval.lower),
                     percent_text(score.interval.upper));
}

/// What the intervals are, and their limitations.
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

/// The total cost, wrong answers included, per right answer.
std::string cost_of_right(const QaStudyPart& part) {
  const auto right = std::ranges::count_if(part.result.results, &qa::ItemResult::correct);
  if (!part.scores.total_cost_usd || right == 0) return "–";
  return fmt::format("${:.3g}", *part.scores.total_cost_usd / static_cast<double>(right));
}

/// The best published system, with its name.
std::string published_text(const qa::PublishedBenchmark* published) {
  if (published == nullptr || published->systems.empty()) return "–";
  const qa::PublishedSystem& best = std::ranges::max(
      published->systems, {}, [](const qa::PublishedSystem& one) { return one.score.mean; });
  return fmt::format("{:.1f}{} % ({})", best.score.mean,
                     best.score.std ? fmt::format(" ± {:.1f}", *best.score.std) : "", best.name);
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

/// How many questions count. For an unfinished run, also how many there are and how many were
/// answered.
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
          cost_of(s),
          cost_of_right(part)};
}

/// Whether several runs answered the same questions.
bool has_runs(const QaStudyPart& part) {
  return std::ranges::any_of(part.result.results,
                             [](const qa::ItemResult& item) { return item.votes.size() > 1; });
}

/// Adds columns that have a value for at least one benchmark: agreement of runs, published values.
void add_known_columns(PaperTable& table, const std::vector<QaStudyPart>& parts) {
  const bool runs = std::ranges::any_of(parts, has_runs);
  const bool published = std::ranges::any_of(
      parts, [](const QaStudyPart& part) { return part.scores.published != nullptr; });
  if (runs) table.header.emplace_back("Agreement of runs");
  if (published) table.header.emplace_back("Published");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (runs)
      table.rows[i].push_back(has_runs(parts[i]) && parts[i].scores.vote_agreement
                                  ? percent_text(*parts[i].scores.vote_agreement)
                                  : "–");
    if (published) table.rows[i].push_back(published_text(parts[i].scores.published));
  }
  if (published)
    table.footnotes.push_back(
        fmt::format("Published: the best system of {}.", qa::published_giant_source));
  if (runs)
    table.footnotes.emplace_back(
        "Agreement of runs: the share of runs that gave the answer that most gave.");
}

}  // namespace

std::string qa_section(const PageContent& content) {
  PaperTable table = {.header = {"Benchmark", "Model", "Score", "Value", "95 % interval", "n",
                                 "Without a label", "Cost", "Cost per right answer"},
                      .rows = {},
                      .footnotes = {interval_note(content.study.qa)}};
  for (const QaStudyPart& part : content.study.qa) {
    table.rows.push_back(answers_row(part));
    if (const auto& unfinished = part.result.unfinished)
      table.footnotes.push_back(fmt::format(
          "The run of {} on {} is unfinished: {} of {} are done.", part.result.model_name,
          part.result.benchmark_name, unfinished->done, counted(unfinished->expected, "question")));
  }
  add_known_columns(table, content.study.qa);
  std::string out = html_table(table, "Scores of question answering");
  std::vector<const Figure*> figures;
  for (const Figure& figure : content.qa_figures) figures.push_back(&figure);
  return out + figures_html(figures) + "<div id=\"item-table\"></div>\n";
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
