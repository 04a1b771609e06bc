// SPDX-License-Identifier: Apache-2.0
#include "assay/results/foreign/trackers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "assay/base/ascii.hpp"
#include "assay/base/command_line.hpp"
#include "assay/base/csv.hpp"
#include "assay/base/descriptor.hpp"
#include "assay/base/durable.hpp"
#include "assay/base/file.hpp"
#include "assay/base/file_error.hpp"
#include "assay/base/json.hpp"
#include "assay/base/sha256.hpp"
#include "assay/base/shortest.hpp"
#include "assay/error.hpp"
#include "assay/results/segmentation.hpp"

namespace assay::results {
namespace {

namespace fs = std::filesystem;

/// MLflow shows an experiment by its name, but finds it by an id of 18 digits. Ours is fixed.
constexpr const char *experiment_name = "assay", *experiment_id = "429113907184562204";

/// Keeps the characters that MLflow accepts in names and replaces others by "_". The result can
/// never lead out of the folder.
std::string safe_name(std::string_view name, std::string_view more) {
  std::string out;
  for (const char c : name)
    out += is_ascii_word(c) || more.find(c) != std::string_view::npos ? c : '_';
  return out.empty() || out.front() == '.' ? "_" + out : out;
}

/// Text in double quotes, written as JSON, which is valid YAML.
std::string yaml_text(std::string_view text) {
  return to_text(Json(std::string(text)));
}

std::string experiment_meta(const fs::path& folder, const TrackedRun& run) {
  return fmt::format(
      "artifact_location: {}\ncreation_time: {}\nexperiment_id: {}\nlast_update_time: {}\n"
      "lifecycle_stage: active\nname: {}\n",
      yaml_text(folder.string()), run.end_ms, yaml_text(experiment_id), run.end_ms,
      yaml_text(experiment_name));
}

std::string run_meta(const fs::path& folder, const TrackedRun& run) {
  return fmt::format(
      "artifact_uri: {}\nend_time: {}\nentry_point_name: ''\nexperiment_id: {}\n"
      "lifecycle_stage: active\nrun_id: {}\nrun_name: {}\nrun_uuid: {}\nsource_name: ''\n"
      "source_type: 4\nsource_version: ''\nstart_time: {}\nstatus: 3\ntags: []\nuser_id: assay\n",
      yaml_text((folder / "artifacts").string()), run.end_ms, yaml_text(experiment_id), run.id,
      yaml_text(run.model), run.id, run.start_ms);
}

/// MLflow finds runs by their meta.yaml, so that file is written last.
void write_mlflow(const TrackedRun& run, const fs::path& place) {
  const fs::path experiment = fs::absolute(place) / experiment_id, folder = experiment / run.id;
  make_folder(folder / "artifacts");
  if (!fs::exists(experiment / "meta.yaml"))
    write_atomically(experiment / "meta.yaml", experiment_meta(experiment, run));
  for (const TrackedMean& mean : run.means) {
    const fs::path name = fs::path(safe_name(mean.label, "-_. ")) / safe_name(mean.metric, "-_. ");
    write_atomically(folder / "metrics" / (mean.label.empty() ? name.filename() : name),
                     fmt::format("{} {} 0\n", run.end_ms, mean.mean));
  }
  for (const auto& [name, text] : run.settings) write_atomically(folder / "params" / name, text);
  for (const auto& [name, text] : run.tags) write_atomically(folder / "tags" / name, text);
  write_atomically(folder / "meta.yaml", run_meta(folder, run));
}

void write_tensorboard(const TrackedRun& run, const fs::path& place) {
  write_atomically(place / safe_name(run.model, "-_.") /
                       fmt::format("events.out.tfevents.{}.{}.assay", run.end_ms / 1000, run.id),
                   tensorboard_events(run));
}

constexpr std::string_view table_header =
    "started,model,label,metric,n,mean,std,settings_sha256,inputs_sha256\n";

std::string_view tag_in(const TrackedRun& run, std::string_view name) {
  const auto tag = std::ranges::find(run.tags, name, &std::pair<std::string, std::string>::first);
  return tag == run.tags.end() ? std::string_view() : tag->second;
}

std::string table_rows(const TrackedRun& run) {
  std::string out;
  for (const TrackedMean& mean : run.means)
    out += fmt::format("{},{},{},{},{},{},{},{},{}\n", run.started, csv_field(run.model),
                       csv_field(mean.label), csv_field(mean.metric), mean.n, mean.mean,
                       mean.std ? fmt::format("{}", *mean.std) : "",
                       tag_in(run, "assay.settings_sha256"), tag_in(run, "assay.inputs_sha256"));
  return out;
}

/// Writes all rows in one call, so that several processes can append to one table.
void write_table(const TrackedRun& run, const fs::path& place) {
  make_folder(folder_of(place));
  const Descriptor file = open_descriptor(place, O_RDWR | O_APPEND | O_CREAT | O_NOCTTY, 0666);
  if (!file.is_open()) throw file_error(place, errno);
  std::string begin(table_header.size(), '\0');
  const auto size =
      uninterrupted([&] { return ::pread(file.number(), begin.data(), begin.size(), 0); });
  if (size < 0) throw file_error(place, errno);
  if (size != 0 && begin != table_header)
    throw Error(Error::Kind::input, place.string(),
                "is not a table of this kind; choose another file for --log-to csv=FILE");
  const std::string text = (size == 0 ? std::string(table_header) : "") + table_rows(run);
  const auto written =
      uninterrupted([&] { return ::write(file.number(), text.data(), text.size()); });
  if (written != static_cast<ssize_t>(text.size())) throw file_error(place, errno);
}

void add_mean(std::vector<TrackedMean>& means, const std::string& metric, const std::string& label,
              const metrics::Summary& summary) {
  if (summary.mean) means.push_back({metric, label, summary.n, *summary.mean, summary.std});
}

}  // namespace

TrackedRun tracked_run(const metrics::SegmentationResult& result, const Provenance& provenance,
                       const RunTimes& times) {
  const metrics::ScoreSettings& s = result.settings;
  TrackedRun out = {.model = s.model_name,
                    .started = provenance.started,
                    .start_ms = times.start_ms,
                    .end_ms = times.end_ms};
  std::string names;
  for (std::size_t m = 0; m < s.metrics.size(); ++m) {
    const std::string& key = s.metrics[m].key;
    names += (names.empty() ? "" : ",") + key;
    add_mean(out.means, key, "", metrics::summary(metrics::case_averages(result, m)));
    for (std::size_t r = 0; r < result.regions.size() && result.regions.size() > 1; ++r)
      add_mean(out.means, key, result.regions[r].key,
               metrics::summary(metrics::region_scores(result, m, r)));
  }
  const auto count = [](std::size_t n) { return std::to_string(n); };
  out.settings = {{"model", s.model_name},
                  {"metrics", names},
                  {"convention", std::string(s.convention->name)},
                  {"label_average", "mean over " + metrics::averaged_words(result.regions, 10)},
                  {"cases_expected", count(result.ledger.expected)},
                  {"cases_scored", count(result.ledger.scored)}};
  out.tags = {{"mlflow.runName", s.model_name},
              {"mlflow.source.name", "assay"},
              {"assay.version", provenance.version},
              {"assay.commit", provenance.commit},
              {"assay.command", command_text(provenance.command)},
              {"assay.settings_sha256", provenance.settings_sha256},
              {"assay.inputs_sha256", inputs_sha256(result)}};
  std::string seed = std::to_string(times.end_ms) + provenance.started;
  for (const auto& [name, text] : out.tags) seed += "\n" + text;
  out.id = sha256(seed).substr(0, 32);
  return out;
}

std::span<const Named<WriteTracked>> trackers() {
  static constexpr std::array<Named<WriteTracked>, 3> table = {
      {{"mlflow", write_mlflow}, {"tensorboard", write_tensorboard}, {"csv", write_table}}};
  return table;
}

}  // namespace assay::results
