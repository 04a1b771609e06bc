// SPDX-License-Identifier: Apache-2.0
#include "assay/model/backends/onnx_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "assay/base/half.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/model/backends/score_labels.hpp"

namespace assay::model {
namespace {

[[noreturn]] void refuse_output(const std::string& why) {
  throw Error(Error::Kind::input, "the model's first output " + why);
}

/// The channels of a tensor whose last three axes are the volume.
std::size_t channels_of(const OnnxTensor& tensor, const Grid& grid) {
  const std::vector<std::int64_t>& shape = tensor.shape;
  const bool has_batch = shape.size() == 5 && shape[0] == 1;
  if (shape.size() < 3 || shape.size() > 5 || (shape.size() == 5 && !has_batch))
    refuse_output("has the shape " + onnx_shape_text(shape) +
                  "; 1 x classes x depth x height x width is needed");
  const std::size_t first = shape.size() - 3;
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (shape[first + axis] != static_cast<std::int64_t>(grid.shape[2 - axis]))
      refuse_output(
          fmt::format("has the shape {} for a volume of {}x{}x{} (depth, height, width); a model "
                      "must keep the size of the volume",
                      onnx_shape_text(shape), grid.shape[2], grid.shape[1], grid.shape[0]));
  return first == 0 ? 1 : static_cast<std::size_t>(shape[first - 1]);
}

Prediction from_scores(const OnnxTensor& tensor, const OutputRules& rules) {
  const std::size_t channels = channels_of(tensor, rules.grid), voxels = rules.grid.size();
  require_classes(channels);
  const std::span scores(static_cast<const float*>(tensor.data), channels * voxels);
  Prediction out = {.labels = Volume<std::uint8_t>(rules.labels ? rules.grid : Grid{}),
                    .logits = {},
                    .probabilities = rules.probabilities};
  if (rules.labels) {
    ScoreLabeller labeller({}, rules.probabilities);
    labeller.label(scores, out.labels.voxels(), rules.executor);
    labeller.finish();
  }
  if (rules.logits) out.logits.assign(scores.begin(), scores.end());
  return out;
}

/// The same for half precision, converted to single precision first.
Prediction from_halves(const OnnxTensor& tensor, const OutputRules& rules) {
  const std::size_t count = channels_of(tensor, rules.grid) * rules.grid.size();
  const std::span halves(static_cast<const std::uint16_t*>(tensor.data), count);
  std::vector<float> scores(count);
  std::ranges::transform(halves, scores.begin(),
                         [](std::uint16_t bits) { return to_float(Half{bits}); });
  return from_scores({.type = onnx_float32, .shape = tensor.shape, .data = scores.data()}, rules);
}

template <class T>
Prediction from_labels(const OnnxTensor& tensor, const OutputRules& rules) {
  if (channels_of(tensor, rules.grid) != 1)
    refuse_output("has whole numbers in the shape " + onnx_shape_text(tensor.shape) +
                  "; labels have one channel, scores are float32 or float16");
  const std::span values(static_cast<const T*>(tensor.data), rules.grid.size());
  if (!rules.labels)
    refuse_output(
        "has labels, and windows, mirroring and regions need scores; export the model "
        "without its argmax");
  Prediction out = {.labels = Volume<std::uint8_t>(rules.grid), .logits = {}};
  const std::span<std::uint8_t> labels = out.labels.voxels();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<std::int64_t>(values[i]);
    if (value < 0 || value > 255)
      refuse_output(fmt::format("has the label {}; labels are 0 to 255", value));
    labels[i] = static_cast<std::uint8_t>(value);
  }
  return out;
}

struct ElementKind {
  std::int32_t type;
  const char* name;
  Prediction (*decode)(const OnnxTensor& tensor, const OutputRules& rules);  ///< null: refused
};

constexpr std::array kinds = {ElementKind{onnx_float32, "float32", from_scores},
                              ElementKind{onnx_uint8, "uint8", from_labels<std::uint8_t>},
                              ElementKind{3, "int8", nullptr},
                              ElementKind{onnx_int32, "int32", from_labels<std::int32_t>},
                              ElementKind{onnx_int64, "int64", from_labels<std::int64_t>},
                              ElementKind{onnx_bool, "bool", from_labels<std::uint8_t>},
                              ElementKind{onnx_float16, "float16", from_halves},
                              ElementKind{11, "float64", nullptr},
                              ElementKind{16, "bfloat16", nullptr}};

}  // namespace

std::string onnx_type_name(std::int32_t type) {
  const auto* const kind = std::ranges::find(kinds, type, &ElementKind::type);
  return kind != kinds.end() ? kind->name : fmt::format("type {}", type);
}

std::string onnx_shape_text(const std::vector<std::int64_t>& shape) {
  std::vector<std::string> sides;
  sides.reserve(shape.size());
  for (const std::int64_t side : shape) sides.push_back(side < 0 ? "?" : std::to_string(side));
  return joined(sides, "x");
}

Prediction decoded(const OnnxTensor& tensor, const OutputRules& rules) {
  const auto* const kind = std::ranges::find(kinds, tensor.type, &ElementKind::type);
  if (kind == kinds.end() || kind->decode == nullptr)
    refuse_output("has elements of " + onnx_type_name(tensor.type) +
                  "; export the model with scores in float32 or float16, or whole-number labels");
  return kind->decode(tensor, rules);
}

}  // namespace assay::model
