// SPDX-License-Identifier: Apache-2.0
//
// Three spreads are confused in papers. Over subjects: how much patients differ; it does not shrink
// with more training runs. Over runs: how much the mean moves when training is repeated. Over outer
// folds: how much it moves when both training and test subjects change. All three are kept apart
// here, each with its n, and ddof 1, because the runs are a sample of those that could have been.
#include "assay/compare/cross_validation.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "assay/base/named.hpp"
#include "assay/compare/averaged.hpp"
#include "assay/compare/fold_pairing.hpp"
#include "assay/error.hpp"
#include "assay/stats/moments.hpp"

namespace assay::compare {
namespace {

constexpr Named<Restarts> restart_names[] = {
    {"mean", Restarts::mean}, {"median", Restarts::median}, {"best", Restarts::best}};

std::vector<double> defined(std::span<const Value> values) {
  std::vector<double> out;
  for (const Value& value : values)
    if (value) out.push_back(*value);
  return out;
}

Spread of_means(std::span<const Spread> parts) {
  std::vector<Value> means;
  for (const Spread& part : parts) means.push_back(part.mean);
  return spread(means);
}

/// The metrics of the first run that all others have too.
std::vector<std::string> common_metrics(const std::vector<FoldRun>& runs,
                                        std::vector<std::string>& warnings) {
  std::vector<std::string> common, partial;
  for (const FoldRun& run : runs)
    for (const MetricColumn& column : run.columns) {
      if (std::ranges::count(common, column.name) + std::ranges::count(partial, column.name) != 0)
        continue;
      const auto lacking = std::ranges::find_if(runs, [&](const FoldRun& other) {
        return column_of(other.columns, column.name) == nullptr;
      });
      (lacking == runs.end() ? common : partial).push_back(column.name);
      if (lacking != runs.end())
        warnings.push_back(column.name + " is left out, since not every run has it: " +
                           lacking->file + " has none");
    }
  if (common.empty())
    throw Error(Error::Kind::input, "no metric is in every run (" + runs.front().file +
                                        " and the others); give runs of one experiment");
  return common;
}

std::size_t position_of_dice(const std::vector<std::string>& metrics) {
  const auto dice = std::ranges::find(metrics, "dice");
  if (dice == metrics.end())
    throw Error(Error::Kind::usage,
                "--restarts best takes the restart with the highest mean Dice, and these runs "
                "have no dice; use mean or median");
  return static_cast<std::size_t>(dice - metrics.begin());
}

/// The first run with the highest mean.
std::size_t best_run(const OuterFold& fold, std::size_t dice) {
  const auto best = std::ranges::max_element(fold.runs, {}, [&](const TestedRun& run) {
    return run.subjects[dice].mean.value_or(-HUGE_VAL);
  });
  if (!best->subjects[dice].mean)
    throw Error(Error::Kind::input, "outer fold " + std::to_string(fold.number) +
                                        ": no restart has a Dice, so none is best; use --restarts "
                                        "mean or median");
  return static_cast<std::size_t>(best - fold.runs.begin());
}

/// One subject's values in the restarts as one value. A restart without value does not count.
Value made_one(std::span<const Value> of_restarts, Restarts rule) {
  const std::vector<double> values = defined(of_restarts);
  if (values.empty()) return std::nullopt;
  return rule == Restarts::median ? stats::median(values) : stats::mean(values);
}

std::vector<Value> aggregated(const OuterFold& fold, const std::string& metric, Restarts rule) {
  if (fold.best) return column_of(fold.runs[*fold.best].run.columns, metric)->values;
  std::vector<Value> out;
  std::vector<Value> of_restarts(fold.runs.size());
  for (std::size_t s = 0; s < fold.subjects.size(); ++s) {
    for (std::size_t r = 0; r < fold.runs.size(); ++r)
      of_restarts[r] = column_of(fold.runs[r].run.columns, metric)->values[s];
    out.push_back(made_one(of_restarts, rule));
  }
  return out;
}

OuterFold tested(PairedFold paired, const std::vector<std::string>& metrics, Restarts rule) {
  OuterFold fold;
  fold.number = paired.number;
  fold.subjects = std::move(paired.subjects);
  for (FoldRun& run : paired.runs) {
    TestedRun one = {std::move(run), {}};
    for (const std::string& metric : metrics)
      one.subjects.push_back(spread(column_of(one.run.columns, metric)->values));
    fold.runs.push_back(std::move(one));
  }
  if (rule == Restarts::best) fold.best = best_run(fold, position_of_dice(metrics));
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    fold.values.push_back(aggregated(fold, metrics[m], rule));
    fold.over_subjects.push_back(spread(fold.values.back()));
    std::vector<Spread> runs;
    for (const TestedRun& run : fold.runs) runs.push_back(run.subjects[m]);
    fold.over_runs.push_back(of_means(runs));
  }
  return fold;
}

RestartSpread restart_spread(const std::vector<OuterFold>& folds, std::size_t metric) {
  double squares = 0;
  RestartSpread out;
  for (const OuterFold& fold : folds) {
    const Spread& runs = fold.over_runs[metric];
    if (!runs.std) continue;
    squares += *runs.std * *runs.std * static_cast<double>(runs.n - 1);
    out.degrees += runs.n - 1;
  }
  if (out.degrees != 0) out.std = std::sqrt(squares / static_cast<double>(out.degrees));
  return out;
}

NamedSpreads named_spreads(const CrossValidation& all, std::size_t metric) {
  std::vector<Value> subjects;
  std::vector<Spread> runs, folds;
  NamedSpreads out;
  out.metric = all.metrics[metric];
  for (const OuterFold& fold : all.folds) {
    subjects.insert(subjects.end(), fold.values[metric].begin(), fold.values[metric].end());
    folds.push_back(fold.over_subjects[metric]);
    for (const TestedRun& run : fold.runs) runs.push_back(run.subjects[metric]);
  }
  for (const Spread& run : runs) out.undefined += run.undefined;
  out.subjects = spread(subjects);
  out.runs = of_means(runs);
  out.outer_folds = of_means(folds);
  out.restarts = restart_spread(all.folds, metric);
  return out;
}

std::vector<PooledSubject> pooled(const std::vector<OuterFold>& folds) {
  std::vector<PooledSubject> out;
  for (const OuterFold& fold : folds)
    for (std::size_t s = 0; s < fold.subjects.size(); ++s) {
      PooledSubject& subject = out.emplace_back();
      subject.id = fold.subjects[s];
      subject.outer_fold = fold.number;
      for (const auto& values : fold.values) subject.values.push_back(values[s]);
    }
  std::ranges::sort(out, {}, &PooledSubject::id);
  return out;
}

bool same_values(const FoldRun& a, const FoldRun& b) {
  return std::ranges::equal(a.columns, b.columns, {}, &MetricColumn::values, &MetricColumn::values);
}

std::string copied(const FoldRun& run, const FoldRun& other) {
  return run.file + ": every value equals that of " + other.file + "; is it a copy?";
}

std::string foreign_mean(const FoldRun& run, const std::string& metric) {
  return run.file + ": test_" + metric + " is not the mean of per_subject_" + metric +
         "; the mean of the values is used";
}

/// What a reader of the numbers should know: copies count twice, and means that do not follow from
/// the values come from somewhere else.
void look_for_oddities(const CrossValidation& all, std::vector<std::string>& warnings) {
  for (const OuterFold& fold : all.folds)
    for (std::size_t r = 0; r < fold.runs.size(); ++r) {
      const FoldRun& run = fold.runs[r].run;
      for (std::size_t other = 0; other < r; ++other)
        if (same_values(run, fold.runs[other].run))
          warnings.push_back(copied(run, fold.runs[other].run));
      for (const auto& [metric, mean] : run.recorded) {
        const auto place = std::ranges::find(all.metrics, metric);
        if (place == all.metrics.end()) continue;
        const Spread& found =
            fold.runs[r].subjects[static_cast<std::size_t>(place - all.metrics.begin())];
        if (found.undefined == 0 && found.mean && std::fabs(*found.mean - mean) > 1e-6)
          warnings.push_back(foreign_mean(run, metric));
      }
    }
}

}  // namespace

