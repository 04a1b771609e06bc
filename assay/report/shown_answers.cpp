// SPDX-License-Identifier: Apache-2.0
#include "assay/report/shown_answers.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <span>

#include "assay/base/file.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/qa/results/trajectory.hpp"

namespace assay::report {
namespace {

constexpr std::size_t shown_of_a_benchmark = 6;

/// Items of a part by interest: asked for, then wrong, then the rest; otherwise as in the table.
std::vector<std::size_t> by_interest(const qa::QaResult& result,
                                     const std::vector<std::string>& asked) {
  const auto dullness = [&](std::size_t i) {
    const qa::ItemResult& item = result.results[i];
    if (std::ranges::find(asked, item.item_id) != asked.end()) return 0;
    return item.correct ? 2 : 1;
  };
  std::vector<std::size_t> order(result.results.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return result.results[i].trajectory_file.empty(); });
  std::ranges::stable_sort(order, {}, dullness);
  const auto wanted = static_cast<std::size_t>(
      std::ranges::count_if(order, [&](std::size_t i) { return dullness(i) == 0; }));
  order.resize(std::min(order.size(), wanted + shown_of_a_benchmark));
  return order;
}

/// A results file may come from anywhere: its paths must not point outside its folder.
bool stays_inside(const std::filesystem::path& path) {
  return path.is_relative() && std::ranges::find(path, "..") == path.end();
}

/// Questions whose steps should have been there.
struct Unread {
  std::vector<std::string> ids{};
  std::string first_reason{};
};

/// One sentence for all: a folder that was not copied along would otherwise fill the page.
std::string sentence(const Unread& unread) {
  constexpr std::size_t named = 3;
  const std::vector<std::string>& ids = unread.ids;
  if (ids.size() == 1) return "no steps of question " + ids.front() + ": " + unread.first_reason;
  const std::span first(ids.data(), std::min(ids.size(), named));
  const std::string rest =
      ids.size() > named ? " and " + std::to_string(ids.size() - named) + " more" : "";
  return "no steps of " + counted(ids.size(), "question") + " (" + joined(first) + rest +
         "); the first: " + unread.first_reason;
}

ShownAnswer read_answer(const QaStudyPart& part, std::size_t item) {
  const qa::ItemResult& result = part.result.results[item];
  const std::filesystem::path run = std::filesystem::path(part.source).parent_path();
  if (!stays_inside(result.trajectory_file))
    throw Error(Error::Kind::input, "'trajectory_file' points outside the run's folder");
  const std::filesystem::path path = run / result.trajectory_file;
  ShownAnswer out = {.item = item, .view = {qa::parse_trajectory(read_text(path), path.string())}};
  out.view.result = result;
  out.view.jpegs = qa::read_crops(out.view.trajectory, run);
  return out;
}

}  // namespace

AnswerReading read_answers(const Study& study, const std::vector<std::string>& asked) {
  AnswerReading out;
  Unread unread;
  for (std::size_t p = 0; p < study.qa.size(); ++p)
    for (const std::size_t item : by_interest(study.qa[p].result, asked)) {
      try {
        out.answers.push_back(read_answer(study.qa[p], item));
        out.answers.back().part = p;
      } catch (const Error& error) {
        if (unread.ids.empty()) unread.first_reason = error.what();
        unread.ids.push_back(study.qa[p].result.results[item].item_id);
      }
    }
  if (!unread.ids.empty()) out.notes.push_back(sentence(unread));
  return out;
}

}  // namespace assay::report
