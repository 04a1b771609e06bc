// SPDX-License-Identifier: Apache-2.0
/// assay doctor: which of the things that assay can use this machine has.
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <ostream>
#include <thread>

#include "assay/base/json.hpp"
#include "assay/base/machine_memory.hpp"
#include "assay/base/processor.hpp"
#include "assay/base/program.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image/dicom_objects.hpp"
#include "assay/image/zarr/blosc.hpp"
#include "assay/model/backends/onnx_runtime.hpp"
#include "assay/report/figure_files.hpp"
#include "assay/report/text/text_table.hpp"
#include "assay/slide/slide.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/python_package.hpp"

namespace assay::cli {
namespace doctor_file {
namespace {

/// What was found, in a few words. Throws Error that says what is missing and what helps.
using Probe = std::string (*)();

std::string find_processor() {
  return fmt::format("{}, instruction set {}",
                     counted(std::max(1U, std::thread::hardware_concurrency()), "core"),
                     instruction_set());
}

std::string find_memory() {
  const auto bytes = available_memory();
  if (!bytes) throw Error(Error::Kind::unsupported, "the system does not report how much is free");
  return fmt::format("{:.1f} GB free", static_cast<double>(*bytes) / 1e9);
}

std::string find_onnx_runtime() {
  return model::load_onnx_runtime().version;
}

std::string find_drawing_converter() {
  const char* const folders = std::getenv("PATH");
  if (const auto converter = report::find_converter(folders == nullptr ? "" : folders))
    return converter->program.string();
  throw Error(Error::Kind::unsupported,
              "figures are written as SVG only; install librsvg2-bin for PDF and PNG");
}

std::string find_slurm() {
  constexpr double patience_s = 10;
  if (find_program("sbatch").empty())
    throw Error(Error::Kind::unsupported,
                "sbatch is not on the PATH; jobs are submitted from a login node of a cluster");
  const ProgramEnd end = assay::run_program({"sbatch", "--version"}, patience_s);
  if (!end.succeeded)
    throw Error(Error::Kind::io, "sbatch " + end.ending + ": " +
                                     std::string(parts_of(trimmed(end.errors), '\n').back()));
  return std::string(trimmed(end.output));
}

struct Part {
  const char* key;
  const char* name;
  const char* use;
  Probe find;
};

constexpr std::array parts = {
    Part{"assay", "assay", "this program", version_line},
    Part{"processor", "processor", "everything", find_processor},
    Part{"memory", "memory", "everything", find_memory},
    Part{"python", "Python package", "import assay", find_python_package},
    Part{"openslide", "OpenSlide", "whole slides (assay qa)", slide::openslide_version},
    Part{"dicom", "DICOM", "segmentations and contours in DICOM", dicom_support},
    Part{"blosc", "blosc and zstd", "compressed OME-Zarr images", blosc_support},
    Part{"onnxruntime", "ONNX Runtime", "ONNX models that our engine cannot run",
         find_onnx_runtime},
    Part{"converter", "SVG converter", "figures as PDF and PNG", find_drawing_converter},
    Part{"slurm", "Slurm", "clusters (assay submit)", find_slurm},
};

struct Finding {
  const Part* part;
  bool is_found = false;
  std::string words;  ///< what was found, or what is missing
};

Finding look_for(const Part& part) {
  try {
    return {&part, true, part.find()};
  } catch (const Error& e) {
    return {&part, false, e.what()};
  }
}

std::string findings_json(const std::vector<Finding>& findings) {
  Json found = Json::object();
  for (const Finding& f : findings)
    found[f.part->key] = {{"found", f.is_found}, {"use", f.part->use}, {"detail", f.words}};
  return to_text(Json{{"schema", "assay.doctor/1"}, {"parts", found}}) + "\n";
}

std::string findings_table(const std::vector<Finding>& findings) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(findings.size());
  for (const Finding& f : findings)
    rows.push_back({f.part->name, f.is_found ? "yes" : "no", f.part->use, f.words});
  return report::text_table({{"part", report::Align::left},
                             {"found", report::Align::left},
                             {"used for", report::Align::left},
                             {"", report::Align::left}},
                            rows);
}

Action declare(Arguments&) {
  return [](const Common& common, const Session& session) {
    std::vector<Finding> findings;
    findings.reserve(parts.size());
    for (const Part& part : parts) findings.push_back(look_for(part));
    put_result(
        output_file(common.out, "doctor.json"), findings_json(findings),
        [&] { return findings_table(findings); }, common, session);
    return done;
  };
}

constexpr Example examples[] = {
    {"assay doctor", "versions, and which optional libraries and programs were found"},
    {"assay doctor --json", "the same for scripts and bug reports"},
};

}  // namespace
}  // namespace doctor_file

const Command doctor_command = {"doctor", "Show what is installed and found", doctor_file::declare,
                                doctor_file::examples};

}  // namespace assay::cli
