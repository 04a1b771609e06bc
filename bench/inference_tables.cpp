// SPDX-License-Identifier: Apache-2.0
/// How often intervals and tests of parity, of question answering, of folds and of ranks are right,
/// by simulation: the tables of docs/parity.md, docs/qa.md and docs/comparison.md. Fixed seeds; a
/// minute or two on one core.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "assay/bootstrap.hpp"
#include "assay/compare.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/distributions.hpp"
#include "assay/stats/one_mean.hpp"
#include "assay/stats/random.hpp"
#include "assay/stats/wilcoxon.hpp"

namespace {

using namespace assay;
using Values = std::vector<double>;

// ---- Means of skewed scores
// ----------------------------------------------------------------------

struct Population {
  std::string name;
  Values values;  ///< each as likely as any other

  double mean() const {
    double sum = 0;
    for (const double x : values) sum += x;
    return sum / static_cast<double>(values.size());
  }
};

/// Quantiles of Beta(a, b), the lowest share of them replaced by `failed`.
Population beta(const std::string& name, double a, double b, double failures = 0) {
  Population out = {name, {}};
  constexpr std::size_t count = 2000;
  for (std::size_t i = 0; i < count; ++i) {
    const double place = (static_cast<double>(i) + 0.5) / count;
    const double rest = (place - failures) / (1 - failures);
    out.values.push_back(place < failures ? 0 : stats::beta_quantile(rest, a, b));
  }
  return out;
}

struct MeanRates {
  double student = 0, bootstrap_t = 0, signed_rank = 0;  ///< share of true means not rejected
  double welch = 0;                                      ///< against a paper of as many values
};

MeanRates mean_rates(const Population& population, std::size_t n, std::size_t samples) {
  stats::Generator chance(42);
  const auto draw = [&] {
    Values out;
    for (std::size_t i = 0; i < n; ++i)
      out.push_back(population.values[chance.below(population.values.size())]);
    return out;
  };
  const double truth = population.mean(), one = 1 / static_cast<double>(samples);
  MeanRates out;
  for (std::size_t s = 0; s < samples; ++s) {
    const Values values = draw(), paper = draw();
    if (std::ranges::all_of(values, [&](double x) { return x == values[0]; })) continue;
    if (stats::student_test(values).p_value(truth) > 0.05) out.student += one;
    if (stats::bootstrap_t_test(values, {.replicates = 999, .seed = s}).p_value(truth) > 0.05)
      out.bootstrap_t += one;
    Values differences = values;
    for (double& d : differences) d -= truth;
    if (stats::wilcoxon(differences).pvalue > 0.05) out.signed_rank += one;
    double centre = 0, squares = 0;
    for (const double x : paper) centre += x / static_cast<double>(n);
    for (const double x : paper) squares += (x - centre) * (x - centre);
    for (std::size_t i = 0; i < n; ++i) differences[i] = values[i] - centre;
    const double std = std::sqrt(squares / static_cast<double>(n - 1));
    if (stats::welch_test(differences, std, n).p_value() > 0.05) out.welch += one;
  }
  return out;
}

void print_means(std::size_t samples) {
  const Population populations[] = {beta("Beta(8, 1.5)", 8, 1.5), beta("Beta(4, 1)", 4, 1),
                                    beta("Beta(12, 2), 5 % zeros", 12, 2, 0.05),
                                    beta("Beta(12, 2), 10 % zeros", 12, 2, 0.10)};
  fmt::print("| scores | n | bootstrap-t | Student's t | Welch's t, paper of n | signed-rank |\n");
  fmt::print("|---|---:|---:|---:|---:|---:|\n");
  for (const Population& population : populations)
    for (const std::size_t n : {6U, 10U, 20U, 50U, 100U}) {
      const MeanRates r = mean_rates(population, n, samples);
      fmt::print("| {} | {} | {:.1f} | {:.1f} | {:.1f} | {:.1f} |\n", population.name, n,
                 100 * r.bootstrap_t, 100 * r.student, 100 * r.welch, 100 * r.signed_rank);
    }
}

// ---- Answers
// -------------------------------------------------------------------------------------

/// Questions with their classes and slides. A right answer has a cause that a slide's questions
/// share, and one that both models share.
struct Questions {
  std::string name;
  std::vector<std::uint32_t> classes{};
  std::vector<std::size_t> slides{};
  bool shares_slides = false;
  double by_slide = 0;  ///< share of the latent variance that is the slide's

