// SPDX-License-Identifier: Apache-2.0
/// Counts of two masks and the metrics that follow from them.
#include <algorithm>
#include <cmath>
#include <map>

#include "assay/base/named.hpp"
#include "assay/cohort.hpp"
#include "assay/error.hpp"
#include "assay/metrics.hpp"
#include "assay/metrics/lesions.hpp"
#include "assay/metrics/mask_shapes.hpp"
#include "assay/metrics/probability.hpp"
#include "assay/results/metric_table.hpp"
#include "python/module/arrays.hpp"
#include "python/module/threads.hpp"

namespace assay::python {
namespace {

template <class T>
metrics::ValuesView view_as(const py::array& array) {
  return {static_cast<const T*>(array.data()), static_cast<std::size_t>(array.size())};
}

using Maker = metrics::ValuesView (*)(const py::array&);

/// From NumPy's kind and item size to our view. Booleans are bytes of 0 and 1.
const std::map<std::pair<char, py::ssize_t>, Maker>& makers() {
  static const std::map<std::pair<char, py::ssize_t>, Maker> table = {
      {{'b', 1}, view_as<std::uint8_t>},  {{'u', 1}, view_as<std::uint8_t>},
      {{'u', 2}, view_as<std::uint16_t>}, {{'u', 4}, view_as<std::uint32_t>},
      {{'u', 8}, view_as<std::uint64_t>}, {{'i', 1}, view_as<std::int8_t>},
      {{'i', 2}, view_as<std::int16_t>},  {{'i', 4}, view_as<std::int32_t>},
      {{'i', 8}, view_as<std::int64_t>},  {{'f', 2}, view_as<Half>},
      {{'f', 4}, view_as<float>},         {{'f', 8}, view_as<double>},
  };
  return table;
}

py::tuple count(const py::array& prediction, const py::array& reference,
                std::optional<double> label) {
  const metrics::ValuesView p = values_view(prediction), r = values_view(reference);
  metrics::Confusion c;
  {
    const py::gil_scoped_release released;
    c = metrics::count_values(p, r, label, executor());
  }
  return py::make_tuple(c.tp, c.fp, c.fn, c.tn);
}

py::object to_python(const metrics::Score& score) {
  if (const auto found = metrics::value(score)) return py::float_(*found);
  return py::none();
}

py::dict scores(std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t> counts,
                double voxel_ml, const std::string& names, const std::string& convention_name,
                double beta) {
  const auto [tp, fp, fn, tn] = counts;
  const metrics::Evidence evidence = {{.tp = tp, .fp = fp, .fn = fn, .tn = tn}, voxel_ml};
  const metrics::Convention& rules = metrics::convention(convention_name);
  const metrics::Parameters parameters = {.beta = beta, .dice_smooth = rules.dice_smooth};
  py::dict out;
  for (const metrics::ChosenMetric& each : metrics::chosen_metrics(names)) {
    if (each->needs_boundary() || each->needs_lesions() || each->needs_probability())
      throw Error(Error::Kind::usage, "the metric '" + each.key +
                                          "' does not follow from counts; assay.metrics computes "
                                          "it from the two masks");
    out[py::str(each.key)] = to_python(score(each, evidence, parameters, rules));
  }
  return out;
}

/// NumPy's last axis is our first. An array of two axes has no third; one of shape (8, 8, 1) does.
Grid grid_of(const py::array& array, const std::vector<double>& spacing) {
  Grid grid{.shape = {1, 1, 1}, .has_axis = {}};
  for (std::size_t k = 0; k < static_cast<std::size_t>(array.ndim()); ++k) {
    const auto axis = static_cast<std::size_t>(array.ndim()) - 1 - k;
    grid.shape[k] = static_cast<std::size_t>(array.shape(static_cast<py::ssize_t>(axis)));
    grid.affine[k][k] = spacing[axis];
    grid.has_axis[k] = true;
  }
  return grid;
}

/// A map of probabilities in its own precision; half precision becomes single.
struct ChanceMap {
  std::vector<float> widened;
  ProbabilityView view;
};

struct AsMap {
  std::size_t size;

