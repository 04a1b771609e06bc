// SPDX-License-Identifier: Apache-2.0
/// assay report: everything that was found, as one page to look at.
#include <filesystem>
#include <memory>
#include <ostream>

#include "assay/base/error.hpp"
#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/report/text/text_table.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/qa_files.hpp"
#include "cli/report_figures.hpp"
#include "cli/report_page.hpp"
#include "cli/score_options.hpp"
#include "cli/words.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> results;
  std::string baseline, metrics, labels, margin, groups, title, cases, figures;
  std::string images, predictions, references, viewer = "canvas";
  bool wants_images = false;
  bool intersect = false, by_position = false;
};

void declare_options(Arguments& a, Options& o) {
  a.positional("RESULT", o.results,
               "Results of any command, of other tools, or folders of qa runs, in any mixture");
  a.option("--title TEXT", o.title, "Heading of the page (default: the names of the models)");
  a.option("--baseline NAME", o.baseline,
           "Model or file to compare with (default: the first that is given)");
  a.option("--metric LIST", o.metrics,
           "Metrics to compare (default: the standard ones that all files have)");
  a.option("--label LIST", o.labels,
           "Labels or regions to show; each metric of each is shown (default: the case average)");
  a.option("--margin M", o.margin,
           "Differences below M do not matter: 0.01, or dice=0.01,avd=0.05");
  a.flag("--intersect", o.intersect, "As for compare; a report always takes the common cases");
  a.flag("--by-position", o.by_position, "The n-th value of each file is the same case");
  a.option("--groups,--manifest FILE", o.groups, groups_help);
  a.option_or_flag("--images [DIR]", o.wants_images, o.images,
                   "Images to show under the masks, named by case id (default: those that "
                   "'assay evaluate' gave to the model)");
  a.option("--cases LIST", o.cases,
           "Cases or questions to show besides the worst, median and best");
  a.option("--predictions DIR", o.predictions,
           "Where predictions are, if not where they were scored; may hold a folder per model");
  a.option("--references DIR", o.references, "Where references are, if not where they were scored");
  a.option("--figures DIR", o.figures,
           "Also writes every drawing there: SVG, and PDF and PNG if a converter is found");
  a.choice("--viewer", o.viewer, {"canvas", "niivue"},
           "What shows cases: three planes (default), or also NiiVue in 3-D");
}

ReportRequest request_of(const Options& o, const Common& common) {
  ReportRequest request;
  report::StudyRequest& study = request.study;
  for (const fs::path& file : qa_files(o.results)) study.files.push_back(file.string());
  study.title = o.title;
  study.compare.baseline = o.baseline;
  study.compare.choice = {words_in(o.metrics, "--metric"), words_in(o.labels, "--label"), {}};
  study.compare.matching = {.intersect = true, .by_position = o.by_position};
  add_margins(o.margin, study.compare);
  study.groups = o.groups;
  study.jobs = jobs(common);
  request.cases = words_in(o.cases, "--cases");
  request.with_niivue = o.viewer == "niivue";
  request.roots = {o.images, o.predictions, o.references};
  request.wants_images = o.wants_images;
  return request;
}

void require_folder(const std::string& folder, const char* option) {
  if (!folder.empty() && !fs::is_directory(folder))
    throw Error(Error::Kind::usage, std::string(option) + ": " + folder + " is not a folder");
}

void require_viewer(const std::string& viewer) {
  if (viewer == "niivue" && report::niivue_script().empty())
    throw Error(Error::Kind::unsupported,
                "NiiVue is not in this build ('npm ci' in web/ before it is built puts it there); "
                "--viewer canvas shows three planes");
}

std::string summary_json(const ReportResult& result, const fs::path& out) {
  const report::Study& study = result.content.study;
  Json models = Json::array(), figures = Json::array(), cases = Json::array();
  for (const compare::ResultTable& table : study.models) models.push_back(table.model_name);
  for (const report::Figure& figure : result.content.figures) figures.push_back(figure.key);
  for (const report::Figure& figure : result.content.qa_figures) figures.push_back(figure.key);
  std::size_t images = 0;
  for (const report::CaseVolume& volume : result.content.volumes) {
    cases.push_back(study.ids[volume.place]);
    images += volume.image.empty() ? 0U : 1U;
  }
  return to_text({{"schema", "assay.report/1"},
                  {"report", out.generic_string()},
                  {"bytes", result.page.html.size()},
                  {"models", models},
                  {"cases", study.ids.size()},
                  {"questions", study.qa.size()},
                  {"figures", figures},
                  {"shown", cases},
                  {"images", images},
                  {"dropped", result.page.dropped},
                  {"notes", result.content.notes}}) +
         "\n";
}

Exit run(const Options& o, const Common& common, const Session& session) {
  require_folder(o.images, "--images");
  require_folder(o.predictions, "--predictions");
  require_folder(o.references, "--references");
  require_viewer(o.viewer);
  const fs::path out = output_file(common.out.empty() ? "report.html" : common.out, "report.html");
  refuse_input(out, {o.results.begin(), o.results.end()});
  require_writable(out);
  const ReportResult result = made_report(request_of(o, common));
  write_atomically(out, result.page.html);
  std::string drawings;
  if (!o.figures.empty()) drawings = write_figures(result.content, o.figures);
  if (!common.quiet) {
    for (const std::string& note : result.content.notes)
      session.err << "note: " << report::printable(note) << '\n';
    for (const std::string& sentence : result.page.dropped)
      session.err << "note: " << report::printable(sentence) << '\n';
    if (!drawings.empty()) session.err << "drawings: " << report::printable(drawings) << '\n';
  }
  if (common.json)
    session.out << summary_json(result, out);
  else if (!common.quiet)
    session.out << report::printable(out.string()) << '\n';
  return result.asked_and_absent == 0 ? done : some_failed;
}

Action declare(Arguments& arguments) {
  const auto options = std::make_shared<Options>();
  declare_options(arguments, *options);
  return [options](const Common& common, const Session& session) {
    return run(*options, common, session);
  };
}

constexpr Example examples[] = {
    {"assay report results.json --images imagesTr",
     "writes report.html: table, drawings, the worst, median and best cases over their images"},
    {"assay report results/*.json --baseline meshnet_26 --margin 0.01 --figures drawings",
     "every model against meshnet_26; the drawings also as files"},
    {"assay report meshnet.json run --cases sub-017 --out page.html",
     "segmentation and a question-answering run on one page; case sub-017 is shown, too"},
};

}  // namespace

const Command report_command = {"report", "Show results as one HTML page that needs nothing else",
                                declare, examples};

}  // namespace assay::cli
