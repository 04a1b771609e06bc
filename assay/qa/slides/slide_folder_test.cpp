// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/slides/slide_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/error.hpp"
#include "assay/image/dicom_for_test.hpp"

namespace slide_folder_test {

using namespace assay;
using namespace assay::qa;
using testing::HasSubstr;
namespace fs = std::filesystem;

class SlideFolders : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(root_); }
  void TearDown() override { fs::remove_all(root_); }

  void put(const std::string& file, std::string_view content = "") {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file, std::ios::binary) << content;
  }

  SlideMatch find(const std::string& image_path, const std::string& file_id = "",
                  const std::string& benchmark = "tcga") {
    return SlideFolder(root_).find({.benchmark = benchmark,
                                    .id = "1",
                                    .image_path = image_path,
                                    .file_id = file_id,
                                    .prompt = ""});
  }

  /// The path that is found, relative to the root, or the problem.
  std::string found(const std::string& image_path, const std::string& file_id = "",
                    const std::string& benchmark = "tcga") {
    const SlideMatch match = find(image_path, file_id, benchmark);
    return match.problem.empty() ? match.path.lexically_relative(root_).string() : match.problem;
  }

  fs::path root_ = fs::temp_directory_path() / ("assay_slides_" + std::to_string(getpid()));
};

TEST_F(SlideFolders, as_the_vectors_say) {
  const std::string path = ASSAY_SOURCE_DIR "/tests/vectors/specification-cases.json";
  const auto vectors = parse_json(read_text(path), path);
  int checked = 0;
  for (const auto& one : vectors["cases"]) {
    const auto& input = one["input"];
    if (one["category"] != "wsi_resolution" || !input.contains("files")) continue;
    fs::remove_all(root_);
    for (const std::string file : input["files"]) put(file);
    const std::string id = input["file_id"].is_null() ? "" : std::string(input["file_id"]);
    const SlideMatch match = find(input["image_path"], id, input["benchmark"]);
    if (one["expected"].is_object()) {
      EXPECT_TRUE(match.ambiguous);
      EXPECT_THAT(match.problem, HasSubstr(std::string(one["expected"]["message_contains"])));
    } else {
      EXPECT_EQ(match.path, root_ / std::string(one["expected"])) << match.problem;
    }
    ++checked;
  }
  EXPECT_EQ(checked, 7);
}

TEST_F(SlideFolders, nearer_rules_win) {
  put("tcga/s.uuid.svs");
  EXPECT_EQ(found("s.svs"), "tcga/s.uuid.svs");
  put("tcga/ID/s.svs");
  EXPECT_EQ(found("s.svs", "ID"), "tcga/ID/s.svs");
  put("tcga/s.svs");
  EXPECT_EQ(found("s.svs", "ID"), "tcga/s.svs");
  put("s.svs");
  EXPECT_EQ(found("s.svs", "ID"), "s.svs");
}

TEST_F(SlideFolders, benchmarks_share_the_folder_of_their_archive) {
  put("tcga/s.svs");
  put("mine_own/t.svs");
  EXPECT_EQ(found("s.svs", "", "tcga_slidebench"), "tcga/s.svs");
  EXPECT_EQ(found("t.svs", "", "mine_own"), "mine_own/t.svs");
  EXPECT_THAT(found("s.svs", "", "gtex"), HasSubstr("is not below"));
}

TEST_F(SlideFolders, another_ending_or_a_folder_of_dicom) {
  put("gtex/a.svs");
  put("gtex/a.txt");
  EXPECT_EQ(found("a.tiff", "", "gtex"), "gtex/a.svs");
  put("gtex/A.NDPI");
  EXPECT_EQ(found("A.tiff", "", "gtex"), "gtex/A.NDPI");
  put("gtex/a.ndpi");
  EXPECT_TRUE(find("a.tiff", "", "gtex").ambiguous);
  put("gtex/b/1.dcm", "one file needs no check");
  EXPECT_EQ(found("b.tiff", "", "gtex"), "gtex/b/1.dcm");
}

