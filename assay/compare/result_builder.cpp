// SPDX-License-Identifier: Apache-2.0
#include "assay/compare/result_builder.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "assay/base/text.hpp"
#include "assay/compare.hpp"
#include "assay/error.hpp"
#include "assay/metrics/failure.hpp"
#include "assay/stats/moments.hpp"

namespace assay::compare {
namespace {

template <class Cells, class Keep>
void keep_only(Cells& cells, const Keep& keep) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (keep(i)) {
      if (kept != i) cells[kept] = std::move(cells[i]);
      ++kept;
    }
  cells.resize(kept);
}

/// The failure of a case in which labels failed; it counts as the mean with these labels counted.
FailedValue averaged_failure(const std::vector<const FailedValue*>& failures,
                             std::vector<double> values) {
  FailedValue out = *failures.front();
  out.counts.reset();
  for (const FailedValue* failed : failures) {
    if (!failed->counts) return out;
    values.push_back(*failed->counts);
  }
  out.counts = stats::mean(values);
  return out;
}

}  // namespace

/// The position of a name, or the end of the list if the caller is to add it.
template <class Rows, class Name>
std::size_t ResultBuilder::position(const Rows& rows, std::string_view wanted, Name name,
                                    Places& places) {
  for (const std::size_t guess : {places.last + 1, places.last, std::size_t{0}})
    if (guess < rows.size() && std::invoke(name, rows[guess]) == wanted) return places.last = guess;
  return places.last = places.by_name.try_emplace(std::string(wanted), rows.size()).first->second;
}

ResultBuilder::ResultBuilder(std::string model_name, std::string source)
    : model_name_(std::move(model_name)), source_(std::move(source)) {}

std::size_t ResultBuilder::add_case(std::string id) {
  cases_.push_back({.id = std::move(id)});
  return cases_.size() - 1;
}

std::size_t ResultBuilder::case_of(const std::string& id) {
  if (!cases_.empty() && cases_.back().id == id) return cases_.size() - 1;
  const auto [found, fresh] = by_id_.try_emplace(id, cases_.size());
  return fresh ? add_case(id) : found->second;
}

void ResultBuilder::name_case(std::size_t one_case, std::string id) {
  cases_[one_case].id = std::move(id);
}

std::size_t ResultBuilder::metric(std::string_view name) {
  const std::size_t place = position(metrics_, name, std::identity{}, metric_places_);
  if (place == metrics_.size()) metrics_.emplace_back(name);
  return place;
}

std::size_t ResultBuilder::derived_metric(std::string_view name) {
  const std::size_t place = metric(name);
  if (!is_derived(place)) derived_.push_back(place);
  return place;
}

std::size_t ResultBuilder::label(std::string_view key) {
  const std::size_t place = position(labels_, key, &Label::key, label_places_);
  if (place == labels_.size())
    labels_.push_back({.region = {std::string(key), std::string(key), {}}});
  return place;
}

void ResultBuilder::name_label(std::size_t label, std::string name) {
  labels_[label].region.name = std::move(name);
}

void ResultBuilder::describe_label(std::size_t label, std::vector<assay::Label> members,
                                   bool is_union) {
  labels_[label].region.members = std::move(members);
  labels_[label].region.is_union = is_union;
}

void ResultBuilder::leave_out_of_averages(std::size_t label) {
  labels_[label].averaged = false;
}

bool ResultBuilder::put(const Place& place, std::optional<double> value) {
  auto& columns = labels_[place.label].columns;
  if (columns.size() <= place.metric) columns.resize(metrics_.size());
  Column& column = columns[place.metric];
  if (column.values.size() <= place.one_case) {
    column.values.resize(place.one_case + 1);
    column.was_put.resize(place.one_case + 1);
  }
  if (column.was_put[place.one_case]) return false;
  column.was_put[place.one_case] = true;
  column.used = true;
  if (value && !std::isnan(*value)) column.values[place.one_case] = value;
  cases_[place.one_case].has_values = true;
  return true;
}

void ResultBuilder::group(std::size_t one_case, std::string_view column, std::string_view text) {
  const std::size_t place = position(groups_, column, &Group::column, group_places_);
  if (place == groups_.size()) groups_.push_back({.column = std::string(column), .texts = {}});
  Group& group = groups_[place];
  if (group.texts.size() <= one_case) group.texts.resize(one_case + 1);
  std::string& known = group.texts[one_case];
  if (known.empty())
    known = text;
  else if (!text.empty() && known != text)
    group.contradicts_itself = true;
}

void ResultBuilder::declare_metric(std::size_t metric,
                                   std::shared_ptr<const metrics::OwnMetric> own) {
  own_[metric] = std::move(own);
}

std::shared_ptr<const metrics::OwnMetric> ResultBuilder::own_row(std::size_t metric) const {
  const auto found = own_.find(metric);
  return found == own_.end() ? nullptr : found->second;
}

