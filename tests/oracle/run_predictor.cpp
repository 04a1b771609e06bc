// SPDX-License-Identifier: Apache-2.0
/// For the oracle tests: opens a predictor and runs it on images, one after the other.
///
/// usage: run_predictor REQUEST.json
/// The request has "images" and "out", a folder for I.nii.gz and I.logits, and may have "model",
/// "command", "backend", "axes", "onnxruntime", "timeout_s", "jobs", "error_file", "logits",
/// "files". Prints {"backend", "sha256", "errors": [null or a text for each image]}, or {"error"}.
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "assay/base/command_line.hpp"
#include "assay/base/file.hpp"
#include "assay/base/named.hpp"
#include "assay/base/sha256.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/model.hpp"
#include "assay/threads.hpp"

namespace {

using namespace assay;
using Json = nlohmann::json;

model::PredictorSource source_of(const Json& request) {
  return {.model = request.value("model", ""),
          .axes = request.value("axes", "zyx") == "xyz" ? model::TensorAxes::xyz
                                                        : model::TensorAxes::zyx,
          .command = request.contains("command")
                         ? command_words(request.at("command").get<std::string>(), "command")
                         : CommandWords{},
          .backend = value_in(model::backends(), request.value("backend", "auto"), "back-end"),
          .onnxruntime = request.value("onnxruntime", ""),
          .timeout_s = request.value("timeout_s", 60.0),
          .jobs = request.value("jobs", 1U),
          .error_file = request.value("error_file", "")};
}

Volume<float> read_volume(const std::string& path) {
  const Image image = read_image(path);
  const std::vector<double> found = values(image);
  return {image.grid(), std::vector<float>(found.begin(), found.end())};
}

std::vector<std::filesystem::path> files_of(const Json& request, const std::string& path) {
  if (!request.value("files", true)) return {};
  return {path};
}

Json attempt(model::Predictor& predictor, const Json& request, std::size_t index) try {
  const std::string path = request.at("images").at(index);
  const Volume<float> image = read_volume(path);
  const model::Prediction found =
      predictor.predict({.channels = {image.view()}, .files = files_of(request, path)},
                        {.executor = thread_executor(request.value("jobs", 1U)),
                         .logits = request.value("logits", false)});
  const std::string stem = request.at("out").get<std::string>() + "/" + std::to_string(index);
  write_image(stem + ".nii.gz", found.labels.view());
  write_atomically(stem + ".logits", std::as_bytes(std::span(found.logits)));
  return nullptr;
} catch (const Error& e) {
  return e.what();
}

Json run(const Json& request) try {
  const auto predictor = model::open_predictor(source_of(request));
  Json errors = Json::array();
  for (std::size_t i = 0; i < request.at("images").size(); ++i)
    errors.push_back(attempt(*predictor, request, i));
  return {{"backend", predictor->backend()}, {"sha256", predictor->sha256()}, {"errors", errors}};
} catch (const Error& e) {
  return {{"error", e.what()}};
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 2) {
    std::fputs("usage: run_predictor REQUEST.json\n", stderr);
    return 2;
  }
  std::puts(run(Json::parse(read_text(arguments[1]))).dump().c_str());
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 2;
}
