// SPDX-License-Identifier: Apache-2.0
/// Turns what a file says into the table that comparisons start from.
#include <algorithm>

#include "assay/compare/result_builder.hpp"
#include "assay/error.hpp"
#include "assay/metrics/failure.hpp"
#include "assay/metrics/synonyms.hpp"
#include "assay/results/segmentation.hpp"

namespace assay::results {
namespace {

/// Metrics that follow from the counts in our files are available whatever was requested: volumes
/// and macro Dice as derived metrics, and Dice, AVD and MCC among the averages. The first block of
/// a file also has these three, but 0.1 mixed labels and regions there.
class CountedMetrics {
 public:
  CountedMetrics(const SegmentationFile& file, compare::ResultBuilder& out)
      : settings_(file.settings), out_(out) {
    const auto is_asked = [&](const char* name) {
      return std::ranges::count(file.metrics, name, &SavedSummary::key) != 0;
    };
    for (const char* name : {"volume_prediction_ml", "volume_reference_ml", "dice_macro"})
      if (!is_asked(name)) rows_.push_back({&metrics::metric(name), out.derived_metric(name)});
    for (const char* name : headline_metrics) {
      if (is_asked(name) || settings_.convention == nullptr) continue;
      rows_.push_back({&metrics::metric(name), out.metric(name)});
      out.keep_as_average(rows_.back().place);
    }
  }

  void put(std::size_t one_case, std::size_t label, const metrics::Evidence& evidence) {
    const metrics::Convention& convention =
        settings_.convention == nullptr ? metrics::conventions().front() : *settings_.convention;
    const metrics::Presence presence = metrics::presence(evidence.counts);
    for (const Row& row : rows_) {
      const metrics::Score found = metrics::score(
          *row.metric, evidence, {.dice_smooth = convention.dice_smooth}, convention);
      out_.put_score({one_case, label, row.place},
                     settings_.compat_spec ? found : metrics::finite_score(found, presence),
                     {*row.metric, presence});
    }
  }

  /// For a structure without prediction or reference.
  void put_missing(std::size_t one_case, std::size_t label, metrics::Undefined why) {
    for (const Row& row : rows_) out_.put_score({one_case, label, row.place}, why, {*row.metric});
  }

 private:
  struct Row {
    const metrics::Metric* metric;
    std::size_t place;
  };

  const SavedSettings& settings_;
  compare::ResultBuilder& out_;
  std::vector<Row> rows_;
};

std::optional<metrics::Undefined> missing_in(std::string_view status) {
  for (const auto why :
       {metrics::Undefined::missing_prediction, metrics::Undefined::missing_reference})
    if (name(why) == status) return why;
  return std::nullopt;
}

/// What a status says about empty masks. A missing prediction counts as empty. Nothing when the
/// file does not say.
std::optional<metrics::Presence> presence_in(std::string_view status) {
  if (status == words::counted_as_worst ||
      missing_in(status) == metrics::Undefined::missing_prediction)
    return metrics::Presence::prediction_empty;
  for (const metrics::Presence presence : metrics::all_presence)
    if (name(presence) == status) return presence;
  return std::nullopt;
}

/// Puts the cases of a file into the builder, in which metrics and labels already have their
/// places.
class CaseValues {
 public:
  CaseValues(const SegmentationFile& file, compare::ResultBuilder& out)
      : file_(file), out_(out), counted_(file, out) {}

  void put_all() {
    for (const SavedCase& one : file_.cases) put(one);
    if (!has_counts_) put_headline();
  }

 private:
  void put(const SavedCase& one) {
    const metrics::CaseRecord& record = one.record;
    const std::size_t here = out_.add_case(record.id);
    const bool is_scored = record.fate == metrics::Fate::scored;
    for (const auto& [column, text] : record.groups) out_.group(here, column, text);
    for (const SavedScores& scores : one.labels) {
      for (const auto& [metric, value] : scores.values)
        out_.put({here, scores.label, metric}, value);
      if (scores.counts)
        counted_.put(here, scores.label, {.counts = *scores.counts, .voxel_ml = scores.voxel_ml});
      else if (const auto why = missing_in(scores.status))
        counted_.put_missing(here, scores.label, *why);
      else if (is_scored)
        has_counts_ = false;
    }
    for (const SavedScores& scores : one.labels) explain(here, scores, record.diagonal_mm);
    if (is_scored)
      scored_.push_back(here);
    else if (one.labels.empty())  // with labels, it counts as worst
      out_.lose(here, {record.error.empty() ? std::string(name(record.fate)) : record.error,
                       metrics::is_models_failure(record), record.diagonal_mm});
  }

