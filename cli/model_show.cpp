// SPDX-License-Identifier: Apache-2.0
/// assay model show: what a file of weights holds, and what running it costs.
#include <charconv>
#include <memory>
#include <ostream>

#include "assay/core/error.hpp"
#include "assay/io/file.hpp"
#include "assay/io/model.hpp"
#include "assay/report/model_report.hpp"
#include "cli/model.hpp"
#include "cli/output.hpp"

namespace assay::cli {
namespace {

struct Options {
  std::string model, dilations, activation;
};

constexpr Shape usual_shape = {256, 256, 256};

void declare_options(Arguments& a, Options& o) {
  a.positional("FILE", o.model,
               "PyTorch checkpoint, safetensors, tfjs model.json or ONNX; told by its content");
  a.option("--dilations LIST", o.dilations,
           "Of the hidden layers, such as 1,2,4,8,4,2,1, where the file holds only weights");
  a.choice("--activation", o.activation, {"relu", "elu", "gelu", "none"},
           "Of the hidden layers, where the file holds only weights");
}

std::vector<std::size_t> dilations(const std::string& list) {
  std::vector<std::size_t> out;
  const char* at = list.data();
  const char* end = at + list.size();
  while (at < end) {
    std::size_t value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    const bool goes_on = next < end && *next == ',' && next + 1 < end;
    if (error != std::errc() || value == 0 || (next != end && !goes_on))
      throw Error(Error::Kind::usage, "--dilations '" + list +
                                          "' is not a list of whole numbers from 1 on, such as "
                                          "1,2,4,8,16,16,8,4,2");
    out.push_back(value);
    at = next == end ? end : next + 1;
  }
  return out;
}

Exit run(const Options& o, const Common& common, const Session& session) {
  if (o.model.empty()) throw Error(Error::Kind::usage, "give a file: assay model show final.pt");
  ModelOptions options = {.dilations = dilations(o.dilations)};
  if (!o.activation.empty()) options.activation = activation(o.activation);
  const auto out = output_file(common.out, "model.json");
  refuse_input(out, {o.model});
  if (!out.empty()) require_writable(out);
  const Model model = read_model(o.model, options);
  if (!out.empty()) write_atomically(out, model_text(model, usual_shape));
  if (common.json)
    session.out << model_text(model, usual_shape);
  else if (!common.quiet)
    session.out << model_report(model, usual_shape);
  if (!out.empty() && !common.quiet) session.err << "results: " << out.string() << '\n';
  return done;
}

Action declare(Arguments& arguments) {
  const auto options = std::make_shared<Options>();
  declare_options(arguments, *options);
  return [options](const Common& common, const Session& session) {
    return run(*options, common, session);
  };
}

constexpr Example examples[] = {
    {"assay model show final.pt",
     "the layers of a checkpoint, its receptive field, parameters, hash and cost"},
    {"assay model show weights.safetensors --dilations 1,2,4,8,4,2,1 --activation elu",
     "weights alone do not say how far a layer reaches and what follows it"},
    {"assay model show model.json --json --out model-card.json",
     "a tfjs model, for programs; the same in a file"},
};

}  // namespace

const Command model_show_command = {"show", "Layers, receptive field, parameters, hash and cost",
                                    declare, examples};

}  // namespace assay::cli
