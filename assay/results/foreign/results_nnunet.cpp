// SPDX-License-Identifier: Apache-2.0
/// Writes and reads nnU-Net's summary.json. Its counts are evidence: every metric that needs only
/// counts is computed from them by our own formulas. Its own Dice and IoU are kept unchanged.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "assay/base/json.hpp"
#include "assay/compare/result_builder.hpp"
#include "assay/error.hpp"
#include "assay/metrics.hpp"
#include "assay/metrics/synonyms.hpp"
#include "assay/results.hpp"
#include "assay/results/result_layouts.hpp"
#include "assay/results/segmentation.hpp"
#include "assay/stats/moments.hpp"

namespace assay::results {
namespace {

using JsonKind = JsonReader::Kind;

/// Folder names that occur in every training, whatever the model.
bool tells_nothing(std::string_view folder) {
  constexpr std::array<std::string_view, 7> fixed = {"",
                                                     ".",
                                                     "..",
                                                     "validation",
                                                     "validation_raw",
                                                     "validation_raw_postprocessed",
                                                     "postprocessed"};
  constexpr std::array<std::string_view, 3> numbered = {"fold_", "crossval_results", "cv_niftis"};
  return std::ranges::find(fixed, folder) != fixed.end() ||
         std::ranges::any_of(numbered, [&](auto start) { return folder.starts_with(start); });
}

/// MODEL for .../MODEL/fold_0/validation/summary.json. Otherwise the outermost folder with a name
/// of its own, or else the file's own name.
std::string model_of(std::string_view path) {
  std::string outermost = std::filesystem::path(last_part(path)).stem().string();
  for (std::string_view rest = path.substr(0, path.size() - last_part(path).size());
       !rest.empty();) {
    rest.remove_suffix(1);
    const std::string_view folder = last_part(rest);
    if (!tells_nothing(folder)) return std::string(folder);
    if (folder.find_first_not_of('.') != folder.npos) outermost = folder;
    rest.remove_suffix(folder.size());
  }
  return outermost;
}

const std::vector<const metrics::Metric*>& metrics_of_counts() {
  static const auto all = [] {
    std::vector<const metrics::Metric*> out;
    for (const metrics::Metric& m : metrics::metrics())
      if (m.needs_only_counts()) out.push_back(&m);
    return out;
  }();
  return all;
}

class NnunetCases {
 public:
  NnunetCases(std::string model, JsonReader in)
      : out_(std::move(model), std::string(in.name())), in_(in) {}

  std::vector<compare::ResultTable> tables(std::string_view list, bool labels_are_nested) {
    in_.list(list, [&] { read_case(labels_are_nested); });
    name_cases();
    describe_labels();
    std::vector<compare::ResultTable> out;
    out.push_back(std::move(out_).table());
    return out;
  }

 private:
  void read_case(bool labels_are_nested) {
    const std::size_t here = out_.add_case();
    std::string reference, prediction;
    in_.object("a case", [&](std::string_view key) {
      const JsonKind kind = in_.kind();
      if (kind == JsonKind::text && (key == "reference_file" || key == "reference"))
        reference = in_.text(key);
      else if (kind == JsonKind::text && (key == "prediction_file" || key == "test"))
        prediction = in_.text(key);
      else if (labels_are_nested && key == "metrics")
        in_.object(key, [&](std::string_view label) { read_label(here, label); });
      else if (!labels_are_nested && kind == JsonKind::object)
        read_label(here, key);
      else
        in_.skip();
    });
    paths_.push_back(reference.empty() ? prediction : reference);
  }

  void read_label(std::size_t here, std::string_view key) {
    const std::size_t label = out_.label(key);
    if (label >= keys_.size()) keys_.emplace_back(key);
    if (key == "0") out_.leave_out_of_averages(label);  // version 1 also scores the background
    std::array<std::optional<double>, 4> counts;
    in_.object(key, [&](std::string_view name) {
      const auto* const count = std::ranges::find(count_names, name);
      if (count != count_names.end())
        counts[static_cast<std::size_t>(count - count_names.begin())] = read_count(name);
      else if (name == "n_pred" || name == "n_ref")
        in_.skip();
      else
        out_.put({here, label, metric_of(name)}, in_.number(name));
    });
    if (std::ranges::all_of(counts, [](const auto& n) { return n.has_value(); }))
      derive({here, label, 0}, counts);
  }

