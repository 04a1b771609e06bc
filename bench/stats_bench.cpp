// SPDX-License-Identifier: Apache-2.0
/// The statistics of one comparison table and one leaderboard row; peers_stats.py times the same
/// data.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "assay/bootstrap.hpp"
#include "assay/statistics.hpp"
#include "assay/stats/random.hpp"
#include "assay/threads.hpp"

using namespace assay;

namespace {

using Scores = std::vector<double>;

/// default_rng(42): 200 reference scores, then 13 models that differ from it.
struct Family {
  Scores reference;
  std::vector<Scores> models;
};

Family family(std::size_t cases = 200, std::size_t models = 13) {
  stats::Generator generator(42);
  Family result{Scores(cases), std::vector<Scores>(models, Scores(cases))};
  for (double& score : result.reference) score = generator.uniform();
  for (Scores& model : result.models)
    for (std::size_t i = 0; i < cases; ++i)
      model[i] = result.reference[i] + 0.1 * (generator.uniform() - 0.45);
  return result;
}

void wilcoxon_family(benchmark::State& state, stats::WilcoxonPolicy policy) {
  const Family data = family();
  for (auto _ : state) {
    std::vector<double> pvalues;
    for (const Scores& model : data.models)
      pvalues.push_back(stats::wilcoxon(data.reference, model, {.policy = policy}).pvalue);
    benchmark::DoNotOptimize(stats::holm(pvalues));
  }
}

void wilcoxon_exact_50(benchmark::State& state) {
  const Family data = family(50, 1);
  const Scores d = stats::differences(data.reference, data.models[0]);
  for (auto _ : state) benchmark::DoNotOptimize(stats::wilcoxon(d).pvalue);
}

void hodges_lehmann_934(benchmark::State& state) {
  const Family data = family(934, 1);
  const Scores d = stats::differences(data.reference, data.models[0]);
  for (auto _ : state) benchmark::DoNotOptimize(stats::hodges_lehmann(d).estimate);
}

/// default_rng(42): 934 items of 20 classes, about 70 % of them right.
void bootstrap_balanced_accuracy(benchmark::State& state, unsigned jobs) {
  stats::Generator generator(42);
  std::vector<std::int64_t> truths(934), predictions(934);
  for (std::size_t i = 0; i < truths.size(); ++i) {
    truths[i] = static_cast<std::int64_t>(generator.below(20));
    const bool right = generator.uniform() < 0.7;
    const auto other = static_cast<std::int64_t>(generator.below(20));
    predictions[i] = right ? truths[i] : other;
  }
  const stats::BootstrapOptions options = {.executor = thread_executor(jobs)};
  for (auto _ : state)
    benchmark::DoNotOptimize(stats::bootstrap_metric(
        predictions, truths, stats::ClassificationMetric::balanced_accuracy, options));
}

/// 14 models on 10,000 cases, 1000 replicates.
void joint_bootstrap_14(benchmark::State& state, unsigned jobs) {
  const Family data = family(10'000, 14);
  const stats::BootstrapOptions options = {.executor = thread_executor(jobs)};
  for (auto _ : state) benchmark::DoNotOptimize(stats::joint_bootstrap_means(data.models, options));
}

}  // namespace

BENCHMARK_CAPTURE(wilcoxon_family, exact, stats::WilcoxonPolicy::exact)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(wilcoxon_family, scipy_1_10, stats::WilcoxonPolicy::scipy_1_10)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(wilcoxon_family, scipy_1_15, stats::WilcoxonPolicy::scipy_1_15)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(wilcoxon_exact_50)->Unit(benchmark::kMicrosecond);
BENCHMARK(hodges_lehmann_934)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(bootstrap_balanced_accuracy, one_thread, 1)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(bootstrap_balanced_accuracy, all_cores, 0)
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(joint_bootstrap_14, one_thread, 1)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(joint_bootstrap_14, all_cores, 0)->Unit(benchmark::kMicrosecond)->UseRealTime();
