// SPDX-License-Identifier: Apache-2.0
/// assay model show: what a file of weights holds, and what running it costs.
#include <ostream>

#include "assay/base/file.hpp"
#include "assay/error.hpp"
#include "assay/model/files/model.hpp"
#include "assay/report/text/model_report.hpp"
#include "cli/commands.hpp"
#include "cli/model_options.hpp"
#include "cli/output.hpp"

namespace assay::cli {
namespace model_show_file {
namespace {

struct Options {
  std::string model;
  model::ModelOptions network;
};

constexpr Shape usual_shape = {256, 256, 256};

void declare_options(Arguments& a, Options& o) {
  a.positional(
      "FILE", o.model,
      "PyTorch checkpoint, safetensors, tfjs model.json or ONNX, detected from its content");
  declare_network_options(a, o.network);
}

Exit run(const Options& o, const Common& common, const Session& session) {
  if (o.model.empty()) throw Error(Error::Kind::usage, "give a file: assay model show final.pt");
  const auto out = output_file(common.out, "model.json");
  refuse_input(out, {o.model});
  if (!out.empty()) require_writable(out);
  const model::Model model = model::read_model(o.model, o.network);
  put_result(
      out, model::model_text(model, usual_shape),
      [&] { return report::model_report(model, usual_shape); }, common, session);
  return done;
}

constexpr Example examples[] = {
    {"assay model show final.pt",
     "the layers of a checkpoint, its receptive field, parameters, hash and cost"},
    {"assay model show weights.safetensors --dilations 1,2,4,8,4,2,1 --activation elu",
     "a file of weights alone does not say its dilations and activation"},
    {"assay model show model.json --json --out model-card.json",
     "a tfjs model, for programs; the same in a file"},
};

}  // namespace
}  // namespace model_show_file

const Command model_show_command = {
    "show", "Show layers, receptive field, parameters, hash and cost",
    command<model_show_file::declare_options, model_show_file::run>, model_show_file::examples};

}  // namespace assay::cli
