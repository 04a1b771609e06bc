// SPDX-License-Identifier: Apache-2.0
/// Questions about slides: tables of them, labels read from answers, votes.
#include <algorithm>

#include "assay/base/named.hpp"
#include "assay/base/text.hpp"
#include "assay/qa.hpp"
#include "assay/qa/slides/slide_folder.hpp"
#include "python/module/module.hpp"

namespace assay::python {
namespace {

using py::arg;
using Strings = std::vector<std::string>;

/// How many characters start within the first `bytes` of UTF-8 text; Python counts characters.
std::size_t characters_before(std::string_view utf8, std::size_t bytes) {
  return character_count(utf8.substr(0, bytes));
}

py::dict extracted(const std::string& prediction, const std::string& benchmark,
                   const Strings& options, const std::string& rules) {
  const auto chosen = value_in(qa::extraction_rules(), rules, "rules");
  qa::ExtractedAnswer answer;
  {
    const py::gil_scoped_release released;
    answer = qa::extract_label(prediction, benchmark, options, chosen);
  }
  py::dict out;
  out["label"] = answer.label;
  out["raw"] = answer.raw;
  out["rule"] = answer.rule;
  out["span"] = py::make_tuple(characters_before(answer.raw, answer.span.first),
                               characters_before(answer.raw, answer.span.second));
  return out;
}

py::dict voted(const std::vector<qa::OptionalLabel>& labels, const Strings& predictions) {
  const qa::VoteResult vote = qa::majority_vote(labels, predictions);
  py::dict out, counts;
  for (const auto& [label, votes] : vote.counts) counts[py::int_(label)] = votes;
  out["label"] = vote.label;
  out["prediction"] = vote.prediction;
  out["counts"] = counts;
  out["tied"] = vote.tied;
  return out;
}

py::list texts_of(const Strings& all) {
  py::list out;
  for (const std::string& one : all) out.append(text_of(one));
  return out;
}

/// As os.fsdecode returns it, so that any file can be opened again.
py::str path_text(const std::filesystem::path& path) {
  const std::string& bytes = path.native();
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeFSDefaultAndSize(bytes.data(), static_cast<py::ssize_t>(bytes.size())));
}

py::str metric_name(stats::ClassificationMetric metric) {
  return std::string(name_in(stats::classification_metrics(), metric));
}

py::list task_list() {
  py::list out;
  for (const qa::Task& task : qa::tasks())
    out.append(py::make_tuple(std::string(task.name), task.questions, task.classes,
                              metric_name(task.metric)));
  return out;
}

py::dict to_python(const qa::Item& item, stats::ClassificationMetric metric) {
  py::dict out;
  out["benchmark_name"] = text_of(item.benchmark);
  out["benchmark_id"] = text_of(item.id);
  out["image_path"] = text_of(item.image_path);
  out["file_id"] = text_of(item.file_id);
  out["prompt"] = text_of(item.prompt);
  out["options"] = texts_of(item.options);
  out["metric_type"] = metric_name(metric);
  out["truth_label"] = item.truth;
  return out;
}

/// (items, names of benchmarks, warnings).
py::tuple items_of(const std::string& path) {
  qa::ItemTable table;
  {
    const py::gil_scoped_release released;
    table = qa::read_items(path);
  }
  py::list items, names;
  for (const qa::Benchmark& benchmark : table.benchmarks) names.append(text_of(benchmark.name));
  for (const qa::Item& item : table.items) {
    const auto found = std::ranges::find(table.benchmarks, item.benchmark, &qa::Benchmark::name);
    items.append(to_python(item, found->metric));
  }
  return py::make_tuple(items, names, texts_of(table.warnings));
}

using SlideName = std::tuple<std::string, std::string, std::string>;

/// For each (benchmark, image path, file id): (path, problem, whether it is ambiguous).
py::list slides_of(const std::string& root, const std::vector<SlideName>& names) {
  std::vector<qa::SlideMatch> found;
  {
    const py::gil_scoped_release released;
    const qa::SlideFolder folder(root);
    for (const auto& [benchmark, image_path, file_id] : names)
      found.push_back(folder.find({.benchmark = benchmark,
                                   .id = {},
                                   .image_path = image_path,
                                   .file_id = file_id,
                                   .prompt = {}}));
  }
  py::list out;
  for (const qa::SlideMatch& match : found)
    out.append(py::make_tuple(path_text(match.path), text_of(match.problem), match.ambiguous));
  return out;
}

}  // namespace

void bind_answers(py::module_& module) {
  module.def("extract_label", extracted, arg("prediction"), arg("benchmark_name"), arg("options"),
             arg("rules"));
  module.def("majority_vote", voted, arg("labels"), arg("predictions"));
  module.def("tasks", task_list, "(name, questions, classes, metric) of the published benchmarks");
  module.def("read_items", items_of, arg("path"), "(items, names of benchmarks, warnings)");
  module.def("find_slides", slides_of, arg("root"), arg("names"),
             "(path, problem, ambiguous) of each");
}

}  // namespace assay::python
