// SPDX-License-Identifier: Apache-2.0
/// Builds the table of one model from values in whatever order a file lists them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "assay/compare.hpp"
#include "assay/metrics.hpp"

namespace assay::compare {

/// Gathers cases, labels, metrics and values. Cases, labels and metrics are numbered from 0 in the
/// order in which they appear, which is also their order in the table.
class ResultBuilder {
 public:
  ResultBuilder(std::string model_name, std::string source);

  std::size_t add_case(std::string id = {});
  /// The case of that id; a new one when there is none yet.
  std::size_t case_of(const std::string& id);
  void name_case(std::size_t one_case, std::string id);
  /// The file does not say which case is which.
  void forget_ids() { has_ids_ = false; }

  std::size_t metric(std::string_view name);
  /// A metric that was not asked for: it counts as derived.
  std::size_t derived_metric(std::string_view name);
  /// The row of a metric that the file declares itself.
  void declare_metric(std::size_t metric, std::shared_ptr<const metrics::OwnMetric> own);
  /// The metric is known only for the averages, not by label.
  void keep_as_average(std::size_t metric) { only_averaged_.push_back(metric); }
  /// "" means the case as a whole; such a value is taken as is, not averaged over labels.
  std::size_t label(std::string_view key);
  void name_label(std::size_t label, std::string name);
  /// What the label is made of, and whether it is a union of labels. Unions do not count in the
  /// averages where there are labels.
  void describe_label(std::size_t label, std::vector<assay::Label> members, bool is_union);
  /// The label stays readable by its key, but is not part of the averages (a background).
  void leave_out_of_averages(std::size_t label);

  struct Place {
    std::size_t one_case, label, metric;
  };
  /// Puts a value, or the fact that there is none. Returns false and changes nothing if it was put
  /// before.
  bool put(const Place& place, std::optional<double> value);

  /// How a metric came to its score.
  struct Measured {
    const metrics::Metric& metric;
    std::optional<metrics::Presence> presence{};  ///< none: as the reason says
    double diagonal_mm = 0;                       ///< of the image; 0 when it is not known
  };
  /// Says why the value at a place is missing; a value that is missing because the model failed is
  /// kept as failed.
  void explain(const Place& place, metrics::Undefined why, const Measured& measured);
  /// Puts a value, or explains why there is none.
  void put_score(const Place& place, const metrics::Score& score, const Measured& measured);

  /// What else is known about a case. A column that contradicts itself for one case is dropped.
  void group(std::size_t one_case, std::string_view column, std::string_view text);

  /// The case was not scored. It is removed from the table, unless something is put for it.
  struct Loss {
    std::string reason{};
    bool failed = false;  ///< the model failed, not the reference
    double diagonal_mm = 0;
  };
  void lose(std::size_t one_case, Loss loss);

  /// Throws Error::input when there is no case or no metric, or two cases have the same id.
  ResultTable table() &&;

 private:
  using Values = std::vector<std::optional<double>>;
  struct Column {
    Values values;
    std::vector<bool> was_put;
    std::vector<FailedValue> failed;
    std::vector<std::size_t> unknown;  ///< cases with a value that could not be computed
    bool used = false;
  };
  struct Label {
    metrics::Region region;
    std::vector<Column> columns{};  ///< one for each metric
    bool averaged = true;

    const std::string& key() const { return region.key; }
  };
  struct Case {
    std::string id;
    bool has_values = false;
    std::optional<Loss> loss{};
  };
  struct Group {
    std::string column;
    std::vector<std::string> texts;
    bool contradicts_itself = false;
  };

  /// The positions of names in a list. Files repeat the same names in the same order, so the name
  /// after the last one is tried first.
  struct Places {
    std::unordered_map<std::string, std::size_t> by_name{};
    std::size_t last = 0;
  };
  template <class Rows, class Name>
  static std::size_t position(const Rows& rows, std::string_view wanted, Name name, Places& places);

  void complete();
  void remove_lost(ResultTable& table);
  void require_content(const ResultTable& table) const;
  void require_distinct_ids(const ResultTable& table) const;
  bool is_used(std::size_t metric) const;
  bool is_derived(std::size_t metric) const;
  void settle_averaged();
  MetricColumn averages(std::size_t metric) const;
  std::vector<bool> unknown_cases(std::size_t metric) const;
  std::shared_ptr<const metrics::OwnMetric> own_row(std::size_t metric) const;

  std::string model_name_, source_;
  std::vector<Case> cases_;
  std::unordered_map<std::string, std::size_t> by_id_;
  std::vector<std::string> metrics_;
  std::unordered_map<std::size_t, std::shared_ptr<const metrics::OwnMetric>> own_;  ///< by place
  std::vector<std::size_t> derived_, only_averaged_;  ///< which of the metrics
  std::vector<Label> labels_;
  std::vector<Group> groups_;
  bool has_ids_ = true;
  Places metric_places_, label_places_, group_places_;
};

}  // namespace assay::compare