  /// A region is written as "(1, 2)". If there is one, every key is a region, and nnU-Net's own
  /// mean is over all of them.
  void describe_labels() {
    const bool has_regions =
        std::ranges::any_of(keys_, [](const std::string& key) { return key.starts_with('('); });
    for (const std::string& key : keys_) {
      std::vector<Label> members;
      for (const char* at = key.c_str(); *at != 0;) {
        Label label = 0;
        const auto [end, error] = std::from_chars(at, key.c_str() + key.size(), label);
        if (error == std::errc{}) members.push_back(label);
        at = error == std::errc{} ? end : at + 1;
      }
      out_.describe_label(out_.label(key), std::move(members), has_regions);
    }
  }

  std::optional<double> read_count(std::string_view name) {
    constexpr double most = 1e15;  // no image is that large, and sums of four stay exact
    const auto count = in_.number(name);
    if (count && (*count < 0 || *count > most || std::floor(*count) != *count))
      in_.fail("the '" + std::string(name) + "' before this is not a count of voxels");
    return count;
  }

  /// Adds metrics computed from counts. Values that the file itself states are already there and
  /// stay.
  void derive(compare::ResultBuilder::Place at,
              const std::array<std::optional<double>, 4>& counts) {
    const auto whole = [&](std::size_t i) { return static_cast<std::int64_t>(*counts[i]); };
    const metrics::Evidence evidence = {
        {.tp = whole(0), .fp = whole(1), .fn = whole(2), .tn = whole(3)}};
    for (const metrics::Metric* metric : metrics_of_counts()) {
      at.metric = out_.metric(metric->name);
      out_.put_score(at, metrics::score(*metric, evidence, {}, convention_),
                     {*metric, metrics::presence(evidence.counts)});
    }
  }

  /// Remembers names, because the same few occur in every case.
  std::size_t metric_of(std::string_view name) {
    const auto known = std::ranges::find(names_, name, &std::pair<std::string, std::size_t>::first);
    if (known != names_.end()) return known->second;
    const std::size_t metric = out_.metric(metrics::metric_key(name).value_or(std::string(name)));
    names_.emplace_back(name, metric);
    return metric;
  }

  /// Ids are the names of the reference files, together with their folders when the names alone are
  /// not unique.
  void name_cases() {
    if (std::ranges::any_of(paths_, [](const std::string& path) { return path.empty(); }))
      return out_.forget_ids();
    std::vector<std::string> ids;
    for (const std::string& path : paths_) ids.push_back(case_id(last_part(path)));
    std::vector<std::string> sorted = ids;
    std::ranges::sort(sorted);
    const bool unique = std::ranges::adjacent_find(sorted) == sorted.end();
    const std::size_t shared = unique ? 0 : common_folder();
    for (std::size_t i = 0; i < ids.size(); ++i)
      out_.name_case(i, unique ? ids[i] : case_id(std::string_view(paths_[i]).substr(shared)));
  }

  /// The length of the folder that all paths share.
  std::size_t common_folder() const {
    const std::string& first = paths_.front();
    std::size_t length = first.size();
    for (const std::string& path : paths_) {
      const auto differ = std::ranges::mismatch(path, first).in1;
      length = std::min(length, static_cast<std::size_t>(differ - path.begin()));
    }
    const std::size_t cut = first.substr(0, length).find_last_of("/\\");
    return cut == std::string::npos ? 0 : cut + 1;
  }

  static constexpr std::array<std::string_view, 4> count_names = {"TP", "FP", "FN", "TN"};

  compare::ResultBuilder out_;
  JsonReader in_;
  const metrics::Convention& convention_ = metrics::convention("nnunet");
  std::vector<std::string> paths_, keys_;
  std::vector<std::pair<std::string, std::size_t>> names_;
};

/// What nnU-Net leaves undefined is NaN there, and null here, to keep the JSON valid.
Json nnunet_number(std::string_view name, const metrics::Evidence& evidence) {
  return metrics::value(
             metrics::score(metrics::metric(name), evidence, {}, metrics::convention("nnunet")))
      .value_or(NAN);
}

/// The metrics of a label under nnU-Net's names.
Json nnunet_metrics(const metrics::Evidence& evidence) {
  const metrics::Confusion& c = evidence.counts;
  return {{"Dice", nnunet_number("dice", evidence)},
          {"FN", c.fn},
          {"FP", c.fp},
          {"IoU", nnunet_number("iou", evidence)},
          {"TN", c.tn},
          {"TP", c.tp},
          {"n_pred", c.prediction()},
          {"n_ref", c.reference()}};
}

/// nanmean over JSON blocks with the same keys; only numbers count.
class BlockMeans {
 public:
  void add(const Json& block) {
    for (const auto& item : block.items()) {
      if (count_ == 0) columns_.emplace_back(item.key(), std::vector<double>());
      const auto column = std::ranges::find(columns_, item.key(),
                                            &std::pair<std::string, std::vector<double>>::first);
      const double x = item.value().get<double>();
      if (column != columns_.end() && !std::isnan(x)) column->second.push_back(x);
    }
    ++count_;
  }

