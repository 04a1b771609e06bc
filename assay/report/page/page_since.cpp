// SPDX-License-Identifier: Apache-2.0
/// What changed since an older version of a model: numbers, cases, pictures, settings.
#include <fmt/format.h>

#include <algorithm>

#include "assay/base/base64.hpp"
#include "assay/base/text.hpp"
#include "assay/compare.hpp"
#include "assay/image/png.hpp"
#include "assay/report/html.hpp"
#include "assay/report/page/page_parts.hpp"

namespace assay::report {
namespace {

constexpr std::size_t most_listed = 8;  // cases of one metric; the others are counted

const compare::MetricComparison& compared_in(const Since& since, const MetricChange& change) {
  return *std::ranges::find_if(since.study.comparison->metrics, [&](const auto& metric) {
    return metric.metric.name == change.metric;
  });
}

/// "+0.012", "−0.3".
std::string signed_plain(double value) {
  return (value > 0 ? "+" : "") + typeset(compare::plain_number(value));
}

std::string mean_cell(const std::optional<double>& mean) {
  return mean ? typeset(compare::plain_number(*mean)) : "–";
}

std::string change_row(const Since& since, const MetricChange& change) {
  const compare::MetricComparison& metric = compared_in(since, change);
  const std::string_view arrow = direction_arrow(metric.metric.better);
  std::string interval = "no interval of so few cases";
  if (change.ci95)
    interval = signed_plain(change.ci95->first) + " to " + signed_plain(change.ci95->second);
  return fmt::format(
      "<tr><th scope=\"row\">{}{}</th><td>{} <b>{}</b> <span class=\"interval\">{}</span></td><td "
      "class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td "
      "class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
      html_escaped(metric_title(metric.metric)),
      arrow.empty() ? "" : fmt::format(" <span class=\"arrow\">{}</span>", arrow),
      chip_html(chip_of(metric, metric.pairs.front())),
      change.difference ? signed_plain(*change.difference) : "–", interval,
      mean_cell(change.before), mean_cell(change.after), change.better.size(), change.worse.size(),
      change.same);
}

std::string change_table(const Since& since) {
  std::string rows;
  for (const MetricChange& change : since.changes.metrics) rows += change_row(since, change);
  return "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Changes by metric\">"
         "<table class=\"changes\"><caption class=\"unseen\">Means before and after, and how many "
         "cases changed</caption><thead><tr><th scope=\"col\">Metric</th><th scope=\"col\">Change, "
         "95\u00A0% interval</th><th scope=\"col\" class=\"number\">Mean before</th><th "
         "scope=\"col\" class=\"number\">after</th><th scope=\"col\" "
         "class=\"number\">Cases better</th><th scope=\"col\" class=\"number\">worse</th><th "
         "scope=\"col\" class=\"number\">same</th></tr></thead>\n<tbody>" +
         rows + "</tbody></table></div>\n";
}

/// The cases that got better in a metric, or those that got worse.
struct CaseSide {
  std::string_view title, css;
  const std::vector<ChangedCase>& cases;
};

std::string side_table(const CaseSide& side) {
  if (side.cases.empty()) return "";
  std::string rows;
  for (std::size_t i = 0; i < std::min(most_listed, side.cases.size()); ++i) {
    const ChangedCase& one = side.cases[i];
    rows += fmt::format(
        "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td><td "
        "class=\"number {}\">{}</td></tr>\n",
        html_escaped(one.id), typeset(compare::plain_number(one.before)),
        typeset(compare::plain_number(one.after)), side.css, signed_plain(one.after - one.before));
  }
  std::string more;
  if (side.cases.size() > most_listed)
    more =
        element("p", fmt::format("and {} more", side.cases.size() - most_listed), "class=\"soft\"");
  return fmt::format(
      "<div><table><caption>{}</caption><thead><tr><th scope=\"col\">Case</th><th scope=\"col\" "
      "class=\"number\">Before</th><th scope=\"col\" class=\"number\">After</th><th scope=\"col\" "
      "class=\"number\">Change</th></tr></thead>\n<tbody>{}</tbody></table>\n{}</div>\n",
      side.title, rows, more);
}

std::string case_sides(const Since& since, const MetricChange& change) {
  const bool has_direction = compared_in(since, change).metric.better != metrics::Better::neither;
  const CaseSide worse = {has_direction ? "Worse" : "Lower", has_direction ? "worse" : "",
                          change.worse};
  const CaseSide better = {has_direction ? "Better" : "Higher", has_direction ? "better" : "",
                           change.better};
  const std::string sides = side_table(worse) + side_table(better);
  return sides.empty() ? element("p", "No case changed.", "class=\"soft\"")
                       : "<div class=\"sides\">" + sides + "</div>\n";
}

/// The first metric's cases are open, those of others folded.
std::string changed_cases(const Since& since) {
  std::string out;
  for (const MetricChange& change : since.changes.metrics) {
    const std::string title =
        "Cases by " + html_escaped(metric_title(compared_in(since, change).metric));
    const bool is_first = &change == &since.changes.metrics.front();
    out += is_first ? "<h3>" + title + "</h3>\n" + case_sides(since, change)
                    : "<details class=\"reading\"><summary>" + title + "</summary>\n" +
                          case_sides(since, change) + "</details>\n";
  }
  return out;
}

std::string picture_of(const CaseVolume& volume, std::size_t prediction, const std::string& words) {
  const Picture picture = case_picture(volume, prediction);
  return fmt::format("<img src=\"data:image/png;base64,{}\" width=\"{}\" height=\"{}\" alt=\"{}\">",
                     base64(png(picture)), picture.width, picture.height, html_escaped(words));
}

/// Both versions of one case, through the same planes.
std::string before_and_after(const Since& since, const CaseVolume& volume) {
  const std::string& id = since.study.ids[volume.place];
  const MetricChange& metric = since.changes.metrics.front();
  const auto& list = volume.why == "worse" ? metric.worse : metric.better;
  const ChangedCase& one = *std::ranges::find(list, id, &ChangedCase::id);
  std::string out = "<article class=\"change\">" +
                    element("h4", fmt::format("{}: {} {} → {}", id, metric_words(metric.metric),
                                              typeset(compare::plain_number(one.before)),
                                              typeset(compare::plain_number(one.after))));
  for (std::size_t p = 0; p < volume.predictions.size(); ++p) {
    const std::string& version = since.study.models[volume.predictions[p].model].model_name;
    out += "<figure>" + picture_of(volume, p, fmt::format("Three planes of {}: {}", id, version)) +
           element("figcaption", version) + "</figure>\n";
  }
  return out + "</article>\n";
}

std::string pictures(const Since& since) {
  if (since.volumes.empty()) return "";
  std::string out =
      "<h3>The cases that changed most</h3>\n<p class=\"soft\">" +
      agreement_legend(std::ranges::any_of(
          since.volumes, [](const CaseVolume& one) { return one.labels.size() > 1; })) +
      "</p>\n<div class=\"since-pictures\">";
  for (const CaseVolume& volume : since.volumes) out += before_and_after(since, volume);
  return out + "</div>\n";
}

/// The words for one case, and for several.
struct CaseWords {
  std::string_view one, several;
};

/// "3 cases in the newer file only: a, b, c"; many are counted.
std::string case_line(const std::vector<std::string>& ids, const CaseWords& words,
                      std::string_view css = "") {
  constexpr std::size_t most_in_line = 6;
  if (ids.empty()) return "";
  const std::string start = fmt::format("<b{}>{}</b> {}", css, counted(ids.size(), "case"),
                                        ids.size() == 1 ? words.one : words.several);
  const std::span shown(ids.data(), std::min(ids.size(), most_in_line));
  return fmt::format(
      "<li>{}: {}{}</li>\n", start, html_escaped(joined(shown)),
      ids.size() > most_in_line ? fmt::format(" and {} more", ids.size() - most_in_line) : "");
}

std::string case_lists(const VersionChanges& changes) {
  std::string out;
  for (const NewFailure& one : changes.failed)
    if (&one - changes.failed.data() < std::ptrdiff_t(most_listed))
      out += fmt::format("<li><b class=\"bad\">{}</b> failed and did not before: {}</li>\n",
                         html_escaped(one.id), html_escaped(one.reason));
  if (changes.failed.size() > most_listed)
    out += fmt::format("<li>{} more failed and did not before</li>\n",
                       changes.failed.size() - most_listed);
  constexpr CaseWords recovered = {"failed before and has a score now",
                                   "failed before and have a score now"},
                      newer = {"in the newer file only", "in the newer file only"},
                      older = {"in the older file only", "in the older file only"},
                      other = {
                          "with another reference than before; its change need not be the "
                          "model's",
                          "with another reference than before; their change need not be the "
                          "model's"};
  out += case_line(changes.recovered, recovered) + case_line(changes.appeared, newer) +
         case_line(changes.disappeared, older) +
         case_line(changes.other_reference, other, " class=\"bad\"");
  return out.empty() ? "" : "<ul class=\"notes\">" + out + "</ul>\n";
}

std::string setting_table(const VersionChanges& changes) {
  if (!changes.is_stated)
    return element("p",
                   "A file does not say how it was scored. Make sure that both were scored "
                   "with the same settings.");
  if (changes.settings.empty())
    return element("p", "Both versions were scored with the same settings.", "class=\"soft\"");
  PaperTable table = {.header = {"Setting", "Before", "After"}, .rows = {}};
  for (const SettingChange& one : changes.settings)
    table.rows.push_back(
        {one.name, one.before.empty() ? "–" : one.before, one.after.empty() ? "–" : one.after});
  return "<h3>Settings that differ</h3>\n" + html_table(table, "Settings that differ");
}

/// "Judged by Dice on 24 cases, v2 is better than v1. 15 cases got better, 5 worse."
std::string story(const Since& since) {
  const MetricChange& first = since.changes.metrics.front();
  return fmt::format("<p class=\"story\">{} {} got better, {} worse{}.</p>\n",
                     models_sentence(since.study, first.metric),
                     counted(first.better.size(), "case"), first.worse.size(),
                     first.same == 0 ? "" : fmt::format(", {} did not change", first.same));
}

}  // namespace

std::string since_section(const PageContent& content) {
  if (!content.since) return "";
  const Since& since = *content.since;
  const VersionChanges& changes = since.changes;
  std::string out = "<section id=\"since\">\n" + element("h2", "Since " + changes.before);
  if (!changes.metrics.empty()) out += story(since);
  out += change_table(since);
  out += element(
      "p",
      typeset(fmt::format(
          "{} (before) and {} (after) on the {} that both have; failures of the model "
          "count. The change is the Hodges–Lehmann estimate of the paired differences, which a "
          "few large ones do not move.",
          changes.before_file, changes.after_file,
          counted(since.study.comparison->matching.ids.size(), "case"))),
      "class=\"soft\"");
  for (const std::string& note : changes.notes)
    out += element("p", "Not compared: " + note + ".", "class=\"soft\"");
  out += case_lists(changes) + changed_cases(since) + pictures(since) + setting_table(changes);
  return out + "</section>\n";
}

}  // namespace assay::report
