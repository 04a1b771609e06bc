// SPDX-License-Identifier: Apache-2.0
/// The only entry to back-ends: a model file or a command in, a Predictor out.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "assay/base/command_line.hpp"
#include "assay/base/named.hpp"
#include "assay/model/engine/predictor.hpp"
#include "assay/model/files/model.hpp"

namespace assay::model {

enum class Backend { automatic, meshnet, onnx, command };

/// "auto", "meshnet", "onnx", "command".
std::string_view name(Backend backend);

std::span<const Named<Backend>> backends();

/// What is to be run. Either a model file or a command; the rest has defaults.
struct PredictorSource {
  std::filesystem::path model = {};  ///< told by its content, as read_model does
  ModelOptions options = {};         ///< what a file of weights does not say
  TensorAxes axes = TensorAxes::zyx;
  CommandWords command = {};  ///< a program and its arguments, see docs/formats/predictor.md
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
