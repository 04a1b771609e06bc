// SPDX-License-Identifier: Apache-2.0
#include "assay/report/text/metric_reference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "assay/base/words.hpp"
#include "assay/metrics/metric.hpp"
#include "assay/metrics/synonyms.hpp"

namespace assay::report {
namespace {

std::string bound(double x) {
  return x == metrics::infinity ? "∞" : fmt::format("{:g}", x);
}

std::string range_text(const metrics::Metric& m) {
  return fmt::format("{} … {}{}", bound(m.range.low), bound(m.range.high),
                     m.unit.empty() ? "" : fmt::format(" {}", m.unit));
}

std::string direction_text(const metrics::Metric& m) {
  switch (m.better) {
    case metrics::Better::higher: return "higher is better";
    case metrics::Better::lower: return "lower is better";
    case metrics::Better::zero: return "nearer to 0 is better";
    case metrics::Better::neither: return "informs only";
  }
  return "";
}

/// One lesion where there are voxels.
metrics::LesionEvidence lesions_of(const metrics::Confusion& counts) {
  return {.references = counts.reference() != 0 ? 1 : 0,
          .predictions = counts.prediction() != 0 ? 1 : 0};
}

/// What an empty mask gives: by the rule, or by the formula itself.
std::string on_empty(const metrics::Metric& m, const metrics::Confusion& counts) {
  const metrics::Score s = metrics::score(m, {counts, 0.001, {}, lesions_of(counts)});
  if (const auto x = metrics::value(s)) return fmt::format("{:g}", *x);
  return fmt::format("undefined ({})", name(std::get<metrics::Undefined>(s)));
}

// Masks of any size show the rule, unless the value is a volume and depends on the size.
constexpr metrics::Confusion both_empty = {.tn = 1000};
constexpr metrics::Confusion no_reference = {.fp = 10, .tn = 990};
constexpr metrics::Confusion no_prediction = {.fn = 10, .tn = 990};

bool depends_on_size(const metrics::Metric& m) {
  return m.unit == "mL" || m.name == "lesion_count_difference" || m.name == "lesion_hd95" ||
         m.name == "specificity" || m.name == "npv" || m.name == "accuracy" ||
         m.name == "balanced_accuracy" || m.name == "dice_macro";
}

std::string empty_text(const metrics::Metric& m) {
  if (m.needs_probability())
    return m.empty.reference
               ? fmt::format("reference {}; else by the formula", on_empty(m, no_reference))
               : "by the formula";
  if (depends_on_size(m)) {
    const std::string both = on_empty(m, both_empty);
    return fmt::format("both {}; else by the formula", both);
  }
  return fmt::format("both {}; reference {}; prediction {}", on_empty(m, both_empty),
                     on_empty(m, no_reference), on_empty(m, no_prediction));
}

std::string failure_text(const metrics::Metric& m) {
  if (!m.failure) return "not counted";
  if (*m.failure == metrics::infinity) return "the image's diagonal";
  if (m.better == metrics::Better::zero)
    return fmt::format("{0:g} for a false alarm, -{0:g} otherwise", *m.failure);
  return fmt::format("{:g}", *m.failure);
}

/// The names that are understood besides the key, after `before`; "" where there are none.
std::string other_names(const metrics::Metric& m, std::string_view before, std::string_view after) {
  const auto names = metrics::synonyms_of(m.name);
  return names.empty() ? "" : fmt::format("{}{}{}", before, joined(names), after);
}

/// A bar would end the cell of a Markdown table.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string covered(const metrics::Convention& c) {
  return c.covered.empty() ? "every metric" : fmt::format("{}", fmt::join(c.covered, ", "));
}

}  // namespace

std::string metric_listing() {
  std::string out;
  for (const metrics::Metric& m : metrics::metrics())
    out += fmt::format(
        "{:<22}{}\n{:<22}{}\n{:<22}{}, {}; empty masks: {}; failure: {}\n{:<22}{}{}\n{}\n", m.name,
        m.title, "", m.equation, "", range_text(m), direction_text(m), empty_text(m),
        failure_text(m), "", m.note, m.reference.empty() ? "" : fmt::format(" [{}]", m.reference),
        other_names(m, fmt::format("{:<22}also called ", ""), "\n"));
  out += "groups: ";
  for (const auto group : metrics::metric_groups()) out += fmt::format("{} ", group);
  out += "\nconventions:\n";
  for (const metrics::Convention& c : metrics::conventions())
    out += fmt::format("  {:<18}{}\n{:<20}covers {}\n", c.name, c.summary, "", covered(c));
  return out;
}

std::string metric_reference() {
  std::string out =
      "# Metrics\n\nMade by `assay docs metrics` from the metric table; do not edit.\n\n"
      "TP, FP, FN, TN are voxel counts of one label or region against the rest; V is a volume.\n"
      "\n\"Failure\" is what a failure of the model counts where failures are counted: in the "
      "second "
      "of\nthe two means that `assay score` prints, under `--missing worst`, and in `assay "
      "compare`. "
      "The model\nfails where its prediction is missing or cannot be read, where it is empty and "
      "the "
      "reference is\nnot, and where it is a false alarm on an empty reference. Of two empty masks "
      "nobody is to blame.\n"
      "\nNames are understood in any case, and by the other names listed; results have the key.\n";
  for (const metrics::Metric& m : metrics::metrics())
    out += fmt::format(
        "\n## `{}`\n\n{}. {}\n\n| | |\n|---|---|\n| formula | `{}` |\n| range | {} |\n"
        "| direction | {} |\n| empty masks | {} |\n| failure | {} |\n| group | {} |\n{}{}",
        m.name, m.title, m.note, cell(m.equation), range_text(m), direction_text(m), empty_text(m),
        failure_text(m), m.group, other_names(m, "| also called | ", " |\n"),
        m.reference.empty() ? "" : fmt::format("| reference | {} |\n", m.reference));
  out +=
      "\n## Conventions\n\nWritten into every result; `--convention NAME` chooses. A metric that a "
      "convention does not cover is\nassay's own there, and results list it as "
      "`outside_convention`. [Conventions](conventions.md) says how each was checked.\n\n"
      "| name | | covers |\n|---|---|---|\n";
  for (const metrics::Convention& c : metrics::conventions())
    out += fmt::format("| `{}` | {} | {} |\n", c.name, c.summary, covered(c));
  return out;
}

}  // namespace assay::report
