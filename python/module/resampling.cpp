// SPDX-License-Identifier: Apache-2.0
/// NumPy's random stream, and the bootstrap on it.
#include <map>

#include "assay/base/named.hpp"
#include "assay/bootstrap.hpp"
#include "assay/stats/moments.hpp"
#include "assay/stats/random.hpp"
#include "python/module/arrays.hpp"
#include "python/module/threads.hpp"

namespace assay::python {
namespace {

using py::arg;
using LabelVector = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

stats::Labels labels_of(const LabelVector& labels) {
  return {labels.data(), static_cast<std::size_t>(labels.size())};
}

py::dict to_python(const stats::BootstrapResult& r) {
  py::dict out;
  out["mean"] = r.mean;
  out["std"] = r.std;
  out["ci_lower"] = r.ci_lower;
  out["ci_upper"] = r.ci_upper;
  out["n_replicates"] = r.n_replicates;
  out["point"] = r.point;
  return out;
}

/// Statistics that need no call into Python.
const std::map<std::string, stats::Statistic>& statistics() {
  static const std::map<std::string, stats::Statistic> table = {
      {"mean", [](std::span<const double> x) { return stats::mean(x); }},
      {"median", [](std::span<const double> x) { return stats::median(x); }},
      {"std", [](std::span<const double> x) { return stats::standard_deviation(x, 1); }},
      {"sum", [](std::span<const double> x) { return stats::pairwise_sum(x); }},
  };
  return table;
}

/// A Python function, called with a view of each resample.
stats::Statistic called_back(const py::function& function) {
  return [&function](std::span<const double> x) { return function(array_of(x)).cast<double>(); };
}

/// Python's seeds can be of any size, so they are passed as decimal digits.
stats::BootstrapOptions options_of(std::size_t replicates, const std::string& seed,
                                   const std::string& method, double level,
                                   const std::vector<std::size_t>& clusters) {
  stats::BootstrapOptions options;
  options.replicates = replicates;
  options.seed = stats::seed_words(std::string_view(seed));
  options.method = value_in(stats::bootstrap_methods(), method, "method");
  options.level = level;
  options.clusters = clusters;
  options.executor = executor();
  return options;
}

py::dict bootstrap_of(const Vector& values, const py::object& statistic, std::size_t replicates,
                      const std::string& seed, const std::string& method, double level,
                      const std::vector<std::size_t>& clusters) {
  stats::BootstrapOptions options = options_of(replicates, seed, method, level, clusters);
  const auto all = span_of(values);
  if (py::isinstance<py::function>(statistic)) {
    options.executor = {};  // one interpreter, one thread
    return to_python(stats::bootstrap(all, called_back(statistic.cast<py::function>()), options));
  }
  const auto found = statistics().find(statistic.cast<std::string>());
  if (found == statistics().end())
    throw py::value_error("statistic must be mean, median, std, sum, or a function");
  stats::BootstrapResult result;
  {
    const py::gil_scoped_release released;
    result = stats::bootstrap(all, found->second, options);
  }
  return to_python(result);
}

py::dict bootstrap_metric_of(const LabelVector& predictions, const LabelVector& truths,
                             const std::string& metric, std::size_t replicates,
                             const std::string& seed, const std::string& method, double level,
                             const std::vector<std::size_t>& clusters) {
  const stats::BootstrapOptions options = options_of(replicates, seed, method, level, clusters);
  const auto which = value_in(stats::classification_metrics(), metric, "metric");
  stats::BootstrapResult result;
  {
    const auto p = labels_of(predictions), t = labels_of(truths);
    const py::gil_scoped_release released;
    result = stats::bootstrap_metric(p, t, which, options);
  }
  return to_python(result);
}

py::array_t<std::uint64_t> choice(const std::string& seed, std::uint64_t n, std::size_t size) {
  const auto indices =
      stats::default_rng_choice(stats::seed_words(std::string_view(seed)), n, size);
  return array_of(std::span<const std::uint64_t>(indices));
}

}  // namespace

void bind_resampling(py::module_& module) {
  module.def("default_rng_choice", choice, arg("seed"), arg("n"), arg("size"));
  module.def("bootstrap", bootstrap_of, arg("values"), arg("statistic"), arg("replicates"),
             arg("seed"), arg("method"), arg("level"), arg("clusters"));
  module.def("bootstrap_metric", bootstrap_metric_of, arg("predictions"), arg("truths"),
             arg("metric"), arg("replicates"), arg("seed"), arg("method"), arg("level"),
             arg("clusters"));
  module.def(
      "accuracy",
      [](const LabelVector& p, const LabelVector& t) {
        return stats::accuracy(labels_of(p), labels_of(t));
      },
      arg("predictions"), arg("truths"));
  module.def(
      "balanced_accuracy",
      [](const LabelVector& p, const LabelVector& t) {
        return stats::balanced_accuracy(labels_of(p), labels_of(t));
      },
      arg("predictions"), arg("truths"));
}

}  // namespace assay::python
