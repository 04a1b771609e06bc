// SPDX-License-Identifier: Apache-2.0
/// Figures by topic: a panel for each metric, which begins with what was found.
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

/// The sentence without the name of its metric, which is the title of the panel. It begins with
/// what was found, and the numbers follow.
std::string conclusion(const compare::MetricComparison& metric, const compare::PairComparison& pair,
                       std::string_view baseline) {
  const std::string whole = typeset(compare::sentence(metric, pair, baseline));
  const std::size_t start = typeset(words(metric.metric)).size() + 2;
  const std::string text = whole.substr(std::min(start, whole.size()));
  const std::size_t first = std::min(text.find(". "), text.size() - 1) + 1;
  return fmt::format("<li>{} {}<span class=\"soft\">{}</span></li>\n",
                     chip_html(chip_of(metric, pair)), html_escaped(text.substr(0, first)),
                     html_escaped(text.substr(first)));
}

std::string conclusions(const Study& study, const std::string& topic) {
  if (!study.comparison) return "";
  const std::string& baseline = study.comparison->models[study.comparison->baseline].name;
  std::string out;
  for (const compare::MetricComparison& metric : study.comparison->metrics)
    if (metric.metric.name == topic)
      for (const compare::PairComparison& pair : metric.pairs)
        out += conclusion(metric, pair, baseline);
  return out.empty() ? ""
                     : "<details class=\"reading\"><summary>In sentences, with every number"
                       "</summary><ul class=\"conclusions\">\n" +
                           out + "</ul></details>\n";
}

std::vector<std::string> topics_of(const std::vector<Figure>& figures) {
  std::vector<std::string> out;
  for (const Figure& figure : figures)
    if (std::ranges::find(out, figure.topic) == out.end()) out.push_back(figure.topic);
  return out;
}

/// A panel that the page's script turns into a tab. On paper and without scripts all are shown.
struct Panel {
  std::string title, about, metric, body;
};

std::string panel_html(const Panel& panel, std::size_t number) {
  return fmt::format(
      "<div class=\"panel{}\" id=\"panel-{}\" data-title=\"{}\" data-metric=\"{}\"><h3>{}{}</h3>\n"
      "{}</div>\n",
      number == 0 ? "" : " away", number, html_escaped(panel.title), html_escaped(panel.metric),
      html_escaped(panel.title),
      panel.about.empty() ? "" : " <small>" + html_escaped(panel.about) + "</small>", panel.body);
}

Panel topic_panel(const Study& study, const std::vector<Figure>& all, const std::string& topic) {
  std::vector<const Figure*> figures;
  for (const Figure& figure : all)
    if (figure.topic == topic) figures.push_back(&figure);
  const FigureMetric metric = figure_metric(study, topic, direction_of(study, topic));
  const bool is_metric = metric.row.has_value();
  return {.title = metric.short_title,
          .about = is_metric ? axis_title(metric) : "",
          .metric = topic,
          .body = figures_html(figures) + conclusions(study, topic)};
}

/// Whether the mean over a model's own cases leaves out failures that compared means count.
bool leaves_failures_out(const Study& study, std::size_t model, const std::string& metric) {
  if (!study.comparison || study.comparison->settings.undefined != compare::UndefinedPolicy::worst)
    return false;
  const auto* column = compare::column_of(shown_columns(study, model), metric);
  return column != nullptr && compare::failures_of(study.models[model], *column).failures != 0;
}

struct OverviewCell {
  std::string html;
  bool is_marked = false;  ///< its mean leaves failures out that compared means count
};

OverviewCell overview_cell(const Study& study, std::size_t model, const std::string& metric) {
  if (study.comparison)
    for (const compare::MetricComparison& compared : study.comparison->metrics) {
      if (compared.metric.name != metric || !compared.models[model].mean) continue;
      for (const compare::PairComparison& pair : compared.pairs)
        if (pair.result.model_name == study.models[model].model_name) {
          const VerdictChip chip = chip_of(compared, pair);
          return {fmt::format("<td class=\"number judged {}\" title=\"{}\">{}</td>", chip.css,
                              chip.word,
                              typeset(compare::plain_number(*compared.models[model].mean)))};
        }
      return {fmt::format("<td class=\"number\">{}</td>",
                          typeset(compare::plain_number(*compared.models[model].mean)))};
    }
  const metrics::Summary s = mean_of(study, model, metric);
  if (!s.mean) return {"<td class=\"number soft\">–</td>"};
  const bool is_marked = leaves_failures_out(study, model, metric);
  return {fmt::format("<td class=\"number soft\">{}{}</td>",
                      typeset(compare::plain_number(*s.mean)), is_marked ? " *" : ""),
          is_marked};
}

/// Every metric of every model, a row per metric.
Panel overview_panel(const Study& study) {
  std::string head, body;
  bool has_marks = false;
  for (const compare::ResultTable& table : study.models)
    head += element("th", table.model_name, "scope=\"col\" class=\"number\"");
  for (const std::string& metric : all_metrics(study)) {
    body +=
        fmt::format("<tr><th scope=\"row\">{} {}</th>", html_escaped(metric_title(study, metric)),
                    direction_arrow(direction_of(study, metric)));
    for (std::size_t m = 0; m < study.models.size(); ++m) {
      const OverviewCell cell = overview_cell(study, m, metric);
      body += cell.html;
      has_marks = has_marks || cell.is_marked;
    }
    body += "</tr>\n";
  }
  std::string note = "Means of all metrics that were scored.";
  if (study.comparison)
    note +=
        " Colours are those of the badges: blue for better than the baseline or equivalent to it, "
        "orange for worse. Grey rows were not tested; each of their means is over the cases that "
        "the model was scored on, without its failures.";
  if (has_marks) note += " * without the model's failures; not comparable with the other rows.";
  return {.title = "All metrics",
          .about = "",
          .metric = "",
          .body =
              "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"All metrics\">"
              "<table class=\"overview\"><caption class=\"unseen\">Means of all metrics"
              "</caption><thead><tr><th scope=\"col\">Metric</th>" +
              head + "</tr></thead>\n<tbody>" + body + "</tbody></table></div>\n" +
              element("p", note, "class=\"soft\"")};
}

