// SPDX-License-Identifier: Apache-2.0
/// Every schema: what was written is read, and written again it has the same bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/json.hpp"
#include "assay/base/test_files.hpp"
#include "assay/results.hpp"
#include "assay/results/case_record.hpp"
#include "assay/results/cross_validation.hpp"
#include "assay/results/metric_table.hpp"
#include "assay/results/paper_json.hpp"
#include "assay/results/power.hpp"
#include "assay/results/prediction_report.hpp"
#include "assay/results/provenance.hpp"
#include "assay/results/segmentation.hpp"
#include "assay/results/split.hpp"
#include "assay/results/test_results.hpp"

namespace assay::results::round_trip_test {

using test::cohort_of;
using test::settings_for;
using ::testing::ElementsAre;
using ::testing::StartsWith;

const Provenance full_provenance = {.version = "0.2.0",
                                    .commit = "c0ffee",
                                    .command = {"assay", "score", "p é", "\"r\""},
                                    .started = "2026-01-01T00:00:00Z",
                                    .finished = "2026-01-01T00:00:01Z",
                                    .host = "host",
                                    .jobs = 3,
                                    .roots = {.prediction = "/p/ü", .reference = "/r"},
                                    .settings_sha256 = "00ff"};

/// Of files that people read and programs parse, but assay does not.
void expect_same_tree(const std::string& text, std::string_view schema) {
  const Json file = parse_json(text, "file");
  EXPECT_EQ(file.at("schema"), schema);
  EXPECT_EQ(to_text(file) + "\n", text);
}

TEST(RoundTrip, provenance) {
  for (const Provenance& each : {Provenance{}, full_provenance}) {
    const Json written = provenance_json(each);
    EXPECT_EQ(parse_provenance(written), each);
    EXPECT_EQ(to_text(provenance_json(parse_provenance(written))), to_text(written));
  }
  EXPECT_EQ(parse_provenance(Json::object()), Provenance{});
}

/// With everything that a file can hold next to its numbers: other alphabets, quotes, warnings, a
/// region among labels, a case that failed by the fault of its reference.
metrics::SegmentationResult decorated(metrics::ScoreSettings settings, int labels) {
  const metrics::SegmentationResult plain = cohort_of(settings, labels);
  settings = plain.settings;
  settings.regions.push_back({"whole", "wh\"ole\"", {1, 2}, true});
  metrics::CaseRecords records;
  for (const metrics::CaseScores& one : plain.cases) records.push_back(one.record);
  for (metrics::CaseRecord& record : records)
    if (record.fate == metrics::Fate::scored) record.counts["whole"] = record.counts["1"];
  records[2].id = "süb/\"2\" 例";
  records[2].warnings = {"odd\nthing", "ß"};
  records[3].image = "i.nii";
  records[3].image_sha256 = "ab";
  records.push_back({.id = "w", .fate = metrics::Fate::failed, .error = "no\tvoxel"});
  records.back().reference_at_fault = true;
  metrics::SegmentationResult out = metrics::scored(settings, std::move(records));
  out.warnings = {"no reference has label 7", "é"};
  return out;
}

/// What was measured, as far as the file has it: enough for every metric of counts.
metrics::CaseRecords records_in(const SegmentationFile& file) {
  metrics::CaseRecords out;
  for (const SavedCase& one : file.cases) {
    metrics::CaseRecord& record = out.emplace_back(one.record);
    for (const SavedScores& scores : one.labels) {
      if (!scores.counts) continue;
      record.counts[file.labels[scores.label].region.key] = *scores.counts;
      record.voxels = scores.counts->total();
      record.voxel_ml = scores.voxel_ml;
    }
  }
  return out;
}

struct SegmentationCase {
  const char *metrics, *rules;
  bool compat_spec = false;
  metrics::Missing missing = metrics::Missing::exclude;
};

TEST(RoundTrip, segmentation) {
  for (const SegmentationCase& each : std::initializer_list<SegmentationCase>{
           {"paper,recall,rvd", "metrics-reloaded"},
           {"dice,avd,mcc", "spec", true},
           {"recall", "metrics-reloaded", false, metrics::Missing::worst}})
    for (const int labels : {1, 3}) {
      metrics::ScoreSettings settings = settings_for(each.metrics, each.rules);
      settings.compat_spec = each.compat_spec;
      settings.missing = each.missing;
      const metrics::SegmentationResult result = decorated(settings, labels);
      const std::string text = results_text(result, full_provenance);
      const SegmentationFile file = parse_segmentation(text, "r.json");
      metrics::SegmentationResult again = metrics::scored(result.settings, records_in(file));
      again.warnings = file.warnings;
      EXPECT_EQ(results_text(again, file.provenance), text) << each.metrics;
      EXPECT_EQ(text.find("Infinity") != std::string::npos, each.compat_spec);
    }
}

TEST(RoundTrip, segmentation_has_the_summaries_and_labels_of_the_result) {
  const metrics::SegmentationResult result = decorated(settings_for("paper,recall"), 3);
  const SegmentationFile file = parse_segmentation(results_text(result, full_provenance), "r");
  EXPECT_EQ(file.provenance, full_provenance);
  EXPECT_TRUE(file.settings.names_averaged);
  ASSERT_EQ(file.metrics.size(), result.settings.metrics.size());
  for (std::size_t m = 0; m < file.metrics.size(); ++m) {
    const metrics::Summary expected =
        metrics::summary(metrics::case_averages(result, m),
                         {(*result.settings.metrics[m]).range, result.settings.interval});
    EXPECT_TRUE(file.metrics[m].is_whole);
    EXPECT_EQ(file.metrics[m].summary.mean, expected.mean);
    EXPECT_EQ(file.metrics[m].summary.ci95, expected.ci95);
    EXPECT_EQ(file.metrics[m].summary.undefined, expected.undefined);
    EXPECT_EQ(file.metrics[m].failures.failures, metrics::failure_effect(result, m).failures);
  }
  ASSERT_EQ(file.labels.size(), result.regions.size());
  for (std::size_t r = 0; r < file.labels.size(); ++r)
    EXPECT_EQ(file.labels[r].region, result.regions[r]);
  ASSERT_TRUE(file.ledger);
  EXPECT_EQ(file.ledger->missing_prediction, result.ledger.missing_prediction);
  EXPECT_EQ(file.ledger->expected, result.ledger.expected);
}

TEST(FinishedRun, is_read_only_if_nothing_of_its_table_is_missing) {
  const assay::test::TemporaryFolder folder;
  const auto read = [&](const std::string& text) {
    write_atomically(folder / "r.json", text);
    return read_finished_run(folder / "r.json");
  };
  const std::string text = results_text(decorated(settings_for("paper"), 2), full_provenance);
  const auto whole = read(text);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->text, text);
  EXPECT_EQ(whole->file.model_name, "net");
  for (const char* member : {"\"settings_sha256\"", "\"ledger\"", "\"q25\"", "\"failures\"",
                             "\"schema\"", "\"cases\""}) {
    std::string changed = text;
    changed.replace(changed.find(member), 2, "\"_");
    EXPECT_FALSE(read(changed)) << member;
  }
  EXPECT_FALSE(read("id,dice\na,1\n"));
  EXPECT_FALSE(read_finished_run(folder / "none.json"));
}