void ResultBuilder::explain(const Place& place, metrics::Undefined why, const Measured& measured) {
  if (why == metrics::Undefined::own_metric_failed)
    labels_[place.label].columns[place.metric].unknown.push_back(place.one_case);
  const metrics::Presence presence = measured.presence.value_or(metrics::presence_told_by(why));
  if (metrics::culprit(measured.metric, why, presence) != metrics::Culprit::model) return;
  Label& label = labels_[place.label];
  label.columns[place.metric].failed.push_back(
      {place.one_case, metrics::failure_value(measured.metric, presence, measured.diagonal_mm),
       std::string(name(why)), label.key()});
}

void ResultBuilder::put_score(const Place& place, const metrics::Score& score,
                              const Measured& measured) {
  if (!put(place, value(score))) return;
  if (const auto* why = std::get_if<metrics::Undefined>(&score)) explain(place, *why, measured);
}

void ResultBuilder::lose(std::size_t one_case, Loss loss) {
  cases_[one_case].loss = std::move(loss);
}

/// Gives every column a cell for every case.
void ResultBuilder::complete() {
  for (Label& label : labels_) {
    label.columns.resize(metrics_.size());
    for (Column& column : label.columns) {
      column.values.resize(cases_.size());
      column.was_put.resize(cases_.size());
    }
  }
  for (Group& group : groups_) group.texts.resize(cases_.size());
}

void ResultBuilder::remove_lost(ResultTable& table) {
  const auto is_kept = [](const Case& one) { return one.has_values || !one.loss; };
  if (std::ranges::all_of(cases_, is_kept)) return;
  std::vector<bool> kept;
  std::vector<std::size_t> places;  // after the lost cases are removed
  std::size_t place = 0;
  for (Case& one : cases_) {
    kept.push_back(is_kept(one));
    places.push_back(place);
    if (kept.back())
      ++place;
    else
      table.unscored.push_back({one.id, one.loss->reason, one.loss->failed, one.loss->diagonal_mm});
  }
  const auto keep = [&](std::size_t i) { return kept[i]; };
  for (Label& label : labels_)
    for (Column& column : label.columns) {
      keep_only(column.values, keep);
      keep_only(column.was_put, keep);
      for (FailedValue& failed : column.failed) failed.one_case = places[failed.one_case];
      for (std::size_t& one_case : column.unknown) one_case = places[one_case];
    }
  for (Group& group : groups_) keep_only(group.texts, keep);
  keep_only(cases_, keep);
}

bool ResultBuilder::is_used(std::size_t metric) const {
  return std::ranges::any_of(
      labels_, [&](const Label& label) { return label.averaged && label.columns[metric].used; });
}

bool ResultBuilder::is_derived(std::size_t metric) const {
  return std::ranges::find(derived_, metric) != derived_.end();
}

/// Labels and unions of labels are never mixed: where there are labels, unions are left out.
void ResultBuilder::settle_averaged() {
  const auto counts = [](const Label& l) { return l.averaged && !l.key().empty(); };
  const bool has_labels =
      std::ranges::any_of(labels_, [&](const Label& l) { return counts(l) && !l.region.is_union; });
  for (Label& label : labels_)
    if (has_labels && label.region.is_union) label.averaged = false;
}

/// Cases with a label whose value could not be computed; their averages are unknown.
std::vector<bool> ResultBuilder::unknown_cases(std::size_t metric) const {
  std::vector<bool> out(cases_.size());
  for (const Label& label : labels_)
    if (label.averaged)
      for (const std::size_t one_case : label.columns[metric].unknown) out[one_case] = true;
  return out;
}

/// The average of a case is undefined if the model failed on one of its labels; otherwise it is the
/// mean over those that have a value.
MetricColumn ResultBuilder::averages(std::size_t metric) const {
  MetricColumn out = {metrics_[metric], Values(cases_.size()), {}};
  out.is_extra = std::ranges::find(only_averaged_, metric) != only_averaged_.end();
  out.own = own_row(metric);
  const std::vector<bool> unknown = unknown_cases(metric);
  std::vector<std::vector<const FailedValue*>> failures(cases_.size());
  for (const Label& label : labels_)
    if (label.averaged)
      for (const FailedValue& failed : label.columns[metric].failed)
        failures[failed.one_case].push_back(&failed);
  std::vector<double> of_labels;
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    of_labels.clear();
    bool is_given = false;
    for (const Label& label : labels_) {
      const Column& column = label.columns[metric];
      if (label.key().empty() && column.was_put[i]) {
        out.values[i] = column.values[i];
        is_given = true;
      } else if (label.averaged && column.values[i]) {
        of_labels.push_back(*column.values[i]);
      }
    }
    if (is_given) continue;
    if (!failures[i].empty()) {
      out.failed.push_back(averaged_failure(failures[i], of_labels));
    } else if (!of_labels.empty() && !unknown[i]) {
      const double average = stats::mean(of_labels);  // infinities of both signs have no mean
      if (!std::isnan(average)) out.values[i] = average;
    }
  }
  return out;
}

