// SPDX-License-Identifier: Apache-2.0
/// What the fuzzers run, one function per reader. A test replays the corpus through the same
/// functions, so that what was once found stays found.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "assay/base/csv.hpp"
#include "assay/base/gzip.hpp"
#include "assay/base/journal.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/image/metaimage.hpp"
#include "assay/image/nifti.hpp"
#include "assay/image/npy.hpp"
#include "assay/image/nrrd.hpp"
#include "assay/model/engine/engine.hpp"
#include "assay/model/files/model.hpp"
#include "assay/model/files/onnx_outline.hpp"
#include "assay/model/recipe/recipe_file.hpp"
#include "assay/qa.hpp"
#include "assay/qa/values/truth.hpp"
#include "assay/results.hpp"
#include "assay/results/case_record.hpp"
#include "assay/results/cross_validation.hpp"
#include "assay/results/runs.hpp"
#include "assay/results/segmentation.hpp"
#include "assay/results/split.hpp"
#include "assay/score/dataset_json.hpp"

namespace assay::fuzz {

using Input = std::span<const std::byte>;

/// Refusing is fine; anything else that goes wrong is a find.
template <class Call>
void allow_refusal(Call call) {
  try {
    call();
  } catch (const Error&) {  // the reader's way to say no
  }
}

/// Every way from an image to voxels.
inline void look_at(const Image& image) {
  Buffer scratch, other;
  std::vector<Label> names;
  allow_refusal([&] { foreground(image, std::nullopt, scratch); });
  allow_refusal([&] { foreground(image, 0.5, scratch); });
  allow_refusal([&] { labels(image, scratch, names); });
  if (values(image).size() != image.grid().size() * image.header().channels) std::abort();
  map_kind(image);
  allow_refusal([&] {
    likeliest_labels(image, scratch, names);
    at_least(probability_of(image, {}, scratch), 0.5, other);
  });
}

inline void nifti(Input input) {
  allow_refusal([&] { look_at(decode_image(input, "fuzz.nii", Volumes::classes)); });
  if (is_nifti(input)) allow_refusal([&] { nifti_layout(input, "fuzz.hdr"); });
}

inline void metaimage(Input input) {
  allow_refusal([&] { look_at(decode_image(input, "fuzz.mha", Volumes::classes)); });
  if (is_metaimage(input)) allow_refusal([&] { metaimage_layout(input, "fuzz.mhd"); });
}

inline void nrrd(Input input) {
  allow_refusal([&] { look_at(decode_image(input, "fuzz.nrrd", Volumes::classes)); });
  if (is_nrrd(input)) allow_refusal([&] { nrrd_layout(input, "fuzz.nhdr"); });
}

inline void npy(Input input) {
  allow_refusal([&] { look_at(decode_image(input, "fuzz.npz", Volumes::classes)); });
}

/// libdeflate and zlib must agree on whatever both accept.
inline void gzip(Input input) {
  constexpr std::size_t limit = 1 << 16;
  const auto prefix = inflate_prefix(input, limit);
  std::vector<std::byte> out(prefix.size());
  allow_refusal([&] {
    inflate_gzip(input, out);
    if (out != prefix) std::abort();
  });
  allow_refusal([&] { inflate_zlib(input, out); });
}

inline std::string_view as_text(Input input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

/// A table that was read can be written and read again.
inline void csv(Input input) {
  allow_refusal([&] {
    const Csv table = parse_csv(as_text(input), "fuzz.csv");
    for (const auto& row : table.rows)
      if (row.size() != table.header.size()) std::abort();
  });
}

/// JSON in any shape, and a journal's record if it is one: written and read back it is the same.
inline void record(Input input) {
  allow_refusal([&] {
    const metrics::CaseRecord once = results::parse_record(as_text(input));
    if (results::parse_record(results::record_text(once)) != once) std::abort();
  });
}

/// Any layout: every column is as long as the table, and no value is NaN.
inline void results(Input input) {
  const auto check = [](const compare::ResultTable& table,
                        const std::vector<compare::MetricColumn>& columns) {
    for (const compare::MetricColumn& column : columns) {
      if (column.values.size() != table.cases) std::abort();
      for (const auto& value : column.values)
        if (value && std::isnan(*value)) std::abort();
    }
  };
  allow_refusal([&] {
    for (const compare::ResultTable& table :
         results::parse_results(as_text(input), "fuzz/results")) {
      if (!table.ids.empty() && table.ids.size() != table.cases) std::abort();
      check(table, table.averages);
      for (const compare::LabelTable& label : table.labels) check(table, label.columns);
      for (const auto& group : table.groups)
        if (group.second.size() != table.cases) std::abort();
    }
  });
}

inline void dataset(Input input) {
  allow_refusal([&] { score::parse_dataset_json(as_text(input), "dataset.json"); });
}

/// Whatever an experiment's file holds, there is a report on it.
inline void experiment(Input input) {
  for (const bool compat : {false, true})
    allow_refusal([&] {
      const parity::Achieved read =
          results::parse_experiment(as_text(input), "fuzz.json", {.compat_spec = compat});
      results::parity_text(
          parity::parity_report(read, parity::built_in_paper(), "", {.compat_spec = compat}), {});
    });
  allow_refusal([&] { results::parse_model_description(as_text(input), "fuzz.json"); });
}

/// A paper that was read can be listed and read again.
inline void paper(Input input) {
  allow_refusal([&] {
    const parity::Paper once = results::parse_paper(as_text(input), "fuzz.json");
    if (results::parse_paper(results::paper_text(once), "again.json").models.size() !=
        once.models.size())
      std::abort();
  });
}

/// A verdict that was read can be written and read again.
inline void parity(Input input) {
  allow_refusal([&] {
    const parity::ParityReport once = results::parse_parity(as_text(input), "fuzz.json");
    const parity::ParityReport again =
        results::parse_parity(results::parity_text(once, {}), "again.json");
    if (again.result.parity_level != once.result.parity_level) std::abort();
  });
}

/// What the cases say is about labels and metrics that the file has.
inline void segmentation(Input input) {
  allow_refusal([&] {
    const auto file = results::segmentation_in(as_text(input), "fuzz.json");
    if (!file) return;
    for (const results::SavedCase& one : file->cases)
      for (const results::SavedScores& scores : one.labels) {
        if (scores.label >= file->labels.size()) std::abort();
        for (const auto& value : scores.values)
          if (value.first >= file->metrics.size()) std::abort();
      }
    results::table_of(*file);
  });
}

/// What was read of a journal lies within it.
inline void journal(Input input) {
  allow_refusal([&] {
    const auto content = parse_journal(as_text(input), "fuzz.journal");
    if (content && content->bytes > input.size()) std::abort();
  });
}

/// A run has one value per subject, and none that is not finite.
inline void run(Input input) {
  allow_refusal([&] {
    const compare::FoldRun one =
        results::parse_run(as_text(input), "fuzz/results.json", {.outer_fold = 0});
    for (const compare::MetricColumn& column : one.columns) {
      if (column.values.size() != std::max(one.ids.size(), one.indices.size())) std::abort();
      for (const auto& value : column.values)
        if (value && !std::isfinite(*value)) std::abort();
    }
    compare::cross_validated({one}, compare::Restarts::median);
  });
}

/// Whatever was read can be divided or is refused; no case is lost on the way.
inline void manifest(Input input) {
  for (const char* stratify : {"", "s", "v:2"})
    allow_refusal([&] {
      results::SplitSettings settings = {.outer = 2, .inner = 2};
      if (*stratify != '\0') settings.stratify = {stratify};
      const results::SplitManifest table =
          results::parse_split_manifest(as_text(input), "fuzz.csv", settings);
      if (results::folds_of(table, settings).outer.size() != table.ids.size()) std::abort();
    });
}

/// Questions that were read have a truth within range and an id; their answers can be read.
inline void qa_table(Input input) {
  allow_refusal([&] {
    const qa::ItemTable table = qa::parse_items(as_text(input), "fuzz.csv");
    for (const qa::Item& item : table.items) {
      if (item.id.empty() ||
          !qa::label_range(item.benchmark, item.options.size()).contains(item.truth))
        std::abort();
      qa::extract_label(item.prompt, item.benchmark, item.options);
    }
  });
}

/// Results that were read are written and read again as the same; any rules can read the answers.
inline void qa_results(Input input) {
  const qa::ItemTable table = qa::parse_items(
      "benchmark_name,benchmark_id,image_path,answer,options\nt,1,a.svs,1,A|B\n", "table");
  allow_refusal([&] {
    for (const qa::SavedQa& saved : qa::parse_qa_results(as_text(input), "fuzz.json", &table)) {
      const qa::QaScoreSettings settings = {.replicates = 3};
      const std::string text =
          qa::qa_results_text(saved.result, qa::qa_scores(saved.result, settings), {});
      const auto again = qa::parse_qa_results(text, "again.json");
      if (again.size() != 1 || again[0].result.results.size() != saved.result.results.size())
        std::abort();
      for (const auto& rules : qa::extraction_rules()) qa::rescored(saved.result, rules.value);
    }
  });
}

/// A network that was accepted can be hashed and run.
inline void run_network(const model::Network& network) {
  model::weights_sha256(network);
  const Volume<float> volume(Grid{{5, 3, 2}});
  model::PredictionWorkspace workspace;
  const model::Prediction found = model::MeshNetEngine(network).predict(volume.view(), workspace);
  for (const std::uint8_t label : found.labels.view().voxels)
    if (label >= network.classifier.classes) std::abort();
}

inline void state_dict(const std::vector<model::StoredTensor>& tensors) {
  for (const model::ModelOptions& options :
       {model::ModelOptions{},
        model::ModelOptions{.dilations = {2}, .activation = model::Activation::gelu}})
    allow_refusal(
        [&] { run_network(model::state_dict_model(tensors, options, "fuzz.pt").network); });
}

inline void checkpoint(Input input) {
  allow_refusal([&] { state_dict(model::checkpoint_tensors(input, "fuzz.pt")); });
}

inline void safetensors(Input input) {
  allow_refusal([&] { state_dict(model::safetensors_tensors(input, "fuzz.safetensors")); });
}

/// model.json, a zero, and the numbers.
inline void tfjs(Input input) {
  const std::string_view all = as_text(input), json = all.substr(0, all.find('\0'));
  const Input weights = input.subspan(std::min(json.size() + 1, input.size()));
  allow_refusal([&] { model::tfjs_weight_paths(json, "fuzz.json"); });
  allow_refusal([&] { run_network(model::tfjs_network(json, weights, "fuzz.json")); });
}

inline void onnx(Input input) {
  allow_refusal([&] { run_network(model::onnx_network(input, "fuzz.onnx")); });
  allow_refusal([&] { model::onnx_outline(input, "fuzz.onnx"); });
}

/// A recipe that was read is written and read again as the same, and can be followed there and
/// back.
inline void recipe(Input input) {
  allow_refusal([&] {
    const model::Recipe once = model::parse_recipe(as_text(input), "fuzz.toml");
    if (model::parse_recipe(model::recipe_text(once), "again.json") != once) std::abort();
    const Volume<float> image(Grid{{3, 2, 2}}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    constexpr std::size_t most = 1 << 16;
    if (model::model_grid(image.grid(), once).size() > most) return;
    const model::Prepared found = model::prepared(image.view(), once);
    const Volume<std::uint8_t> labels(found.image.grid());
    if (model::restored(labels.view(), found.placement, once).grid() != image.grid()) std::abort();
  });
}

struct Target {
  std::string_view name;
  void (*run)(Input input);
};
inline constexpr std::array targets = {Target{"fuzz_nifti", nifti},
                                       Target{"fuzz_metaimage", metaimage},
                                       Target{"fuzz_nrrd", nrrd},
                                       Target{"fuzz_npy", npy},
                                       Target{"fuzz_gzip", gzip},
                                       Target{"fuzz_csv", csv},
                                       Target{"fuzz_record", record},
                                       Target{"fuzz_results", results},
                                       Target{"fuzz_dataset", dataset},
                                       Target{"fuzz_journal", journal},
                                       Target{"fuzz_run", run},
                                       Target{"fuzz_manifest", manifest},
                                       Target{"fuzz_experiment", experiment},
                                       Target{"fuzz_paper", paper},
                                       Target{"fuzz_parity", parity},
                                       Target{"fuzz_segmentation", segmentation},
                                       Target{"fuzz_qa_table", qa_table},
                                       Target{"fuzz_qa_results", qa_results},
                                       Target{"fuzz_checkpoint", checkpoint},
                                       Target{"fuzz_safetensors", safetensors},
                                       Target{"fuzz_tfjs", tfjs},
                                       Target{"fuzz_onnx", onnx},
                                       Target{"fuzz_recipe", recipe}};

}  // namespace assay::fuzz