TEST(SegmentationIn, other_files_are_none_and_wrong_types_are_refused) {
  EXPECT_FALSE(segmentation_in("id,dice\na,1\n", "r"));
  EXPECT_FALSE(segmentation_in(R"({"schema": "assay.folds/1", "cases": [{"id": "a"}]})", "r"));
  const std::string start = R"({"schema": "assay.segmentation/1", "model_name": "m", )";
  const std::pair<const char*, const char*> faults[] = {
      {R"("metrics": {}, "cases": [], "settings": {"allow_affine_mismatch": 3}})", "'settings'"},
      {R"("metrics": {}, "cases": [], "labels": {"1": {"members": [1.5]}}})", "'labels'"},
      {R"("metrics": {"dice": {"mean": "x"}}, "cases": []})", "'metrics'"},
      {R"("metrics": {}, "cases": [], "provenance": {"roots": "/p"}})", "'provenance'"},
      {R"("metrics": {}, "cases": [], "ledger": {"scored": -1}})", "'ledger'"}};
  for (const auto& [rest, member] : faults)
    EXPECT_EQ(assay::test::refusal([&, end = rest] { segmentation_in(start + end, "r.json"); }),
              "r.json: " + std::string(member) +
                  " is not as 'assay score' writes it; score the cases again");
  EXPECT_THAT(assay::test::refusal([&] {
                segmentation_in(start + R"("metrics": {}, "cases": [{"id": "a", "status": "failed",
                                           "reason": "mood"}]})",
                                "r.json");
              }),
              ::testing::HasSubstr("unknown reason 'mood'"));
}