  ChanceMap operator()(const float* values) const { return {{}, {{}, std::span(values, size)}}; }
  ChanceMap operator()(const double* values) const { return {{}, {{}, std::span(values, size)}}; }
  ChanceMap operator()(const Half* values) const {
    ChanceMap out;
    out.widened.resize(size);
    std::transform(values, values + size, out.widened.begin(), to_float);
    out.view.values = std::span<const float>(out.widened);
    return out;
  }
  ChanceMap operator()(const auto*) const { return {}; }  // whole numbers are not probabilities
};

/// Whether the numbers are probabilities and not only 0 and 1. Others are refused if `required`.
bool is_chance(const ProbabilityView& map, bool required) {
  return std::visit(
      [&](const auto& values) {
        const auto is_outside = [](auto x) { return !(x >= 0 && x <= 1); };
        const auto is_whole = [](auto x) { return x == std::nearbyint(x); };
        const auto outside = std::ranges::find_if(values, is_outside);
        if (std::ranges::all_of(values, is_whole)) return false;
        if (outside != values.end() && required)
          throw Error(Error::Kind::input,
                      "pred holds " + std::to_string(*outside) +
                          ", which is not a probability (0 to 1); apply the sigmoid or "
                          "softmax first");
        return outside == values.end();
      },
      map.values);
}

void add_probability(metrics::Evidence& evidence, const metrics::ScoreSettings& settings,
                     const metrics::ValuesView& given,
                     const std::vector<std::uint64_t>& reference) {
  const ChanceMap map = std::visit(AsMap{given.size}, given.values);
  if (is_chance(map.view, metrics::requires_probability(settings)))
    evidence.probability =
        metrics::probability_evidence({.prediction = map.view, .reference = reference});
}

metrics::ScoreSettings settings_of(const py::dict& given) {
  metrics::ScoreSettings out;
  out.convention = &metrics::convention(given["convention"].cast<std::string>());
  out.beta = given["beta"].cast<double>();
  const auto tolerances = given["nsd_tolerance"].cast<std::vector<double>>();
  out.metrics = metrics::chosen_metrics(given["metrics"].cast<std::string>(), tolerances);
  out.lesions = out.convention->lesions;
  if (const py::object rule = given["lesion_rule"]; !rule.is_none())
    out.lesions.rule = value_in(metrics::lesion_rules(), rule.cast<std::string>(), "lesion rule");
  if (const py::object neighbours = given["connectivity"]; !neighbours.is_none())
    out.lesions.connectivity = static_cast<metrics::Connectivity>(neighbours.cast<int>());
  if (const py::object least = given["min_lesion_ml"]; !least.is_none())
    out.lesions.least_ml = least.cast<double>();
  return out;
}

py::dict metrics_of(const py::array& prediction, const py::array& reference,
                    std::optional<double> label, const std::vector<double>& spacing,
                    const py::dict& given) {
  const metrics::ScoreSettings settings = settings_of(given);
  const metrics::ValuesView p = values_view(prediction), r = values_view(reference);
  const bool has_shape = prediction.ndim() <= 3;
  const Grid grid = has_shape ? grid_of(prediction, spacing) : Grid{};
  const py::object chance = given["probabilities"];
  const metrics::ValuesView map =
      chance.is_none() ? metrics::ValuesView{} : values_view(chance.cast<py::array>());
  metrics::Evidence evidence = {.counts = {}, .voxel_ml = given["voxel_ml"].cast<double>()};
  {
    const py::gil_scoped_release released;
    evidence.counts = metrics::count_values(p, r, label, executor());
    if (has_shape && (metrics::needs_boundary(settings) || metrics::needs_lesions(settings))) {
      const auto p_bits = metrics::packed_values(p, label),
                 r_bits = metrics::packed_values(r, label);
      const auto solids = metrics::solids_of({grid.shape, p_bits}, {grid.shape, r_bits}, grid,
                                             metrics::lesion_room(settings.lesions));
      if (solids) metrics::add_shapes(evidence, settings, *solids, grid);
    }
    if (map.size != 0 && needs_probability(settings))
      add_probability(evidence, settings, map, metrics::packed_values(r, label));
  }
  const metrics::Parameters parameters = {.beta = settings.beta,
                                          .dice_smooth = settings.convention->dice_smooth};
  py::dict out;
  for (const metrics::ChosenMetric& each : settings.metrics)
    if (!each.if_present || evidence.probability)
      out[py::str(each.key)] = to_python(score(each, evidence, parameters, *settings.convention));
  return out;
}

}  // namespace

metrics::ValuesView values_view(const py::array& array) {
  const auto found = makers().find({array.dtype().kind(), item_size(array)});
  if (found == makers().end())
    throw py::type_error("arrays must hold numbers, not " +
                         std::string(py::str(static_cast<py::object>(array.dtype()))));
  return found->second(array);
}

void bind_counts(py::module_& module) {
  module.def("count", count, py::arg("prediction"), py::arg("reference"), py::arg("label"),
             "(tp, fp, fn, tn) of two contiguous arrays");
  module.def("scores", scores, py::arg("counts"), py::arg("voxel_ml"), py::arg("metrics"),
             py::arg("convention"), py::arg("beta"), "metrics of counts, None where undefined");
  module.def("metrics", metrics_of, py::arg("prediction"), py::arg("reference"), py::arg("label"),
             py::arg("spacing"), py::arg("settings"), "metrics of two arrays");
  module.def(
      "is_map", [](const py::array& array) { return metrics::is_map(values_view(array)); },
      py::arg("array"), "whether a contiguous array holds a map, not a mask");
  module.def("metric_table", results::metric_table_json, "what 'assay metrics --json' prints");
}

}  // namespace assay::python
