// SPDX-License-Identifier: Apache-2.0
#include "assay/results/shard.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "assay/base/journal.hpp"
#include "assay/base/json.hpp"
#include "assay/base/test_files.hpp"
#include "assay/metrics/score_choices.hpp"
#include "assay/results/case_record.hpp"
#include "assay/results/score_settings.hpp"
#include "assay/results/segmentation.hpp"

namespace assay::results::shard_test {

using ::testing::HasSubstr;

using Change = std::function<void(metrics::ScoreSettings&)>;

/// Each changes one setting.
const std::vector<Change> changes = {
    [](auto& s) { s.metrics = metrics::chosen_metrics("all"); },
    [](auto& s) {
      s.metrics = metrics::chosen_metrics("dice,hd99,nsd", std::vector<double>{0.1, 2.0});
    },
    [](auto& s) { s.marks_reliable = true; },
    [](auto& s) { s.convention = &metrics::conventions().back(); },
    [](auto& s) { s.beta = 0.1; },
    [](auto& s) { s.lesions.rule = metrics::lesion_rules().back().value; },
    [](auto& s) { s.lesions.connectivity = metrics::connectivities().front().value; },
    [](auto& s) { s.lesions.least_ml = 1e-3; },
    [](auto& s) { s.lesions.half_matches = true; },
    [](auto& s) {
      s.regions = {{"1", "lesion é", {1}}, {"whole", "whole", {1, -2, 400}, true}};
    },
    [](auto& s) { s.regions.clear(); },
    [](auto& s) { s.all_labels = true; },
    [](auto& s) { s.ignored = 255; },
    [](auto& s) { s.threshold = 1.0 / 3; },
    [](auto& s) { s.foreground_nonzero = true; },
    [](auto& s) { s.missing = metrics::Missing::worst; },
    [](auto& s) { s.missing = metrics::Missing::error; },
    [](auto& s) { s.allow_affine_mismatch = true; },
    [](auto& s) { s.contours = ContourSettings{}; },
    [](auto& s) {
      s.contours = {RasterRule::plastimatch, ContourGaps::keep};
    },
    [](auto& s) { s.compat_spec = true; },
    [](auto& s) { s.interval = metrics::MeanInterval::bca; },
    [](auto& s) {
      s.source = {.backend = "b", .sha256 = "s", .recipe = "r", .recipe_sha256 = "h", .space = "n"};
    },
};

metrics::ScoreSettings settings_with(const Change& change) {
  metrics::ScoreSettings s;
  s.metrics = metrics::chosen_metrics("standard");
  change(s);
  return s;
}

TEST(ScoreSettings, every_setting_is_read_as_it_was_written) {
  std::vector<std::string> texts = {to_text(score_settings_json(settings_with([](auto&) {})))};
  for (const Change& change : changes) {
    const metrics::ScoreSettings before = settings_with(change);
    const Json written = score_settings_json(before);
    const metrics::ScoreSettings after =
        parse_score_settings(parse_json(to_text(written, {.indent = 0}), "settings"));
    EXPECT_EQ(to_text(score_settings_json(after)), to_text(written));
    EXPECT_EQ(after.metrics, before.metrics);
    EXPECT_EQ(after.regions, before.regions);
    EXPECT_EQ(after.lesions, before.lesions);
    EXPECT_EQ(after.convention, before.convention);
    EXPECT_EQ(settings_sha256(after), settings_sha256(before));
    texts.push_back(to_text(written));
  }
  std::ranges::sort(texts);
  EXPECT_EQ(std::ranges::adjacent_find(texts), texts.end()) << "a change that does not show";
}

ShardHeader header() {
  ShardHeader out = {.shard = {2, 3}, .cases = 7, .inputs_sha256 = "00ff", .version = "0.2.0"};
  out.settings = settings_with([](auto&) {});
  out.settings.model_name = "net \"1\"";
  out.warnings = {"odd"};
  out.labels_were_asked_for = true;
  out.results = "results.json";
  out.roots = {.prediction = "/p", .reference = "/r"};
  out.command = {"assay", "score", "a b"};
  return out;
}

metrics::CaseRecord scored_case(const std::string& id) {
  metrics::CaseRecord r = {.id = id, .fate = metrics::Fate::scored, .error = {}};
  r.counts["foreground"] = {.tp = 1, .fp = 2, .fn = 3, .tn = 4};
  r.voxels = 10;
  r.voxel_ml = 0.1;
  return r;
}

std::string written(const ShardHeader& header, const std::vector<ShardCase>& cases) {
  std::string text;
  ShardWriter writer(header, [&](std::string_view piece) { text += piece; });
  for (const ShardCase& one : cases) writer.add(one.index, one.record);
  writer.end();
  return text;
}

std::string why_refused(std::string_view text) {
  return test::refusal([&] { parse_shard_file(text, "x.jsonl"); });
}

TEST(ShardFile, its_results_are_a_file_next_to_it) {
  const std::string zero("a\0b", 3);
  for (const std::string& name : {std::string(), std::string("."), std::string(".."),
                                  std::string("/etc/passwd"), std::string("../results.json"),
                                  std::string("a/b.json"), std::string("results.json/"), zero}) {
    ShardHeader hostile = header();
    hostile.results = name;
    EXPECT_THAT(why_refused(written(hostile, {})), HasSubstr("must be the name of a file")) << name;
  }
  for (const char* name : {"results.json", "..json", "a b"}) {
    ShardHeader good = header();
    good.results = name;
    EXPECT_EQ(why_refused(written(good, {})), "");
  }
}

TEST(ShardFile, it_is_read_as_it_was_written) {
  const std::string text = written(header(), {{2, scored_case("b")}, {5, scored_case("e")}});
  const ShardFile file = parse_shard_file(text, "x.jsonl");
  EXPECT_EQ(file.header.shard, header().shard);
  EXPECT_EQ(common_facts(file.header), common_facts(header()));
  EXPECT_EQ(file.header.roots, header().roots);
  EXPECT_EQ(file.header.command, header().command);
  ASSERT_EQ(file.cases.size(), 2U);
  EXPECT_EQ(file.cases[1].index, 5U);
  EXPECT_EQ(file.cases[1].record, scored_case("e"));
  EXPECT_EQ(written(file.header, file.cases), text);
  EXPECT_TRUE(parse_shard_file(written(header(), {}), "x.jsonl").cases.empty());
}

TEST(ShardFile, any_lost_or_changed_byte_is_noticed) {
  const std::string text = written(header(), {{2, scored_case("b")}, {5, scored_case("e")}});
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_NE(why_refused(std::string_view(text).substr(0, size)), "") << size;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string changed = text;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_NE(why_refused(changed), "") << at;
  }
}