TEST(SegmentationIn, files_of01_neither_name_kinds_nor_roots) {
  const auto file = segmentation_in(
      R"({"schema": "assay.segmentation/1", "model_name": "m", "metrics": {"dice": {}},
          "labels": {"1": {"name": "core", "members": [1]}, "all": {"members": [1, 2]}},
          "cases": [{"id": "a", "prediction": "a.nii", "reference": null, "prediction_sha256": "0"},
                    {"id": "b", "prediction": "b.nii", "reference": "rb.nii", "label": {}}],
          "settings": {"threshold": 0.5, "allow_affine_mismatch": true}})",
      "r");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->cases[0].record.reference, "");
  EXPECT_EQ(file->cases[1].record.reference, "rb.nii");
  EXPECT_FALSE(file->labels[0].region.is_union);
  EXPECT_TRUE(file->labels[1].region.is_union);
  EXPECT_EQ(file->labels[1].region.name, "all");
  EXPECT_EQ(file->settings.threshold, 0.5);
  EXPECT_TRUE(file->settings.allow_affine_mismatch);
  EXPECT_FALSE(file->settings.names_averaged);
  EXPECT_EQ(file->provenance, Provenance{});
}

TEST(RoundTrip, case_record) {
  metrics::CaseRecord record = {.id = "süb \"1\"", .fate = metrics::Fate::scored, .error = ""};
  record.warnings = {"odd\nthing"};
  record.groups = {{"site", "例"}, {"age", ""}};
  record.counts["1"] = {.tp = 1, .fp = 2, .fn = 3, .tn = 1LL << 40};
  record.voxels = (1LL << 40) + 6;
  record.voxel_ml = 0.1 + 0.2;
  record.without_prediction = {"2"};
  record.labels = metrics::OccurringLabels{{1, 2}, {1}};
  record.boundary["1"].prediction.percentile_mm = {{95, 1.0 / 3}};
  record.boundary["1"].common = 7;
  record.boundary["1"].either = 9;
  record.lesions["1"].reference.push_back({.voxels = 3, .centroid_mm = {0.5, -1, 1e-9}});
  metrics::ProbabilityEvidence& map = record.probability["1"];
  map = {.voxels = 10, .positives = 4, .pairs_won = 1e-300, .precision_sum = 1.0 / 3};
  map.bins[14] = {.voxels = 3, .positives = 2, .sum = 2.9999999999999996};
  map.sweep[18] = {.tp = 2, .fp = 1};
  const std::string text = record_text(record);
  EXPECT_EQ(parse_record(text), record);
  EXPECT_EQ(record_text(parse_record(text)), text);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_THROW(parse_record("{}"), Error);
  EXPECT_THROW(parse_record(R"({"id": 1})"), Error);
}

TEST(CaseRecord, counts_that_cannot_have_been_measured_are_refused) {
  metrics::CaseRecord record = {.id = "a", .fate = metrics::Fate::scored, .error = ""};
  record.counts["1"] = {.tp = 1, .fp = 2, .fn = 3, .tn = 4};
  record.voxels = 10;
  record.boundary["1"] = {.common = 3, .either = 13};
  record.lesions["1"] = {.references = 5, .predictions = 6, .detected = 1};
  record.probability["1"] = {.voxels = 10, .positives = 4};
  const std::string sound = record_text(record);
  EXPECT_EQ(parse_record(sound), record);
  struct Case {
    std::string from, to, said;
  };
  for (const Case& c :
       {Case{"[1,2,3,4]", "[-1,2,3,6]", "a count is negative"},
        Case{"[1,2,3,4]", "[1e300,2,3,4]", "not a whole number"},
        Case{"[1,2,3,4]", "[1.5,2,3,3.5]", "not a whole number"},
        Case{"[1,2,3,4]", "[1,2,3,5]", "the counts of 'a' do not add up to its voxels"},
        Case{R"("voxels":10,"voxel_ml")", R"("voxels":9,"voxel_ml")", "do not add up"},
        Case{R"("voxel_ml":0)", R"("voxel_ml":-1)", "a measure is negative"},
        Case{R"("voxel_ml":0)", R"("voxel_ml":1e400)", "a measure is negative or infinite"},
        Case{R"("common":3)", R"("common":14)", "in common"},
        Case{"[5,6,1,0,0]", "[5,6,7,0,0]", "more lesions are matched than there are"},
        Case{R"("positives":4)", R"("positives":11)", "more foreground than voxels"},
        Case{"[[0,0],", "[[0,11],", "than"}}) {
    std::string text = sound;
    const std::size_t at = text.find(c.from);
    ASSERT_NE(at, text.npos) << c.from << " in " << text;
    text.replace(at, c.from.size(), c.to);
    EXPECT_THAT(assay::test::refusal([&] { parse_record(text); }), ::testing::HasSubstr(c.said))
        << c.to;
  }
}

