// SPDX-License-Identifier: Apache-2.0
#include "assay/results/foreign/trackers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/file.hpp"
#include "assay/base/test_files.hpp"

namespace assay::results::trackers_test {

using test::refusal;
using test::TemporaryFolder;
using ::testing::HasSubstr;

TrackedRun one_run() {
  return {.model = "net",
          .means = {{"dice", "", 2, 0.5, 0.25}, {"nsd@2mm", "../1", 1, 0.75, std::nullopt}},
          .settings = {{"metrics", "dice"}},
          .tags = {{"mlflow.runName", "net"}, {"assay.settings_sha256", "ab"}},
          .started = "2026-01-01T00:00:00Z",
          .start_ms = 1000,
          .end_ms = 2000,
          .id = "0123456789abcdef0123456789abcdef"};
}

void write(std::string_view tracker, const std::filesystem::path& place) {
  for (const Named<WriteTracked>& row : trackers())
    if (row.name == tracker) row.value(one_run(), place);
}

TEST(Trackers, crc32c_has_the_values_of_rfc_3720) {
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62A8AB43U);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
}

TEST(Trackers, the_first_record_of_events_is_the_version) {
  const std::string bytes = tensorboard_events(one_run());
  const std::string start("\x18\0\0\0\0\0\0\0", 8);
  EXPECT_EQ(bytes.substr(0, 8), start);
  EXPECT_EQ(bytes.substr(12, 24),
            std::string("\x09\0\0\0\0\0\0\0\x40\x1a\x0d", 11) + "brain.Event:2");
  EXPECT_THAT(bytes,
              HasSubstr(std::string("\x0a\x04") + "dice" + std::string("\x15\0\0\0\x3f", 5)));
}

TEST(Trackers, mlflow_has_a_file_for_each_mean_and_no_way_out_of_the_folder) {
  const TemporaryFolder folder;
  write("mlflow", folder / "mlruns");
  const auto run = folder / "mlruns/429113907184562204/0123456789abcdef0123456789abcdef";
  EXPECT_EQ(read_text(run / "metrics/dice"), "2000 0.5 0\n");
  EXPECT_EQ(read_text(run / "metrics/_.._1/nsd_2mm"), "2000 0.75 0\n");
  EXPECT_EQ(read_text(run / "tags/mlflow.runName"), "net");
  EXPECT_THAT(read_text(run / "meta.yaml"), HasSubstr("status: 3\n"));
  EXPECT_THAT(read_text(run.parent_path() / "meta.yaml"), HasSubstr("name: \"assay\"\n"));
}

TEST(Trackers, a_table_grows_and_another_table_is_refused) {
  const TemporaryFolder folder;
  write("csv", folder / "runs.csv");
  const std::string once = read_text(folder / "runs.csv");
  EXPECT_THAT(once, HasSubstr("2026-01-01T00:00:00Z,net,,dice,2,0.5,0.25,ab,\n"));
  write("csv", folder / "runs.csv");
  EXPECT_EQ(read_text(folder / "runs.csv").size(), 2 * once.size() - once.find('\n') - 1);
  write_atomically(folder / "other.csv", "a,b\n");
  EXPECT_THAT(refusal([&] { write("csv", folder / "other.csv"); }),
              HasSubstr("is not a table of this kind"));
  EXPECT_EQ(read_text(folder / "other.csv"), "a,b\n");
}

}  // namespace assay::results::trackers_test
