// SPDX-License-Identifier: Apache-2.0
#include "assay/model/backends/onnx_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>

#include "assay/base/text.hpp"
#include "assay/error.hpp"

namespace assay::model {
namespace {

constexpr std::size_t most_output_classes = 256;
constexpr std::size_t block = std::size_t{1} << 16;  ///< voxels that one task labels

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

void for_blocks(std::size_t voxels, const Executor& executor,
                const std::function<void(std::size_t from, std::size_t to)>& work) {
  run_tasks(executor, (voxels + block - 1) / block,
            [&](std::size_t i) { work(i * block, std::min(voxels, (i + 1) * block)); });
}

/// A comparison with NaN is false, so NaN would count as the first class.
void require_numbers(std::span<const float> values) {
  if (std::ranges::any_of(values, [](float v) { return std::isnan(v); }))
    refuse_output("has voxels that are not numbers (NaN); check the preprocessing and the export");
}

void label_by_largest(std::span<const float> scores, std::span<std::uint8_t> labels,
                      const Executor& executor) {
  const std::size_t voxels = labels.size(), classes = scores.size() / voxels;
  for_blocks(voxels, executor, [&](std::size_t from, std::size_t to) {
    std::vector<float> best(scores.begin() + static_cast<std::ptrdiff_t>(from),
                            scores.begin() + static_cast<std::ptrdiff_t>(to));
    require_numbers(best);
    for (std::size_t k = 1; k < classes; ++k) {
      const auto channel = scores.subspan(k * voxels + from, to - from);
      require_numbers(channel);
      for (std::size_t i = 0; i < channel.size(); ++i)
        if (channel[i] > best[i]) {
          best[i] = channel[i];
          labels[from + i] = static_cast<std::uint8_t>(k);
        }
    }
  });
}

/// A model of one channel that calls its values logits, but gives none below 0 and none above 1,
/// may give probabilities: a guess would label everything.
void require_logits(std::span<const float> values) {
  const auto [least, most] = std::ranges::minmax(values);
  if (least >= 0 && most <= 1 && least != most)
    refuse_output(
        "has one channel with values from 0 to 1, but does not end in Sigmoid, so it is unclear "
        "whether these are probabilities or logits; export the model with its Sigmoid");
}

void label_by_threshold(std::span<const float> values, std::span<std::uint8_t> labels,
                        const OutputRules& rules) {
  for_blocks(labels.size(), rules.executor, [&](std::size_t from, std::size_t to) {
    require_numbers(values.subspan(from, to - from));
    const float limit = rules.probabilities ? 0.5F : 0.0F;
    for (std::size_t i = from; i < to; ++i) labels[i] = values[i] > limit;
  });
  if (!rules.probabilities) require_logits(values);
}

Prediction from_scores(const OnnxTensor& tensor, const OutputRules& rules) {
  const std::size_t channels = channels_of(tensor, rules.grid), voxels = rules.grid.size();
  if (channels == 0 || channels > most_output_classes)
    refuse_output(
        fmt::format("has {} classes; 1 to {} can be labelled", channels, most_output_classes));
  const std::span scores(static_cast<const float*>(tensor.data), channels * voxels);
  Prediction out = {.labels = Volume<std::uint8_t>(rules.grid), .logits = {}};
  if (channels == 1) {
    label_by_threshold(scores, out.labels.voxels(), rules);
    return out;
  }
  label_by_largest(scores, out.labels.voxels(), rules.executor);
  if (rules.logits) out.logits.assign(scores.begin(), scores.end());
  return out;
}

template <class T>
Prediction from_labels(const OnnxTensor& tensor, const OutputRules& rules) {
  if (channels_of(tensor, rules.grid) != 1)
    refuse_output("has whole numbers in the shape " + onnx_shape_text(tensor.shape) +
                  "; labels have one channel, scores are float32");
  const std::span values(static_cast<const T*>(tensor.data), rules.grid.size());
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
  Prediction (*decode)(const OnnxTensor& tensor, const OutputRules& rules);  ///< none: refused
};

constexpr std::array kinds = {ElementKind{onnx_float32, "float32", from_scores},
                              ElementKind{onnx_uint8, "uint8", from_labels<std::uint8_t>},
                              ElementKind{3, "int8", nullptr},
                              ElementKind{onnx_int32, "int32", from_labels<std::int32_t>},
                              ElementKind{onnx_int64, "int64", from_labels<std::int64_t>},
                              ElementKind{onnx_bool, "bool", from_labels<std::uint8_t>},
                              ElementKind{10, "float16", nullptr},
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
                  "; export the model with float32 scores or whole-number labels");
  return kind->decode(tensor, rules);
}

}  // namespace assay::model
