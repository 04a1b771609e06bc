// SPDX-License-Identifier: Apache-2.0
/// Counts of two masks and the metrics that follow from them.
#include <map>

#include "assay/io/metric_table.hpp"
#include "assay/metrics/metric.hpp"
#include "assay/metrics/results.hpp"
#include "python/module/arrays.hpp"
#include "python/module/threads.hpp"

namespace assay::python {
namespace {

template <class T>
ValuesView view_as(const py::array& array) {
  return {static_cast<const T*>(array.data()), static_cast<std::size_t>(array.size())};
}

using Maker = ValuesView (*)(const py::array&);

/// NumPy's kind and item size -> our view. Booleans are bytes of 0 and 1.
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
  const ValuesView p = values_view(prediction), r = values_view(reference);
  Confusion c;
  {
    const py::gil_scoped_release released;
    c = count_values(p, r, label, executor());
  }
  return py::make_tuple(c.tp, c.fp, c.fn, c.tn);
}

py::object to_python(const Score& score) {
  if (const auto found = value(score)) return py::float_(*found);
  return py::none();
}

py::dict scores(std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t> counts,
                double voxel_ml, const std::string& names, const std::string& convention_name,
                double beta) {
  const auto [tp, fp, fn, tn] = counts;
  const Evidence evidence = {{.tp = tp, .fp = fp, .fn = fn, .tn = tn}, voxel_ml};
  const Convention& rules = convention(convention_name);
  const Parameters parameters = {.beta = beta, .dice_smooth = rules.dice_smooth};
  py::dict out;
  for (const ChosenMetric& each : chosen_metrics(names))
    out[py::str(each.key)] = to_python(score(each, evidence, parameters, rules));
  return out;
}

/// NumPy's last axis is our first. Without three axes the rest are of one voxel.
Grid grid_of(const py::array& array, const std::vector<double>& spacing) {
  Grid grid{.shape = {1, 1, 1}};
  for (std::size_t k = 0; k < static_cast<std::size_t>(array.ndim()); ++k) {
    const auto axis = static_cast<std::size_t>(array.ndim()) - 1 - k;
    grid.shape[k] = static_cast<std::size_t>(array.shape(static_cast<py::ssize_t>(axis)));
    grid.affine[k][k] = spacing[axis];
  }
  return grid;
}

/// What asked-for metrics need beyond counts.
void add_shapes(Evidence& evidence, const ScoreSettings& settings, LesionScene scene) {
  const Presence found = presence(evidence.counts);
  const SurfaceRules& rules = settings.convention->surface;
  scene.with_distances = scene.with_distances && needs_lesions(settings);
  scene.surface = rules;
  if (needs_lesions(settings) && found != Presence::both_empty)
    evidence.lesions = lesion_evidence(scene, settings.lesions);
  if (needs_boundary(settings) && found == Presence::ok)
    evidence.boundary =
        boundary_evidence(surface_distances(scene.masks, rules), rules, boundary_request(settings));
}

ScoreSettings settings_of(const py::dict& given) {
  ScoreSettings out;
  out.convention = &convention(given["convention"].cast<std::string>());
  out.beta = given["beta"].cast<double>();
  const auto tolerances = given["nsd_tolerance"].cast<std::vector<double>>();
  out.metrics = chosen_metrics(given["metrics"].cast<std::string>(), tolerances);
  return out;
}

py::dict metrics_of(const py::array& prediction, const py::array& reference,
                    std::optional<double> label, const std::vector<double>& spacing,
                    const py::dict& given) {
  const ScoreSettings settings = settings_of(given);
  const ValuesView p = values_view(prediction), r = values_view(reference);
  const bool has_shape = prediction.ndim() <= 3;
  const Grid grid = has_shape ? grid_of(prediction, spacing) : Grid{};
  Evidence evidence = {.counts = {}, .voxel_ml = given["voxel_ml"].cast<double>()};
  {
    const py::gil_scoped_release released;
    evidence.counts = count_values(p, r, label, executor());
    if (has_shape && (needs_boundary(settings) || needs_lesions(settings))) {
      const auto p_bits = packed_values(p, label), r_bits = packed_values(r, label);
      add_shapes(evidence, settings,
                 {.masks = {{grid.shape, p_bits}, {grid.shape, r_bits}, spacing_mm(grid)},
                  .grid = grid,
                  .with_distances = true});
    }
  }
  const Parameters parameters = {.beta = settings.beta,
                                 .dice_smooth = settings.convention->dice_smooth};
  py::dict out;
  for (const ChosenMetric& each : settings.metrics)
    out[py::str(each.key)] = to_python(score(each, evidence, parameters, *settings.convention));
  return out;
}

}  // namespace

ValuesView values_view(const py::array& array) {
  const auto found = makers().find({array.dtype().kind(), array.itemsize()});
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
  module.def("metric_table", metric_table_json, "what 'assay metrics --json' prints");
}

}  // namespace assay::python
