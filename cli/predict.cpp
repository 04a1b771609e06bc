// SPDX-License-Identifier: Apache-2.0
/// assay predict: the labels of a model for images, and nothing else.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <ostream>
#include <set>

#include "assay/base/file.hpp"
#include "assay/base/own_threads.hpp"
#include "assay/base/sha256.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/image/dicom_series.hpp"
#include "assay/image/folder.hpp"
#include "assay/image/npy.hpp"
#include "assay/report/text/printable.hpp"
#include "assay/report/text/text_table.hpp"
#include "assay/score/channels.hpp"
#include "assay/score/dataset_json.hpp"
#include "assay/score/memory_gate.hpp"
#include "assay/score/prediction_check.hpp"
#include "assay/score/shards.hpp"
#include "cli/commands.hpp"
#include "cli/memory.hpp"
#include "cli/model_options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/provenance.hpp"
#include "cli/shard_options.hpp"
#include "cli/warnings.hpp"

namespace assay::cli {
namespace predict_file {
namespace {

namespace fs = std::filesystem;

/// One image is read, one predicted and one written at the same time.
constexpr std::size_t images_at_once = 3;

constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();

struct Options {
  ModelRunOptions model;
  std::string first;
  std::vector<std::string> rest;
  std::string check_against;
  std::optional<Bytes> max_memory;
  ShardOptions shard;
  bool save_logits = false, anonymous = false;
};

/// An image to predict, and what goes with it.
struct Task {
  std::vector<fs::path> images;  ///< one for each channel
  std::string name;              ///< of the prediction, without ending
  fs::path check{};
  std::string missing{};  ///< a channel that is not there; "": none

