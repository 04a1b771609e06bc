// SPDX-License-Identifier: Apache-2.0
/// assay metrics: the table of metrics, for people, programs and docs/metrics.md.
#include <ostream>

#include "assay/base/file.hpp"
#include "assay/report/text/metric_reference.hpp"
#include "assay/results/metric_table.hpp"
#include "cli/commands.hpp"

namespace assay::cli {
namespace metrics_file {
namespace {

Action declare(Arguments&) {
  return [](const Common& common, const Session& session) {
    const std::string text = common.json ? results::metric_table_json() : report::metric_listing();
    if (common.out.empty())
      session.out << text;
    else
      write_atomically(common.out, text);
    return done;
  };
}

constexpr Example examples[] = {
    {"assay metrics", "every metric with its formula, range and rule for empty masks"},
    {"assay metrics --json", "the same for programs"},
};

}  // namespace
}  // namespace metrics_file

const Command metrics_command = {"metrics", "List the metrics with their definitions",
                                 metrics_file::declare, metrics_file::examples};

}  // namespace assay::cli
