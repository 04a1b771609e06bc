// SPDX-License-Identifier: Apache-2.0
/// Models: how images are prepared for them, and the programs that run them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/executor.hpp"
#include "assay/named.hpp"
#include "assay/volume.hpp"

namespace assay::model {

// ---- What every back-end does: an image in, a class per voxel out, and its logits when asked for.

/// Which axis of a volume is the first one (depth) of the network's tensors. `zyx`: the slowest in
/// memory, as when x-fastest voxels are read as a tensor. `xyz`: x, as in nibabel's arrays.
enum class TensorAxes { zyx, xyz };

enum class Activation {
  none,
  relu,
  elu,
  gelu
};  ///< elu with alpha 1; gelu with the error function

/// What a file of weights does not say. Files that say it (tfjs, ONNX) must not be contradicted.
struct ModelOptions {
  std::vector<std::size_t> dilations = {};  ///< one per hidden layer
  std::optional<Activation> activation = {};
};

struct Prediction {
  Volume<std::uint8_t> labels;  ///< the class with the largest logit; ties go to the lower class
  std::vector<float> logits;    ///< class by class, each a volume; empty unless asked for
};

struct PredictionSettings {
  Executor executor = {};  ///< any number of threads gives the same bits
  bool logits = false;
};

/// An image as the model needs it.
struct PredictorInput {
  View<float> image;
  /// A file that holds exactly this image, for back-ends that work with files; "": there is none
  /// yet.
  std::filesystem::path file = {};
};

/// One prediction at a time; several predictors may work side by side.
class Predictor {
 public:
  virtual ~Predictor() = default;

  /// What kind it is and what it runs, for people: "meshnet", "onnx", "command".
  virtual std::string backend() const = 0;
  /// A hash of everything except the image that determines a prediction: equal hashes give equal
  /// predictions.
  virtual std::string sha256() const = 0;
  /// Labels on the grid of the image. `settings.logits` fills the logits too, where the back-end
  /// can. Throws Error naming what was wrong with this image, or with the answer to it.
  virtual Prediction predict(const PredictorInput& input, const PredictionSettings& settings) = 0;
};

// ---- How an image becomes a model's input and its answer a label map again: declared, not coded.
//
// The order is fixed: bytes, orientation and grid, crop and padding, rounding, intensities; then
// the model; then components and the way back. docs/recipes.md says what each step does exactly.

enum class GridRule {
  native,         ///< the image's own grid
  zoom,           ///< scipy.ndimage.zoom by spacing: corner voxel to corner voxel
  field_of_view,  ///< nibabel.processing.conform: along the image's axes, around its centre voxel
  conform         ///< mri_convert --conform: along the scanner's axes, around the image's centre
};

enum class IntensityRule { none, min_max, quantile };

struct Recipe {
  std::string name;
  TensorAxes axes = TensorAxes::xyz;  ///< in which order the model was shown the axes in training
  std::string orientation{};          ///< "RAS", "LIA"; "": as stored
  GridRule grid = GridRule::native;
  double spacing_mm = 1;         ///< of the grid, unless native
  std::optional<Shape> shape{};  ///< centred crop and zero padding to this
  bool to_bytes = false;         ///< whole numbers 0 ... 255, as a conformed 8-bit file holds
  double bytes_upper = 0.98;     ///< the share of the voxels other than 0 that 255 stands above
  IntensityRule intensity = IntensityRule::none;
  std::array<double, 2> quantiles = {0, 1};
  bool clip = false;               ///< to 0 ... 1 after scaling
  double epsilon = 0;              ///< added to the range before dividing by it
  bool largest_component = false;  ///< of every class
  double min_volume_ml = 0;        ///< smaller components become background
  unsigned connectivity = 26;      ///< 6, 18 or 26

  bool operator==(const Recipe&) const = default;
};

/// The recipes that are built in: arc-meshchop, brainchop, brainchop-quantile, mindgrab, minmax,
/// none.
std::span<const Recipe> builtin_recipes();

/// Throws Error::input naming the first field that is out of range.
void require_valid(const Recipe& recipe);

/// Where the prepared image came from: everything needed to go back.
struct Placement {
  Grid native, model;
};

struct Prepared {
  Volume<float> image;
  Placement placement;
};

/// Where the voxels of a prepared image really are: with `zoom`, spacings differ a little from what
/// was asked for, since corners stay where they are. Throws Error::input on a grid that has no
/// voxels, or would have too many.
Grid model_grid(const Grid& native, const Recipe& recipe);

/// The image as the model needs it; any executor gives the same bits. Throws Error::input on an
/// empty image, one with voxels that are not finite numbers, or a constant one where the recipe
/// scales by the range.
Prepared prepared(View<float> image, const Recipe& recipe, const Executor& executor = {});

/// A reference on the model's grid (nearest neighbour): for metrics in the model's space.
Volume<std::uint8_t> prepared_labels(View<std::uint8_t> labels, const Recipe& recipe,
                                     const Executor& executor = {});

/// Labels of the model on the native grid again, cleaned as the recipe says. What the model's grid
/// does not cover is 0. Throws Error::input when the labels are not on the model's grid.
Volume<std::uint8_t> restored(View<std::uint8_t> labels, const Placement& placement,
                              const Recipe& recipe, const Executor& executor = {});

/// Only the cleaning, on the grid of the model: connectivity and volumes refer to that grid.
Volume<std::uint8_t> cleaned(View<std::uint8_t> labels, const Recipe& recipe);

// ---- The only entry to back-ends: a model file or a command in, a Predictor out.

enum class Backend { automatic, meshnet, onnx, command };

/// "auto", "meshnet", "onnx", "command".
std::string_view name(Backend backend);

std::span<const Named<Backend>> backends();

/// What is to be run. Either a model file or a command; the rest has defaults.
struct PredictorSource {
  std::filesystem::path model = {};  ///< told by its content, as read_model does
  ModelOptions options = {};         ///< what a file of weights does not say
  TensorAxes axes = TensorAxes::zyx;
  /// A program and its arguments, see docs/formats/predictor.md.
  std::vector<std::string> command = {};
  Backend backend = Backend::automatic;
  std::filesystem::path onnxruntime = {};  ///< the library; "": the usual places
  double timeout_s = 600;                  ///< of a command, for one case and for its start
  unsigned jobs = 0;                       ///< threads of ONNX Runtime; 0: all cores
  std::filesystem::path error_file = {};   ///< takes what a command writes to standard error
};

/// Opens a model with the back-end that runs it. Automatically: `command` when there is one; our
/// own engine for every file that it can run; ONNX Runtime for other ONNX files. Throws Error that
/// says what was found instead.
std::unique_ptr<Predictor> open_predictor(const PredictorSource& source);

}  // namespace assay::model