TEST_F(SlideFolders, a_folder_of_dicom_must_be_one_series) {
  put("gtex/b/1.dcm", dicom_file("1.2"));
  put("gtex/b/2.dcm", dicom_file("1.2"));
  EXPECT_EQ(found("b.tiff", "b", "gtex"), "gtex/b/1.dcm");
  put("gtex/b/3.dcm", dicom_file("1.3"));
  const SlideMatch match = find("b.tiff", "b", "gtex");
  EXPECT_TRUE(match.ambiguous);
  EXPECT_THAT(match.problem, HasSubstr("multiple DICOM series"));
}

TEST_F(SlideFolders, a_prefix_is_no_stem) {
  put("s1.svs");
  put("s.txt");
  EXPECT_THAT(found("s.svs"), HasSubstr("s.svs: is not below"));
  put("ID/one.svs");
  put("ID/two.svs");
  EXPECT_THAT(found("s.svs", "ID"), HasSubstr("is not below"));
}

TEST_F(SlideFolders, names_with_dots_are_found) {
  put("tcga/TCGA-1.A.svs");
  EXPECT_EQ(found("TCGA-1.A.svs"), "tcga/TCGA-1.A.svs");
  put("tcga/TCGA-2.B.uuid.svs");
  EXPECT_EQ(found("TCGA-2.B.svs"), "tcga/TCGA-2.B.uuid.svs");
  put("deep/er/x.svs");
  EXPECT_EQ(found("./deep//er/x.svs"), "deep/er/x.svs");
}

TEST_F(SlideFolders, a_path_never_leaves_the_root) {
  const fs::path outside = root_.string() + "_outside.svs";
  std::ofstream(outside) << "x";
  put("in/a.svs");
  for (const std::string& path : {"../" + outside.filename().string(), outside.string(),
                                  "in/../../" + outside.filename().string(), std::string(".."),
                                  std::string("."), std::string(""), std::string("in/")})
    EXPECT_THAT(found(path), HasSubstr("is not the path of a file below --wsi-root")) << path;
  EXPECT_EQ(found("x/../in/a.svs"), "in/a.svs");
  EXPECT_THAT(found("a.svs", "../in"), HasSubstr("is not below"));
  EXPECT_THAT(found("a.svs", "", ".."), HasSubstr("is not below"));
  fs::remove(outside);
}

TEST_F(SlideFolders, an_ambiguous_slide_names_a_few_candidates) {
  for (int i = 0; i < 8; ++i) put("s." + std::to_string(i) + ".svs");
  EXPECT_THAT(find("s.svs").problem,
              HasSubstr("s.0.svs, s.1.svs, s.2.svs, s.3.svs, s.4.svs and 3 more"));
}

TEST_F(SlideFolders, links_are_followed_and_loops_end) {
  put("store/s.svs");
  fs::create_directory_symlink(root_ / "store", root_ / "tcga");
  fs::create_directory_symlink(root_, root_ / "loop");
  fs::create_symlink(root_ / "nothing.svs", root_ / "dangling.svs");
  EXPECT_EQ(found("s.svs"), "tcga/s.svs");
  EXPECT_THAT(found("dangling.svs"), HasSubstr("is not below"));
}

TEST_F(SlideFolders, refuse_what_is_no_folder) {
  EXPECT_THROW(SlideFolder(root_ / "absent"), Error);
  put("file");
  EXPECT_THROW(SlideFolder(root_ / "file"), Error);
}

/// The listing is searched, not walked: a look-up in many files is far from one pass over them.
TEST_F(SlideFolders, many_files_are_listed_once) {
  for (int i = 0; i < 3000; ++i) put("tcga/f" + std::to_string(i) + ".uuid.svs");
  const SlideFolder folder(root_);
  fs::remove_all(root_);  // nothing is looked up on the disk
  for (int i = 0; i < 3000; ++i) {
    const SlideMatch match = folder.find({.benchmark = "tcga",
                                          .id = "1",
                                          .image_path = "f" + std::to_string(i) + ".svs",
                                          .file_id = "",
                                          .prompt = ""});
    EXPECT_EQ(match.problem, "");
  }
}

}  // namespace slide_folder_test
