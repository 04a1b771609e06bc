// SPDX-License-Identifier: Apache-2.0
#include "assay/results/power.hpp"

#include "assay/base/json.hpp"
#include "assay/base/named.hpp"
#include "assay/compare/power_words.hpp"

namespace assay::results {
namespace {

Json to_json(const compare::Pilot& pilot) {
  return {{"n", pilot.n},
          {"cases", pilot.cases},
          {"mean", pilot.mean.estimate},
          {"mean_ci95", {pilot.mean.lower, pilot.mean.upper}},
          {"std", pilot.sd.estimate},
          {"std_ci95", {pilot.sd.lower, pilot.sd.upper}},
          {"correlation", or_null(pilot.correlation)},
          {"design_effect", or_null(pilot.design_effect)}};
}

Json to_json(const compare::PowerPlan& plan, const compare::PlannedSize& size) {
  return {{"power", size.power},
          {"pairs", or_null(size.pairs)},
          {"cases", size.pairs ? Json(compare::cases_for(plan, *size.pairs)) : Json(nullptr)},
          {"pairs_larger_std", or_null(size.cautious)},
          {"pairs_signed_rank", or_null(size.signed_rank)},
          {"pairs_at_ci95", plan.is_own_difference
                                ? Json::array({or_null(size.nearer), or_null(size.further)})
                                : Json(nullptr)}};
}

Json to_json(const compare::PowerStudy& study, const compare::PowerPlan& plan) {
  Json sizes = Json::array();
  for (const compare::PlannedSize& size : plan.sizes) sizes.push_back(to_json(plan, size));
  return {{"metric", plan.metric.name},
          {"label", or_null(plan.metric.label)},
          {"unit", compare::unit_of(plan.metric)},
          {"model_name", or_null(plan.model)},
          {"baseline", plan.baseline},
          {"pilot", to_json(plan.pilot)},
          {"goal", plan.margin ? "equivalence" : "difference"},
          {"difference", plan.difference},
          {"difference_from_pilot", plan.is_own_difference},
          {"margin", or_null(plan.margin)},
          {"assumed_correlation", or_null(plan.assumed_correlation)},
          {"std_difference", plan.sd},
          {"larger_std_difference", plan.cautious_sd},
          {"signed_rank_simulated", plan.is_simulated},
          {"sizes", sizes},
          {"sentence", compare::sentence(study, plan)}};
}

Json to_json(const compare::PowerSettings& s) {
  return {{"alpha", s.alpha},
          {"powers", s.powers},
          {"undefined", name_in(compare::undefined_policies(), s.undefined)},
          {"intersect", s.matching.intersect},
          {"by_position", s.matching.by_position},
          {"cluster", or_null(s.cluster)},
          {"simulations", s.simulations},
          {"seed", s.seed}};
}

}  // namespace

std::string power_text(const compare::PowerStudy& study, const Provenance& provenance) {
  Json plans = Json::array();
  for (const compare::PowerPlan& plan : study.plans) plans.push_back(to_json(study, plan));
  const Json out = {{"schema", power_schema},
                    {"pair", compare::pair_word(study)},
                    {"models", study.models},
                    {"alpha_per_test", study.alpha_per_test},
                    {"plans", plans},
                    {"assumptions", compare::assumptions(study)},
                    {"notes", study.notes},
                    {"settings", to_json(study.settings)},
                    {"provenance", provenance_json(provenance)}};
  return to_text(out) + "\n";
}

}  // namespace assay::results
