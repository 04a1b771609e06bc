// SPDX-License-Identifier: Apache-2.0
/// assay report: everything that was found, as one page to look at.
#include "assay/report.hpp"

#include <array>
#include <filesystem>
#include <ostream>

#include "assay/base/json.hpp"
#include "assay/error.hpp"
#include "assay/report/text/text_table.hpp"
#include "cli/commands.hpp"
#include "cli/margins.hpp"
#include "cli/output.hpp"
#include "cli/score_options.hpp"
#include "cli/warnings.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> results;
  report::ReportRequest request;
  compare::MetricNumbers margin;
  std::string figures, groups;
  std::string images, predictions, references;
  bool intersect = false;
};

constexpr std::array<Named<bool>, 2> viewers = {{{"canvas", false}, {"niivue", true}}};

void declare_options(Arguments& a, Options& o) {
  compare::CompareSettings& s = o.request.study.compare;
  a.positional("RESULT", o.results,
               "Results of any command or other tools, and folders of qa runs, in any mixture");
  a.heading("What is shown");
  a.option("--title TEXT", o.request.study.title,
           "Heading of the page (default: the names of the models)");
  a.option("--cases LIST", o.request.cases,
           "Cases or questions to show besides the worst, median and best; 'all' shows every case "
           "that fits");
  a.option("--metric LIST", s.choice.asked,
           "Metrics to compare (default: the standard ones that all files have)");
  a.option("--label LIST", s.choice.labels,
           "Labels or regions to show; each metric of each is shown (default: the case average)");
  a.heading("Images");
  a.option_or_flag("--images [DIR]", o.request.wants_images, o.images,
                   "Images to show under the masks, named by case id (default: those that "
                   "'assay evaluate' gave to the model)");
  a.option("--predictions DIR", o.predictions,
           "Folder of the predictions, if not where they were scored; may hold a folder per model");
  a.option("--references DIR", o.references,
           "Folder of the references, if not where they were scored");
  a.choice("--viewer", o.request.with_niivue, viewers,
           "Viewer of cases: three planes, or also NiiVue in 3-D");
  a.heading("Comparison");
  a.option("--baseline NAME", s.baseline,
           "Model or file to compare with (default: the first that is given)");
  a.option("--margin M", o.margin,
           "Margin below which differences do not matter: 0.01, or dice=0.01,avd=0.05");
  a.option("--groups,--manifest FILE", o.groups, groups_help);
  a.flag("--by-position", s.matching.by_position,
         "Pair cases by position: the n-th value of each file");
  a.flag("--intersect", o.intersect,
         "Accepted as for compare; a report always compares the common cases");
  a.heading("Output");
  a.option("--figures DIR", o.figures,
           "Also write every figure to DIR: SVG, and PDF and PNG if a converter is found");
}

report::ReportRequest request_of(const Options& o, const Common& common, const Session& session) {
  report::ReportRequest request = o.request;
  report::StudyRequest& study = request.study;
  study.files = o.results;
  study.compare.matching.intersect = true;
  set_margins(o.margin, study.compare);
  study.groups = o.groups;
  study.compare.executor = pool(common, session);
  request.figures = o.figures;
  request.roots = {o.images, o.predictions, o.references};
  return request;
}

void require_folder(const std::string& folder, const char* option) {
  if (!folder.empty() && !fs::is_directory(folder))
    throw Error(Error::Kind::usage, std::string(option) + ": " + folder + " is not a folder");
}

std::string summary_json(const report::WrittenReport& written, const fs::path& out) {
  return to_text({{"schema", "assay.report/1"},
                  {"report", out.generic_string()},
                  {"bytes", written.bytes},
                  {"models", written.models},
                  {"cases", written.cases},
                  {"questions", written.questions},
                  {"figures", written.figures},
                  {"shown", written.shown},
                  {"images", written.images},
                  {"dropped", written.dropped},
                  {"notes", written.notes}}) +
         "\n";
}

Exit run(const Options& o, const Common& common, const Session& session) {
  require_folder(o.images, "--images");
  require_folder(o.predictions, "--predictions");
  require_folder(o.references, "--references");
  const fs::path out = output_file(common.out.empty() ? "report.html" : common.out, "report.html");
  refuse_input(out, {o.results.begin(), o.results.end()});
  const report::WrittenReport written = report::write_report(request_of(o, common, session), out);
  cli::tell("note", written.notes, session.notes);
  cli::tell("note", written.dropped, session.notes);
  if (!written.figure_files.empty())
    session.notes << "figures: " << report::printable(written.figure_files) << '\n';
  if (common.json)
    session.out << summary_json(written, out);
  else if (!common.quiet)
    session.out << report::printable(out.string()) << '\n';
  return written.asked_and_absent == 0 ? done : some_failed;
}

constexpr Example examples[] = {
    {"assay report results.json --images imagesTr",
     "writes report.html: tables, figures, the worst, median and best cases over their images"},
    {"assay report results/*.json --baseline meshnet_26 --margin 0.01 --figures figures",
     "every model against meshnet_26; the figures also as files"},
    {"assay report meshnet.json run --cases sub-017 --out page.html",
     "segmentation and a question-answering run on one page; case sub-017 is shown too"},
};

}  // namespace

const Command report_command = {"report", "Show results as one self-contained HTML page",
                                command<declare_options, run>, examples};

}  // namespace assay::cli
