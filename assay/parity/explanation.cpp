// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/base/text.hpp"
#include "assay/parity.hpp"

namespace assay::parity {
namespace {

using Sentences = std::vector<std::string>;

/// SDs over runs or folds are about 0.02; subjects differ far more than that.
constexpr double usual_subject_std = 0.1;

void add_missing(const ParityReport& r, Sentences& out) {
  std::vector<std::string> reasons;
  for (const NumberRead* reading : {&r.achieved.dice, &r.achieved.avd, &r.achieved.mcc})
    if (!reading->value && std::ranges::count(reasons, reading->missing) == 0)
      reasons.push_back(reading->missing);
  if (!reasons.empty())
    out.push_back("Not assessable: " + joined(reasons, "; ") +
                  ". A missing value is not replaced.");
  if (!r.dice_std.std.value && std::ranges::count(reasons, r.dice_std.std.missing) == 0)
    out.push_back("The SD of Dice is missing: " + r.dice_std.std.missing + ".");
}

/// What keeps the level from being strict.
void add_level(const ParityReport& r, Sentences& out) {
  if (r.result.parity_level == ParityLevel::not_assessable) return;
  std::string short_of;
  const auto note = [&](const std::optional<bool>& holds, const std::string& text) {
    if (holds && !*holds) short_of.append(short_of.empty() ? "" : "; ").append(text);
  };
  const auto bound = [](const char* metric, const MetricDetail& d, double tolerance) {
    return d.diff ? fmt::format("{} is {:.4f} from the paper's {:.3f} (± {:g} allowed)", metric,
                                std::abs(*d.diff), *d.paper, tolerance)
                  : std::string();
  };
  const ParityDetails& d = r.result.details;
  note(d.dice.within_tolerance, bound("Dice", d.dice, r.limits.dice_tolerance));
  note(d.avd.within_tolerance, bound("AVD", d.avd, r.limits.avd_tolerance));
  note(d.mcc.within_tolerance, bound("MCC", d.mcc, r.limits.mcc_tolerance));
  if (d.dice_std.achieved)
    note(d.dice_std.acceptable, fmt::format("the SD of Dice, {:.4f}, is above {:g}",
                                            *d.dice_std.achieved, r.limits.dice_std));
  if (!short_of.empty()) out.push_back("Not strict: " + short_of + ".");
  if (r.result.meets_or_exceeds.value_or(false) && r.result.parity_level != ParityLevel::strict)
    out.push_back(
        "Every metric is at least as good as the paper's; strict parity asks for the same "
        "numbers, so better ones do not reach it.");
}

void add_spread(const ParityReport& r, Sentences& out) {
  if (!r.dice_std.std.value) return;
  const SpreadReading& used = r.dice_std;
  const std::string paper =
      r.paper.dice.std ? fmt::format("the paper's {:.3f}", *r.paper.dice.std) : "the paper's";
  std::string text = fmt::format(
      "SD: {:.4f} ({}, over {}{}, ddof 0 as specified) is compared with the limit {:g}; {} is "
      "between runs or folds.",
      *used.std.value, used.std.place, words(used.over),
      used.n ? fmt::format(", n = {}", *used.n) : "", r.limits.dice_std, paper);
  if (const auto sample = used.sample_std())
    text += fmt::format(" With ddof 1, as 'assay folds' prints it, it is {:.4f}.", *sample);
  if (used.n == 1)
    text += " One value has no spread: this SD is 0 and says nothing.";
  else if (used.over == SpreadOver::runs && r.achieved.outer_folds == 1)
    text += " All runs are of one outer fold, so what differs between folds is not in it.";
  const bool over_subjects =
      used.over == SpreadOver::subjects ||
      (used.over == SpreadOver::unknown && *used.std.value > usual_subject_std);
  if (over_subjects && *used.std.value > r.limits.dice_std)
    text += fmt::format(
        " An SD over subjects measures how cases differ, typically 0.2 to 0.3, and can hardly be "
        "at most {:g}: strict parity needs the SD over runs or outer folds ('assay folds' writes "
        "it).",
        r.limits.dice_std);
  else if (over_subjects)
    text += " An SD over subjects measures how cases differ, which is a different quantity.";
  else if (used.std.place != r.achieved.dice_std.std.place && r.achieved.dice_std.std.value)
    text +=
        fmt::format(" The file's own {}, {:.4f}, is over subjects and was not used for the level.",
                    r.achieved.dice_std.std.place, *r.achieved.dice_std.std.value);
  out.push_back(text);
  for (const SpreadVerdict& v : r.by_spread)
    if (!v.used && v.level != r.result.parity_level)
      out.push_back(fmt::format("With the SD over {} ({:.4f}) the level would be {}.",
                                words(v.spread.over), *v.spread.std.value, name(v.level)));
}

std::string range(const Bounds& b) {
  return fmt::format("{:.3f}–{:.3f}", b.low, b.high);
}

void add_paper_consistency(const ParityReport& r, Sentences& out) {
  const Consistency& c = r.consistency;
  if (!c.paper || !c.paper->mcc_if_foreground) return;
  std::string text = fmt::format(
      "Dice and MCC: with lesions of {:g}–{:g} % of the volume, a foreground Dice of {:.3f} goes "
      "with an MCC of {}; the paper's MCC is {:.3f}.",
      100 * c.fractions.low, 100 * c.fractions.high, c.paper->dice,
      range(*c.paper->mcc_if_foreground), c.paper->mcc);
  if (c.paper->as_foreground) {
    out.push_back(text + " The two fit.");
    return;
  }
  text += " They cannot both be foreground values.";
  if (c.paper->as_macro)
    text += fmt::format(
        " As the mean over lesion and background (macro) the Dice would lie in {}: the published "
        "Dice fits that.",
        range(*c.paper->dice_if_macro));
  out.push_back(text);
  if (c.line)
    out.push_back(fmt::format(
        "Over the paper's {} models Dice = {:.3f} MCC + {:.3f} (r = {:.3f}, largest residual "
        "{:.3f}); a macro Dice gives about 0.5 MCC + 0.5, a foreground Dice about MCC. {} of {} "
        "rows fit a macro Dice, {} a foreground one. This is inferred from the table, not stated "
        "by its authors.",
        c.line->models, c.line->slope, c.line->intercept, c.line->correlation,
        c.line->largest_residual, c.rows_as_macro, c.rows, c.rows_as_foreground));
}

/// What the level would be with the macro Dice, and which metrics keep it at minimum although this
/// Dice is acceptable.
std::string macro_level(const ParityReport& r, double dice) {
  std::vector<std::string> limiting;
  const auto limits = [](const MetricDetail& d) { return d.acceptable && !*d.acceptable; };
  if (r.macro.level == ParityLevel::minimum && dice >= r.limits.acceptable_dice) {
    if (limits(r.result.details.avd)) limiting.emplace_back("AVD");
    if (limits(r.result.details.mcc)) limiting.emplace_back("MCC");
  }
  std::string out = fmt::format("With it the level would be {}", name(r.macro.level));
  if (!limiting.empty())
    out += fmt::format(", because {} {} not acceptable", joined(limiting, " and "),
                       limiting.size() == 1 ? "is" : "are");
  return out + ".";
}

void add_achieved_consistency(const ParityReport& r, Sentences& out) {
  const Consistency& c = r.consistency;
  if (c.achieved && c.achieved->mcc_if_foreground) {
    const DiceMccPair& pair = *c.achieved;
    const char* fits = pair.as_foreground ? "they fit, so this Dice is of the foreground"
                       : pair.as_macro ? "they do not fit, but as a macro Dice they do: this Dice "
                                         "seems to be the mean over lesion and background already"
                                       : "they fit neither a foreground nor a macro Dice: check "
                                         "how the two were computed";
    out.push_back(fmt::format("Our Dice of {:.4f} would go with an MCC of {}; ours is {:.4f}: {}.",
                              pair.dice, range(*pair.mcc_if_foreground), pair.mcc, fits));
  }
  const bool suspect = c.paper && !c.paper->as_foreground && c.paper->as_macro;
  if (!suspect || (c.achieved && !c.achieved->as_foreground)) return;
  if (r.macro.dice_macro.value)
    out.push_back(fmt::format(
        "Like for like, our macro Dice of {:.4f} compares with the paper's {:.3f}. {}",
        *r.macro.dice_macro.value, r.paper.dice.mean, macro_level(r, *r.macro.dice_macro.value)));
  else if (r.macro.estimated)
    out.push_back(fmt::format(
        "Like for like, our macro Dice would be {} (estimated from the foreground Dice; 'assay "
        "score' measures it) against the paper's {:.3f}. {}",
        range(*r.macro.estimated), r.paper.dice.mean, macro_level(r, r.macro.estimated->low)));
}

/// What the test assumes.
void add_limits_of_comparison(const ParityReport& r, const PaperComparison& c, Sentences& out) {
  out.push_back(
      c.method == "welch-t"
          ? fmt::format("The paper's mean is over {} values; its own uncertainty counts in the "
                        "interval.",
                        *c.paper_n)
          : "The paper's mean is taken as exact, because the number of values in it is not known; "
            "where the paper gives an SD, --paper-n N makes its uncertainty count.");
  if (r.achieved.sample.over == SpreadOver::runs)
    out.push_back(
        "Runs of a cross-validation share their training cases and are not independent: the "
        "interval over runs is too narrow.");
  if (c.verdict == stats::Verdict::equivalent)
    out.push_back(fmt::format(
        "Failures in fewer than about {:.0f} % of cases may not be among {} {}, and equivalence "
        "says nothing about them.",
        300.0 / static_cast<double>(c.n), c.n, words(r.achieved.sample.over)));
}

void add_comparison(const ParityReport& r, Sentences& out) {
  if (!r.comparison) return;
  const PaperComparison& c = *r.comparison;
  const std::string interval =
      c.interval ? fmt::format(", {:g} % interval {:+.4f} to {:+.4f}", 100 * (1 - c.alpha),
                               c.interval->lower, c.interval->upper)
                 : "";
  out.push_back(
      fmt::format("Against the paper's mean, over {} {}: {} ({}, {}; difference {:+.4f}{}).", c.n,
                  words(r.achieved.sample.over), c.conclusion, c.test_type, c.p_text(),
                  c.difference, interval));
  if (!r.options.compat_spec) add_limits_of_comparison(r, c, out);
  if (!c.cohens_d)
    out.push_back("Cohen's d is undefined: " + c.cohens_d_missing + ".");
  else if (r.achieved.sample.over == SpreadOver::subjects)
    out.push_back(
        "Cohen's d divides by a mixture: our SD is over subjects, the paper's over runs or folds.");
  if (r.achieved.sample.left_out != 0)
    out.push_back(
        fmt::format("{} entries of {} without a finite value were left out of the "
                    "comparison.",
                    r.achieved.sample.left_out, r.achieved.sample.place));
}

}  // namespace

std::vector<std::string> parity_explanation(const ParityReport& report, const Paper& paper) {
  Sentences out;
  add_missing(report, out);
  add_level(report, out);
  if (paper.gives_limits && paper.source.empty() && report.paper.key != paper.models.front().key)
    out.push_back(fmt::format(
        "Strict is judged by {}'s own values; acceptable and minimum are the specification's fixed "
        "limits, made for MeshNet-26.",
        report.paper.name));
  add_spread(report, out);
  add_paper_consistency(report, out);
  add_achieved_consistency(report, out);
  add_comparison(report, out);
  return out;
}

}  // namespace assay::parity