TEST(CaseRecord, structures_may_have_a_grid_each) {
  metrics::CaseRecord record = {.id = "a", .fate = metrics::Fate::scored, .error = ""};
  record.counts["lung"] = {.tp = 1, .tn = 4};
  record.counts["liver"] = {.tp = 1, .tn = 9};
  record.voxels = 10;
  EXPECT_EQ(parse_record(record_text(record)), record);
  record.voxels = 11;
  EXPECT_THAT(assay::test::refusal([&] { parse_record(record_text(record)); }),
              ::testing::HasSubstr("do not add up"));
}

TEST(RoundTrip, folds) {
  const std::vector<compare::FoldRun> runs = {
      {.file = "é/0",
       .outer_fold = 0,
       .ids = {"y", "ü"},
       .columns = {{"dice", {0.4, 0.1}}, {"avd", {0.2, {}}}},
       .seed = 42},
      {.file = "b",
       .outer_fold = 0,
       .restart = 1,
       .ids = {"ü", "y"},
       .columns = {{"dice", {0.3, 0.2}}, {"avd", {0.3, 0.1}}},
       .final_train_loss = 0.5},
      {.file = "c", .outer_fold = 1, .ids = {"z"}, .columns = {{"dice", {0.7}}, {"avd", {{}}}}}};
  RunFolders folders;
  folders.name = "modèle";
  folders.ledger = {.expected = 4, .read = 3, .unreadable = {}, .missing = {{1, 1, "", "lost"}}};
  for (const compare::Restarts restarts :
       {compare::Restarts::mean, compare::Restarts::median, compare::Restarts::best}) {
    const std::string text =
        experiment_text(compare::cross_validated(runs, restarts), folders, full_provenance);
    const SavedFolds saved = parse_folds(text, "e.json");
    EXPECT_EQ(saved.name, "modèle");
    EXPECT_EQ(saved.restarts, restarts);
    EXPECT_EQ(experiment_text(compare::cross_validated(saved.runs, saved.restarts), folders,
                              full_provenance),
              text);
  }
  EXPECT_THAT(assay::test::refusal([] { parse_folds(R"({"model_name": "m"})", "e.json"); }),
              StartsWith("e.json: lacks members that every cross-validation file has"));
}

std::vector<compare::ResultTable> two_tables() {
  std::vector<compare::ResultTable> out(2);
  for (std::size_t t = 0; t < 2; ++t) {
    out[t].model_name = t == 0 ? "bäse" : "other";
    out[t].source = out[t].model_name + ".json";
    out[t].cases = 12;
    out[t].averages = {{"dice", {}}, {"avd", {}}};
    for (std::size_t i = 0; i < 12; ++i) {
      const double x = static_cast<double>(i);
      out[t].ids.push_back("ü" + std::to_string(10 + i));
      out[t].averages[0].values.emplace_back(0.5 + 0.02 * x + (t == 0 ? 0 : 0.013 * x - 0.02));
      out[t].averages[1].values.emplace_back(
          i == 3 && t == 1 ? std::nullopt : std::optional(0.1 * x + 0.01 * static_cast<double>(t)));
    }
  }
  return out;
}

