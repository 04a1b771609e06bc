// SPDX-License-Identifier: Apache-2.0
/// What a metric yields.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace assay::metrics {

/// Why a metric has no value. A reader can then tell "bad" from "not defined".
enum class Undefined {
  both_empty,
  reference_empty,
  prediction_empty,
  zero_denominator,
  not_probabilities,
  not_a_mask,
  missing_prediction,
  missing_reference,
  not_scored
};

/// Every reason, in the order in which they are shown.
inline constexpr std::array all_undefined = {
    Undefined::both_empty,         Undefined::reference_empty,   Undefined::prediction_empty,
    Undefined::zero_denominator,   Undefined::not_probabilities, Undefined::not_a_mask,
    Undefined::missing_prediction, Undefined::missing_reference, Undefined::not_scored};

/// A number, or the reason there is none. Never NaN, never a silent 0.
using Score = std::variant<double, Undefined>;

/// A count as a number to calculate with.
constexpr double real(std::int64_t count) {
  return static_cast<double>(count);
}

/// The quotient, or `zero_denominator`.
constexpr Score ratio(double numerator, double denominator) {
  if (denominator == 0) return Undefined::zero_denominator;
  return numerator / denominator;
}

/// The number, if there is one.
constexpr std::optional<double> value(const Score& score) {
  if (const auto* number = std::get_if<double>(&score)) return *number;
  return std::nullopt;
}

/// The spelling used in JSON, CSV and the report.
constexpr std::string_view name(Undefined why) {
  switch (why) {
    case Undefined::both_empty: return "both_empty";
    case Undefined::reference_empty: return "reference_empty";
    case Undefined::prediction_empty: return "prediction_empty";
    case Undefined::zero_denominator: return "zero_denominator";
    case Undefined::not_probabilities: return "not_probabilities";
    case Undefined::not_a_mask: return "not_a_mask";
    case Undefined::missing_prediction: return "missing_prediction";
    case Undefined::missing_reference: return "missing_reference";
    case Undefined::not_scored: return "not_scored";
  }
  return "";
}

}  // namespace assay::metrics
