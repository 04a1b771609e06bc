// SPDX-License-Identifier: Apache-2.0
#include "cli/report_page.hpp"

#include <algorithm>

#include "assay/error.hpp"
#include "assay/report/case_volumes.hpp"
#include "assay/report/page/page_parts.hpp"
#include "assay/report/shown_answers.hpp"
#include "assay/threads.hpp"
#include "cli/commands.hpp"

namespace assay::cli {
namespace {

bool is_question(const report::Study& study, const std::string& id) {
  return std::ranges::any_of(study.qa, [&](const report::QaStudyPart& part) {
    return std::ranges::find(part.result.results, id, &qa::ItemResult::item_id) !=
           part.result.results.end();
  });
}

/// Those of the ids that are no questions: cases, or nothing at all.
std::vector<std::string> cases_among(const report::Study& study, std::vector<std::string> ids) {
  std::erase_if(ids, [&](const std::string& id) { return is_question(study, id); });
  return ids;
}

void add_volumes(ReportResult& result, const ReportRequest& request) {
  report::PageContent& content = result.content;
  const std::vector<std::string> metrics = report::shown_metrics(content.study);
  report::VolumeRequest wanted = {
      .cases = report::shown_cases(content.study, metrics.empty() ? "" : metrics.front(),
                                   cases_among(content.study, request.cases)),
      .roots = request.roots,
      .executor = tbb_executor(request.study.jobs)};
  report::VolumeReading reading = report::read_volumes(content.study, wanted);
  content.volumes = std::move(reading.volumes);
  content.notes.insert(content.notes.end(), reading.notes.begin(), reading.notes.end());
  result.asked_and_absent = reading.asked_and_absent;
  const auto has_image = [](const report::CaseVolume& volume) { return !volume.image.empty(); };
  if (request.wants_images && request.roots.images.empty() &&
      std::ranges::none_of(content.volumes, has_image))
    content.notes.emplace_back(
        "--images: no results file says where its images are; name their folder, --images DIR");
}

}  // namespace

ReportResult made_report(const ReportRequest& request) {
  report::StudyReading reading = report::read_study(request.study);
  ReportResult out;
  report::PageContent& content = out.content;
  content = {.study = std::move(reading.study),
             .findings = std::move(reading.findings),
             .documents = std::move(reading.documents),
             .notes = std::move(reading.notes),
             .version = version(),
             .with_niivue = request.with_niivue};
  content.figures = report::study_figures(content.study);
  content.qa_figures = report::qa_figures(content.study.qa);
  add_volumes(out, request);
  report::AnswerReading answers = report::read_answers(content.study, request.cases);
  content.answers = std::move(answers.answers);
  content.notes.insert(content.notes.end(), answers.notes.begin(), answers.notes.end());
  out.page = report::report_page(content);
  return out;
}

}  // namespace assay::cli
