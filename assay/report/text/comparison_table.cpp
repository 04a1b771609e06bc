// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "assay/base/csv.hpp"
#include "assay/base/named.hpp"
#include "assay/base/shortest.hpp"
#include "assay/base/text.hpp"
#include "assay/compare.hpp"
#include "assay/compare/label_words.hpp"
#include "assay/compare/standing.hpp"
#include "assay/parity.hpp"
#include "assay/parity/published.hpp"
#include "assay/report/text/comparison_report.hpp"
#include "assay/report/text/text_table.hpp"

namespace assay::report {
namespace {

std::string_view arrow(metrics::Better better) {
  if (better == metrics::Better::neither) return "";
  return better == metrics::Better::higher ? " ↑" : " ↓";
}

/// `sign` is one column wide; a blank in its place keeps numbers aligned.
std::string mean_and_spread(double mean, double spread, std::string_view sign) {
  return fmt::format("{} ({}){}", compare::plain_number(mean), compare::plain_number(spread),
                     sign.empty() ? " " : sign);
}

/// " WT" or ", label 1", to follow the name of a metric; "" for the case average.
std::string after_metric(const std::string& label) {
  if (label.empty()) return "";
  const std::string words = compare::label_words(label);
  return (words == label ? " " : ", ") + words;
}

/// "hd95 (mm) ↓", or with its label "hd95 WT (mm) ↓" or "hd95, label 1 (mm) ↓".
std::string column_title(const compare::ComparedMetric& metric, const std::string& label) {
  std::string out = metric.name + after_metric(label);
  if (const std::string_view unit = compare::unit_of(metric); !unit.empty())
    out += fmt::format(" ({})", unit);
  return out + std::string(arrow(metric.better));
}

/// The comparison of a model, or null for the baseline.
const compare::PairComparison* pair_of(const compare::Comparison& comparison,
                                       const compare::MetricComparison& metric, std::size_t model) {
  if (model == comparison.baseline) return nullptr;
  return &metric.pairs[model - (model > comparison.baseline ? 1 : 0)];
}

std::string cell(const compare::Comparison& comparison, const compare::MetricComparison& metric,
                 std::size_t model) {
  const metrics::Summary& s = metric.models[model];
  if (!s.mean) return std::string(absent);
  const compare::PairComparison* pair = pair_of(comparison, metric, model);
  return mean_and_spread(*s.mean, s.std.value_or(std::nan("")),
                         pair == nullptr ? "" : sign(compare::standing_of(metric, *pair)));
}

/// Best first by the first metric that has a direction; models without a value last.
std::vector<std::size_t> best_first(const compare::Comparison& comparison) {
  std::vector<std::size_t> order(comparison.models.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto judged =
      std::ranges::find_if(comparison.metrics, [](const compare::MetricComparison& m) {
        return m.metric.better != metrics::Better::neither;
      });
  if (judged == comparison.metrics.end()) return order;
  const auto badness = [&](std::size_t model) {
    const double mean = judged->models[model].mean.value_or(metrics::infinity);
    if (std::isinf(mean)) return metrics::infinity;
    if (judged->metric.better == metrics::Better::zero) return std::fabs(mean);
    return judged->metric.better == metrics::Better::higher ? -mean : mean;
  };
  std::ranges::stable_sort(order, {}, badness);
  return order;
}

/// Adds the number of parameters and Dice per million parameters, if the model is published.
void add_size(std::vector<std::string>& row, const std::string& model, std::optional<double> dice) {
  const auto all = parity::published_models();
  const auto found = std::ranges::find(all, parity::model_key(model), &parity::PublishedModel::key);
  const bool known = found != all.end();
  row.insert(row.begin() + 1,
             known ? parity::with_thousands(found->parameters) : std::string(absent));
  row.push_back(known && dice ? fmt::format("{:.3g}", *dice / (double(found->parameters) / 1e6))
                              : std::string(absent));
}

void add_published(PaperTable& table, const compare::Comparison& comparison) {
  table.rule_before = table.rows.size();
  for (const parity::PublishedModel& model : parity::published_models()) {
    std::vector<std::string> row = {std::string(model.name) + " (paper)",
                                    parity::with_thousands(model.parameters)};
    for (const compare::MetricComparison& metric : comparison.metrics) {
      const std::string& name = metric.metric.name;
      const parity::PublishedValue* value = name == "dice"  ? &model.dice
                                            : name == "avd" ? &model.avd
                                            : name == "mcc" ? &model.mcc
                                                            : nullptr;
      row.push_back(value == nullptr
                        ? std::string(absent)
                        : mean_and_spread(value->mean, value->std, value->differs ? "*" : ""));
    }
    row.push_back(
        fmt::format("{:.3g}", *parity::dice_per_million(model.dice.mean, model.parameters)));
    table.rows.push_back(std::move(row));
  }
  table.footnotes.emplace_back(
      "paper: published mean (SD) between runs; * differs from MeshNet-26, as published; its Dice "
      "seems to be the mean over background and lesion, see 'assay parity'");
}

/// The number of clusters, if the tests compare means of clusters and not single cases.
std::string tested_pairs(const compare::Comparison& comparison) {
  if (comparison.settings.cluster.empty()) return "";
  std::size_t least = comparison.matching.ids.size(), most = 0;
  for (const compare::MetricComparison& metric : comparison.metrics)
    for (const compare::PairComparison& pair : metric.pairs) {
      least = std::min(least, pair.n);
      most = std::max(most, pair.n);
    }
  return least == most ? fmt::format(", {} clusters", most)
                       : fmt::format(", {} to {} clusters", least, most);
}

/// Which tests were corrected together. A single comparison with the baseline needs no correction.
std::string family_words(const compare::Comparison& comparison) {
  const std::string models = counted(comparison.models.size() - 1, "model");
  const bool several_columns = comparison.metrics.size() > 1;
  if (comparison.settings.across_metrics)
    return fmt::format(
        " after max-T correction for {}{}", models,
        several_columns ? fmt::format(" in {} columns together", comparison.metrics.size()) : "");
  std::string apart = several_columns ? ", each column by itself" : "";
  if (comparison.models.size() == 2) return apart;
  return fmt::format(
      " after {} correction for {}{}",
      comparison.settings.correction == stats::Correction::holm
          ? "Holm"
          : std::string(name_in(stats::corrections(), comparison.settings.correction)),
      models, apart);
}

/// What the correction does not cover; "" if it covers the whole table.
std::string open_family_note(const compare::Comparison& comparison) {
  if (comparison.settings.across_metrics || comparison.metrics.size() < 2) return "";
  return fmt::format(
      "with {} columns, the chance of at least one false sign can be above {}; "
      "--correct metrics limits it over all columns",
      comparison.metrics.size(), comparison.settings.alpha);
}

std::string sign_note(const compare::Comparison& comparison) {
  return fmt::format(
      "{} than {}, whichever way the metric improves: p ≤ {}{} (Wilcoxon signed-rank test, policy "
      "{}{})",
      compare::sign_words, comparison.models[comparison.baseline].name, comparison.settings.alpha,
      family_words(comparison), name_in(stats::wilcoxon_policies(), comparison.settings.policy),
      tested_pairs(comparison));
}

/// Columns by metric. If there are several labels, they are the second line of the header.
PaperTable titled_table(const compare::Comparison& comparison, bool with_paper) {
  PaperTable table = {.header = {"model"}, .rows = {}};
  table.groups = {{"", {"model"}}};
  const auto add_single = [&](const char* title) {
    table.header.emplace_back(title);
    table.groups.push_back({"", {title}});
  };
  if (with_paper) add_single("parameters");
  for (const compare::MetricComparison& each : comparison.metrics) {
    const compare::ComparedMetric& metric = each.metric;
    table.header.push_back(column_title(metric, metric.label));
    const std::string title = column_title(metric, "");
    if (table.groups.back().title != title) table.groups.push_back({title, {}});
    table.groups.back().columns.push_back(compare::label_words(metric.label));
  }
  if (with_paper) add_single("dice per 10^6 parameters");
  if (!comparison.settings.choice.has_several_labels()) table.groups.clear();
  return table;
}

std::size_t cases_of(const compare::MetricComparison& metric) {
  return std::ranges::max(metric.models, {}, &metrics::Summary::n).n;
}

/// Adds the number of cases of each mean, if columns differ.
void add_numbers_of_cases(PaperTable& table, const compare::Comparison& comparison,
                          bool with_paper) {
  std::vector<std::string> row = {"cases (n)"};
  if (with_paper) row.emplace_back();
  bool differ = false;
  for (const compare::MetricComparison& metric : comparison.metrics) {
    differ = differ || cases_of(metric) != cases_of(comparison.metrics.front());
    row.push_back(std::to_string(cases_of(metric)) + " ");
  }
  if (with_paper) row.emplace_back();
  if (differ) table.rows.push_back(std::move(row));
}

/// How failures of the models were treated, if there were any.
std::string failure_words(const compare::Comparison& comparison) {
  const auto has_failures = [](const compare::MetricComparison& metric) {
    return std::ranges::any_of(metric.values.failed, [](const std::vector<bool>& row) {
      return std::ranges::find(row, true) != row.end();
    });
  };
  if (std::ranges::none_of(comparison.metrics, has_failures)) return "";
  return comparison.settings.undefined == compare::UndefinedPolicy::worst
             ? "; failures of a model are counted, each as 'assay metrics' says (Dice 0, distances "
               "the "
               "image's diagonal)"
             : "; cases in which a model failed are left out";
}

std::string cell_note(const compare::Comparison& comparison) {
  std::size_t least = comparison.matching.ids.size(), most = 0;
  for (const compare::MetricComparison& metric : comparison.metrics) {
    least = std::min(least, cases_of(metric));
    most = std::max(most, cases_of(metric));
  }
  std::string out = "mean (SD over cases, ddof 1)";
  if (least == most) out += fmt::format(", n = {}", most);
  out += failure_words(comparison);
  const std::string label = comparison.settings.choice.first_label();
  if (!label.empty() && !comparison.settings.choice.has_several_labels()) out += ", label " + label;
  return out;
}

std::string csv_number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? shortest(*value) : "";
}

}  // namespace

std::string opposite_signs_note(const compare::Comparison& comparison) {
  std::vector<std::string> cells;
  for (const compare::MetricComparison& metric : comparison.metrics)
    for (const compare::PairComparison& pair : metric.pairs)
      if (compare::means_point_elsewhere(pair))
        cells.push_back(pair.result.model_name + " in " + words(metric.metric));
  if (cells.empty()) return "";
  return fmt::format(
      "{}: mean and sign point in opposite directions, because a few large differences, such as "
      "failures, move the mean but not the ranks",
      joined(cells));
}

PaperTable comparison_table(const compare::Comparison& comparison, bool with_paper) {
  PaperTable table = titled_table(comparison, with_paper);
  const auto dice = std::ranges::find_if(
      comparison.metrics,
      [](const compare::MetricComparison& metric) { return metric.metric.name == "dice"; });
  for (const std::size_t model : best_first(comparison)) {
    std::vector<std::string> row = {comparison.models[model].name +
                                    (model == comparison.baseline ? " (baseline)" : "")};
    for (const compare::MetricComparison& metric : comparison.metrics)
      row.push_back(cell(comparison, metric, model));
    if (with_paper)
      add_size(row, comparison.models[model].name,
               dice == comparison.metrics.end() ? std::nullopt : dice->models[model].mean);
    table.rows.push_back(std::move(row));
  }
  table.footnotes = {cell_note(comparison), sign_note(comparison)};
  for (std::string note : {opposite_signs_note(comparison), open_family_note(comparison)})
    if (!note.empty()) table.footnotes.push_back(std::move(note));
  add_numbers_of_cases(table, comparison, with_paper);
  if (with_paper) add_published(table, comparison);
  return table;
}

std::string specification_table(const compare::Comparison& comparison) {
  std::string out = "| Model |", rule = "|-------|";
  for (const compare::MetricComparison& metric : comparison.metrics) {
    const std::string_view sign = metric.metric.better == metrics::Better::higher ? "↑" : "↓";
    const std::string title = fmt::format(" {}{} ({}) |", ascii_uppered(metric.metric.name),
                                          after_metric(metric.metric.label), sign);
    out += title;
    rule.append(title.size() - 3, '-').append("|");  // the arrow is one column of three bytes
  }
  out += " Sig? |\n" + rule + "------|";
  for (std::size_t m = 0; m < comparison.models.size(); ++m) {
    out += fmt::format("\n| {} |", comparison.models[m].name);
    for (const compare::MetricComparison& metric : comparison.metrics)
      out += fmt::format(" {:.3f} |", metric.models[m].mean.value_or(std::nan("")));
    const compare::PairComparison* pair = pair_of(comparison, comparison.metrics.front(), m);
    out += pair != nullptr && pair->result.is_significant ? " * |" : "  |";
  }
  return out + "\n";
}

std::string comparison_csv(const compare::Comparison& comparison) {
  std::string out =
      "metric,label,unit,direction,model,baseline,mean,std,n,p_value,corrected_p_value,"
      "is_significant,standing,effect_size,difference,ci95_low,ci95_high,mean_difference,verdict,"
      "undefined\n";
  for (const compare::MetricComparison& metric : comparison.metrics)
    for (std::size_t m = 0; m < comparison.models.size(); ++m) {
      const metrics::Summary& s = metric.models[m];
      out += fmt::format("{},{},{},{},{},{},{},{},", csv_field(metric.metric.name),
                         csv_field(metric.metric.label), compare::unit_of(metric.metric),
                         name(metric.metric.better), csv_field(comparison.models[m].name),
                         csv_field(comparison.models[comparison.baseline].name), csv_number(s.mean),
                         csv_number(s.std));
      const compare::PairComparison* pair = pair_of(comparison, metric, m);
      if (pair == nullptr || pair->n == 0) {
        out +=
            fmt::format("{},,,,,,,,,,,{}\n", pair == nullptr ? s.n : 0,
                        pair == nullptr ? comparison.matching.ids.size() - s.n : pair->undefined);
        continue;
      }
      const stats::ComparisonResult& r = pair->result;
      out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", pair->n, csv_number(r.p_value),
                         csv_number(r.corrected_p_value), r.is_significant,
                         name(compare::standing_of(metric, *pair)), csv_number(r.effect_size),
                         csv_number(r.difference.estimate), csv_number(r.difference95.lower),
                         csv_number(r.difference95.upper), csv_number(r.mean_difference.estimate),
                         name(r.verdict), pair->undefined);
    }
  return out;
}

}  // namespace assay::report
