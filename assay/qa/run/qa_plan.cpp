// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/run/qa_plan.hpp"

#include <algorithm>
#include <set>

#include "assay/base/csv.hpp"
#include "assay/base/file.hpp"
#include "assay/base/nearest.hpp"
#include "assay/base/text.hpp"
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
      throw Error(Error::Kind::input, path.string() + ": its header has no column 'benchmark_id'");
    for (const auto& row : csv.rows) out.push_back(name ? row[*name] + "/" + row[*id] : row[*id]);
    return out;
  }
  for (const std::string_view line : parts_of(text, '\n'))
    if (const std::string_view id = trimmed_end(line, " \r"); !id.empty()) out.emplace_back(id);
  if (out.empty())
    throw Error(Error::Kind::input, path.string() + ": lists no items; write one id per line");
  return out;
}

}  // namespace assay::qa
