// SPDX-License-Identifier: Apache-2.0
#include "assay/compare/fold_pairing.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "assay/error.hpp"

namespace assay::compare {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw Error(Error::Kind::input, what);
}

/// Ids where every run has them; else all must have indices, which then serve as ids.
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

}  // namespace

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

}  // namespace assay::compare
