// SPDX-License-Identifier: Apache-2.0
/// The reader of `assay.segmentation/1` and of the specification's EvaluationResult. Cases are read
/// as a stream, since there may be many. The rest of the file is small and is read as a tree.
#include <algorithm>
#include <cmath>

#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/base/json_reader.hpp"
#include "assay/base/text.hpp"
#include "assay/base/whole.hpp"
#include "assay/error.hpp"
#include "assay/image/label_table.hpp"
#include "assay/results/case_record.hpp"
#include "assay/results/own_metric_json.hpp"
#include "assay/results/provenance.hpp"
#include "assay/results/segmentation.hpp"
#include "assay/results/summary_json.hpp"

namespace assay::results {
namespace {

using Kind = JsonReader::Kind;

bool is_headline(std::string_view metric) {
  return std::ranges::find(headline_metrics, metric) != headline_metrics.end();
}

ToldNumber told_number(JsonReader& in, std::string_view what) {
  if (in.kind() != Kind::number) return {false, in.number(what)};  // null, or refused
  return {false, json_number(in.number_token())};
}

/// A block {name, mean, std, values}, or any other object of a file that is not ours.
HeadlineBlock headline_block(JsonReader in, std::string_view metric) {
  HeadlineBlock out = {.metric = std::string(metric)};
  in.object(metric, [&](std::string_view key) {
    if (key == "values") {
      out.values.emplace();
      in.list(key, [&] { out.values->push_back(in.number(key)); });
    } else if (is_headline(metric) && (key == "mean" || key == "std")) {
      (key == "mean" ? out.mean : out.std) = told_number(in, key);
    } else {
      in.skip();
    }
  });
  return out;
}

/// Calls `use` with the member's tree, if there is one.
template <class Use>
void in_member(const JsonObject& file, std::string_view key, Use use) {
  const auto refuse = [&] {
    throw Error(Error::Kind::input,
                std::string(file.name()) + ": '" + std::string(key) +
                    "' is not as 'assay score' writes it; score the cases again");
  };
  if (!file.has(key)) return;
  const Json value = parse_json(file.text_of(key), file.name());
  try {
    use(value);
  } catch (const Json::exception&) {
    refuse();
  } catch (const Error&) {  // thrown for a number that is not whole
    refuse();
  }
}

void require_object(const Json& value) {
  value.get_ref<const Json::object_t&>();
}

SavedSummary summary_in(const std::string& key, const Json& block, const OwnMetrics& own) {
  require_object(block);
  SavedSummary out = {.key = key, .metric = metric_among(own, key)};
  out.summary = summary_of(block);
  out.is_whole = is_whole_summary(block) && block.contains("failures");
  const auto number = [&](const char* name) {
    const Json& found = member(block, name);
    return found.is_null() ? std::nullopt : std::optional(found.get<double>());
  };
  if (block.contains("failures")) out.failures.failures = Whole(block.at("failures"));
  out.failures.n = out.summary.n;
  out.failures.mean_without = number("mean_scored_only");
  out.failures.mean_with = number("mean_with_failures");
  return out;
}

std::vector<SavedSummary> summaries_in(const Json& blocks, const OwnMetrics& own) {
  require_object(blocks);
  std::vector<SavedSummary> out;
  for (const auto& [key, block] : blocks.items()) out.push_back(summary_in(key, block, own));
  return out;
}

/// The user's own metrics that the file declares.
OwnMetrics own_metrics_in(const Json& settings) {
  OwnMetrics out;
  for (const Json& each : member(settings, "own_metrics"))
    out.push_back(metrics::own_metric(parse_own_metric(each)));
  return out;
}

/// 0.1 did not write which keys are unions of labels. There, the key of a single label is its
/// number.
bool is_union_of(std::string_view key, const std::vector<Label>& members) {
  return members.size() > 1 || (members.size() == 1 && key != std::to_string(members.front()));
}

SavedLabel label_in(const std::string& key, const Json& json, const OwnMetrics& own) {
  require_object(json);
  SavedLabel out = {.region = {key, json.value("name", key), {}}};
  if (json.contains("members"))
    for (const Json& one : json.at("members").get_ref<const Json::array_t&>())
      out.region.members.push_back(Whole(one));
  out.region.is_union = json.contains("kind") ? json.at("kind").get<std::string>() == words::region
                                              : is_union_of(key, out.region.members);
  if (json.contains("color")) out.region.color = color_of_hex(json.at("color").get<std::string>());
  if (json.contains("metrics")) out.metrics = summaries_in(json.at("metrics"), own);
  return out;
}

/// A text, or "" where it is absent or null.
std::string text_at(const Json& object, const char* key) {
  const Json& found = member(object, key);
  return found.is_null() ? "" : found.get<std::string>();
}

SavedSettings settings_in(const Json& json) {
  require_object(json);
  SavedSettings out;
  const std::string convention = text_at(json, "convention");
  const auto all = metrics::conventions();
  const auto found = convention.empty()
                         ? all.begin()
                         : std::ranges::find(all, convention, &metrics::Convention::name);
  out.convention = found == all.end() ? nullptr : &*found;
  out.compat_spec = text_at(json, "compat") == words::spec;
  out.names_averaged = !member(json, "averaged").is_null();
  if (const Json& threshold = member(json, "threshold"); !threshold.is_null())
    out.threshold = threshold.get<double>();
  out.foreground_nonzero = text_at(json, "foreground") == words::nonzero;
  out.allow_affine_mismatch = json.value("allow_affine_mismatch", false);
  if (text_at(json, "unit") == name(metrics::LengthUnit::px)) out.unit = metrics::LengthUnit::px;
  return out;
}

template <class Value>
std::optional<Value> named(std::span<const Value> values, std::string_view text) {
  const auto found = std::ranges::find_if(values, [&](Value v) { return name(v) == text; });
  return found == values.end() ? std::nullopt : std::optional(*found);
}

/// Reads `cases`. The keys of metrics and of most labels are already known by then.
class Cases {
 public:
  Cases(JsonReader in, SegmentationFile& out) : in_(in), out_(out) {}

