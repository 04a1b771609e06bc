// SPDX-License-Identifier: Apache-2.0
/// Answers and votes.
#include "assay/qa/extract.hpp"
#include "assay/qa/vote.hpp"
#include "python/module/module.hpp"

namespace assay::python {
namespace {

using py::arg;

/// Python counts characters where the library counts bytes.
std::size_t character_at(const std::string& text, std::size_t byte) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < byte; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) ++count;
  return count;
}

py::tuple extract(const std::string& prediction, const std::string& benchmark,
                  const std::vector<std::string>& options, const std::string& rules) {
  const ExtractionRules chosen = value_in(extraction_rules(), rules, "rules");
  ExtractedAnswer answer;
  {
    const py::gil_scoped_release released;
    answer = extract_label(prediction, benchmark, options, chosen);
  }
  return py::make_tuple(answer.label, answer.raw, answer.rule,
                        py::make_tuple(character_at(answer.raw, answer.span.first),
                                       character_at(answer.raw, answer.span.second)));
}

py::tuple vote(const std::vector<OptionalLabel>& labels,
               const std::vector<std::string>& predictions) {
  const VoteResult result = majority_vote(labels, predictions);
  py::dict counts;
  for (const auto& [label, count] : result.counts) counts[py::int_(label)] = count;
  return py::make_tuple(result.label, result.prediction, counts, result.tied);
}

}  // namespace

void bind_qa(py::module_& module) {
  module.def("extract_label", extract, arg("prediction"), arg("benchmark_name"), arg("options"),
             arg("rules"));
  module.def("majority_vote", vote, arg("labels"), arg("predictions"));
}

}  // namespace assay::python
