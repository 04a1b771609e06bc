// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/results/qa_results_authors.hpp"

#include <algorithm>
#include <map>

#include "assay/base/json.hpp"
#include "assay/base/text.hpp"
#include "assay/base/unicode.hpp"
#include "assay/error.hpp"
#include "assay/qa.hpp"

namespace assay::qa {
namespace {

constexpr Named<Outcome> statuses[] = {
    {"ok", Outcome::unparsed},  // until the text is read
    {"missing", Outcome::missing},
    {"invalid_image", Outcome::errored},
    {"error", Outcome::errored},
    {"timeout", Outcome::errored},
    {"max_retries_exceeded", Outcome::errored},
};

[[noreturn]] void fail(const std::string& place, const std::string& what) {
  throw Error(Error::Kind::input, place + ": " + what);
}

std::string text_of(const Json& line, const char* key) {
  if (!line.contains(key) || line.at(key).is_null()) return "";
  const Json& value = line.at(key);
  return value.is_string() ? value.get<std::string>() : to_text(value, {.indent = 0});
}

/// The items of a table by every name that a line may use for one.
class ItemIndex {
 public:
  explicit ItemIndex(const ItemTable& table) {
    for (std::size_t i = 0; i < table.items.size(); ++i) {
      const Item& item = table.items[i];
      add(item.benchmark, item.id, i);
      add(item.benchmark, item.file_id, i);
      add(item.benchmark, item.image_path, i);
    }
  }

  /// The item of a line; names that several items share name none.
  std::optional<std::size_t> find(const Json& line) const {
    const std::string benchmark = text_of(line, "benchmark");
    for (const char* key : {"conv_id", "file_id", "file_name"}) {
      const auto found = places_.find({benchmark, text_of(line, key)});
      if (found != places_.end() && found->second) return found->second;
    }
    return std::nullopt;
  }

 private:
  void add(const std::string& benchmark, const std::string& name, std::size_t i) {
    const auto [known, is_new] = places_.try_emplace({benchmark, name}, i);
    if (!is_new && known->second != i) known->second.reset();
  }

  std::map<std::pair<std::string, std::string>, std::optional<std::size_t>> places_;
};

Attempt attempt_of(const Json& line, const std::string& place) {
  const std::string status = text_of(line, "status");
  const auto* row = std::ranges::find(statuses, status, &Named<Outcome>::name);
  if (row == std::end(statuses))
    fail(place, "has the unknown status '" + status.substr(0, 40) + "'");
  Attempt out = {.outcome = row->value};
  out.answer.raw = text_of(line, "prediction");
  out.error = text_of(line, "error");
  return out;
}

/// What was read: runs by item, and the first model's name.
struct Lines {
  std::map<std::size_t, std::vector<Attempt>> attempts;
  std::string model;
};

void add_line(std::string_view text, const std::string& place, const ItemIndex& index, Lines& out) {
  const Json line = parse_json(text, place);
  if (!line.is_object() || !line.contains("benchmark") || !line.contains("status"))
    fail(place, "is not a line from the GIANT runner; it needs benchmark, status and prediction");
  const auto item = index.find(line);
  if (!item) fail(place, "names no item of the table; give the table that the run was made from");
  auto& attempts = out.attempts[*item];
  attempts.push_back(attempt_of(line, place));
  attempts.back().run = static_cast<unsigned>(attempts.size() - 1);
  if (out.model.empty()) out.model = text_of(line, "model_name");
}

}  // namespace

std::vector<SavedQa> read_authors(std::string_view text, const std::string& name,
                                  const ItemTable* table) {
  if (table == nullptr)
    throw Error(Error::Kind::input, name,
                "holds answers without truths; give the questions with --table");
  const ItemIndex index(*table);
  Lines lines;
  std::size_t number = 0;
  for (const std::string_view whole : parts_of(text, '\n')) {
    const std::string_view line = stripped(whole);
    ++number;
    if (!line.empty()) add_line(line, name + ": line " + std::to_string(number), index, lines);
  }
  std::vector<SavedQa> out;
  for (const Benchmark& benchmark : table->benchmarks) {
    SavedQa one = {.result = {}, .layout = QaLayout::authors, .file = name};
    one.result.run_id = std::filesystem::path(name).stem().string();
    one.result.benchmark_name = benchmark.name;
    one.result.model_name = lines.model;
    one.result.metric = benchmark.metric;
    bool any = false;
    for (std::size_t i = 0; i < table->items.size(); ++i) {
      if (table->items[i].benchmark != benchmark.name) continue;
      auto found = lines.attempts.find(i);
      any = any || found != lines.attempts.end();
      one.result.results.push_back(voted_result(
          table->items[i], found == lines.attempts.end() ? std::vector<Attempt>() : found->second));
    }
    if (any) out.push_back(std::move(one));
  }
  return out;
}

}  // namespace assay::qa
