// SPDX-License-Identifier: Apache-2.0
/// Agreement of measurements, and areas under ROC curves. The package turns the dicts into classes.
#include "assay/stats/agreement.hpp"

#include "python/module/arrays.hpp"

namespace assay::python {
namespace {

using py::arg;

py::tuple to_python(const stats::Interval& interval) {
  return py::make_tuple(interval.estimate, interval.lower, interval.upper);
}

py::dict bland_altman_of(const Vector& x, const Vector& y, double level) {
  const stats::BlandAltman found = stats::bland_altman(span_of(x), span_of(y), level);
  py::dict out;
  out["bias"] = to_python(found.bias);
  out["lower"] = to_python(found.lower);
  out["upper"] = to_python(found.upper);
  out["sd"] = found.sd;
  out["n"] = found.n;
  return out;
}

/// (agreement, consistency); `ratings` has a row per rater.
py::tuple icc_of(const std::vector<std::vector<double>>& ratings, double level) {
  const stats::Icc found = stats::intraclass_correlation(ratings, level);
  return py::make_tuple(to_python(found.agreement), to_python(found.consistency));
}

py::tuple roc_area_of(const Vector& scores, const std::vector<bool>& is_positive, double level) {
  return to_python(stats::roc_area(span_of(scores), is_positive, level));
}

py::dict delong_of(const Vector& first, const Vector& second, const std::vector<bool>& is_positive,
                   double level) {
  const stats::DeLong found = stats::delong(span_of(first), span_of(second), is_positive, level);
  py::dict out;
  out["auroc_a"] = to_python(found.first);
  out["auroc_b"] = to_python(found.second);
  out["difference"] = to_python(found.difference);
  out["z"] = found.z;
  out["pvalue"] = found.pvalue;
  return out;
}

}  // namespace

void bind_agreement(py::module_& module) {
  module.def("bland_altman", bland_altman_of, arg("x"), arg("y"), arg("level"));
  module.def("icc", icc_of, arg("ratings"), arg("level"));
  module.def("roc_area", roc_area_of, arg("scores"), arg("is_positive"), arg("level"));
  module.def("delong", delong_of, arg("first"), arg("second"), arg("is_positive"), arg("level"));
}

}  // namespace assay::python
