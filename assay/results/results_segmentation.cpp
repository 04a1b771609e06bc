// SPDX-License-Identifier: Apache-2.0
/// Reads `assay.segmentation/1` and the specification's EvaluationResult, which its first block is.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "assay/compare/result_builder.hpp"
#include "assay/error.hpp"
#include "assay/metrics/failure.hpp"
#include "assay/metrics/synonyms.hpp"
#include "assay/results/result_layouts.hpp"

namespace assay::results {
namespace {

using Values = std::vector<std::optional<double>>;

constexpr std::array<const char*, 3> headline = {"dice", "avd", "mcc"};

/// The list of values of a block {name, mean, std, values}; none when it has no such list.
std::optional<Values> block_values(JsonReader in, std::string_view block) {
  std::optional<Values> out;
  in.object(block, [&](std::string_view key) {
    if (key != "values") return in.skip();
    out.emplace();
    in.list(key, [&] { out->push_back(in.number(key)); });
  });
  return out;
}

/// How the values of the file came about, as far as its settings say.
struct Rules {
  const metrics::Convention* convention = nullptr;  ///< none when it is not one of ours
  bool compat_spec = false;
};

Rules rules_of(const JsonObject& file) {
  Rules out = {.convention = &metrics::conventions().front()};
  if (!file.has("settings", JsonReader::Kind::object)) return out;
  JsonReader in = file.at("settings");
  in.object("settings", [&](std::string_view key) {
    if (in.kind() != JsonReader::Kind::text) return in.skip();
    const std::string text = in.text(key);
    if (key == "compat") out.compat_spec = text == "spec";
    if (key != "convention") return;
    const auto found = std::ranges::find(metrics::conventions(), text, &metrics::Convention::name);
    out.convention = found == metrics::conventions().end() ? nullptr : &*found;
  });
  return out;
}

/// What follows from the counts in each of our files is there whatever was asked for: volumes and
/// macro Dice in addition to the metrics, and Dice, AVD and MCC among the averages. The first block
/// of a file has these three, too, but in 0.1 labels and regions were mixed there.
class CountedMetrics {
 public:
  CountedMetrics(const std::vector<std::string>& asked, const Rules& rules,
                 compare::ResultBuilder& out)
      : rules_(rules), out_(out) {
    const auto is_asked = [&](const char* name) {
      return std::ranges::find(asked, name) != asked.end();
    };
    for (const char* name : derived)
      if (!is_asked(name)) rows_.push_back({&metrics::metric(name), out.derived_metric(name)});
    for (const char* name : headline) {
      if (is_asked(name) || rules.convention == nullptr) continue;
      rows_.push_back({&metrics::metric(name), out.metric(name)});
      out.keep_as_average(rows_.back().place);
    }
  }

  /// Takes the object `evidence`; what lacks a count or the size of a voxel gives nothing.
  static std::optional<metrics::Evidence> evidence_in(JsonReader& in) {
    constexpr std::array<std::string_view, 5> fields = {"tp", "fp", "fn", "tn", "voxel_ml"};
    std::array<std::optional<double>, fields.size()> found;
    in.object("evidence", [&](std::string_view key) {
      const auto* field = std::ranges::find(fields, key);
      if (field == fields.end()) return in.skip();
      found[static_cast<std::size_t>(field - fields.begin())] = in.number(key);
    });
    if (!std::ranges::all_of(found, [](const auto& x) { return is_count(x.value_or(-1)); }))
      return std::nullopt;
    const auto count = [&](std::size_t i) { return static_cast<std::int64_t>(*found[i]); };
    return metrics::Evidence{{count(0), count(1), count(2), count(3)}, *found[4]};
  }

  void put(std::size_t one_case, std::size_t label, const metrics::Evidence& evidence) {
    const metrics::Convention& convention =
        rules_.convention == nullptr ? metrics::conventions().front() : *rules_.convention;
    for (const Row& row : rows_) {
      const metrics::Score found = metrics::score(
          *row.metric, evidence, {.dice_smooth = convention.dice_smooth}, convention);
      out_.put_score({one_case, label, row.place},
                     rules_.compat_spec
                         ? found
                         : metrics::finite_score(found, metrics::presence(evidence.counts)),
                     {*row.metric, metrics::presence(evidence.counts)});
    }
  }

  /// For a structure without prediction or reference.
  void put_missing(std::size_t one_case, std::size_t label, metrics::Undefined why) {
    for (const Row& row : rows_) out_.put_score({one_case, label, row.place}, why, {*row.metric});
  }

 private:
  static constexpr std::array<const char*, 3> derived = {"volume_prediction_ml",
                                                         "volume_reference_ml", "dice_macro"};
  struct Row {
    const metrics::Metric* metric;
    std::size_t place;
  };

  /// Whether an integer can hold it.
  static bool is_count(double x) { return x >= 0 && x < 0x1p62; }

