// SPDX-License-Identifier: Apache-2.0
#include "assay/report/make_report.hpp"

#include <algorithm>

#include "assay/base/file.hpp"
#include "assay/error.hpp"
#include "assay/report/case_volumes.hpp"
#include "assay/report/figure_files.hpp"
#include "assay/report/page/page_parts.hpp"
#include "assay/report/shown_answers.hpp"
#include "assay/version.hpp"

namespace assay::report {
namespace {

bool is_question(const Study& study, const std::string& id) {
  return std::ranges::any_of(study.qa, [&](const QaStudyPart& part) {
    return std::ranges::find(part.result.results, id, &qa::ItemResult::item_id) !=
           part.result.results.end();
  });
}

/// Those of the ids that are no questions: cases, or nothing at all.
std::vector<std::string> cases_among(const Study& study, std::vector<std::string> ids) {
  std::erase_if(ids, [&](const std::string& id) { return is_question(study, id); });
  return ids;
}

void add_volumes(ReportResult& result, const ReportRequest& request) {
  PageContent& content = result.content;
  const std::vector<std::string> metrics = shown_metrics(content.study);
  VolumeRequest wanted = {
      .cases = shown_cases(content.study, metrics.empty() ? "" : metrics.front(),
                           cases_among(content.study, request.cases)),
      .roots = request.roots,
      .executor = request.study.compare.executor};
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
  add_volumes(out, request);
  AnswerReading answers = read_answers(content.study, request.cases);
  content.answers = std::move(answers.answers);
  content.notes.insert(content.notes.end(), answers.notes.begin(), answers.notes.end());
  out.page = report_page(content);
  return out;
}

WrittenReport write_report(const ReportRequest& request, const std::filesystem::path& out) {
  require_viewer(request.with_niivue);
  require_writable(out);
  const ReportResult result = make_report(request);
  write_atomically(out, result.page.html);
  WrittenReport written = written_summary(result);
  if (!request.figures.empty())
    written.figure_files = write_figures(result.content, request.figures);
  return written;
}

}  // namespace assay::report
