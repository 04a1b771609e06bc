// SPDX-License-Identifier: Apache-2.0
#include "assay/model/backends/onnx_predictor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "assay/base/file.hpp"
#include "assay/error.hpp"
#include "assay/model/backends/onnx_session.hpp"
#include "assay/model/files/onnx_outline.hpp"

namespace assay::model {
namespace {

constexpr AxisMap turned_around = {.source = {2, 1, 0}, .flipped = {}};

/// x and z change places, and back.
template <class T>
Volume<T> turned(View<T> volume) {
  std::vector<T> voxels(volume.grid.size());
  reorient(volume, turned_around, std::span<T>(voxels));
  return {reoriented(volume.grid, turned_around), std::move(voxels)};
}

void require_finite(View<float> image) {
  if (image.voxels.empty()) throw Error(Error::Kind::input, "the image has no voxels");
  const auto bad = std::ranges::find_if(image.voxels, [](float v) { return !std::isfinite(v); });
  if (bad == image.voxels.end()) return;
  const auto at = static_cast<std::size_t>(bad - image.voxels.begin());
  const Shape& shape = image.grid.shape;
  throw Error(Error::Kind::input,
              fmt::format("voxel ({}, {}, {}) is {}; a network needs finite numbers", at % shape[0],
                          at / shape[0] % shape[1], at / shape[0] / shape[1], *bad));
}

/// Model and library: other versions of the library round differently.
std::string hash_of(const OnnxSettings& settings, const std::string& version,
                    const std::set<std::string>& files) {
  std::string text = fmt::format("onnx\nruntime={}\naxes={}\n", version,
                                 settings.axes == TensorAxes::zyx ? "zyx" : "xyz");
  text += "model=" + sha256(MappedFile(settings.model).bytes()) + "\n";
  for (const std::string& file : files)
    text += fmt::format("file={} {}\n", file,
                        sha256(MappedFile(settings.model.parent_path() / file).bytes()));
  return sha256(text);
}

class OnnxPredictor : public Predictor {
 public:
  explicit OnnxPredictor(const OnnxSettings& settings)
      : axes_(settings.axes),
        session_(load_onnx_runtime(settings.library), settings.model, settings.jobs) {
    const OnnxOutline outline =
        onnx_outline(MappedFile(settings.model).bytes(), settings.model.string());
    gives_probabilities_ = outline.gives_probabilities;
    sha256_ = hash_of(settings, session_.version(), outline.files);
    require_image_input();
  }

  std::string backend() const override { return "onnx"; }
  std::string sha256() const override { return sha256_; }

  Prediction predict(const PredictorInput& input, const PredictionSettings& settings) override {
    require_finite(input.image);
    if (axes_ == TensorAxes::zyx) return run(input.image, settings);
    const Volume<float> image = turned(input.image);
    Prediction found = run(image.view(), settings);
    return turned_back(found, input.image.grid);
  }

 private:
  void require_image_input() const;
  void require_shape(const Shape& shape) const;
  Prediction run(View<float> image, const PredictionSettings& settings);
  static Prediction turned_back(const Prediction& found, const Grid& grid);

  TensorAxes axes_;
  OnnxSession session_;
  bool gives_probabilities_ = false;
  std::string sha256_ = {};
};

void OnnxPredictor::require_image_input() const {
  const std::int32_t type = session_.input().type;
  const std::vector<std::int64_t>& shape = session_.input().shape;
  const auto is_one = [&](std::size_t axis) { return shape[axis] == 1 || shape[axis] < 0; };
  if (type != onnx_float32 || shape.size() != 5 || !is_one(0) || !is_one(1))
    throw Error(Error::Kind::input,
                fmt::format("the model's input is {} of {}; one volume of one channel is given: "
                            "float32 of 1x1x depth x height x width",
                            onnx_type_name(type), onnx_shape_text(shape)));
}

/// Fixed sides are those of the tensor: depth, height, width, the last along the image's x.
void OnnxPredictor::require_shape(const Shape& shape) const {
  const std::vector<std::int64_t>& declared = session_.input().shape;
  Shape wanted = shape;
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (declared[4 - axis] >= 0) wanted[axis] = static_cast<std::size_t>(declared[4 - axis]);
  if (wanted == shape) return;
  const auto text = [&](Shape of) {
    if (axes_ == TensorAxes::xyz) std::swap(of[0], of[2]);
    return fmt::format("{}x{}x{}", of[0], of[1], of[2]);
  };
  throw Error(Error::Kind::input,
              fmt::format("the model takes volumes of {0} voxels only, and this one has {1}; use a "
                          "recipe with the shape {0}, or export the model with dynamic axes",
                          text(wanted), text(shape)));
}

Prediction OnnxPredictor::run(View<float> image, const PredictionSettings& settings) {
  const Shape& shape = image.grid.shape;
  require_shape(shape);
  const auto side = [&](std::size_t axis) { return static_cast<std::int64_t>(shape[axis]); };
  const OnnxResult result = session_.run(image.voxels, {1, 1, side(2), side(1), side(0)});
  return decoded(result.tensor, {.grid = image.grid,
                                 .probabilities = gives_probabilities_,
                                 .logits = settings.logits,
                                 .executor = settings.executor});
}

Prediction OnnxPredictor::turned_back(const Prediction& found, const Grid& grid) {
  const View<std::uint8_t> labels = found.labels.view();
  Prediction out = {.labels = Volume<std::uint8_t>(grid), .logits = {}};
  reorient(labels, turned_around, out.labels.voxels());
  out.logits.resize(found.logits.size());
  for (std::size_t at = 0; at < out.logits.size(); at += grid.size())
    reorient(View<float>{labels.grid, std::span(found.logits).subspan(at, grid.size())},
             turned_around, std::span(out.logits).subspan(at, grid.size()));
  return out;
}

}  // namespace

std::unique_ptr<Predictor> onnx_predictor(const OnnxSettings& settings) try {
  return std::make_unique<OnnxPredictor>(settings);
} catch (const Error& e) {
  const std::string file = settings.model.string();
  const bool is_about_it = e.kind() != Error::Kind::unsupported;
  throw is_about_it && !std::string_view(e.what()).starts_with(file) ? e.within(file) : e;
}

}  // namespace assay::model