TEST(ShardFile, the_line_at_fault_is_named) {
  const std::string text = written(header(), {{2, scored_case("b")}, {5, scored_case("e")}});
  std::string damaged = text;
  damaged[text.find("\"id\":\"e\"") + 6] = 'f';
  EXPECT_THAT(why_refused(damaged), HasSubstr("x.jsonl: line 3: it is damaged"));
  const std::size_t end = text.rfind("{\"crc32\"");
  EXPECT_THAT(why_refused(text.substr(0, end)), HasSubstr("line 4: the end is missing"));
  EXPECT_THAT(why_refused(text + text.substr(end)), HasSubstr("line 5: it follows the end"));
  EXPECT_THAT(why_refused(written(header(), {{1, scored_case("b")}})),
              HasSubstr("case b belongs to another shard"));
  EXPECT_THAT(why_refused(written(header(), {{8, scored_case("b")}})), HasSubstr("line 2: "));
  const std::string without_one =
      text.substr(0, text.find('\n') + 1) + text.substr(end);  // a case was taken out
  EXPECT_THAT(why_refused(without_one), HasSubstr("a different number of cases"));
  EXPECT_THAT(why_refused(journal_line(R"({"kind":"header","schema":"assay.journal/1"})")),
              HasSubstr("line 1: "));
}

TEST(ShardFile, names) {
  EXPECT_EQ(shard_file_name("results.json", {3, 16}), "results.shard-3-of-16.jsonl");
  EXPECT_EQ(shard_file_name("summary", {1, 1}), "summary.shard-1-of-1.jsonl");
  EXPECT_EQ(shard_in_name("a.b.shard-3-of-16.jsonl"), (Shard{3, 16}));
  for (const char* name : {"results.json", ".shard-3-of-16.jsonl", "a.shard-3-of-16.jsonl.journal",
                           "a.shard-x-of-16.jsonl", "a.shard-3-of-.jsonl", "a.shard-3.jsonl"})
    EXPECT_FALSE(shard_in_name(name)) << name;
}

}  // namespace assay::results::shard_test