TEST(RoundTrip, comparison) {
  const compare::Comparison comparison = compare::compare(two_tables(), {.baseline = "bäse"});
  const std::string text = comparison_text(comparison, true, full_provenance);
  expect_same_tree(text, comparison_schema);
  const SavedComparison saved = parse_comparison(text, "c.json");
  EXPECT_EQ(saved.baseline, "bäse");
  ASSERT_EQ(saved.pairs.size(), 2U);
  for (std::size_t m = 0; m < 2; ++m) {
    const compare::PairComparison& pair = comparison.metrics[m].pairs[0];
    EXPECT_EQ(saved.pairs[m].metric, comparison.metrics[m].metric.name);
    EXPECT_EQ(saved.pairs[m].model_name, "other");
    EXPECT_EQ(saved.pairs[m].n, pair.n);
    EXPECT_EQ(saved.pairs[m].difference, pair.result.difference.estimate);
    EXPECT_EQ(saved.pairs[m].ci95->first, pair.result.difference95.lower);
    EXPECT_EQ(saved.pairs[m].corrected_p_value, pair.result.corrected_p_value);
    EXPECT_EQ(saved.pairs[m].verdict, name(pair.result.verdict));
    EXPECT_TRUE(saved.pairs[m].sentence);
  }
  EXPECT_THAT(assay::test::refusal([] { parse_comparison("{}", "c.json"); }),
              StartsWith("c.json: lacks members that every comparison file has"));
}

parity::ParityReport report_on(parity::Achieved achieved, bool compat_spec = false) {
  achieved.source = "rün.json";
  return parity::parity_report(achieved, parity::built_in_paper(), "meshnet_16",
                               {.compat_spec = compat_spec});
}

TEST(RoundTrip, what_is_read_of_parity) {
  parity::Achieved reached;
  reached.dice.value = 0.87;
  reached.avd.value = 0.3;
  reached.mcc.value = 0.75;
  reached.dice_std.std.value = 0.02;
  parity::Achieved partly;  // not assessable
  partly.dice.value = 0.87;
  for (const parity::ParityReport& report : {report_on(reached), report_on(partly)}) {
    const std::string text = parity_text(report, full_provenance);
    const Json written = parse_json(text, "p");
    const Json again = parse_json(parity_text(parse_parity(text, "p"), full_provenance), "p");
    for (const char* member : {"schema", "model", "dice_mean", "dice_std", "avd_mean", "mcc_mean",
                               "parity_level", "meets_or_exceeds", "details", "explanation",
                               "warnings", "paper", "tolerances", "limits", "provenance"})
      EXPECT_EQ(to_text(again.at(member)), to_text(written.at(member))) << member;
    EXPECT_EQ(again.at("sources").at("file"), "rün.json");
  }
}

TEST(ParityFile, other_files_are_refused) {
  using assay::test::refusal;
  EXPECT_THAT(refusal([] { parse_parity("{}", "p.json"); }), StartsWith("p.json: is not as"));
  EXPECT_THAT(refusal([] { parse_parity("[", "p.json"); }), StartsWith("p.json"));
}

TEST(RoundTrip, paper) {
  const std::string text = paper_text(parity::built_in_paper());
  EXPECT_EQ(paper_text(parse_paper(text, "built in")), text);
}

TEST(RoundTrip, trees_of_files_that_are_only_written) {
  expect_same_tree(
      power_text(compare::plan_study(two_tables(), {.difference = {.all = 0.04}}), full_provenance),
      power_schema);
  PredictionReport predicted;
  predicted.images = {{.image = "é.nii", .output = "o.nii", .voxels = {{1, 3}}, .voxel_ml = 0.1},
                      {.image = "b.nii", .error = "it is \"broken\""}};
  predicted.images[0].check = {.against = "x", .space = "native", .voxels = 9, .differing = 1};
  expect_same_tree(prediction_text(predicted, full_provenance), prediction_schema);
  const SplitSettings settings = {.outer = 2, .inner = 2, .stratify = {"site"}};
  const SplitManifest manifest =
      parse_split_manifest("id,site\nä,A\nb,A\nc,B\nd,B\ne,A\nf,B\ng,A\nh,B\n", "m.csv", settings);
  expect_same_tree(split_text(manifest, settings, folds_of(manifest, settings), "0.2.0"),
                   split_schema);
  expect_same_tree(metric_table_json(), metrics_schema);
}

}  // namespace assay::results::round_trip_test
