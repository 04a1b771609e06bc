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
  bool probabilities = false;   ///< the logits are probabilities: the model ends in a Sigmoid
};

struct PredictionSettings {
  Executor executor = {};  ///< any number of threads gives the same bits
  bool logits = false;
  bool labels = true;  ///< false: only the logits are needed, and the labels have no voxels
};

/// An image as the model needs it.
struct PredictorInput {
  std::vector<View<float>> channels;  ///< one or more, all on one grid
  /// Files that hold exactly these channels, for back-ends that work with files; empty: there are
  /// none yet.
  std::vector<std::filesystem::path> files = {};

  const Grid& grid() const { return channels.front().grid; }
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
  /// How many channels an image must have; 0: the model does not say.
  virtual std::size_t channels() const { return 1; }
  /// Labels on the grid of the image. `settings.logits` fills the logits too, where the back-end
  /// can. Throws Error naming what was wrong with this image, or with the answer to it.
  virtual Prediction predict(const PredictorInput& input, const PredictionSettings& settings) = 0;
};

/// Throws Error::input unless the model accepts an image with this many channels.
void require_channels(const Predictor& predictor, std::size_t given);

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

enum class IntensityRule {
  none,
  min_max,
  quantile,
  zscore,          ///< by mean and standard deviation of all voxels
  zscore_nonzero,  ///< by those of the voxels other than 0; a voxel that is 0 stays 0
  fixed            ///< by numbers that the recipe states, after clipping to a range
};

/// How the scores of overlapping windows are weighted: by a Gaussian around the centre whose
/// standard deviation is an eighth of the window, or all equally.
enum class WindowWeights { gaussian, constant };

/// "gaussian", "constant".
std::span<const Named<WindowWeights>> window_weight_names();

/// What one channel of a network's output stands for: a union of labels.
struct OutputRegion {
  std::string name{};
  std::vector<std::uint8_t> labels{};

  bool operator==(const OutputRegion&) const = default;
};

/// How the scores of a network are gathered, and how they become labels.
struct ScoreRules {
  std::optional<Shape> window{};  ///< along x, y and z; nothing: the whole image at once
  double overlap = 0.5;           ///< share of a window that the next one overlaps
  WindowWeights weights = WindowWeights::gaussian;
  std::array<bool, 3> mirror{};  ///< scores are means over all flips of these axes
  /// One for each channel of the output, which may overlap; empty: channels are classes.
  std::vector<OutputRegion> regions{};
  double threshold = 0.5;  ///< a voxel is in a region when its probability is above this

  bool operator==(const ScoreRules&) const = default;
};

/// Throws Error::input naming the first field that is out of range.
void require_valid(const ScoreRules& rules);

struct Recipe {
  std::string name;
  TensorAxes axes = TensorAxes::xyz;  ///< the order of axes that the model was trained with
  std::string orientation{};          ///< "RAS", "LIA"; "": as stored
  GridRule grid = GridRule::native;
  Point spacing_mm = {1, 1, 1};  ///< of the grid, along its axes, unless native
  std::optional<Shape> shape{};  ///< centred crop and zero padding to this
  bool to_bytes = false;         ///< whole numbers 0 ... 255, as a conformed 8-bit file holds
  double bytes_upper = 0.98;     ///< the share of the voxels other than 0 that map below 255
  IntensityRule intensity = IntensityRule::none;
  std::array<double, 2> quantiles = {0, 1};
  bool clip = false;                  ///< to 0 ... 1 after scaling
  double epsilon = 0;                 ///< added to the range before dividing by it
  std::size_t channels = 0;           ///< of an image; 0: as many as the model takes
  bool volumes_are_channels = false;  ///< the volumes of one file, instead of several files
  /// By channel; empty: `intensity` for all of them.
  std::vector<IntensityRule> channel_intensities{};
  /// Of `fixed`: one number for all channels, or one for each; ranges have two for each.
  std::vector<double> mean = {0}, standard_deviation = {1}, clip_values{};
  ScoreRules scores{};
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

/// The recipe of one channel, counted from 0: the same recipe, with that channel's intensity rule
/// for every channel.
Recipe of_channel(Recipe recipe, std::size_t channel);

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
  ScoreRules scores = {};  ///< must be the default for commands, which give labels only
};

/// Opens a model with the back-end that runs it. Automatically: `command` when there is one; our
/// own engine for every file that it can run; ONNX Runtime for other ONNX files. Throws Error that
/// says what was found instead.
std::unique_ptr<Predictor> open_predictor(const PredictorSource& source);

}  // namespace assay::model
