// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/run/qa_plan.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "assay/base/csv.hpp"
#include "assay/base/file.hpp"
#include "assay/base/nearest.hpp"
#include "assay/base/text.hpp"
#include "assay/base/whole.hpp"
#include "assay/bootstrap.hpp"
#include "assay/error.hpp"

namespace assay::qa {
namespace {

void refuse_unknown_benchmarks(const ItemTable& table, const QaSelection& selection) {
  for (const std::string& name : selection.benchmarks)
    if (std::ranges::find(table.benchmarks, name, &Benchmark::name) == table.benchmarks.end())
      throw Error(Error::Kind::usage, "the table has no benchmark '" + name + "'" +
                                          did_you_mean(name, table.benchmarks, &Benchmark::name));
}

bool is_chosen(const QaSelection& selection, const std::string& benchmark) {
  return selection.benchmarks.empty() ||
         std::ranges::find(selection.benchmarks, benchmark) != selection.benchmarks.end();
}

/// The requested items, crossed off while the table is walked: those left over were misspelt.
class WishList {
 public:
  explicit WishList(const std::vector<std::string>& wanted)
      : all_(wanted.empty()), wanted_(wanted.begin(), wanted.end()), left_(wanted_) {}

  bool has(const Item& item) {
    bool found = all_;
    for (const std::string& name : {item.id, item.benchmark + "/" + item.id}) {
      if (!wanted_.contains(name)) continue;
      left_.erase(name);
      found = true;
    }
    return found;
  }

  void refuse_leftovers() const {
    if (!left_.empty())
      throw Error(Error::Kind::usage,
                  "--items: the table has no item '" + *left_.begin() + "'" +
                      (left_.size() == 1
                           ? std::string()
                           : " (nor " + std::to_string(left_.size() - 1) + " others of the list)"));
  }

 private:
  bool all_;
  std::set<std::string> wanted_, left_;
};

}  // namespace

QaPlan planned_run(ItemTable table, const QaSelection& selection, const SlideFolder* slides) {
  refuse_unknown_benchmarks(table, selection);
  WishList wishes(selection.items);
  QaPlan plan;
  std::size_t taken = 0;
  for (std::size_t i = 0; i < table.items.size(); ++i) {
    const Item& item = table.items[i];
    if (!is_chosen(selection, item.benchmark)) continue;
    PlannedItem planned{.index = i, .selected = wishes.has(item), .slide = {}};
    if (planned.selected && selection.max_items > 0 && ++taken > selection.max_items)
      planned.selected = false;
    if (planned.selected && slides != nullptr) planned.slide = slides->find(item);
    plan.items.push_back(std::move(planned));
  }
  wishes.refuse_leftovers();
  plan.table = std::move(table);
  return plan;
}

std::vector<std::string> read_item_list(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  std::vector<std::string> out;
  if (text.substr(0, text.find('\n')).find("benchmark_id") != text.npos) {
    const Csv csv = parse_csv(text, path.string());
    const auto id = csv.column("benchmark_id"), name = csv.column("benchmark_name");
    if (!id)
      throw Error(Error::Kind::input, path.string(), "its header has no column 'benchmark_id'");
    for (const auto& row : csv.rows) out.push_back(name ? row[*name] + "/" + row[*id] : row[*id]);
    return out;
  }
  for (const std::string_view line : parts_of(text, '\n'))
    if (const std::string_view id = trimmed_end(line, " \r"); !id.empty()) out.emplace_back(id);
  if (out.empty())
    throw Error(Error::Kind::input, path.string(), "lists no items; write one id per line");
  return out;
}

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
  throw Error(Error::Kind::input, name,
              "is not the list of a run's questions; 'assay qa run' writes it again");
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