  const fs::path& image() const { return images.front(); }
};

void declare_options(Arguments& a, Options& o) {
  a.positional("MODEL", o.first, model_help);
  a.positional("IMAGE", o.rest,
               "Images, or folders of images. The channels of an image are files with nnU-Net's "
               "numbers (case_0000.nii.gz, case_0001.nii.gz), or a list: 't1.nii.gz;t2.nii.gz'");
  declare_model_run_options(a, o.model);
  a.heading("Output");
  a.option(
      "--check-against FILE", o.check_against,
      "Stored labels (an image) or logits (.npy) to compare with; a folder for several images");
  a.flag("--save-logits", o.save_logits, "Also write the logits as DIR/<image name>.npy");
  a.flag("--anonymous", o.anonymous, anonymous_help);
  a.heading("Running");
  a.option("--max-memory SIZE", o.max_memory, max_memory_help);
  declare_shard_options(a, o.shard);
}

std::string stem_of(const fs::path& path) {
  return std::string(without_image_ending(path.generic_string()));
}

/// "ct" of "scans/ct/".
std::string name_of_folder(const fs::path& folder) {
  return (fs::absolute(folder).lexically_normal() / "").parent_path().filename().string();
}

std::vector<Task> tasks_of(const std::vector<std::string>& typed) {
  std::vector<Task> tasks;
  for (const std::string& word : typed) {
    const std::vector<fs::path> listed = score::listed_channels(word, "");
    for (const fs::path& file : listed)
      if (!fs::exists(file) && !is_series(file))
        throw Error(Error::Kind::io, file, "no such image or folder");
    if (listed.size() > 1 || !fs::is_directory(word)) {
      tasks.push_back({listed, stem_of(listed.front().filename())});
      continue;
    }
    for (const std::string& image : without_illustrations(require_scans(word)))
      tasks.push_back(image == "." ? Task{{word}, name_of_folder(word)}
                                   : Task{{fs::path(word) / image}, stem_of(image)});
  }
  if (tasks.empty())
    throw Error(Error::Kind::usage, "give an image: assay predict MODEL IMAGE… --out DIR");
  return tasks;
}

/// How many files make an image: what model and recipe say, or the dataset.json next to the images.
std::size_t files_per_image(const score::CasePredictor& cases, const std::vector<Task>& tasks) {
  if (const std::size_t files = cases.files_per_image(); files != 0) return files;
  const fs::path dataset = score::dataset_json_of(tasks.front().image().parent_path());
  const std::size_t stated = dataset.empty() ? 0 : score::read_dataset_json(dataset).channels;
  return std::max<std::size_t>(stated, 1);
}

/// Joins files that are channels of the same image.
std::vector<Task> with_channels(const std::vector<Task>& typed, std::size_t files) {
  std::vector<Task> tasks;
  std::map<std::string, std::string> names;  // path -> name
  std::vector<std::string> single;
  for (const Task& task : typed) {
    if (task.images.size() > 1 || files == 1) {
      tasks.push_back(task);
      continue;
    }
    single.push_back(task.image().generic_string());
    names[single.back()] = task.name;
  }
  for (const score::ChannelFiles& image : score::grouped_channels(single, files)) {
    const std::string& first = image.paths.front();
    const std::size_t dropped = stem_of(first).size() - image.stem.size();
    const std::string& name = names.at(first);
    tasks.push_back({{image.paths.begin(), image.paths.end()},
                     name.substr(0, name.size() - dropped),
                     {},
                     image.missing});
  }
  return tasks;
}

void refuse_repeated_names(const std::vector<Task>& tasks) {
  std::set<std::string> names;
  for (const Task& task : tasks)
    if (!names.insert(task.name).second)
      throw Error(Error::Kind::usage, "two images are called " + task.name +
                                          ", so their predictions would be one file; run them "
                                          "separately");
}

/// Finds the stored predictions to check against: one file for one image, or a folder with a file
/// of the same name for each.
void add_checks(const std::string& against, std::vector<Task>& tasks) {
  if (against.empty()) return;
  if (!fs::exists(against))
    throw Error(Error::Kind::io, against, "no such file or folder; it was given to compare with");
  if (!fs::is_directory(against)) {
    if (tasks.size() > 1)
      throw Error(Error::Kind::usage, "--check-against names one file, but there are " +
                                          std::to_string(tasks.size()) +
                                          " images; give a folder of files");
    tasks.front().check = against;
    return;
  }
  for (Task& task : tasks)
    for (const std::string_view ending : image_endings())
      if (const fs::path file = fs::path(against) / (task.name + std::string(ending));
          task.check.empty() && fs::exists(file))
        task.check = file;
}

/// A hash of the names of all predictions, so that processes that see other images refuse the plan.
std::string sha256_of(const std::vector<Task>& tasks) {
  Sha256 hash;
  for (const Task& task : tasks) {
    hash.add(task.name);
    hash.add("\n");
  }
  return hash.hex();
}

void write_plan(const std::vector<Task>& tasks, const ShardOptions& o) {
  std::vector<std::uintmax_t> sizes;
  std::error_code unknown;
  for (const Task& task : tasks) {
    const std::uintmax_t size = fs::file_size(task.image(), unknown);
    sizes.push_back(unknown ? 0 : size);
  }
  results::ShardPlan plan = score::plan_by_weight(sizes, o.plan_shards);
  plan.inputs_sha256 = sha256_of(tasks);
  write_atomically(o.plan, results::shard_plan_text(plan));
}

/// The images of a shard. `tasks` are sorted by name, because shells on other nodes may list the
/// images in another order.
std::vector<Task> tasks_of_shard(const std::vector<Task>& tasks, const ChosenShard& chosen) {
  std::vector<Task> out;
  for (const std::size_t i :
       score::numbers_of_shard(tasks.size(), sha256_of(tasks), chosen.shard, chosen.plan))
    out.push_back(tasks[i]);
  return out;
}

/// What is done with each image.
struct Work {
  score::CasePredictor& cases;
  score::MemoryGate& gate;
  fs::path out{};
  bool save_logits = false, check = false;
};

std::string written(const Task& task, View<std::uint8_t> labels,
                    const score::PredictedCase& predicted, const Work& work) {
  if (work.out.empty()) return "";
  const fs::path file = work.out / (task.name + ".nii.gz");
  make_folder(file.parent_path());
  write_image(file, labels);
  if (work.save_logits && predicted.logits.empty())
    throw Error(Error::Kind::unsupported, "this back-end gives labels only; drop --save-logits");
  if (work.save_logits)
    write_logits(work.out / (task.name + ".npy"), predicted.logits,
                 predicted.placement.model.shape);
  return file.string();
}

results::PredictedImage predicted_image(const Task& task, const Work& work) {
  const auto started = std::chrono::steady_clock::now();
  if (work.check && task.check.empty())
    throw Error(Error::Kind::input, "there is no file to compare with for " + task.name);
  if (!task.missing.empty())
    throw Error(Error::Kind::input, "the image lacks a channel: there is no " + task.missing);
  const score::ModelSetup& setup = work.cases.setup();
  const bool with_logits =
      work.save_logits || (!task.check.empty() && score::holds_logits(task.check));
  const score::PredictedCase predicted = work.cases.predict(task.images, with_logits);
  const Volume<std::uint8_t> labels =
      model::restored(predicted.labels.view(), predicted.placement, setup.recipe, setup.executor);
  results::PredictedImage out = {.image = task.image().string(),
                                 .warning = predicted.warning,
                                 .from_cache = predicted.from_cache};
  out.voxel_ml = voxel_ml(labels.grid());
  for (const std::uint8_t label : labels.view().voxels) ++out.voxels[label];
  if (!task.check.empty()) out.check = score::check_against(task.check, predicted, labels.view());
  out.output = written(task, labels.view(), predicted, work);
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return out;
}

/// One bad image never stops the others.
results::PredictedImage image_or_error(const Task& task, const Work& work) {
  try {
    results::PredictedImage out;
    work.gate.pass(score::need_of_prediction(task.images),
                   [&] { out = predicted_image(task, work); });
    return out;
  } catch (const Error& e) {
    return {.image = task.image().string(), .error = e.what()};
  } catch (const std::bad_alloc&) {
    return {.image = task.image().string(), .error = "not enough memory for this image"};
  }
}

/// Every image, in order; fewer if interrupted.
std::vector<results::PredictedImage> predicted_images(const std::vector<Task>& tasks,
                                                      const Work& work, const Common& common,
                                                      const Session& session) {
  std::vector<std::optional<results::PredictedImage>> slots(tasks.size());
  std::atomic<std::size_t> next = 0;
  std::size_t done = 0;
  std::mutex mutex;
  Progress progress(session.err, session.err_is_terminal && !common.quiet);
  const auto warn = [&](const std::string& sentence) {
    tell("warning", {sentence}, session.notes);
  };
  on_own_threads(
      std::min(tasks.size(), images_at_once),
      [&] {
        for (std::size_t i = 0; !session.stop && (i = next.fetch_add(1)) < tasks.size();) {
          slots[i] = image_or_error(tasks[i], work);
          const std::lock_guard lock(mutex);
          progress.update(++done, tasks.size(), !slots[i]->error.empty());
        }
      },
      warn);
  std::vector<results::PredictedImage> images;
  for (auto& slot : slots)
    if (slot) images.push_back(std::move(*slot));
  return images;
}

std::string check_text(const results::PredictionCheck& check) {
  std::string out =
      fmt::format("{} of {} voxels differ ({} grid)", check.differing, check.voxels, check.space);
  if (check.greatest_logit_difference)
    out += fmt::format(", logits by at most {:.3g}", *check.greatest_logit_difference);
  return out;
}

std::string table_of(const std::vector<results::PredictedImage>& images) {
  std::vector<std::vector<std::string>> rows;
  for (const results::PredictedImage& image : images) {
    if (!image.error.empty()) continue;
    std::string classes;
    for (const auto& [label, voxels] : image.voxels)
      if (label != 0)
        classes += fmt::format("{}{}: {:.3g} mL", classes.empty() ? "" : ", ", label,
                               static_cast<double>(voxels) * image.voxel_ml);
    rows.push_back({fs::path(image.image).filename().string(),
                    classes.empty() ? "nothing" : classes,
                    image.from_cache ? "cached" : fmt::format("{:.1f} s", image.seconds),
                    image.check ? check_text(*image.check) : image.output});
  }
  return report::text_table({{"image", report::Align::left},
                             {"found", report::Align::left},
                             {"time"},
                             {"", report::Align::left}},
                            rows);
}

/// Names what was not predicted, and what was odd, on standard error.
void report_troubles(const std::vector<results::PredictedImage>& images, const Session& session) {
  std::vector<CaseWarning> warnings;
  for (const results::PredictedImage& image : images) {
    if (!image.error.empty())
      session.err << "not predicted: " << report::printable(image.image + ": " + image.error)
                  << '\n';
    else if (!image.warning.empty())
      warnings.push_back({image.image, image.warning});
  }
  tell_warnings(warnings, session.notes);
}

Exit exit_of(const std::vector<results::PredictedImage>& images) {
  const auto failed = [](const results::PredictedImage& i) { return !i.error.empty(); };
  const auto differs = [](const results::PredictedImage& i) {
    return i.check && i.check->differing != 0;
  };
  if (std::ranges::any_of(images, failed)) return some_failed;
  return std::ranges::any_of(images, differs) ? answer_is_no : done;
}

void require_outputs(const Options& o, const Common& common) {
  if (common.out.empty() && o.check_against.empty())
    throw Error(Error::Kind::usage, "give a folder for the predictions: --out DIR");
  if (o.save_logits && common.out.empty())
    throw Error(Error::Kind::usage, "--save-logits needs --out DIR");
}

/// A prediction must never overwrite an image that it is made from.
void refuse_inputs(const std::vector<Task>& tasks, const fs::path& out) {
  for (const Task& task : tasks) {
    std::vector<fs::path> inputs = task.images;
    inputs.push_back(task.check);
    for (const char* ending : {".nii.gz", ".npy"}) refuse_input(out / (task.name + ending), inputs);
  }
}

Exit run(Options o, const Common& common, const Session& session) {
  const ProvenanceClock clock;
  const std::vector<std::string> images = take_model(o.first, o.rest, any_number, o.model);
  if (o.model.model.empty() && o.model.command.empty())
    throw Error(Error::Kind::usage, "give a model: assay predict MODEL IMAGE… --out DIR");
  const std::vector<Task> typed = tasks_of(images);
  refuse_repeated_names(typed);
  const std::optional<ChosenShard> chosen = chosen_shard(o.shard);
  if (o.shard.plan_shards == 0) require_outputs(o, common);
  std::vector<std::string> notes;
  OpenedModel model(o.model, common, session, notes);
  std::vector<Task> tasks = with_channels(typed, files_per_image(model.cases(), typed));
  refuse_repeated_names(tasks);
  add_checks(o.check_against, tasks);
  if (chosen || o.shard.plan_shards != 0) std::ranges::sort(tasks, {}, &Task::name);
  if (o.shard.plan_shards != 0) {
    write_plan(tasks, o.shard);
    return done;
  }
  if (chosen) tasks = tasks_of_shard(tasks, *chosen);
  if (!common.out.empty()) require_writable(fs::path(common.out) / "prediction");
  if (!common.out.empty()) refuse_inputs(tasks, common.out);
  cli::tell("note", notes, session.notes);

  score::MemoryGate gate(memory_limit(o.max_memory));
  const Work work = {model.cases(), gate, common.out, o.save_logits, !o.check_against.empty()};
  results::PredictionReport report = {model.source(),
                                      predicted_images(tasks, work, common, session)};
  if (session.stop) {
    session.err << "interrupted; the predictions made so far are in place\n";
    return interrupted;
  }
  report_troubles(report.images, session);
  const auto bad = std::ranges::count_if(
      report.images, [](const results::PredictedImage& image) { return !image.error.empty(); });
  if (!chosen && static_cast<std::size_t>(bad) == tasks.size())
    throw Error(Error::Kind::input, "no image could be predicted");
  if (const std::string trouble = model.cases().cache_trouble(); !trouble.empty())
    cli::tell("warning", {"predictions could not be kept: " + trouble}, session.notes);
  if (common.json)
    session.out << results::prediction_text(report, clock.provenance(common, session, o.anonymous));
  else if (prints_result(common, common.out))
    session.out << table_of(report.images);
  return exit_of(report.images);
}

constexpr Example examples[] = {
    {"assay predict meshnet26.pt T2w/*.nii.gz --recipe arc-meshchop --out predictions",
     "a label map for each image, on the image's own grid"},
    {"assay predict brats.onnx imagesTs --recipe brats.toml --window 128,128,128 --out predictions",
     "a model of patches; the files case_0000.nii.gz, case_0001.nii.gz, … make one image"},
    {"assay predict model.json t1.nii.gz --recipe brainchop --check-against expected.nii.gz",
     "does this machine predict the stored labels? Exit status 1 if not"},
};

}  // namespace
}  // namespace predict_file

const Command predict_command = {"predict", "Run a model on images",
                                 command<predict_file::declare_options, predict_file::run>,
                                 predict_file::examples,
                                 /*stops_in_order=*/true};

}  // namespace assay::cli