std::string_view name(Restarts restarts) {
  return name_in<Restarts>(restart_names, restarts);
}

Restarts restarts_named(std::string_view typed) {
  return value_in<Restarts>(restart_names, typed, "way to aggregate restarts");
}

Spread spread(std::span<const Value> values) {
  const std::vector<double> found = defined(values);
  Spread out;
  out.n = found.size();
  out.undefined = values.size() - found.size();
  if (found.empty()) return out;
  out.mean = stats::mean(found);
  out.median = stats::median(found);
  out.q25 = stats::percentile(found, 25);
  out.q75 = stats::percentile(found, 75);
  if (found.size() < 2) return out;
  out.std = stats::standard_deviation(found, 1);
  out.population_std = stats::standard_deviation(found, 0);
  return out;
}

CrossValidation cross_validated(std::vector<FoldRun> runs, Restarts restarts) {
  if (runs.empty()) throw Error(Error::Kind::input, "there is no run to aggregate");
  CrossValidation out;
  out.restarts = restarts;
  std::vector<AveragedFile> files;
  files.reserve(runs.size());
  for (const FoldRun& run : runs) files.push_back({run.file, run.averaged});
  require_same_averages(files, out.warnings);
  out.metrics = common_metrics(runs, out.warnings);
  for (PairedFold& fold : paired_folds(std::move(runs)))
    out.folds.push_back(tested(std::move(fold), out.metrics, restarts));
  for (std::size_t m = 0; m < out.metrics.size(); ++m) out.spreads.push_back(named_spreads(out, m));
  out.subjects = pooled(out.folds);
  look_for_oddities(out, out.warnings);
  return out;
}

}  // namespace assay::compare
