// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/run/qa_questions.hpp"

#include <map>

#include "assay/base/file.hpp"
#include "assay/base/whole.hpp"
#include "assay/bootstrap.hpp"
#include "assay/error.hpp"

namespace assay::qa {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view questions_schema = "assay.qa-questions/1";

/// Lists of options: most questions of a benchmark share one.
class OptionLists {
 public:
  std::size_t number_of(const std::vector<std::string>& options) {
    const auto [place, is_new] = numbers_.try_emplace(options, lists_.size());
    if (is_new) lists_.push_back(options);
    return place->second;
  }
  const Json& json() const { return lists_; }

 private:
  std::map<std::vector<std::string>, std::size_t> numbers_;
  Json lists_ = Json::array();
};

Json question_json(const Item& item, const PlannedItem& planned, OptionLists& lists) {
  Json out = {{"benchmark", item.benchmark},
              {"id", item.id},
              {"slide", item.image_path},
              {"truth", item.truth},
              {"options", lists.number_of(item.options)}};
  if (!planned.selected) out["selected"] = false;
  if (!planned.slide.problem.empty()) out["problem"] = planned.slide.problem;
  if (planned.slide.ambiguous) out["ambiguous"] = true;
  return out;
}

Item question_item(const Json& json, const Json& lists) {
  Item item;
  item.benchmark = json.at("benchmark");
  item.id = json.at("id");
  item.image_path = json.at("slide");
  item.truth = Whole(json.at("truth"));
  item.options = lists.at(std::size_t{Whole(json.at("options"))}).get<std::vector<std::string>>();
  return item;
}

void add_question(QaPlan& plan, const Json& json, const Json& lists) {
  PlannedItem planned{
      .index = plan.table.items.size(), .selected = json.value("selected", true), .slide = {}};
  planned.slide.problem = json.value("problem", "");
  planned.slide.ambiguous = json.value("ambiguous", false);
  plan.table.items.push_back(question_item(json, lists));
  plan.items.push_back(std::move(planned));
}

}  // namespace

std::string questions_text(const QaPlan& plan) {
  OptionLists lists;
  std::string items;
  for (const PlannedItem& planned : plan.items)
    items += (items.empty() ? "\n" : ",\n") +
             to_text(question_json(plan.table.items[planned.index], planned, lists), {.indent = 0});
  Json benchmarks = Json::array();
  for (const Benchmark& benchmark : plan.table.benchmarks)
    benchmarks.push_back(
        {{"benchmark_name", benchmark.name},
         {"metric_type", name_in(stats::classification_metrics(), benchmark.metric)}});
  const auto line = [](const char* key, const Json& value) {
    return "\"" + std::string(key) + "\": " + to_text(value, {.indent = 0}) + ",\n";
  };
  return "{" + line("schema", questions_schema) + line("table_sha256", plan.table.sha256) +
         line("benchmarks", benchmarks) + line("options", lists.json()) + "\"items\": [" + items +
         "]}\n";
}

QaPlan parse_questions(std::string_view text, const std::string& name) try {
  const Json json = parse_json(text, name);
  if (json.at("schema") != questions_schema) throw Error(Error::Kind::input, "another schema");
  QaPlan plan;
  plan.table.sha256 = json.at("table_sha256");
  for (const Json& row : json.at("benchmarks"))
    plan.table.benchmarks.push_back(
        {row.at("benchmark_name"),
         value_in(stats::classification_metrics(),
                  row.at("metric_type").get_ref<const std::string&>(), "metric")});
  for (const Json& row : json.at("items")) add_question(plan, row, json.at("options"));
  return plan;
} catch (const std::exception&) {
  throw Error(Error::Kind::input,
              name + ": is not the list of a run's questions; 'assay qa run' writes it again");
}

void write_questions(const fs::path& folder, const QaPlan& plan) {
  const std::string text = questions_text(plan);
  const fs::path path = folder / questions_file;
  if (!fs::exists(path) || read_text(path) != text) write_atomically(path, text);
}

std::optional<QaPlan> read_questions(const fs::path& folder) {
  const fs::path path = folder / questions_file;
  if (!fs::exists(path)) return std::nullopt;
  return parse_questions(read_text(path), path.string());
}

}  // namespace assay::qa
