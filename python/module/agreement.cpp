// SPDX-License-Identifier: Apache-2.0
/// Agreement of measurements, and areas under ROC curves. The package turns the dicts into classes.
#include "assay/stats/agreement.hpp"

#include "python/module/arrays.hpp"

namespace assay::python {
namespace {

using py::arg;

py::dict bland_altman_of(const Vector& x, const Vector& y, double level) {
  const stats::BlandAltman found = stats::bland_altman(span_of(x), span_of(y), level);
  py::dict out;
  out["bias"] = tuple_of(found.bias);
  out["lower"] = tuple_of(found.lower);
  out["upper"] = tuple_of(found.upper);
  out["sd"] = found.sd;
  out["n"] = found.n;
  return out;
}

/// (agreement, consistency); `ratings` has a row per rater.
py::tuple icc_of(const std::vector<std::vector<double>>& ratings, double level) {
  const stats::Icc found = stats::intraclass_correlation(ratings, level);
  return py::make_tuple(tuple_of(found.agreement), tuple_of(found.consistency));
}

py::tuple roc_area_of(const Vector& scores, const std::vector<bool>& is_positive, double level) {
  return tuple_of(stats::roc_area(span_of(scores), is_positive, level));
}

py::dict delong_of(const Vector& first, const Vector& second, const std::vector<bool>& is_positive,
                   double level) {
  const stats::DeLong found = stats::delong(span_of(first), span_of(second), is_positive, level);
  py::dict out;
  out["auroc_a"] = tuple_of(found.first);
  out["auroc_b"] = tuple_of(found.second);
  out["difference"] = tuple_of(found.difference);
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
