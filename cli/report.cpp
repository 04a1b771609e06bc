// SPDX-License-Identifier: Apache-2.0
/// assay report: all results as one page.
#include "assay/report.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <ostream>

#include "assay/base/json.hpp"
#include "assay/error.hpp"
#include "assay/report/text/printable.hpp"
#include "cli/commands.hpp"
#include "cli/margins.hpp"
#include "cli/output.hpp"
#include "cli/score_options.hpp"
#include "cli/warnings.hpp"

namespace assay::cli {
namespace report_file {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> results;
  report::ReportRequest request;
  compare::MetricNumbers margin;
  std::string figures, figure_width, groups, since;
  std::optional<double> font_size;
  std::string images, predictions, references;
  bool intersect = false;
};

constexpr std::array<Named<bool>, 2> viewers = {{{"canvas", false}, {"niivue", true}}};

void declare_options(Arguments& a, Options& o) {
  compare::CompareSettings& s = o.request.study.compare;
  a.positional("RESULT", o.results,
               "Results of any command or other tools, and folders of qa runs, in any combination");
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
  a.option("--since FILE", o.since,
           "Results of an older version of the model: show what changed, case by case");
  a.flag("--by-position", s.matching.by_position,
         "Pair cases by position: the n-th value of each file");
  a.flag("--intersect", o.intersect,
         "Accepted as for compare; a report always compares the common cases");
  a.heading("Output");
  a.option(
      "--figures DIR", o.figures,
      "Also write to DIR every figure as SVG (and as PDF and PNG if a converter is found), and "
      "methods, captions, tables and references as text");
  a.option("--figure-width LENGTH", o.figure_width,
           "Width of these figures on paper, such as 85mm for one column, 180mm or 7in; they are "
           "laid out for it, and PNG has 300 dpi");
  a.option("--font-size POINTS", o.font_size,
           fmt::format("Size of the text in figures of that width (default: {:g})",
                       report::PaperSize().font_pt));
}

/// "85mm" in millimetres.
double millimetres(const std::string& text) {
  constexpr Named<double> units[] = {{"mm", 1}, {"cm", 10}, {"in", 25.4}, {"pt", 25.4 / 72}};
  constexpr double narrowest = 40, widest = 1000;
  for (const Named<double>& unit : units) {
    if (!text.ends_with(unit.name)) continue;
    double number = 0;
    const char* const end = text.data() + text.size() - unit.name.size();
    const auto read = std::from_chars(text.data(), end, number);
    const double width = number * unit.value;
    if (read.ec == std::errc() && read.ptr == end && width >= narrowest && width <= widest)
      return width;
  }
  throw Error(Error::Kind::usage, "--figure-width: '" + text +
                                      "' is not a width from 40mm to 1000mm; give a number and "
                                      "a unit (mm, cm, in, pt), such as 85mm");
}

/// The size of figures on paper, if it was given.
std::optional<report::PaperSize> paper_size(const Options& o) {
  constexpr double smallest = 4, largest = 24;
  if (o.figure_width.empty() && !o.font_size) return std::nullopt;
  if (o.figures.empty())
    throw Error(Error::Kind::usage, std::string(o.font_size ? "--font-size" : "--figure-width") +
                                        ": name a folder for the figures, --figures DIR");
  if (o.figure_width.empty())
    throw Error(Error::Kind::usage,
                "--font-size: say how wide the figures are, such as --figure-width 85mm");
  report::PaperSize size = {.width_mm = millimetres(o.figure_width)};
  size.font_pt = o.font_size.value_or(size.font_pt);
  if (!(size.font_pt >= smallest && size.font_pt <= largest))
    throw Error(Error::Kind::usage,
                fmt::format("--font-size: {:g} is not a size from {:g} to {:g} points",
                            size.font_pt, smallest, largest));
  return size;
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
  request.figure_size = paper_size(o);
  request.since = o.since;
  request.roots = {o.images, o.predictions, o.references};
  return request;
}

void require_folder(const std::string& folder, const char* option) {
  if (!folder.empty() && !fs::is_directory(folder))
    throw Error(Error::Kind::usage, std::string(option) + ": " + folder + " is not a folder");
}

Json cases_json(const std::vector<report::ChangedCase>& cases) {
  Json out = Json::array();
  for (const report::ChangedCase& one : cases)
    out.push_back({{"id", one.id}, {"before", one.before}, {"after", one.after}});
  return out;
}

Json since_json(const report::VersionChanges& changes) {
  Json metrics = Json::object(), failed = Json::object(), settings = Json::object();
  for (const report::MetricChange& one : changes.metrics)
    metrics[one.metric] = {{"n", one.n},
                           {"before", or_null(one.before)},
                           {"after", or_null(one.after)},
                           {"difference", or_null(one.difference)},
                           {"ci95", one.ci95 ? Json{one.ci95->first, one.ci95->second} : Json()},
                           {"mean_difference", or_null(one.mean_difference)},
                           {"verdict", one.verdict},
                           {"sentence", one.sentence},
                           {"better", cases_json(one.better)},
                           {"worse", cases_json(one.worse)},
                           {"same", one.same}};
  for (const report::NewFailure& one : changes.failed) failed[one.id] = one.reason;
  for (const report::SettingChange& one : changes.settings)
    settings[one.name] = {{"before", one.before}, {"after", one.after}};
  return {{"before", changes.before_file},
          {"after", changes.after_file},
          {"metrics", metrics},
          {"failed", failed},
          {"recovered", changes.recovered},
          {"appeared", changes.appeared},
          {"disappeared", changes.disappeared},
          {"other_reference", changes.other_reference},
          {"settings", settings},
          {"notes", changes.notes}};
}

std::string summary_json(const report::WrittenReport& written, const fs::path& out) {
  Json summary = {{"schema", "assay.report/1"}, {"report", out.generic_string()},
                  {"bytes", written.bytes},     {"models", written.models},
                  {"cases", written.cases},     {"questions", written.questions},
                  {"figures", written.figures}, {"shown", written.shown},
                  {"images", written.images},   {"dropped", written.dropped},
                  {"notes", written.notes}};
  if (written.since) summary["since"] = since_json(*written.since);
  return to_text(summary) + "\n";
}

Exit run(const Options& o, const Common& common, const Session& session) {
  require_folder(o.images, "--images");
  require_folder(o.predictions, "--predictions");
  require_folder(o.references, "--references");
  const fs::path out = output_file(common.out.empty() ? "report.html" : common.out, "report.html");
  std::vector<std::string> inputs = o.results;
  if (!o.since.empty()) inputs.push_back(o.since);
  refuse_input(out, {inputs.begin(), inputs.end()});
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
    {"assay report v2.json --since v1.json --out changes.html",
     "what changed from v1 to v2: which cases got better and worse"},
    {"assay report meshnet.json run --cases sub-017 --out page.html",
     "segmentation and a question-answering run on one page; case sub-017 is shown too"},
};

}  // namespace
}  // namespace report_file

const Command report_command = {"report", "Show results as one self-contained HTML page",
                                command<report_file::declare_options, report_file::run>,
                                report_file::examples};

}  // namespace assay::cli