void ResultBuilder::require_content(const ResultTable& table) const {
  const auto refuse = [&](const std::string& sentence) {
    throw Error(Error::Kind::input, source_ + ": " + sentence);
  };
  const std::string model = model_name_.empty() ? "" : " of model " + model_name_;
  if (table.cases == 0 && table.unscored.empty())
    refuse("lists no case" + model + "; score some first");
  if (table.cases == 0)
    refuse("none of the " + std::to_string(table.unscored.size()) + " cases" + model +
           " was scored; the first: " + table.unscored.front().id + ": " +
           table.unscored.front().reason);
  if (table.averages.empty()) refuse("has no value of any metric" + model);
}

void ResultBuilder::require_distinct_ids(const ResultTable& table) const {
  std::vector<std::string_view> ids(table.ids.begin(), table.ids.end());
  for (const UnscoredCase& one : table.unscored) ids.push_back(one.id);
  std::ranges::sort(ids);
  const auto twice = std::ranges::adjacent_find(ids);
  if (twice == ids.end()) return;
  throw Error(Error::Kind::input, source_ + ": case '" + std::string(*twice) + "' appears twice" +
                                      (model_name_.empty() ? "" : " for model " + model_name_) +
                                      "; every case needs its own id");
}

ResultTable ResultBuilder::table() && {
  ResultTable out;
  out.model_name = model_name_;
  out.source = source_;
  complete();
  remove_lost(out);
  settle_averaged();
  out.cases = cases_.size();
  for (std::size_t m = 0; m < metrics_.size(); ++m)
    if (is_used(m)) (is_derived(m) ? out.derived : out.averages).push_back(averages(m));
  for (Label& label : labels_) {
    if (label.key().empty()) continue;
    if (label.averaged) out.averaged.push_back(label.region);
    LabelTable columns = {.key = label.region.key, .name = label.region.name, .columns = {}};
    columns.is_union = label.region.is_union;
    for (std::size_t m = 0; m < metrics_.size(); ++m)
      if (Column& column = label.columns[m];
          column.used && std::ranges::find(only_averaged_, m) == only_averaged_.end())
        (is_derived(m) ? columns.derived : columns.columns)
            .push_back({.name = metrics_[m],
                        .values = std::move(column.values),
                        .failed = std::move(column.failed),
                        .own = own_row(m)});
    if (!columns.columns.empty()) out.labels.push_back(std::move(columns));
  }
  for (Group& group : groups_)
    if (!group.contradicts_itself)
      out.groups.emplace_back(std::move(group.column), std::move(group.texts));
  if (has_ids_)
    for (Case& one : cases_) out.ids.push_back(std::move(one.id));
  require_content(out);
  if (has_ids_) require_distinct_ids(out);
  return out;
}

const LabelTable& label_of(const ResultTable& table, std::string_view label) {
  for (const LabelTable& each : table.labels)
    if (each.key == label || each.name == label) return each;
  const std::string known = joined(table.labels, ", ", &LabelTable::key);
  throw Error(Error::Kind::usage, table.source,
              "has no label '" + std::string(label) + "' (" +
                  (known.empty() ? "it has none" : "it has: " + known) + ")");
}

const std::vector<MetricColumn>& columns_of(const ResultTable& table, std::string_view label) {
  return label.empty() ? table.averages : label_of(table, label).columns;
}

std::vector<std::optional<double>> with_failures(const MetricColumn& column) {
  auto values = column.values;
  for (const FailedValue& failed : column.failed) values[failed.one_case] = failed.counts;
  return values;
}

std::size_t left_out_of_averages(const ResultTable& table, std::string_view metric) {
  const MetricColumn* averages = column_of(table.averages, metric);
  if (averages == nullptr || table.averaged.size() < 2) return 0;
  std::size_t out = 0;
  for (const LabelTable& label : table.labels) {
    const MetricColumn* own = column_of(label.columns, metric);
    if (own == nullptr ||
        std::ranges::find(table.averaged, label.key, &metrics::Region::key) == table.averaged.end())
      continue;
    for (std::size_t i = 0; i < own->values.size(); ++i)
      if (averages->values[i] && !own->values[i]) ++out;
  }
  return out;
}

ColumnFailures failures_of(const ResultTable& table, const MetricColumn& column) {
  ColumnFailures out = {.failures = column.failed.size()};
  bool all_count =
      std::ranges::all_of(column.failed, [](const FailedValue& f) { return f.counts.has_value(); });
  std::vector<double> values;
  for (const auto& value : with_failures(column))
    if (value && std::isfinite(*value)) values.push_back(*value);
  const auto metric = metric_of(column);
  for (const UnscoredCase& one : table.unscored) {
    if (!one.failed) continue;
    ++out.failures;
    const auto counts = metric ? metrics::failure_value(
                                     **metric, metrics::Presence::prediction_empty, one.diagonal_mm)
                               : std::nullopt;
    if (counts) values.push_back(*counts);
    all_count = all_count && counts;
  }
  if (all_count && !values.empty()) out.mean_with = stats::mean(values);
  return out;
}

const MetricColumn* column_of(const std::vector<MetricColumn>& columns, std::string_view name) {
  const auto found = std::ranges::find(columns, name, &MetricColumn::name);
  return found == columns.end() ? nullptr : &*found;
}

}  // namespace assay::compare
