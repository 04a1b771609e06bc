// SPDX-License-Identifier: Apache-2.0
#include "assay/score/score_case.hpp"

#include <gtest/gtest.h>

namespace score_case_test {

using namespace assay;
using namespace assay::score;

/// What reading a mask does: room for the file, and room for codes that stays unused.
void read_and_give_back(Workspace& workspace, std::size_t size) {
  Buffer voxels[2], codes[2];
  for (int side = 0; side < 2; ++side) {
    voxels[side] = workspace.take_largest();
    codes[side] = workspace.take_smallest();
    voxels[side].resize(size);
  }
  for (int side = 0; side < 2; ++side) {
    workspace.give(std::move(voxels[side]));
    workspace.give(std::move(codes[side]));
  }
}

std::size_t capacity_in(Workspace& workspace) {
  std::size_t sum = 0;
  for (int i = 0; i < 8; ++i) sum += workspace.take_largest().capacity();
  return sum;
}

TEST(Workspace, case_after_case_takes_no_more_memory_than_one) {
  Workspace workspace;
  for (int i = 0; i < 5; ++i) read_and_give_back(workspace, 1000);
  EXPECT_EQ(capacity_in(workspace), 2000U);
}

TEST(Workspace, hands_out_by_capacity) {
  Workspace workspace;
  for (const std::size_t size : {20U, 30U, 10U}) {
    Buffer buffer;
    buffer.resize(size);
    workspace.give(std::move(buffer));
  }
  EXPECT_EQ(workspace.take_largest().capacity(), 30U);
  EXPECT_EQ(workspace.take_smallest().capacity(), 10U);
  EXPECT_EQ(workspace.take_smallest().capacity(), 20U);
  EXPECT_EQ(workspace.take_largest().capacity(), 0U);
}

}  // namespace score_case_test