  static bool is_put(const SavedScores& scores, std::size_t metric) {
    return std::ranges::any_of(scores.values, [&](const auto& one) { return one.first == metric; });
  }

  void explain(std::size_t here, const SavedScores& scores, double diagonal_mm) {
    for (const auto& [metric, why] : scores.undefined)
      if (const auto& row = file_.metrics[metric].metric; row && is_put(scores, metric))
        out_.explain({here, scores.label, metric}, why,
                     {**row, presence_in(scores.status), diagonal_mm});
  }

  /// The first block holds Dice, AVD and MCC even when other metrics were asked for. It is needed
  /// only where counts are missing.
  void put_headline() {
    for (const HeadlineBlock& block : file_.headline) {
      if (!block.values || std::ranges::count(file_.metrics, block.metric, &SavedSummary::key) != 0)
        continue;
      if (block.values->size() != scored_.size())
        throw Error(Error::Kind::input, file_.source + ": '" + block.metric + "' has " +
                                            std::to_string(block.values->size()) + " values for " +
                                            std::to_string(scored_.size()) + " scored cases");
      const std::size_t metric = out_.metric(block.metric), whole = out_.label("");
      for (std::size_t i = 0; i < scored_.size(); ++i)
        out_.put({scored_[i], whole, metric}, (*block.values)[i]);
    }
  }

  const SegmentationFile& file_;
  compare::ResultBuilder& out_;
  CountedMetrics counted_;
  std::vector<std::size_t> scored_;
  bool has_counts_ = true;  ///< for every label of every scored case
};

/// The specification's form: a list of values per metric, without ids.
compare::ResultTable evaluation_table(const SegmentationFile& file) {
  compare::ResultTable table;
  table.model_name = file.model_name;
  table.source = file.source;
  for (const HeadlineBlock& block : file.headline) {
    if (!block.values) continue;
    if (!table.averages.empty() && block.values->size() != table.cases)
      throw Error(Error::Kind::input, table.source + ": '" + table.averages.front().name +
                                          "' has " + std::to_string(table.cases) + " values and '" +
                                          block.metric + "' " +
                                          std::to_string(block.values->size()) +
                                          "; every metric needs one value for each case");
    table.cases = block.values->size();
    table.averages.push_back(
        {metrics::metric_key(block.metric).value_or(block.metric), *block.values});
  }
  if (table.cases == 0)
    throw Error(Error::Kind::input,
                table.source +
                    ": has no 'values' under 'dice', 'avd' or 'mcc': a mean alone cannot "
                    "be compared, give a file with the values of all cases");
  return table;
}

}  // namespace

compare::ResultTable table_of(const SegmentationFile& file) {
  if (!file.lacks.empty())
    throw Error(Error::Kind::input,
                file.source + ": has no '" + file.lacks +
                    "'; the file may have been edited or be of another version");
  if (file.is_evaluation) return evaluation_table(file);
  compare::ResultBuilder out(file.model_name, file.source);
  for (const SavedSummary& saved : file.metrics) {
    const std::size_t place = out.metric(saved.key);
    if (saved.metric && saved.metric->own) out.declare_metric(place, saved.metric->own);
  }
  for (const SavedLabel& label : file.labels) {
    const std::size_t place = out.label(label.region.key);
    out.name_label(place, label.region.name);
    out.describe_label(place, label.region.members, label.region.is_union);
  }
  CaseValues(file, out).put_all();
  compare::ResultTable table = std::move(out).table();
  table.warnings = file.warnings;
  table.unit = file.settings.unit;
  return table;
}

}  // namespace assay::results