  Json means() const {
    Json out = Json::object();
    for (const auto& [key, values] : columns_)
      out[key] = values.empty() ? Json(NAN) : Json(stats::mean(values));
    return out;
  }

 private:
  std::size_t count_ = 0;
  std::vector<std::pair<std::string, std::vector<double>>> columns_;
};

/// nnU-Net writes a region as "(1, 2)" and a label as "1".
std::string nnunet_key(const metrics::Region& region) {
  if (region.members.size() < 2) return region.key;
  std::string key;
  for (const Label label : region.members)
    key += (key.empty() ? "(" : ", ") + std::to_string(label);
  return key + ")";
}

void write_case(JsonMembers& out, const metrics::CaseScores& scores,
                const std::vector<metrics::Region>& regions) {
  Json metrics = Json::object();  // regions of the same labels have the same key
  for (std::size_t r = 0; r < regions.size(); ++r)
    if (!scores.labels[r].missing)
      metrics[nnunet_key(regions[r])] = nnunet_metrics(scores.labels[r].evidence);
  out.add("metrics", metrics);
  out.add("prediction_file", scores.record.prediction);
  out.add("reference_file", scores.record.reference);
}

}  // namespace

void write_nnunet_summary(const metrics::SegmentationResult& result, const TextSink& sink,
                          const Executor& executor) {
  std::vector<const metrics::CaseScores*> scored;
  for (const metrics::CaseScores& scores : result.cases)
    if (scores.record.fate == metrics::Fate::scored) scored.push_back(&scores);
  std::vector<BlockMeans> by_region(result.regions.size());
  for (const metrics::CaseScores* scores : scored)
    for (std::size_t r = 0; r < result.regions.size(); ++r)
      if (!scores->labels[r].missing) by_region[r].add(nnunet_metrics(scores->labels[r].evidence));
  Json means = Json::object();
  BlockMeans of_regions;
  for (std::size_t r = 0; r < result.regions.size(); ++r) {
    const Json mean = by_region[r].means();
    of_regions.add(mean);
    means[nnunet_key(result.regions[r])] = mean;
  }
  JsonObjectWriter out(sink, {.indent = 4, .python_tokens = result.settings.compat_spec});
  out.member("foreground_mean", of_regions.means());
  out.member("mean", means);
  out.list(
      "metric_per_case", scored.size(),
      [&](std::size_t i, JsonMembers& out_case) {
        write_case(out_case, *scored[i], result.regions);
      },
      executor);
  out.end();
}

std::string nnunet_summary(const metrics::SegmentationResult& result) {
  std::string text;
  write_nnunet_summary(result, [&](std::string_view piece) { text += piece; });
  return text;
}

std::vector<compare::ResultTable> read_nnunet_2(const JsonObject& file) {
  return NnunetCases(model_of(file.name()), file.at("metric_per_case"))
      .tables("metric_per_case", true);
}

std::vector<compare::ResultTable> read_nnunet_1(const JsonObject& file) {
  std::string model =
      file.has("name", JsonKind::text) ? file.at("name").text("name") : std::string();
  if (model.empty()) model = model_of(file.name());
  JsonReader in = file.at("results");
  std::optional<JsonReader> all;
  in.object("results", [&](std::string_view key) {
    if (key == "all") all = in;
    in.skip();
  });
  if (!all)
    throw Error(Error::Kind::input,
                std::string(file.name()) +
                    ": 'results' has no 'all', where nnU-Net lists its cases; " +
                    std::string(accepted));
  return NnunetCases(model, *all).tables("all", false);
}

}  // namespace assay::results
