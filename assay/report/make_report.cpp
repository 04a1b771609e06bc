// SPDX-License-Identifier: Apache-2.0
#include "assay/report/make_report.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <span>

#include "assay/base/file.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/qa/results/trajectory.hpp"
#include "assay/report/case_volumes.hpp"
#include "assay/report/figure_files.hpp"
#include "assay/report/label_views.hpp"
#include "assay/report/page/page_parts.hpp"
#include "assay/report/read_since.hpp"
#include "assay/version.hpp"

namespace assay::report {
namespace {

bool is_question(const Study& study, const std::string& id) {
  return std::ranges::any_of(study.qa, [&](const QaStudyPart& part) {
    return std::ranges::find(part.result.results, id, &qa::ItemResult::item_id) !=
           part.result.results.end();
  });
}

/// The ids that are not questions: they are cases, or unknown.
std::vector<std::string> cases_among(const Study& study, std::vector<std::string> ids) {
  std::erase_if(ids, [&](const std::string& id) { return is_question(study, id); });
  return ids;
}

/// Adds a few cases, so that the picture of the worst case can follow the choice of a label and of
/// a metric.
void add_worst_of_choices(const PageContent& content, std::vector<ShownCase>& cases) {
  constexpr std::size_t most = 6;
  std::vector<const Study*> choices = {&content.study};
  for (const StudyView& view : content.views) choices.push_back(&view.study);
  std::size_t added = 0;
  for (const Study* study : choices)
    for (const std::string& metric : shown_metrics(*study)) {
      const std::optional<std::size_t> place = worst_case(*study, metric);
      if (!place || added == most ||
          std::ranges::find(cases, *place, &ShownCase::place) != cases.end())
        continue;
      cases.push_back({.place = *place, .is_spare = true});
      ++added;
    }
}

void add_volumes(ReportResult& result, const ReportRequest& request) {
  PageContent& content = result.content;
  const std::vector<std::string> metrics = shown_metrics(content.study);
  VolumeRequest wanted = {
      .cases = shown_cases(content.study, metrics.empty() ? "" : metrics.front(),
                           cases_among(content.study, request.cases)),
      .roots = request.roots,
      .executor = request.study.compare.executor,
      .budget_bytes = content.budget_bytes};
  add_worst_of_choices(content, wanted.cases);
  VolumeReading reading = read_volumes(content.study, wanted);
  content.volumes = std::move(reading.volumes);
  content.notes.insert(content.notes.end(), reading.notes.begin(), reading.notes.end());
  result.asked_and_absent = reading.asked_and_absent;
  const auto has_image = [](const CaseVolume& volume) { return !volume.image.empty(); };
  if (request.wants_images && request.roots.images.empty() &&
      std::ranges::none_of(content.volumes, has_image))
    content.notes.emplace_back(
        "--images: no results file says where its images are; name their folder, --images DIR");
}

constexpr std::size_t shown_of_a_benchmark = 6;

/// Items of a part by interest: asked for, then wrong, then the rest, each in the table's order.
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

/// Questions whose trajectories should exist but could not be read.
struct Unread {
  std::vector<std::string> ids{};
  std::string first_reason{};
};

/// One sentence for all questions: a folder that was not copied along would otherwise fill the
/// page.
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

/// Adds the steps of a few questions of each benchmark, if their trajectories are next to the
/// results: those asked for by item id first, then wrong ones, then others.
void add_answers(PageContent& content, const std::vector<std::string>& asked) {
  const Study& study = content.study;
  Unread unread;
  for (std::size_t p = 0; p < study.qa.size(); ++p)
    for (const std::size_t item : by_interest(study.qa[p].result, asked)) {
      try {
        content.answers.push_back(read_answer(study.qa[p], item));
        content.answers.back().part = p;
      } catch (const Error& error) {
        if (unread.ids.empty()) unread.first_reason = error.what();
        unread.ids.push_back(study.qa[p].result.results[item].item_id);
      }
    }
  if (!unread.ids.empty()) content.notes.push_back(sentence(unread));
}

void add_since(PageContent& content, const ReportRequest& request) {
  if (request.since.empty()) return;
  SinceReading reading = read_since(request, content.study);
  content.since = std::move(reading.since);
  content.documents.push_back(std::move(reading.document));
}

void require_viewer(bool niivue) {
  if (niivue && niivue_script().empty())
    throw Error(Error::Kind::unsupported,
                "NiiVue is not part of this build (run 'npm ci' in web/ and build again); --viewer "
                "canvas shows three planes");
}

WrittenReport written_summary(const ReportResult& result) {
  const PageContent& content = result.content;
  WrittenReport out = {.bytes = result.page.html.size(),
                       .cases = content.study.ids.size(),
                       .questions = content.study.qa.size(),
                       .asked_and_absent = result.asked_and_absent,
                       .notes = content.notes,
                       .dropped = result.page.dropped};
  if (content.since) out.since = content.since->changes;
  for (const compare::ResultTable& table : content.study.models)
    out.models.push_back(table.model_name);
  for (const auto* figures : {&content.figures, &content.qa_figures})
    for (const Figure& figure : *figures) out.figures.push_back(figure.key);
  for (const CaseVolume& volume : content.volumes) {
    out.shown.push_back(content.study.ids[volume.place]);
    out.images += volume.image.empty() ? 0U : 1U;
  }
  return out;
}

}  // namespace

ReportResult make_report(const ReportRequest& request) {
  StudyReading reading = read_study(request.study);
  ReportResult out;
  PageContent& content = out.content;
  content = {.study = std::move(reading.study),
             .findings = std::move(reading.findings),
             .documents = std::move(reading.documents),
             .notes = std::move(reading.notes),
             .version = version(),
             .with_niivue = request.with_niivue};
  content.figures = study_figures(content.study);
  content.qa_figures = qa_figures(content.study.qa);
  if (request.study.compare.choice.labels.empty()) {
    LabelViews views = label_views(content.study, request.study.compare.executor);
    content.views = std::move(views.views);
    std::ranges::move(views.notes, std::back_inserter(content.notes));
  }
  add_since(content, request);
  add_volumes(out, request);
  add_answers(content, request.cases);
  out.page = report_page(content);
  return out;
}

WrittenReport write_report(const ReportRequest& request, const std::filesystem::path& out) {
  require_viewer(request.with_niivue);
  if (request.figure_size) drawing_width(*request.figure_size);
  require_writable(out);
  const ReportResult result = make_report(request);
  write_atomically(out, result.page.html);
  WrittenReport written = written_summary(result);
  if (!request.figures.empty())
    written.figure_files = write_figures(result.content, request.figures, request.figure_size);
  return written;
}

}  // namespace assay::report
