// SPDX-License-Identifier: Apache-2.0
//
// Papers confuse three kinds of spread. Over subjects: how much patients differ; it does not shrink
// with more training runs. Over runs: how much the mean moves when training is repeated. Over outer
// folds: how much it moves when both training and test subjects change. All three are kept apart
// here, each with its n, and with ddof 1, because the runs are a sample of all possible ones.
#include "assay/compare/cross_validation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "assay/base/named.hpp"
#include "assay/compare/models.hpp"
#include "assay/error.hpp"
#include "assay/stats/moments.hpp"

namespace assay::compare {
namespace {

/// The runs of one outer fold, by restart, all with the subjects in the same order.
struct PairedFold {
  std::size_t number = 0;
  std::vector<std::string> subjects;
  std::vector<FoldRun> runs;
};

[[noreturn]] void fail(const std::string& what) {
  throw Error(Error::Kind::input, what);
}

/// Uses ids where every run has them; otherwise all must have indices, which then serve as ids.
void settle_ids(std::vector<FoldRun>& runs) {
  const auto unnamed = std::ranges::find_if(runs, [](const FoldRun& r) { return r.ids.empty(); });
  if (unnamed == runs.end()) return;
  const auto unplaced =
      std::ranges::find_if(runs, [](const FoldRun& r) { return r.indices.empty(); });
  if (unplaced != runs.end())
    fail(unnamed->file + ": has no subject_ids, and " + unplaced->file +
         " has no subject_indices, so their subjects cannot be paired; give files that name "
         "subjects alike");
  for (FoldRun& run : runs) {
    run.ids.clear();
    for (const long long index : run.indices) run.ids.push_back("index_" + std::to_string(index));
  }
}

using Places = std::map<std::string, std::size_t>;

Places places_of(const FoldRun& run) {
  Places places;
  for (std::size_t s = 0; s < run.ids.size(); ++s)
    if (!places.emplace(run.ids[s], s).second)
      fail(run.file + ": subject " + run.ids[s] + " is listed twice; ids must be unique in a run");
  return places;
}

std::string other_subjects(const std::string& lacks, const std::string& has,
                           const std::string& subject) {
  return lacks + ": lacks subject " + subject + ", which " + has +
         " has; restarts of one outer fold must test the same subjects";
}

/// The run with its subjects in the order given.
FoldRun reordered(FoldRun run, const std::vector<std::string>& subjects, const std::string& first) {
  const Places places = places_of(run);
  for (const std::string& id : subjects)
    if (!places.contains(id)) fail(other_subjects(run.file, first, id));
  if (places.size() > subjects.size())
    for (const std::string& id : run.ids)
      if (std::ranges::find(subjects, id) == subjects.end())
        fail(other_subjects(first, run.file, id));
  const FoldRun as_read = run;
  for (std::size_t s = 0; s < subjects.size(); ++s) {
    const std::size_t place = places.at(subjects[s]);
    run.ids[s] = as_read.ids[place];
    if (!run.indices.empty()) run.indices[s] = as_read.indices[place];
    for (std::size_t c = 0; c < run.columns.size(); ++c)
      run.columns[c].values[s] = as_read.columns[c].values[place];
  }
  return run;
}

void refuse_overlap(const std::vector<PairedFold>& folds) {
  std::map<std::string, const PairedFold*> tested;
  for (const PairedFold& fold : folds)
    for (const std::string& id : fold.subjects) {
      const auto [place, is_new] = tested.emplace(id, &fold);
      if (!is_new)
        fail("subject " + id + " is tested in outer fold " + std::to_string(place->second->number) +
             " (" + place->second->runs.front().file + ") and in outer fold " +
             std::to_string(fold.number) + " (" + fold.runs.front().file +
             "); test sets must not overlap, so these are not folds of one cross-validation");
    }
}

/// The folds by number. Subjects are identified by their ids, or by their indices if a run has no
/// ids. Refuses a run given twice, a subject twice in a run, restarts with different subjects, and
/// a subject in two outer folds.
std::vector<PairedFold> paired_folds(std::vector<FoldRun> runs) {
  settle_ids(runs);
  std::ranges::stable_sort(
      runs, {}, [](const FoldRun& run) { return std::tuple(run.outer_fold, run.restart); });
  std::vector<PairedFold> folds;
  for (FoldRun& run : runs) {
    if (folds.empty() || folds.back().number != run.outer_fold) {
      places_of(run);  // for its check: the first run decides the order
      folds.push_back({run.outer_fold, run.ids, {}});
      folds.back().runs.push_back(std::move(run));
      continue;
    }
    PairedFold& fold = folds.back();
    if (fold.runs.back().restart == run.restart)
      fail("outer fold " + std::to_string(run.outer_fold) + ", restart " +
           std::to_string(run.restart) + " is given twice: " + fold.runs.back().file + " and " +
           run.file);
    fold.runs.push_back(reordered(std::move(run), fold.subjects, fold.runs.front().file));
  }
  refuse_overlap(folds);
  return folds;
}

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

/// Combines one subject's values in the restarts into one. A restart without a value does not
/// count.
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

/// What a reader of the numbers should know: copied values count twice, and recorded means that do
/// not follow from the values come from somewhere else.
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
