// SPDX-License-Identifier: Apache-2.0
#include "assay/results/split.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "assay/base/json.hpp"
#include "assay/base/test_files.hpp"

namespace split_test {

using namespace assay;
using namespace assay::results;
using testing::ElementsAre;
using testing::HasSubstr;

SplitManifest parsed(std::string_view text, const SplitSettings& settings = {}) {
  return parse_split_manifest(text, "m.csv", settings);
}

std::string refusal(std::string_view text, const SplitSettings& settings) {
  return test::refusal([&] { folds_of(parsed(text, settings), settings); });
}

SplitSettings by(std::vector<std::string> stratify, std::string group = "") {
  SplitSettings settings = {.outer = 2, .inner = 0, .stratify = std::move(stratify)};
  settings.group = std::move(group);
  return settings;
}

TEST(Split, strata_are_combinations_of_columns) {
  const SplitManifest found =
      parsed("id,site,volume\na,X,1\nb,Y,2\nc,X,3\nd,X,4\n", by({"volume:2", "site"}));
  EXPECT_THAT(found.strata, ElementsAre("Q1_X", "Q1_Y", "Q2_X"));
  EXPECT_THAT(found.items.classes, ElementsAre(0, 1, 2, 2));
  ASSERT_EQ(found.bins.size(), 1U);
  EXPECT_THAT(found.bins[0].second, ElementsAre(2.5));
  EXPECT_THAT(found.warnings, ElementsAre(HasSubstr("Q1_X has 1 member"), HasSubstr("Q1_Y")));
}

TEST(Split, combinations_with_the_same_joined_name_stay_apart) {
  const SplitManifest found =
      parsed("id,p,q\na,x_y,z\nb,x,y_z\nc,x_y,z\nd,x,y_z\n", by({"p", "q"}));
  EXPECT_THAT(found.items.classes, ElementsAre(1, 0, 1, 0));
  EXPECT_THAT(found.strata, ElementsAre("x_y_z", "x_y_z"));
}

TEST(Split, a_column_whose_name_ends_like_bins_is_taken_as_it_is) {
  EXPECT_THAT(parsed("id,v:2\na,1\nb,2\nc,1\nd,2\n", by({"v:2"})).strata, ElementsAre("1", "2"));
}

TEST(Split, without_a_column_id_the_first_is_taken_and_said) {
  const SplitManifest found = parsed("scan,site\na,X\nb,Y\n");
  EXPECT_THAT(found.ids, ElementsAre("a", "b"));
  EXPECT_THAT(found.notes, ElementsAre(HasSubstr("'scan', is taken as the id")));
  EXPECT_TRUE(parsed("site,id\nX,a\nY,b\n").notes.empty());
}

TEST(Split, groups_are_numbered_as_numpy_orders_them) {
  EXPECT_THAT(parsed("id,g\na,10\nb,9\nc,10\n", by({}, "g")).items.groups, ElementsAre(1, 0, 1));
  EXPECT_THAT(parsed("id,g\na,s10\nb,s9\nc,s10\n", by({}, "g")).items.groups, ElementsAre(0, 1, 0));
}

TEST(Split, empty_cells_are_a_stratum_of_their_own) {
  const SplitManifest found = parsed("id,s\na,X\nb,\nc,X\nd,\n", by({"s"}));
  EXPECT_THAT(found.strata, ElementsAre("(empty)", "X"));
  EXPECT_THAT(found.warnings, ElementsAre(HasSubstr("empty in 2 cases")));
}

TEST(Split, bad_manifests_are_refused_by_name) {
  std::string measured = "id,v\n";
  for (int i = 0; i < 21; ++i)
    measured.append(std::to_string(i)).append(",0.").append(std::to_string(i)).append("\n");
  const struct {
    std::string text;
    SplitSettings settings;
    const char* says;
  } cases[] = {
      {"", {}, "m.csv: line 1: the table is empty"},
      {"id,s\n", {}, "m.csv: the manifest lists no case"},
      {"id\na\nb\na\n", {}, "case 'a' is listed twice"},
      {"id,s\na,1\n,2\n", {}, "a case has no id"},
      {"id,site\na,1\n", by({"sitee"}),
       "no column 'sitee'; did you mean 'site'? (it has: id, site)"},
      {"id,site\na,1\n", by({}, "subject"), "no column 'subject'"},
      {"id,s,s\na,1,2\n", by({"s"}), "two columns named 's'"},
      {measured, by({"v"}),
       "21 different numbers, too many for strata; cut it into bins with "
       "--stratify v:4"},
      {"id,v\na,1\nb,x\n", by({"v:2"}), "case 'b' has 'x' in column 'v'"},
      {"id,v\na,1\nb,nan\n", by({"v:2"}), "case 'b' has 'nan'"},
      {"id,v\na,1\nb,2\n", by({"v:1"}), "--stratify v:1: bins must be two or more"},
      {"id,v\na,1\nb,2\n", by({"v:3"}), "cannot make 3 bins of 2 values"},
      {"id,g\na,1\nb,\n", by({}, "g"), "case 'b' has no group"},
      {"id\na\n", by({}), "m.csv: outer folds: cannot make 2 folds of 1 items"},
      {"id,s\na,1\nb,2\nc,3\n", by({"s"}), "outer folds: no class has as many members"},
      {"id\na\nb\nc\n", {.outer = 2, .inner = 3}, "m.csv: inner folds: cannot make 3 folds of"},
  };
  for (const auto& c : cases) EXPECT_THAT(refusal(c.text, c.settings), HasSubstr(c.says));
}

TEST(Split, every_case_is_tested_once_and_never_with_its_training_set) {
  const SplitSettings settings = {.outer = 3, .inner = 2};
  const SplitManifest manifest = parsed("id\na\nb\nc\nd\ne\nf\ng\n", settings);
  const auto file =
      parse_json(split_text(manifest, settings, folds_of(manifest, settings), "1"), "f");
  EXPECT_EQ(file.at("schema"), "assay.split/1");
  EXPECT_EQ(file.at("settings").at("method"), "KFold");
  EXPECT_EQ(file.at("settings").at("seed"), 42);
  std::multiset<std::string> tested;
  for (const auto& fold : file.at("folds")) {
    std::set<std::string> all = fold.at("test"), training = fold.at("train");
    tested.insert(all.begin(), all.end());
    EXPECT_EQ(all.size() + training.size(), 7U);
    ASSERT_EQ(fold.at("inner").size(), 2U);
    std::set<std::string> validated;
    for (const auto& inner : fold.at("inner")) {
      EXPECT_EQ(inner.at("train").size() + inner.at("val").size(), training.size());
      for (const std::string id : inner.at("val")) validated.insert(id);
    }
    EXPECT_EQ(validated, training);
  }
  EXPECT_THAT(tested, ElementsAre("a", "b", "c", "d", "e", "f", "g"));
}

TEST(Split, nnunet_takes_a_list_of_train_and_val) {
  SplitSettings settings = {.outer = 2, .inner = 0};
  settings.seed.reset();
  const SplitManifest manifest = parsed("id\na\nb\nc\n", settings);
  const auto file =
      parse_json(nnunet_splits(manifest, settings, folds_of(manifest, settings)), "f");
  EXPECT_EQ(to_text(file, {.indent = 0}),
            R"([{"train":["c"],"val":["a","b"]},{"train":["a","b"],"val":["c"]}])");
}

TEST(Split, the_file_says_where_it_differs_from_scikit_learn) {
  const std::string text = "id,s,g\na,X,1\nb,X,2\nc,Y,3\nd,Y,4\n";
  SplitSettings settings = by({"s"}, "g");
  for (const bool shuffles : {true, false}) {
    if (!shuffles) settings.seed.reset();
    const SplitManifest manifest = parsed(text, settings);
    const auto file =
        parse_json(split_text(manifest, settings, folds_of(manifest, settings), "1"), "f");
    EXPECT_EQ(file.at("settings").at("method"), "StratifiedGroupKFold");
    EXPECT_EQ(file.at("settings").at("equals_scikit_learn"), !shuffles);
  }
}

}  // namespace split_test
