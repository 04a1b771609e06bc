// SPDX-License-Identifier: Apache-2.0
/// Tests, corrections and effect sizes. Results are dicts, which the package turns into classes.
#include "assay/base/named.hpp"
#include "assay/statistics.hpp"
#include "python/module/arrays.hpp"

namespace assay::python {

py::tuple tuple_of(const stats::Interval& interval) {
  return py::make_tuple(interval.estimate, interval.lower, interval.upper);
}

namespace {

using py::arg;

py::dict to_python(const stats::WilcoxonResult& r) {
  py::dict out;
  out["statistic"] = r.statistic;
  out["pvalue"] = r.pvalue;
  out["n"] = r.n;
  out["zeros"] = r.zeros;
  out["ties"] = r.ties;
  out["method"] = std::string(r.method);
  out["policy"] = std::string(r.policy);
  out["warning"] = r.warning.empty() ? py::object(py::none()) : py::str(r.warning);
  if (r.z) out["zstatistic"] = *r.z;
  return out;
}

py::dict wilcoxon_of(const Vector& differences, const std::string& zero_method,
                     std::optional<bool> correction, const std::string& alternative,
                     const std::string& method, const std::string& policy, double tie_tolerance) {
  stats::WilcoxonOptions options;
  options.policy = value_in(stats::wilcoxon_policies(), policy, "policy");
  options.method = value_in(stats::wilcoxon_methods(), method, "method");
  options.zero_method = value_in(stats::zero_methods(), zero_method, "zero method");
  options.alternative = value_in(stats::alternatives(), alternative, "alternative");
  options.correction = correction;
  options.tie_tolerance = tie_tolerance;
  const auto values = span_of(differences);
  stats::WilcoxonResult result;
  {
    const py::gil_scoped_release released;
    result = stats::wilcoxon(values, options);
  }
  return to_python(result);
}

py::tuple adjusted(const Vector& pvalues, const std::string& method, double alpha) {
  const stats::Adjusted found =
      stats::adjust(span_of(pvalues), stats::correction_named(method), alpha);
  return py::make_tuple(found.pvalues, found.reject);
}

py::dict to_python(const stats::ComparisonResult& r) {
  py::dict out;
  out["model_name"] = r.model_name;
  out["p_value"] = r.p_value;
  out["corrected_p_value"] = r.corrected_p_value;
  out["is_significant"] = r.is_significant;
  out["effect_size"] = r.effect_size;
  out["difference"] = tuple_of(r.difference);
  out["verdict"] = std::string(name(r.verdict));
  out["test"] = to_python(r.test);
  return out;
}

py::list compare_models(const Vector& reference,
                        const std::vector<std::pair<std::string, Vector>>& models, double alpha,
                        const std::string& policy, std::optional<double> margin, bool allclose) {
  stats::ComparisonOptions options = {
      .alpha = alpha, .policy = value_in(stats::wilcoxon_policies(), policy, "policy")};
  options.margin = margin;
  options.allclose_is_equal = allclose;
  std::vector<stats::ModelScores> scores;
  for (const auto& [name, values] : models) {
    const auto all = span_of(values);
    scores.push_back({name, {all.begin(), all.end()}});
  }
  const auto base = span_of(reference);
  std::vector<stats::ComparisonResult> results;
  {
    const py::gil_scoped_release released;
    results = stats::compare_models_to_reference(base, scores, options);
  }
  py::list out;
  for (const stats::ComparisonResult& result : results) out.append(to_python(result));
  return out;
}

py::dict tost(const Vector& x, const Vector& y, double margin) {
  const stats::Tost found = stats::tost_paired(span_of(x), span_of(y), margin);
  py::dict out;
  out["pvalue"] = found.pvalue;
  out["lower"] = py::make_tuple(found.lower.t, found.lower.pvalue, found.lower.df);
  out["upper"] = py::make_tuple(found.upper.t, found.upper.pvalue, found.upper.df);
  return out;
}

using Table = std::vector<std::vector<double>>;  // one row per case

py::dict friedman_of(const Table& table) {
  const stats::FriedmanResult found = stats::friedman(table);
  py::dict out;
  out["statistic"] = found.statistic;
  out["pvalue"] = found.pvalue;
  out["f"] = found.f;
  out["f_pvalue"] = found.f_pvalue;
  out["kendall_w"] = found.kendall_w;
  out["mean_ranks"] = found.mean_ranks;
  return out;
}

py::dict nemenyi_of(const Table& table, double alpha) {
  const stats::NemenyiResult found = stats::nemenyi(table, alpha);
  py::dict out;
  out["critical_difference"] = found.critical_difference;
  out["pvalues"] = found.pvalues;
  out["mean_ranks"] = found.mean_ranks;
  return out;
}

}  // namespace

void bind_tests(py::module_& module) {
  module.def("wilcoxon", wilcoxon_of, arg("differences"), arg("zero_method"), arg("correction"),
             arg("alternative"), arg("method"), arg("policy"), arg("tie_tolerance"));
  module.def("adjust", adjusted, arg("pvalues"), arg("method"), arg("alpha"));
  module.def("compare_models", compare_models, arg("reference"), arg("models"), arg("alpha"),
             arg("policy"), arg("margin"), arg("allclose"));
  module.def(
      "hodges_lehmann",
      [](const Vector& d, double level) {
        return tuple_of(stats::hodges_lehmann(span_of(d), level));
      },
      arg("differences"), arg("level"));
  module.def(
      "rank_biserial", [](const Vector& d) { return stats::rank_biserial(span_of(d)); },
      arg("differences"));
  module.def(
      "probability_of_superiority",
      [](const Vector& d) { return stats::probability_of_superiority(span_of(d)); },
      arg("differences"));
  module.def(
      "cohens_dz", [](const Vector& d) { return stats::cohens_dz(span_of(d)); },
      arg("differences"));
  module.def("tost_paired", tost, arg("x"), arg("y"), arg("margin"));
  module.def(
      "mcnemar",
      [](std::uint64_t b, std::uint64_t c, const std::string& method) {
        const stats::McNemarResult r =
            stats::mcnemar(b, c, value_in(stats::mcnemar_methods(), method, "method"));
        return py::make_tuple(r.statistic, r.pvalue);
      },
      arg("b"), arg("c"), arg("method"));
  module.def("friedman", friedman_of, arg("table"));
  module.def("nemenyi", nemenyi_of, arg("table"), arg("alpha"));
}

}  // namespace assay::python