  Rules rules_;
  compare::ResultBuilder& out_;
  std::vector<Row> rows_;
};

template <class Value>
std::optional<Value> named(std::span<const Value> values, std::string_view text) {
  const auto found = std::ranges::find_if(values, [&](Value v) { return name(v) == text; });
  return found == values.end() ? std::nullopt : std::optional(*found);
}

/// Goes through `cases`; the keys of metrics and labels are known by then.
class Cases {
 public:
  Cases(JsonReader in, const Rules& rules, compare::ResultBuilder& out,
        std::vector<std::string> metrics)
      : in_(in), out_(out), metrics_(std::move(metrics)), counted_(metrics_, rules, out) {
    for (const std::string& key : metrics_) rows_.push_back(metrics::metric_of_key(key));
  }

  /// Which cases were scored: the first block of the file has values for these only.
  struct Found {
    std::vector<std::size_t> scored{};
    bool has_counts = true;  ///< of every label of every scored case
  };
  Found read() {
    in_.list("cases", [&] { read_case(); });
    return std::move(found_);
  }

 private:
  /// What a label says about values that it does not have.
  struct Reason {
    std::size_t label, metric;
    metrics::Undefined why;
    std::optional<metrics::Presence> presence{};
  };

  struct Case {
    std::size_t place = 0;
    std::string status{}, reason{}, error{}, culprit{};
    double diagonal_mm = 0;
    bool has_id = false, has_labels = false, lacks_counts = false;
    std::vector<Reason> reasons{};
  };

  void read_case() {
    Case here = {.place = out_.add_case()};
    in_.object("a case", [&](std::string_view key) { read_member(here, key); });
    if (!here.has_id) in_.fail("the case that ends here has no 'id'");
    for (const Reason& each : here.reasons)
      if (const auto& row = rows_[each.metric])
        out_.explain({here.place, each.label, each.metric}, each.why,
                     {**row, each.presence, here.diagonal_mm});
    if (here.status == "ok") {
      found_.scored.push_back(here.place);
      found_.has_counts = found_.has_counts && !here.lacks_counts;
    } else if (!here.has_labels) {  // with labels it counts as worst
      // 0.1 did not say whose fault it was.
      const bool failed =
          here.culprit.empty() ? here.reason != "missing_reference" : here.culprit == "model";
      out_.lose(here.place,
                {here.error.empty() ? here.reason : here.error, failed, here.diagonal_mm});
    }
  }

  void read_member(Case& here, std::string_view key) {
    struct Text {
      std::string_view key;
      std::string Case::*text;
    };
    constexpr std::array texts = {Text{"status", &Case::status}, Text{"reason", &Case::reason},
                                  Text{"error", &Case::error}, Text{"culprit", &Case::culprit}};
    const auto* const text = std::ranges::find(texts, key, &Text::key);
    if (text != texts.end()) {
      here.*(text->text) = in_.text(key);
    } else if (key == "id") {
      out_.name_case(here.place, in_.text(key));
      here.has_id = true;
    } else if (key == "diagonal_mm") {
      here.diagonal_mm = in_.number(key).value_or(0);
    } else if (key == "groups") {
      in_.object(
          key, [&](std::string_view column) { out_.group(here.place, column, in_.text(column)); });
    } else if (key == "label") {
      in_.object(key, [&](std::string_view label) {
        here.has_labels = true;
        read_label(here, out_.label(label), label);
      });
    } else {
      in_.skip();
    }
  }

  void read_label(Case& here, std::size_t label, std::string_view name) {
    std::size_t next = 0;
    const std::size_t first_reason = here.reasons.size();
    std::string status;
    std::optional<metrics::Evidence> evidence;
    in_.object(name, [&](std::string_view key) {
      if (next >= metrics_.size() || metrics_[next] != key) next = position_of(key);
      if (next < metrics_.size())
        out_.put({here.place, label, next++}, in_.number(key));
      else if (key == "evidence")
        evidence = CountedMetrics::evidence_in(in_);
      else if (key == "status")
        status = in_.text(key);
      else if (key == "undefined")
        read_reasons(here, label);
      else
        in_.skip();  // lesions, probability
    });
    if (evidence)
      counted_.put(here.place, label, *evidence);
    else if (const auto why = missing_in(status))
      counted_.put_missing(here.place, label, *why);
    else
      here.lacks_counts = true;
    for (std::size_t i = first_reason; i < here.reasons.size(); ++i)
      here.reasons[i].presence = presence_in(status);
  }

  static std::optional<metrics::Undefined> missing_in(std::string_view status) {
    constexpr std::array all = {metrics::Undefined::missing_prediction,
                                metrics::Undefined::missing_reference};
    return named<metrics::Undefined>(all, status);
  }

  /// A missing prediction is empty; a file may also not say.
  static std::optional<metrics::Presence> presence_in(std::string_view status) {
    if (status == "counted_as_worst" || status == "missing_prediction")
      return metrics::Presence::prediction_empty;
    return named<metrics::Presence>(metrics::all_presence, status);
  }