std::optional<double> drawn_value(const Study& study, const CaseVolume& volume, std::size_t drawn,
                                  const std::string& metric) {
  const std::size_t model = volume.predictions[drawn].model;
  return value_in(study, model, compare::column_of(shown_columns(study, model), metric),
                  volume.place);
}

/// Which prediction of a volume has the worst value; the first one if several do.
std::size_t worst_prediction(const Study& study, const CaseVolume& volume,
                             const std::string& metric) {
  const metrics::Better better = direction_of(study, metric);
  std::size_t worst = 0;
  std::optional<double> least;
  for (std::size_t p = 0; p < volume.predictions.size(); ++p) {
    const std::optional<double> value = drawn_value(study, volume, p, metric);
    if (!value || (least && gain_of(*value, better) >= *least)) continue;
    least = gain_of(*value, better);
    worst = p;
  }
  return worst;
}

}  // namespace

std::string agreement_legend(bool several) {
  const auto entry = [](std::string_view css, std::string_view words) {
    return fmt::format("<span><i class=\"swatch {}\"></i> {}</span>", css, words);
  };
  return "<span class=\"legend\">" + entry("both", "agreement") + entry("under", "missed") +
         entry("over", "false") + (several ? entry("wrong", "wrong label") : "") +
         entry("line", "reference") + "</span>";
}

std::string figure_html(const Figure& figure) {
  const std::string reading =
      figure.reading.empty() ? ""
                             : "<details class=\"reading\"><summary>How to read this</summary>" +
                                   element("p", typeset(figure.reading)) + "</details>";
  return fmt::format(
      "<figure id=\"figure-{0}\" class=\"drawing\"><h4>{1}</h4>\n<div class=\"canvas\">{2}</div>\n"
      "<figcaption>{3}{4}</figcaption></figure>\n",
      html_escaped(figure.key), html_escaped(figure.title), figure.svg,
      element("p", typeset(figure.caption)), reading);
}

std::string figures_html(std::span<const Figure* const> figures) {
  std::string shown, more;
  std::size_t count = 0;
  for (const Figure* figure : figures) {
    (figure->is_detail ? more : shown) += figure_html(*figure);
    count += figure->is_detail ? 1U : 0U;
  }
  if (count != 0)
    more = fmt::format(
        "<details class=\"more\"><summary>{}</summary>\n<div "
        "class=\"figures\">{}</div></details>\n",
        counted(count, shown.empty() ? "figure" : "more figure"), more);
  return (shown.empty() ? "" : "<div class=\"figures\">\n" + shown + "</div>\n") + more;
}

std::string panels_html(const Study& study, const std::vector<Figure>& figures) {
  std::vector<Panel> panels;
  for (const std::string& topic : topics_of(figures))
    panels.push_back(topic_panel(study, figures, topic));
  if (!study.models.empty()) panels.push_back(overview_panel(study));
  std::string out;
  for (std::size_t i = 0; i < panels.size(); ++i) out += panel_html(panels[i], i);
  return out;
}

std::string figures_section(const PageContent& content) {
  const std::string panels = panels_html(content.study, content.figures);
  if (panels.empty()) return "";
  return "<section id=\"figures\">\n<h2>Figures</h2>\n" + page_part("figures", panels) +
         "</section>\n";
}

std::string worst_case_figure(const PageContent& content) {
  const Study& study = content.study;
  const std::vector<std::string> metrics = shown_metrics(study);
  const auto found = std::ranges::find(content.volumes, "worst", &CaseVolume::why);
  if (found == content.volumes.end() || metrics.empty()) return "";
  const std::size_t drawn = worst_prediction(study, *found, metrics.front());
  const std::size_t model = found->predictions[drawn].model;
  const std::optional<double> value = drawn_value(study, *found, drawn, metrics.front());
  const Picture picture = error_picture(*found, drawn);
  const std::string& id = study.ids[found->place];
  const LabelWords label = label_words(study);
  const std::string what =
      fmt::format("Worst prediction by {}{}: {}", report::metric_words(metrics.front()),
                  label.text.empty() || label.is_mean ? "" : " of " + label.text, id);
  const std::string score = study.models[model].model_name +
                            (value ? fmt::format(", {} {}", metric_title(study, metrics.front()),
                                                 compare::plain_number(*value))
                                   : "");
  return fmt::format(
      "<figure class=\"worst\" data-place=\"{}\" data-model=\"{}\"><a href=\"#viewer\"><img "
      "src=\"data:image/png;base64,{}\" width=\"{}\" height=\"{}\" alt=\"{}\"></a><figcaption>"
      "<b>{}</b><span>{}</span>{}</figcaption></figure>\n",
      found->place, model, base64(png(picture)), picture.width, picture.height,
      html_escaped(what + "; an axial slice. " + score), html_escaped(what),
      html_escaped(typeset(score)), agreement_legend(found->labels.size() > 1));
}

}  // namespace assay::report
