// SPDX-License-Identifier: Apache-2.0
#include "assay/results/split.hpp"

#include <numeric>

#include "assay/base/json.hpp"
#include "assay/error.hpp"
#include "assay/stats/folds.hpp"

namespace assay::results {
namespace {

Json names_or_null(const std::vector<std::string>& names) {
  return names.empty() ? Json(nullptr) : Json(names);
}

/// The scikit-learn class that divides such items.
std::string_view method_name(const stats::SplitItems& items) {
  const bool stratified = !items.classes.empty(), grouped = !items.groups.empty();
  if (stratified) return grouped ? "StratifiedGroupKFold" : "StratifiedKFold";
  return grouped ? "GroupKFold" : "KFold";
}

Json settings_json(const SplitManifest& manifest, const SplitSettings& s) {
  const bool shuffles = s.seed && (s.group.empty() || !s.stratify.empty());
  Json out = {{"method", method_name(manifest.items)},
              {"outer", s.outer},
              {"inner", s.inner},
              {"shuffle", shuffles},
              {"seed", shuffles ? Json(*s.seed) : Json(nullptr)},
              {"stratify", names_or_null(s.stratify)},
              {"group", or_null(s.group)},
              {"id_column", manifest.id_column},
              // scikit-learn's shuffled StratifiedGroupKFold mixes up groups and their classes (see
              // folds.hpp).
              {"equals_scikit_learn", s.group.empty() || s.stratify.empty() || !s.seed}};
  Json edges = Json::object();
  for (const auto& [name, of] : manifest.bins) edges[name] = of;
  if (!edges.empty()) out["bin_edges"] = edges;
  return out;
}

/// A list and not an object, because two combinations of classes can have the same joined name.
Json strata_json(const SplitManifest& manifest, const stats::FoldNumbers& outer,
                 std::size_t folds) {
  Json out = Json::array();
  const auto tested = stats::members(manifest.items.classes, outer, folds);
  for (std::size_t s = 0; s < tested.size(); ++s)
    out.push_back({{"name", manifest.strata[s]},
                   {"cases", std::accumulate(tested[s].begin(), tested[s].end(), std::size_t{0})},
                   {"tested", tested[s]}});
  return out;
}

/// Ids of the cases that `picks` accepts, in the order of the manifest.
template <class Picks>
Json picked(const std::vector<std::string>& ids, Picks picks) {
  Json out = Json::array();
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (picks(i)) out.push_back(ids[i]);
  return out;
}

Json inner_json(const SplitManifest& manifest, std::size_t count,
                const std::vector<std::optional<std::size_t>>& fold_of) {
  Json out = Json::array();
  for (std::size_t f = 0; f < count; ++f)
    out.push_back({{"fold", f},
                   {"train", picked(manifest.ids,
                                    [&](std::size_t i) { return fold_of[i] && *fold_of[i] != f; })},
                   {"val", picked(manifest.ids, [&](std::size_t i) { return fold_of[i] == f; })}});
  return out;
}

stats::FoldNumbers outer_folds(const SplitManifest& manifest,
                               const stats::SplitOptions& options) try {
  return stats::split(manifest.items, options);
} catch (const Error& e) {
  throw e.within(manifest.file + ": outer folds");
}

stats::NestedFolds nested_folds(const SplitManifest& manifest, const stats::SplitOptions& outer,
                                const stats::SplitOptions& inner) try {
  return stats::nested_split(manifest.items, outer, inner);
} catch (const Error& e) {
  throw e.within(manifest.file + ": inner folds");
}

}  // namespace

stats::NestedFolds folds_of(const SplitManifest& manifest, const SplitSettings& settings) {
  const stats::SplitOptions outer = {.folds = settings.outer, .seed = settings.seed};
  stats::NestedFolds folds = {outer_folds(manifest, outer), {}};
  if (settings.inner == 0) return folds;
  return nested_folds(manifest, outer, {.folds = settings.inner, .seed = settings.seed});
}

std::string split_text(const SplitManifest& manifest, const SplitSettings& settings,
                       const stats::NestedFolds& folds, std::string_view version) {
  Json list = Json::array();
  for (std::size_t f = 0; f < settings.outer; ++f) {
    Json one = {{"fold", f},
                {"test", picked(manifest.ids, [&](std::size_t i) { return folds.outer[i] == f; })},
                {"train", picked(manifest.ids, [&](std::size_t i) { return folds.outer[i] != f; })},
                {"inner", Json::array()}};
    if (!folds.inner.empty()) one["inner"] = inner_json(manifest, settings.inner, folds.inner[f]);
    list.push_back(one);
  }
  const std::string name = std::filesystem::path(manifest.file).filename().string();
  return to_text({{"schema", split_schema},
                  {"manifest", {{"file", name}, {"sha256", manifest.sha256}}},
                  {"num_cases", manifest.ids.size()},
                  {"settings", settings_json(manifest, settings)},
                  {"strata", strata_json(manifest, folds.outer, settings.outer)},
                  {"folds", list},
                  {"provenance", {{"assay", version}}}}) +
         "\n";
}

std::string nnunet_splits(const SplitManifest& manifest, const SplitSettings& settings,
                          const stats::NestedFolds& folds) {
  Json list = Json::array();
  for (std::size_t f = 0; f < settings.outer; ++f)
    list.push_back(
        {{"train", picked(manifest.ids, [&](std::size_t i) { return folds.outer[i] != f; })},
         {"val", picked(manifest.ids, [&](std::size_t i) { return folds.outer[i] == f; })}});
  return to_text(list, {.indent = 4}) + "\n";
}

}  // namespace assay::results