  void read_reasons(Case& here, std::size_t label) {
    in_.object("undefined", [&](std::string_view key) {
      const std::size_t metric = position_of(key);
      const auto why = named<metrics::Undefined>(metrics::all_undefined, in_.text(key));
      if (metric < metrics_.size() && why) here.reasons.push_back({label, metric, *why});
    });
  }

  std::size_t position_of(std::string_view key) const {
    return static_cast<std::size_t>(std::ranges::find(metrics_, key) - metrics_.begin());
  }

  JsonReader in_;
  compare::ResultBuilder& out_;
  std::vector<std::string> metrics_;
  std::vector<std::optional<metrics::ChosenMetric>> rows_;
  CountedMetrics counted_;
  Found found_;
};

/// The first block holds Dice, AVD and MCC even when other metrics were asked for. It is needed
/// only where counts are missing.
void add_headline(const JsonObject& file, const std::vector<std::string>& metrics,
                  const std::vector<std::size_t>& scored, compare::ResultBuilder& out) {
  for (const char* key : headline) {
    if (!file.has(key, JsonReader::Kind::object) ||
        std::ranges::find(metrics, key) != metrics.end())
      continue;
    const auto values = block_values(file.at(key), key);
    if (!values) continue;
    if (values->size() != scored.size())
      throw Error(Error::Kind::input, std::string(file.name()) + ": '" + key + "' has " +
                                          std::to_string(values->size()) + " values for " +
                                          std::to_string(scored.size()) + " scored cases");
    const std::size_t metric = out.metric(key), whole = out.label("");
    for (std::size_t i = 0; i < scored.size(); ++i)
      out.put({scored[i], whole, metric}, (*values)[i]);
  }
}

/// 0.1 did not write which keys are unions of labels: a label has its own number as key.
bool is_union_of(std::string_view key, std::span<const Label> members) {
  return members.size() > 1 || (members.size() == 1 && key != std::to_string(members.front()));
}

/// Anything that is not a label is left to those who read voxels.
void read_member_label(JsonReader& in, std::vector<Label>& members) {
  if (in.kind() != JsonReader::Kind::number) return in.skip();
  const double label = in.number("members").value_or(0);
  if (std::abs(label) < 0x1p62) members.push_back(static_cast<Label>(label));
}

void read_labels(const JsonObject& file, compare::ResultBuilder& out) {
  if (!file.has("labels")) return;
  JsonReader in = file.at("labels");
  in.object("labels", [&](std::string_view key) {
    const std::size_t label = out.label(key);
    std::vector<Label> members;
    std::optional<bool> is_union;
    in.object(key, [&](std::string_view field) {
      if (field == "name")
        out.name_label(label, in.text(field));
      else if (field == "kind")
        is_union = in.text(field) == "region";
      else if (field == "members")
        in.list(field, [&] { read_member_label(in, members); });
      else
        in.skip();
    });
    out.describe_label(label, members, is_union.value_or(is_union_of(key, members)));
  });
}

std::vector<std::string> warnings_in(const JsonObject& file) {
  std::vector<std::string> out;
  if (!file.has("warnings", JsonReader::Kind::list)) return out;
  JsonReader in = file.at("warnings");
  in.list("warnings", [&] { out.push_back(in.text("warnings")); });
  return out;
}

}  // namespace

std::vector<compare::ResultTable> read_segmentation(const JsonObject& file) {
  compare::ResultBuilder out(file.at("model_name").text("model_name"), std::string(file.name()));
  std::vector<std::string> metrics;
  JsonReader in = file.at("metrics");
  in.object("metrics", [&](std::string_view key) {
    if (out.metric(key) == metrics.size()) metrics.emplace_back(key);
    in.skip();
  });
  read_labels(file, out);
  const auto found = Cases(file.at("cases"), rules_of(file), out, metrics).read();
  if (!found.has_counts) add_headline(file, metrics, found.scored, out);
  std::vector<compare::ResultTable> tables;
  tables.push_back(std::move(out).table());
  tables.back().warnings = warnings_in(file);
  return tables;
}

std::vector<compare::ResultTable> read_evaluation(const JsonObject& file) {
  compare::ResultTable table;
  table.model_name = file.at("model_name").text("model_name");
  table.source = file.name();
  for (const std::string& key : file.keys()) {
    if (!file.has(key, JsonReader::Kind::object)) continue;
    auto values = block_values(file.at(key), key);
    if (!values) continue;
    if (!table.averages.empty() && values->size() != table.cases)
      throw Error(Error::Kind::input, table.source + ": '" + table.averages.front().name +
                                          "' has " + std::to_string(table.cases) + " values and '" +
                                          key + "' " + std::to_string(values->size()) +
                                          "; every metric needs one value for each case");
    table.cases = values->size();
    table.averages.push_back({metrics::metric_key(key).value_or(key), std::move(*values)});
  }
  if (table.cases == 0)
    throw Error(Error::Kind::input,
                table.source +
                    ": has no 'values' under 'dice', 'avd' or 'mcc': a mean alone cannot "
                    "be compared, give a file with the values of all cases");
  return {std::move(table)};
}

}  // namespace assay::results
