// SPDX-License-Identifier: Apache-2.0
/// Dice of batches, and the gradient of soft Dice.
#include "assay/metrics/training_batches.hpp"
#include "python/module/arrays.hpp"
#include "python/module/threads.hpp"

namespace assay::python {
namespace {

/// (B, C, ...) of a contiguous array; the Python side has checked rank and shape.
template <class T>
metrics::BatchView<T> batch_view(const py::array& array) {
  const auto batch = static_cast<std::size_t>(array.shape(0));
  const auto classes = static_cast<std::size_t>(array.shape(1));
  const std::size_t entries = batch * classes;
  return {static_cast<const T*>(array.data()), batch, classes,
          entries == 0 ? 0 : static_cast<std::size_t>(array.size()) / entries};
}

/// A number, or an array of float64 when nothing was reduced.
py::object to_python(const metrics::BatchScores& scores) {
  if (scores.shape.empty()) return py::float_(scores.values.front());
  py::array_t<double> out(std::vector<py::ssize_t>(scores.shape.begin(), scores.shape.end()));
  std::copy(scores.values.begin(), scores.values.end(), out.mutable_data());
  return out;
}

struct Choice {
  metrics::Reduction reduction;
  metrics::DicePolicy policy;

  Choice(const std::string& reduction_name, const std::string& policy_name)
      : reduction(value_in(metrics::reductions(), reduction_name, "reduction")),
        policy(value_in(metrics::dice_policies(), policy_name, "policy")) {}

  metrics::BatchScores reduce(const metrics::BatchScores& scores) const {
    return metrics::reduced(scores, reduction, policy);
  }
};

/// Calls `work` with views of the arrays' float type.
template <class Work>
auto with_floats(const py::array& outputs, const py::array& labels, Work work) {
  switch (item_size(outputs)) {
    case 2: return work(batch_view<Half>(outputs), batch_view<Half>(labels));
    case 4: return work(batch_view<float>(outputs), batch_view<float>(labels));
    default: return work(batch_view<double>(outputs), batch_view<double>(labels));
  }
}

py::object binary(const py::array& outputs, const py::array& labels, double if_empty,
                  const std::string& reduction, const std::string& policy) {
  const Choice choice(reduction, policy);
  metrics::BatchScores scores;
  {
    const auto p = batch_view<std::uint8_t>(outputs), g = batch_view<std::uint8_t>(labels);
    const py::gil_scoped_release released;
    scores = choice.reduce(metrics::binary_dice(
        p, g, {.if_empty = if_empty, .policy = choice.policy, .executor = executor()}));
  }
  return to_python(scores);
}

py::object one_hot(const py::array& outputs, const py::array& labels, double if_empty,
                   const std::string& reduction, const std::string& policy) {
  const Choice choice(reduction, policy);
  const metrics::BatchScores scores = with_floats(outputs, labels, [&](auto p, auto g) {
    const py::gil_scoped_release released;
    return choice.reduce(metrics::dice_similarity_coefficient(
        p, g, {.if_empty = if_empty, .policy = choice.policy, .executor = executor()}));
  });
  return to_python(scores);
}

metrics::SoftDiceSums soft_sums(const py::array& outputs, const py::array& labels, bool batch_dice,
                                const std::string& policy) {
  const metrics::SoftDiceOptions options = {
      .batch_dice = batch_dice,
      .policy = value_in(metrics::dice_policies(), policy, "policy"),
      .executor = executor()};
  return with_floats(outputs, labels, [&](auto p, auto g) {
    const py::gil_scoped_release released;
    return metrics::soft_dice_sums(p, g, options);
  });
}

py::object soft_score(const metrics::SoftDiceSums& sums, double smooth,
                      const std::string& reduction, const std::string& policy) {
  return to_python(Choice(reduction, policy).reduce(metrics::soft_dice(sums, smooth)));
}

py::array soft_gradient(const metrics::SoftDiceSums& sums, const py::array& other, double smooth,
                        const std::string& reduction, const std::string& policy,
                        const Vector& grad_output) {
  const Choice choice(reduction, policy);
  const metrics::SoftDiceOptions options = {
      .smooth = smooth, .policy = choice.policy, .executor = executor()};
  const std::vector<py::ssize_t> shape(other.shape(), other.shape() + other.ndim());
  py::array gradient(other.dtype(), shape, py::detail::c_strides(shape, item_size(other)));
  void* const data = gradient.mutable_data();
  const metrics::Upstream upstream = {choice.reduction, span_of(grad_output)};
  with_floats(other, other, [&]<class T>(metrics::BatchView<T> view, metrics::BatchView<T>) {
    const py::gil_scoped_release released;
    const std::span room(static_cast<T*>(data), view.batch * view.classes * view.voxels);
    metrics::soft_dice_gradient(sums, view, upstream, room, options);
  });
  return gradient;
}

py::object soft(const py::array& outputs, const py::array& labels, double smooth, bool batch_dice,
                const std::string& reduction, const std::string& policy) {
  return soft_score(soft_sums(outputs, labels, batch_dice, policy), smooth, reduction, policy);
}

py::array soft_grad(const py::array& outputs, const py::array& labels, double smooth,
                    bool batch_dice, const std::string& reduction, const std::string& policy,
                    const Vector& grad_output) {
  return soft_gradient(soft_sums(outputs, labels, batch_dice, policy), labels, smooth, reduction,
                       policy, grad_output);
}

py::object reduce(const Vector& values, const std::string& reduction, const std::string& policy) {
  const Choice choice(reduction, policy);
  const auto all = span_of(values);
  return to_python(choice.reduce({{all.begin(), all.end()}, {all.size()}}));
}

}  // namespace

void bind_training_dice(py::module_& module) {
  using py::arg;
  module.def("binary_dice", binary, arg("outputs"), arg("labels"), arg("if_empty"),
             arg("reduction"), arg("policy"));
  module.def("dice_similarity_coefficient", one_hot, arg("outputs"), arg("labels"), arg("if_empty"),
             arg("reduction"), arg("policy"));
  module.def("soft_dice", soft, arg("outputs"), arg("labels"), arg("smooth"), arg("batch_dice"),
             arg("reduction"), arg("policy"));
  module.def("soft_dice_grad", soft_grad, arg("outputs"), arg("labels"), arg("smooth"),
             arg("batch_dice"), arg("reduction"), arg("policy"), arg("grad_output"));
  // soft_dice and its gradient in two steps, for callers that need the score first.
  py::class_<metrics::SoftDiceSums>(module, "SoftDiceSums",
                                    "sums of a batch, for soft Dice and gradient");
  module.def("soft_sums", soft_sums, arg("outputs"), arg("labels"), arg("batch_dice"),
             arg("policy"));
  module.def("soft_score", soft_score, arg("sums"), arg("smooth"), arg("reduction"), arg("policy"));
  module.def("soft_gradient", soft_gradient, arg("sums"), arg("other"), arg("smooth"),
             arg("reduction"), arg("policy"), arg("grad_output"));
  module.def("reduce", reduce, arg("values"), arg("reduction"), arg("policy"));
}

}  // namespace assay::python
