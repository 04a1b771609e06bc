// SPDX-License-Identifier: Apache-2.0
/// Reads `assay.segmentation/1` and the specification's EvaluationResult, which its first block is.
#include <algorithm>
#include <array>

#include "assay/compare/result_builder.hpp"
#include "assay/core/error.hpp"
#include "assay/io/detail/result_layouts.hpp"
#include "assay/metrics/metric.hpp"
#include "assay/metrics/synonyms.hpp"

namespace assay::detail {
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

/// What follows from the counts that every file of ours holds is there whatever was asked for.
class DerivedMetrics {
 public:
  DerivedMetrics(const std::vector<std::string>& asked, ResultBuilder& out) : out_(out) {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (std::ranges::find(asked, names[i]) == asked.end())
        places_[i] = out.derived_metric(names[i]);
  }

  /// Takes the object `evidence`; what lacks a count or the size of a voxel gives nothing.
  void read(JsonReader& in, std::size_t one_case, std::size_t label) {
    constexpr std::array<std::string_view, 5> fields = {"tp", "fp", "fn", "tn", "voxel_ml"};
    std::array<std::optional<double>, fields.size()> found;
    in.object("evidence", [&](std::string_view key) {
      const auto* field = std::ranges::find(fields, key);
      if (field == fields.end()) return in.skip();
      found[static_cast<std::size_t>(field - fields.begin())] = in.number(key);
    });
    if (!std::ranges::all_of(found, [](const auto& x) { return is_count(x.value_or(-1)); })) return;
    const auto count = [&](std::size_t i) { return static_cast<std::int64_t>(*found[i]); };
    const Evidence evidence = {{count(0), count(1), count(2), count(3)}, *found[4]};
    for (std::size_t i = 0; i < names.size(); ++i)
      if (places_[i])
        out_.put({one_case, label, *places_[i]}, value(score(metric(names[i]), evidence)));
  }

 private:
  static constexpr std::array<const char*, 3> names = {"volume_prediction_ml",
                                                       "volume_reference_ml", "dice_macro"};

  /// Whether an integer can hold it.
  static bool is_count(double x) { return x >= 0 && x < 0x1p62; }

  ResultBuilder& out_;
  std::array<std::optional<std::size_t>, names.size()> places_;
};

/// Goes through `cases`; the keys of metrics and labels are known by then.
class Cases {
 public:
  Cases(JsonReader in, ResultBuilder& out, std::vector<std::string> metrics)
      : in_(in), out_(out), metrics_(std::move(metrics)), derived_(metrics_, out) {}

  /// Gives back which cases were scored: the first block of the file has values for these only.
  std::vector<std::size_t> read() {
    in_.list("cases", [&] { read_case(); });
    return std::move(scored_);
  }

 private:
  void read_case() {
    const std::size_t here = out_.add_case();
    std::string status, reason, error;
    bool has_id = false, has_labels = false;
    in_.object("a case", [&](std::string_view key) {
      if (key == "id") {
        out_.name_case(here, in_.text(key));
        has_id = true;
      } else if (key == "status") {
        status = in_.text(key);
      } else if (key == "reason") {
        reason = in_.text(key);
      } else if (key == "error") {
        error = in_.text(key);
      } else if (key == "groups") {
        in_.object(key,
                   [&](std::string_view column) { out_.group(here, column, in_.text(column)); });
      } else if (key == "label") {
        in_.object(key, [&](std::string_view label) {
          has_labels = true;
          read_label(here, out_.label(label), label);
        });
      } else {
        in_.skip();
      }
    });
    if (!has_id) in_.fail("the case that ends here has no 'id'");
    if (status == "ok")
      scored_.push_back(here);
    else if (!has_labels)  // with labels it counts as worst
      out_.lose(here, error.empty() ? reason : error);
  }

  void read_label(std::size_t here, std::size_t label, std::string_view name) {
    std::size_t next = 0;
    in_.object(name, [&](std::string_view key) {
      if (next >= metrics_.size() || metrics_[next] != key)
        next = static_cast<std::size_t>(std::ranges::find(metrics_, key) - metrics_.begin());
      if (next == metrics_.size() && key == "evidence") return derived_.read(in_, here, label);
      if (next == metrics_.size()) return in_.skip();  // status, undefined, lesions
      out_.put({here, label, next}, in_.number(key));
      ++next;
    });
  }

  JsonReader in_;
  ResultBuilder& out_;
  std::vector<std::string> metrics_;
  DerivedMetrics derived_;
  std::vector<std::size_t> scored_;
};

/// The first block holds Dice, AVD and MCC even when other metrics were asked for.
void add_headline(const JsonObject& file, const std::vector<std::string>& metrics,
                  const std::vector<std::size_t>& scored, ResultBuilder& out) {
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

}  // namespace

std::vector<ResultTable> read_segmentation(const JsonObject& file) {
  ResultBuilder out(file.at("model_name").text("model_name"), std::string(file.name()));
  std::vector<std::string> metrics;
  JsonReader in = file.at("metrics");
  in.object("metrics", [&](std::string_view key) {
    if (out.metric(key) == metrics.size()) metrics.emplace_back(key);
    in.skip();
  });
  if (file.has("labels")) {
    in = file.at("labels");
    in.object("labels", [&](std::string_view key) {
      const std::size_t label = out.label(key);
      in.object(key, [&](std::string_view field) {
        if (field == "name")
          out.name_label(label, in.text(field));
        else
          in.skip();
      });
    });
  }
  const auto scored = Cases(file.at("cases"), out, metrics).read();
  add_headline(file, metrics, scored, out);
  std::vector<ResultTable> tables;
  tables.push_back(std::move(out).table());
  return tables;
}

std::vector<ResultTable> read_evaluation(const JsonObject& file) {
  ResultTable table;
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
    table.averages.push_back({metric_key(key).value_or(key), std::move(*values)});
  }
  if (table.cases == 0)
    throw Error(Error::Kind::input,
                table.source +
                    ": has no 'values' under 'dice', 'avd' or 'mcc': a mean alone cannot "
                    "be compared, give a file with the values of all cases");
  return {std::move(table)};
}

}  // namespace assay::detail
