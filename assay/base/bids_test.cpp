// SPDX-License-Identifier: Apache-2.0
#include "assay/base/bids.hpp"

#include <gtest/gtest.h>

namespace bids_test {

using namespace assay;
using Names = std::vector<std::string>;

/// The ids of files by the entities that distinguish them; none when these do not.
Names entity_ids(const Names& stems) {
  Names out;
  if (const auto keys = telling_entities(stems))
    for (const std::string& stem : stems) out.push_back(entity_id(entities(stem), *keys));
  return out;
}

TEST(Bids, a_name_states_its_entities) {
  EXPECT_EQ(entities("sub-01/ses-2/sub-01_ses-2_desc-x_mask"),
            (Entities{{"sub", "01"}, {"ses", "2"}, {"desc", "x"}}));
  EXPECT_TRUE(entities("lesion_mask").empty());
}

TEST(Bids, ids_have_the_entities_that_tell_cases_apart) {
  const std::pair<Names, Names> trees[] = {
      {{"sub-01/anat/sub-01_label-lesion_mask", "sub-02/anat/sub-02_label-lesion_mask"},
       {"sub-01", "sub-02"}},
      // one subject with two sessions: all cases have their session
      {{"sub-13/ses-1/sub-13_ses-1_mask", "sub-14/ses-1/sub-14_ses-1_mask",
        "sub-14/ses-2/sub-14_ses-2_mask"},
       {"sub-13_ses-1", "sub-14_ses-1", "sub-14_ses-2"}},
      // what a case does not state is left out
      {{"sub-13/sub-13_mask", "sub-14/ses-1/sub-14_ses-1_mask", "sub-14/ses-2/sub-14_ses-2_mask"},
       {"sub-13", "sub-14_ses-1", "sub-14_ses-2"}},
      // one session everywhere tells nothing apart, the run does
      {{"sub-1/ses-1/sub-1_ses-1_run-1_mask", "sub-1/ses-1/sub-1_ses-1_run-2_mask"},
       {"sub-1_run-1", "sub-1_run-2"}},
      {{"sub-1/sub-1_ses-1_run-1", "sub-1/sub-1_ses-1_run-2", "sub-1/sub-1_ses-2_run-1"},
       {"sub-1_ses-1_run-1", "sub-1_ses-1_run-2", "sub-1_ses-2_run-1"}},
      {{"sub-1/sub-1_label-a_mask", "sub-1/sub-1_label-b_mask"},
       {"sub-1_label-a", "sub-1_label-b"}},
      {{"derivatives/sub-1/sub-1_mine-a", "derivatives/sub-1/sub-1_mine-b"},
       {"sub-1_mine-a", "sub-1_mine-b"}},
  };
  for (const auto& [stems, ids] : trees) EXPECT_EQ(entity_ids(stems), ids) << stems.front();
}

TEST(Bids, other_folders_keep_their_names) {
  for (const Names& stems : {Names{"sub-01_mask", "sub-02_mask"}, Names{"site1/a", "site2/a"},
                             Names{"sub-01/a", "sub-01/b"}, Names{"sub-01/a", "case7"}, Names{},
                             Names{"x/sub-01_mask", "x/sub-02_mask"}})
    EXPECT_TRUE(entity_ids(stems).empty());
}

}  // namespace bids_test
