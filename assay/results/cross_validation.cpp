// SPDX-License-Identifier: Apache-2.0
#include "assay/results/cross_validation.hpp"

#include "assay/base/json.hpp"
#include "assay/results/provenance.hpp"

namespace assay::results {
namespace {

Json to_json(const std::vector<compare::Value>& values) {
  Json out = Json::array();
  for (const compare::Value& x : values) out.push_back(or_null(x));
  return out;
}

Json to_json(const compare::Spread& s) {
  return {{"mean", or_null(s.mean)},
          {"std", or_null(s.std)},
          {"ddof", 1},
          {"n", s.n},
          {"undefined", s.undefined}};
}

Json to_json(const compare::RestartSpread& s) {
  return {{"std", or_null(s.std)}, {"degrees_of_freedom", s.degrees}};
}

Json config_json(const compare::CrossValidation& result, const RunLedger& ledger) {
  std::size_t restarts = 0;
  for (const compare::OuterFold& fold : result.folds)
    restarts = std::max(restarts, fold.runs.size());
  return {{"num_outer_folds", result.folds.size()},
          {"num_restarts", restarts},
          {"num_runs", ledger.read},
          {"restart_aggregation", name(result.restarts)},
          {"metrics", result.metrics}};
}

Json to_json(const compare::TestedRun& tested, const compare::CrossValidation& result) {
  const compare::FoldRun& run = tested.run;
  Json out = {
      {"outer_fold", run.outer_fold}, {"restart", run.restart}, {"seed", or_null(run.seed)}};
  Json undefined = Json::object();
  for (std::size_t m = 0; m < result.metrics.size(); ++m) {
    out["test_" + result.metrics[m]] = or_null(tested.subjects[m].mean);
    if (tested.subjects[m].undefined != 0)
      undefined[result.metrics[m]] = tested.subjects[m].undefined;
  }
  if (run.final_train_loss) out["final_train_loss"] = *run.final_train_loss;
  if (run.duration_seconds) out["duration_seconds"] = *run.duration_seconds;
  for (const std::string& metric : result.metrics)
    out["per_subject_" + metric] = to_json(compare::column_of(run.columns, metric)->values);
  out["undefined"] = undefined;
  if (!run.indices.empty()) out["subject_indices"] = run.indices;
  out["subject_ids"] = run.ids;
  out["file"] = run.file;
  return out;
}

/// Over the runs of the fold, as in other writers of this file; `best_` is their best mean.
void add_run_statistics(Json& out, const compare::OuterFold& fold,
                        const compare::CrossValidation& result) {
  for (std::size_t m = 0; m < result.metrics.size(); ++m) {
    out["mean_" + result.metrics[m]] = or_null(fold.over_runs[m].mean);
    out["std_" + result.metrics[m]] = or_null(fold.over_runs[m].population_std);
    if (result.metrics[m] != "dice") continue;
    compare::Value best;
    for (const compare::TestedRun& run : fold.runs)
      if (const compare::Value mean = run.subjects[m].mean; mean && (!best || *mean > *best))
        best = mean;
    out["best_dice"] = or_null(best);
  }
}

Json to_json(const compare::OuterFold& fold, const compare::CrossValidation& result) {
  Json out = {{"outer_fold", fold.number}};
  add_run_statistics(out, fold, result);
  out["num_restarts"] = fold.runs.size();
  out["num_test_subjects"] = fold.subjects.size();
  if (fold.best) out["chosen_restart"] = fold.runs[*fold.best].run.restart;
  Json subjects = Json::object();
  for (std::size_t m = 0; m < result.metrics.size(); ++m)
    subjects[result.metrics[m]] = to_json(fold.over_subjects[m]);
  out["subjects"] = subjects;
  Json runs = Json::array();
  for (const compare::TestedRun& run : fold.runs) runs.push_back(to_json(run, result));
  out["runs"] = runs;
  return out;
}

template <class Part>
Json spreads_json(const compare::CrossValidation& result, Part compare::NamedSpreads::*part) {
  Json out = Json::object();
  for (const compare::NamedSpreads& spreads : result.spreads)
    out[spreads.metric] = to_json(spreads.*part);
  return out;
}

Json summary_json(const compare::CrossValidation& result) {
  Json out = Json::object();
  for (const compare::NamedSpreads& s : result.spreads) {
    out["test_mean_" + s.metric] = or_null(s.subjects.mean);
    out["test_std_" + s.metric] = or_null(s.subjects.population_std);
    out["test_median_" + s.metric] = or_null(s.subjects.median);
    out["test_iqr_" + s.metric] = {or_null(s.subjects.q25), or_null(s.subjects.q75)};
    out["test_mean_" + s.metric + "_per_run"] = or_null(s.runs.mean);
    out["test_std_" + s.metric + "_per_run"] = or_null(s.runs.population_std);
  }
  out["num_test_subjects"] = result.subjects.size();
  out["restart_aggregation"] = name(result.restarts);
  out["optimistic"] = result.restarts == compare::Restarts::best;
  Json undefined = Json::object();
  for (const compare::NamedSpreads& s : result.spreads) undefined[s.metric] = s.undefined;
  out["undefined_values"] = undefined;
  out["spread"] = {{"subjects", spreads_json(result, &compare::NamedSpreads::subjects)},
                   {"runs", spreads_json(result, &compare::NamedSpreads::runs)},
                   {"outer_folds", spreads_json(result, &compare::NamedSpreads::outer_folds)},
                   {"restarts", spreads_json(result, &compare::NamedSpreads::restarts)}};
  return out;
}

Json notes_json(const compare::CrossValidation& result) {
  Json out = {
      "test_std_* and test_std_*_per_run have ddof 0 (np.std); every std under spread has ddof 1",
      "spread.subjects: over the test subjects of all outer folds, restarts combined into one "
      "value each",
      "spread.runs: over the means of single runs; spread.outer_folds: over the means of outer "
      "folds; spread.restarts: of runs around the mean of their outer fold"};
  if (result.restarts == compare::Restarts::best)
    out.push_back(
        "optimistic: in each outer fold the restart with the highest mean Dice on the test set was "
        "taken, so the test set chose the model; publish mean or median instead");
  for (const std::string& warning : result.warnings) out.push_back(warning);
  return out;
}

Json cases_json(const compare::CrossValidation& result) {
  Json out = Json::array();
  for (const compare::PooledSubject& subject : result.subjects) {
    Json one = {{"id", subject.id}, {"outer_fold", subject.outer_fold}};
    for (std::size_t m = 0; m < result.metrics.size(); ++m)
      one[result.metrics[m]] = or_null(subject.values[m]);
    out.push_back(one);
  }
  return out;
}

Json lost_json(const std::vector<LostRun>& runs) {
  Json out = Json::array();
  for (const LostRun& run : runs)
    out.push_back({{"outer_fold", run.outer_fold},
                   {"restart", run.restart},
                   {"file", or_null(run.file)},
                   {"reason", run.reason}});
  return out;
}

Json to_json(const RunLedger& ledger) {
  return {{"expected", ledger.expected},
          {"read", ledger.read},
          {"unreadable", ledger.unreadable.size()},
          {"missing", ledger.missing.size()},
          {"unreadable_runs", lost_json(ledger.unreadable)},
          {"missing_runs", lost_json(ledger.missing)}};
}

}  // namespace

std::string experiment_text(const compare::CrossValidation& result, const RunFolders& folders,
                            const Provenance& provenance) {
  Json folds = Json::array();
  for (const compare::OuterFold& fold : result.folds) folds.push_back(to_json(fold, result));
  Json origin = provenance_json(provenance);
  origin["inputs_sha256"] = folders.inputs_sha256;
  return to_text({{"schema", folds_schema},
                  {"model_name", folders.name},
                  {"config", config_json(result, folders.ledger)},
                  {"folds", folds},
                  {"summary", summary_json(result)},
                  {"notes", notes_json(result)},
                  {"cases", cases_json(result)},
                  {"ledger", to_json(folders.ledger)},
                  {"provenance", origin}}) +
         "\n";
}

}  // namespace assay::results