  void read() {
    in_.list("cases", [&] { read_case(); });
  }

 private:
  struct CaseText {
    std::string_view key;
    std::string metrics::CaseRecord::*text;
  };
  static constexpr CaseText texts_or_null[] = {
      {"error", &metrics::CaseRecord::error},
      {"prediction", &metrics::CaseRecord::prediction},
      {"reference", &metrics::CaseRecord::reference},
      {"image", &metrics::CaseRecord::image},
      {"prediction_sha256", &metrics::CaseRecord::prediction_sha256},
      {"reference_sha256", &metrics::CaseRecord::reference_sha256},
      {"image_sha256", &metrics::CaseRecord::image_sha256}};

  struct Words {
    std::string status{}, reason{}, culprit{};
    bool has_id = false;
  };

  void read_case() {
    Words said;
    SavedCase& here = out_.cases.emplace_back();
    in_.object("a case", [&](std::string_view key) { read_member(here, said, key); });
    if (!said.has_id) in_.fail("the case that ends here has no 'id'");
    here.record.fate = said.status == words::ok ? metrics::Fate::scored : fate_of(said.reason);
    // Files of 0.1 do not say whose fault it was, and blame the model.
    here.record.reference_at_fault =
        here.record.fate == metrics::Fate::failed && said.culprit == words::nobody;
  }

  metrics::Fate fate_of(const std::string& reason) const {
    if (reason.empty()) return metrics::Fate::failed;
    const auto fate = fate_named(reason);
    if (!fate || *fate == metrics::Fate::scored)
      in_.fail("the case that ends here was not scored for the unknown reason '" + excerpt(reason) +
               "'");
    return *fate;
  }

