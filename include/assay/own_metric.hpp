// SPDX-License-Identifier: Apache-2.0
/// Metrics of the user's own: declared as ours are, computed from two masks by a function or a
/// program that is not part of assay. docs/own-metrics.md describes them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "assay/metrics.hpp"
#include "assay/volume.hpp"

namespace assay::metrics {

/// Two masks of one label on one grid: 1 where the label is, 0 elsewhere.
struct LabelMasks {
  View<std::uint8_t> prediction, reference;
  std::string_view label;  ///< key of the label or region: "1", "whole", "foreground"
  std::string_view case_id;
};

/// Computes a value. An exception counts as a failure; several threads may call it at once.
using OwnMeasure = std::function<OwnValue(const LabelMasks& masks)>;

/// What a row of the metric table says, for a metric that is not in it.
struct OwnDeclaration {
  std::string name{}, title{}, equation{}, unit{};
  Better better = Better::neither;
  Range range = {-infinity, infinity};
  /// What is not stated is computed. Two empty masks have no value unless another rule is given.
  EmptyRule empty = {.both = Undefined::both_empty};
  std::optional<double> failure{};  ///< as in `Metric`, but never the diagonal
  std::string note{}, reference{};
  std::string kind{};    ///< "function" or "command"
  std::string sha256{};  ///< of what computes it; "": not known
};

/// A declared metric; its row borrows from the declaration. Only the run that scores has `measure`:
/// results that are read or merged hold the values already.
struct OwnMetric {
  OwnMetric(OwnDeclaration given, OwnMeasure by);
  OwnMetric(const OwnMetric&) = delete;
  OwnMetric& operator=(const OwnMetric&) = delete;
  ~OwnMetric() = default;

  const OwnDeclaration declared;
  const Metric row;
  const OwnMeasure measure;
};

/// Checks the declaration and completes it: without a title the name is the title, and a failure of
/// the model counts as the worse end of the range, if that is finite. Throws Error::usage on a
/// declaration that makes no sense, such as one with the name of a metric in the table.
std::shared_ptr<const OwnMetric> own_metric(OwnDeclaration declared, OwnMeasure measure = {});

/// The user's own metric in the form of a requested one.
ChosenMetric chosen_metric(std::shared_ptr<const OwnMetric> own);

/// Whether two declarations mean the same number: what computes it may differ.
bool are_alike(const OwnDeclaration& a, const OwnDeclaration& b);

/// Calls `measure`. An exception, or a number that is not finite or lies outside the range, becomes
/// a failed value with a message.
OwnValue measure_value(const OwnMetric& metric, const LabelMasks& masks);

/// The score that a value stands for.
Score score_of(const OwnValue& value, Presence presence);

}  // namespace assay::metrics
