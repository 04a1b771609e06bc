// SPDX-License-Identifier: Apache-2.0
/// Numbers that may differ from metric to metric, as people type them: "0.01" for every metric, or
/// "dice=0.01,avd=0.05".
#pragma once

#include "assay/compare.hpp"
#include "assay/compare/power.hpp"
#include "cli/arguments.hpp"

namespace assay::cli {

template <>
struct Kind<compare::MetricNumbers> {
  static compare::MetricNumbers value(const std::string& text);
  static std::string shown(const compare::MetricNumbers&) { return ""; }
};

void set_margins(const compare::MetricNumbers& margins, compare::CompareSettings& settings);

}  // namespace assay::cli