  void read_member(SavedCase& here, Words& said, std::string_view key) {
    metrics::CaseRecord& record = here.record;
    const auto text = std::ranges::find(texts_or_null, key, &CaseText::key);
    if (text != std::end(texts_or_null)) {
      if (in_.kind() == Kind::null)
        in_.null();
      else
        record.*(text->text) = in_.text(key);
    } else if (key == "id") {
      record.id = in_.text(key);
      said.has_id = true;
    } else if (key == "status") {
      said.status = in_.text(key);
    } else if (key == "reason") {
      said.reason = in_.text(key);
    } else if (key == "culprit") {
      said.culprit = in_.text(key);
    } else if (key == "diagonal_mm") {
      record.diagonal_mm = in_.number(key).value_or(0);
    } else if (key == "warnings") {
      in_.list(key, [&] { record.warnings.push_back(in_.text(key)); });
    } else if (key == "groups") {
      in_.object(key, [&](std::string_view column) {
        record.groups.emplace_back(column, in_.text(column));
      });
    } else if (key == "label") {
      in_.object(key, [&](std::string_view label) { read_label(here, label); });
    } else {
      in_.skip();
    }
  }

  void read_label(SavedCase& here, std::string_view name) {
    SavedScores& scores = here.labels.emplace_back();
    scores.label = label_of(name);
    scores.values.reserve(out_.metrics.size());
    in_.object(name, [&](std::string_view key) {
      if (const std::size_t metric = metric_of(key); metric < out_.metrics.size())
        scores.values.emplace_back(metric, in_.number(key));
      else if (key == "evidence")
        read_evidence(scores);
      else if (key == "status")
        scores.status = in_.text(key);
      else if (key == "undefined")
        read_reasons(scores);
      else
        in_.skip();  // lesions, probability, messages
    });
  }

  /// Reads the object `evidence`. Without all counts and the volume of a voxel it gives nothing.
  void read_evidence(SavedScores& scores) {
    std::array<std::optional<double>, std::size(words::counts)> counts;
    std::optional<double> voxel_ml;
    in_.object("evidence", [&](std::string_view key) {
      const auto field = std::ranges::find(
          words::counts, key, [](const auto& count) { return std::string_view(count.first); });
      if (field != std::end(words::counts))
        counts[static_cast<std::size_t>(field - words::counts)] = in_.number(key);
      else if (key == "voxel_ml")
        voxel_ml = in_.number(key);
      else
        in_.skip();  // surface
    });
    for (const auto& count : counts)
      if (count && !(*count >= 0 && *count <= 0x1p53 && std::trunc(*count) == *count))
        in_.fail("a count of the evidence that ends here is not a number of voxels");
    if (voxel_ml && *voxel_ml < 0)
      in_.fail("the voxels of the evidence that ends here are negative");
    const auto is_there = [](const auto& number) { return number.has_value(); };
    if (!voxel_ml || !std::ranges::all_of(counts, is_there)) return;
    scores.voxel_ml = *voxel_ml;
    scores.counts.emplace();
    for (std::size_t i = 0; i < counts.size(); ++i)
      (*scores.counts).*words::counts[i].second = static_cast<std::int64_t>(*counts[i]);
  }

  void read_reasons(SavedScores& scores) {
    in_.object("undefined", [&](std::string_view key) {
      const std::size_t metric = metric_of(key);
      const auto why = named<metrics::Undefined>(metrics::all_undefined, in_.text(key));
      if (metric < out_.metrics.size() && why) scores.undefined.emplace_back(metric, *why);
    });
  }

  /// The same keys come in the same order in every case, so the key after the last one is tried
  /// first.
  std::size_t metric_of(std::string_view key) {
    const auto& all = out_.metrics;
    if (++last_metric_ >= all.size() || all[last_metric_].key != key)
      last_metric_ =
          static_cast<std::size_t>(std::ranges::find(all, key, &SavedSummary::key) - all.begin());
    return last_metric_;
  }