  std::size_t count() const { return classes.size(); }
};

Questions on_slides(std::size_t slides, double by_slide) {
  Questions out = {fmt::format("{} slides, {} questions, {:g}", slides, 3 * slides, by_slide)};
  for (std::size_t i = 0; i < 3 * slides; ++i) {
    out.classes.push_back(0);
    out.slides.push_back(i < slides ? i : (i * i + 7 * i / 3) % slides);  // of uneven sizes
  }
  out.shares_slides = true;
  out.by_slide = by_slide;
  return out;
}

Questions of_classes(const std::string& name, const std::vector<std::size_t>& sizes) {
  Questions out = {name};
  for (std::size_t k = 0; k < sizes.size(); ++k)
    for (std::size_t i = 0; i < sizes[k]; ++i) {
      out.classes.push_back(static_cast<std::uint32_t>(k));
      out.slides.push_back(out.slides.size());
    }
  return out;
}

double normal(stats::Generator& chance) {
  return stats::normal_quantile((std::floor(chance.uniform() * 1e12) + 0.5) / 1e12);
}

/// Answers of two models that are right with these probabilities.
std::pair<stats::CodedItems, stats::CodedItems> answers(const Questions& q, double first,
                                                        double second, stats::Generator& chance) {
  const std::size_t slides = *std::ranges::max_element(q.slides) + 1;
  const auto noise = [&](std::size_t count) {
    Values out;
    for (std::size_t i = 0; i < count; ++i) out.push_back(normal(chance));
    return out;
  };
  const Values slide_common = noise(slides), item_common = noise(q.count());
  const double common = std::sqrt(0.6), own = std::sqrt(0.4);
  const double slide = std::sqrt(q.by_slide), item = std::sqrt(1 - q.by_slide);
  std::pair<stats::CodedItems, stats::CodedItems> out;
  for (stats::CodedItems* model : {&out.first, &out.second}) {
    const Values slide_own = noise(slides), item_own = noise(q.count());
    const double limit = stats::normal_quantile(model == &out.first ? first : second);
    for (std::size_t i = 0; i < q.count(); ++i) {
      const std::size_t s = q.slides[i];
      const double difficulty = slide * (common * slide_common[s] + own * slide_own[s]) +
                                item * (common * item_common[i] + own * item_own[i]);
      model->codes.push_back(2 * q.classes[i] + (difficulty < limit ? 1U : 0U));
    }
    model->classes = *std::ranges::max_element(q.classes) + 1;
  }
  return out;
}

bool holds(double lower, double upper, double truth) {
  return lower <= truth && truth <= upper;
}

struct AnswerRates {
  double interval = 0, percentile = 0;  ///< coverage of the score
  double difference = 0;                ///< coverage of a true difference
  double rejected = 0, mcnemar = 0;     ///< equal models that are called different
};

/// The percentile interval of resampled questions, as it is specified.
bool percentile_holds(const stats::CodedItems& items, double truth, std::uint64_t seed) {
  const stats::IndexStatistic score = [&](std::span<const std::uint32_t> chosen) {
    std::vector<std::uint32_t> counts(2 * items.classes);
    for (const std::uint32_t i : chosen) ++counts[items.codes[i]];
    return stats::balanced_accuracy_of_counts(counts);
  };
  const stats::BootstrapResult b = stats::bootstrap_indices(
      items.codes.size(), score, {.replicates = 399, .seed = stats::seed_words(seed)});
  return holds(b.ci_lower, b.ci_upper, truth);
}

double mcnemar_p(const stats::CodedItems& first, const stats::CodedItems& second) {
  std::uint64_t b = 0, c = 0;
  for (std::size_t i = 0; i < first.codes.size(); ++i) {
    if (first.codes[i] > second.codes[i]) ++b;
    if (first.codes[i] < second.codes[i]) ++c;
  }
  return stats::mcnemar(b, c).pvalue;
}

AnswerRates answer_rates(const Questions& q, double right, std::size_t samples) {
  stats::Generator chance(42);
  const double one = 1 / static_cast<double>(samples);
  const double better = std::min(right + 0.1, 0.97);
  const stats::Clusters clusters = q.shares_slides ? stats::Clusters(q.slides) : stats::Clusters();
  AnswerRates out;
  for (std::size_t s = 0; s < samples; ++s) {
    const auto equal = answers(q, right, right, chance);
    const stats::Interval score = stats::score_interval(equal.first, clusters).interval;
    if (holds(score.lower, score.upper, right)) out.interval += one;
    if (percentile_holds(equal.first, right, s)) out.percentile += one;
    if (stats::score_difference(equal.first, equal.second, clusters).test.pvalue <= 0.05)
      out.rejected += one;
    if (mcnemar_p(equal.first, equal.second) <= 0.05) out.mcnemar += one;
    const auto unequal = answers(q, right, better, chance);
    const stats::Interval difference =
        stats::score_difference(unequal.first, unequal.second, clusters).interval;
    if (holds(difference.lower, difference.upper, better - right)) out.difference += one;
  }
  return out;
}

void print_answers(const std::vector<Questions>& cases, std::size_t samples) {
  fmt::print("| questions | right | interval | percentile | difference | test | McNemar |\n");
  fmt::print("|---|---:|---:|---:|---:|---:|---:|\n");
  for (const Questions& q : cases)
    for (const double right : {0.6, 0.9}) {
      const AnswerRates r = answer_rates(q, right, samples);
      fmt::print("| {} | {:.0f} % | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} |\n", q.name,
                 100 * right, 100 * r.interval, 100 * r.percentile, 100 * r.difference,
                 100 * r.rejected, 100 * r.mcnemar);
    }
}

// ---- Equal algorithms in a cross-validation
// ------------------------------------------------------

/// Differences of 100 cases in folds. Beside the cases' own spread of 1, all cases of a fold share
/// the luck of its training, of which a part is common to all folds: training sets overlap.
struct FoldRates {
  double pooled = 0, corrected = 0;  ///< equal algorithms that are called different
};

FoldRates fold_rates(std::size_t folds, double luck, double common, std::size_t samples) {
  stats::Generator chance(42);
  const double one = 1 / static_cast<double>(samples), own = std::sqrt(1 - common);
  FoldRates out;
  for (std::size_t s = 0; s < samples; ++s) {
    const double shared = std::sqrt(common) * normal(chance);
    Values all, sums(folds), trained;
    for (std::size_t f = 0; f < folds; ++f)
      trained.push_back(luck * (shared + own * normal(chance)));
    std::vector<std::size_t> sizes(folds);
    for (std::size_t i = 0; i < 100; ++i) {
      all.push_back(trained[i % folds] + normal(chance));
      sums[i % folds] += all.back();
      ++sizes[i % folds];
    }
    for (std::size_t f = 0; f < folds; ++f) sums[f] /= static_cast<double>(sizes[f]);
    const double share = 1 / (static_cast<double>(folds) - 1);
    if (stats::wilcoxon(all).pvalue <= 0.05) out.pooled += one;
    if (stats::resampled_t(sums, share).test.pvalue <= 0.05) out.corrected += one;
  }
  return out;
}

void print_folds(std::size_t samples) {
  fmt::print(
      "| folds | luck | pooled | corrected | pooled, 1/k | corrected, 1/k | pooled, half | "
      "corrected, half |\n|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (const std::size_t folds : {3U, 5U, 10U})
    for (const double luck : {0.0, 0.1, 0.2, 0.3, 0.5}) {
      fmt::print("| {} | {:g} |", folds, luck);
      for (const double common : {0.0, 1 / static_cast<double>(folds), 0.5}) {
        const FoldRates r = fold_rates(folds, luck, common, samples);
        fmt::print(" {:.1f} | {:.1f} |", 100 * r.pooled, 100 * r.corrected);
      }
      fmt::print("\n");
    }
}

// ---- Equal models on few subjects
// ----------------------------------------------------------------

/// Four equal models; each has its taste in subjects, as large as the spread of their cases.
void print_clusters(std::size_t samples) {
  fmt::print(
      "| subjects | cases of each | Friedman over cases | Friedman over subjects |\n"
      "|---:|---:|---:|---:|\n");
  for (const std::size_t subjects : {6U, 12U, 24U})
    for (const std::size_t each : {5U, 20U}) {
      stats::Generator chance(42);
      std::vector<std::size_t> clusters;
      for (std::size_t i = 0; i < subjects * each; ++i) clusters.push_back(i / each);
      std::size_t by_case = 0, by_subject = 0;
      for (std::size_t s = 0; s < samples; ++s) {
        std::vector<Values> scores(4);
        for (Values& row : scores) {
          Values taste;
          for (std::size_t c = 0; c < subjects; ++c) taste.push_back(normal(chance));
          for (const std::size_t cluster : clusters) row.push_back(taste[cluster] + normal(chance));
        }
        const auto rejects = [](const compare::Ranking& r) {
          return r.friedman->f_pvalue <= 0.05 ? 1U : 0U;
        };
        by_case += rejects(compare::ranking(scores, {.replicates = 1}));
        by_subject += rejects(compare::ranking(scores, {.replicates = 1, .clusters = clusters}));
      }
      const double share = 100 / static_cast<double>(samples);
      fmt::print("| {} | {} | {:.1f} | {:.1f} |\n", subjects, each,
                 share * static_cast<double>(by_case), share * static_cast<double>(by_subject));
    }
}

}  // namespace

int main() {
  constexpr std::size_t samples = 4000;
  fmt::print("Equal algorithms called different, 100 cases in folds, %\n\n");
  print_folds(samples);
  fmt::print("\nEqual models called different, cases of subjects, %\n\n");
  print_clusters(1000);
  fmt::print("\n");
  fmt::print("Coverage of 95 % intervals of a mean, %\n\n");
  print_means(samples);
  std::vector<Questions> plain, shared, classes;
  for (const std::size_t n : {12U, 30U, 100U, 200U})
    plain.push_back(of_classes(fmt::format("{} questions", n), {n}));
  for (const std::size_t slides : {2U, 5U, 10U, 20U, 50U})
    for (const double by_slide : {0.2, 0.6}) shared.push_back(on_slides(slides, by_slide));
  std::vector<std::size_t> many;
  for (std::size_t k = 0; k < 30; ++k) many.push_back(3 + k % 9);
  classes = {of_classes("4 classes of 3", {3, 3, 3, 3}),
             of_classes("5 classes of 6", {6, 6, 6, 6, 6}),
             of_classes("6 classes of 33", {33, 33, 33, 33, 33, 33}),
             of_classes("30 classes of 3 to 11", many)};
  for (const auto& [title, cases] :
       {std::pair{"Accuracy, %", &plain}, std::pair{"Accuracy on shared slides, %", &shared},
        std::pair{"Balanced accuracy, %", &classes}}) {
    fmt::print("\n{}\n\n", title);
    print_answers(*cases, samples);
  }
}