  std::size_t label_of(std::string_view key) {
    auto& all = out_.labels;
    const auto is_it = [&](const SavedLabel& label) { return label.region.key == key; };
    if (++last_label_ >= all.size() || !is_it(all[last_label_]))
      last_label_ = static_cast<std::size_t>(std::ranges::find_if(all, is_it) - all.begin());
    if (last_label_ == all.size())
      all.push_back({.region = {std::string(key), std::string(key), {}}});
    return last_label_;
  }

  JsonReader in_;
  SegmentationFile& out_;
  std::size_t last_metric_ = 0, last_label_ = 0;
};

void read_ours(const JsonObject& file, SegmentationFile& out) {
  OwnMetrics own;
  in_member(file, "settings", [&](const Json& json) {
    out.settings = settings_in(json);
    own = own_metrics_in(json);
  });
  for (const char* metric : headline_metrics)
    if (file.has(metric)) out.headline.push_back(headline_block(file.at(metric), metric));
  in_member(file, "metrics", [&](const Json& json) { out.metrics = summaries_in(json, own); });
  in_member(file, "labels", [&](const Json& json) {
    require_object(json);
    for (const auto& [key, label] : json.items()) out.labels.push_back(label_in(key, label, own));
  });
  if (file.has("cases")) Cases(file.at("cases"), out).read();
  in_member(file, "ledger", [&](const Json& json) { out.ledger = ledger_of(json); });
  in_member(file, "warnings",
            [&](const Json& json) { out.warnings = json.get<std::vector<std::string>>(); });
  in_member(file, "provenance", [&](const Json& json) { out.provenance = parse_provenance(json); });
}

bool is_finished(const SegmentationFile& file) {
  const auto are_whole = [](const std::vector<SavedSummary>& metrics) {
    return std::ranges::all_of(
        metrics, [](const SavedSummary& saved) { return saved.metric && saved.is_whole; });
  };
  return file.lacks.empty() && file.ledger && !file.provenance.version.empty() &&
         !file.provenance.settings_sha256.empty() && are_whole(file.metrics) &&
         std::ranges::all_of(file.labels, are_whole, &SavedLabel::metrics);
}

}  // namespace

const HeadlineBlock* SegmentationFile::block(std::string_view metric) const {
  const auto found = std::ranges::find(headline, metric, &HeadlineBlock::metric);
  return found == headline.end() ? nullptr : &*found;
}

SegmentationFile parse_segmentation(const JsonObject& file) {
  SegmentationFile out = {.source = std::string(file.name()), .model_name = {}};
  out.settings.convention = &metrics::conventions().front();
  out.is_evaluation = !file.has("schema");
  for (const char* needed : {"model_name", "metrics", "cases"}) {
    if (out.lacks.empty() && !file.has(needed)) out.lacks = needed;
    if (out.is_evaluation) break;  // it has neither of the other two
  }
  if (file.has("model_name")) out.model_name = file.at("model_name").text("model_name");
  if (!out.is_evaluation) {
    read_ours(file, out);
    return out;
  }
  for (const std::string& key : file.keys())
    if (file.has(key, Kind::object)) out.headline.push_back(headline_block(file.at(key), key));
  return out;
}

SegmentationFile parse_segmentation(std::string_view text, const std::string& name) {
  return parse_segmentation(JsonObject(without_mark(text), name));
}

std::optional<SegmentationFile> segmentation_in(std::string_view text, const std::string& name) {
  text = without_mark(text);
  if (first_sign(text) != '{') return std::nullopt;
  const JsonObject file(text, name);
  if (!file.has("schema", Kind::text) || file.at("schema").text("schema") != segmentation_schema)
    return std::nullopt;
  return parse_segmentation(file);
}

std::optional<FinishedRun> read_finished_run(const std::filesystem::path& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return std::nullopt;
  try {
    std::string text = read_text(path);
    auto file = segmentation_in(text, path.string());
    if (!file || !is_finished(*file)) return std::nullopt;
    return FinishedRun{std::move(text), std::move(*file)};
  } catch (const Error&) {
    return std::nullopt;  // written by an older version, or edited by hand
  }
}

}  // namespace assay::results
