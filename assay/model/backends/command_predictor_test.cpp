// SPDX-License-Identifier: Apache-2.0
#include "assay/model/backends/command_predictor.hpp"

#include <gmock/gmock.h>

#include "assay/base/sha256.hpp"
#include "assay/base/test_files.hpp"
#include "assay/image.hpp"

namespace assay::model::command_predictor_test {

namespace fs = std::filesystem;
using test::refusal;
using test::TemporaryFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string hello =
    R"(read hello; echo '{"protocol":1,"name":"t","version":"1","classes":3}'; )";

/// A program of the shell that takes the text of a key out of $line.
std::string text_of(const std::string& key) {
  return "$(printf '%s' \"$line\" | sed 's/.*\"" + key + R"sh(": *"\([^"]*\)".*/\1/'))sh";
}

constexpr Grid grid = {.shape = {2, 3, 1},
                       .affine = {{{1, 0, 0, 10}, {0, 2, 0, -7}, {0, 0, 3, 5}}}};

/// A folder that holds labels, and programs of the shell that hand them out.
class CommandTest : public ::testing::Test {
 protected:
  fs::path labels(const std::string& name, const Grid& on, const std::vector<float>& voxels) {
    const Volume<float> volume(on, voxels);
    write_image(folder_ / name, volume.view());
    return folder_ / name;
  }
  /// Copies `from` to the output of every case, then answers with `answer`.
  static std::string copying(const fs::path& from, const std::string& answer = R"({"ok":true})") {
    return hello + "while read -r line; do cp " + from.string() + " \"" + text_of("output") +
           "\"; echo '" + answer + "'; done";
  }
  static std::unique_ptr<Predictor> program(const std::string& command, double timeout_s = 10) {
    return command_predictor({.command = {"sh", "-c", command}, .timeout_s = timeout_s});
  }
  std::vector<std::uint8_t> predict(Predictor& predictor, const fs::path& given = {}) const {
    PredictorInput input = {.channels = {image_.view()}};
    if (!given.empty()) input.files = {given};
    const Prediction found = predictor.predict(input, {});
    EXPECT_EQ(found.labels.grid(), grid);
    const auto voxels = found.labels.view().voxels;
    return {voxels.begin(), voxels.end()};
  }
  std::string failure(Predictor& predictor) const {
    return refusal([&] { predict(predictor); });
  }

  TemporaryFolder folder_;
  Volume<float> image_{grid, {1, 2, 3, 4, 5, 6}};
};

TEST_F(CommandTest, labels_come_from_the_file_that_the_program_wrote) {
  const auto predictor = program(copying(labels("a.nii.gz", grid, {0, 1, 2, 2, 1, 0})));
  EXPECT_EQ(predictor->backend(), "command");
  EXPECT_THAT(predict(*predictor), ElementsAre(0, 1, 2, 2, 1, 0));
  EXPECT_THAT(predict(*predictor), ElementsAre(0, 1, 2, 2, 1, 0));
}

TEST_F(CommandTest, labels_of_bytes_are_held_to_the_classes_too) {
  const Volume<std::uint8_t> good(grid, {0, 1, 2, 2, 1, 0}), bad(grid, {0, 1, 3, 2, 1, 0});
  write_image(folder_ / "good.nii", good.view());
  write_image(folder_ / "bad.nii", bad.view());
  EXPECT_THAT(predict(*program(copying(folder_ / "good.nii"))), ElementsAre(0, 1, 2, 2, 1, 0));
  EXPECT_THAT(failure(*program(copying(folder_ / "bad.nii"))), HasSubstr("it has the label 3;"));
}

TEST_F(CommandTest, an_image_without_a_file_is_written_and_removed_again) {
  const fs::path kept = folder_ / "kept.nii", where = folder_ / "where";
  const auto predictor = program(
      hello + "read -r line; image=" + text_of("image") + "; cp \"$image\" " + kept.string() +
      "; printf '%s' \"$image\" > " + where.string() + R"(; echo '{"error":"seen"}')");
  EXPECT_EQ(failure(*predictor), "the command reported: seen");
  const Image seen = read_image(kept);
  EXPECT_EQ(seen.grid(), grid);
  EXPECT_THAT(values(seen), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_FALSE(fs::exists(fs::path(read_text(where)).parent_path()));
}

TEST_F(CommandTest, an_image_with_a_file_is_named_by_its_absolute_path) {
  const fs::path told = folder_ / "told";
  const auto predictor =
      program(hello + R"(read -r line; printf '%s' )" + text_of("image") + " > " + told.string() +
              R"(; printf '{"error":"cannot open %s"}\n' )" + text_of("image"));
  EXPECT_EQ(refusal([&] { predict(*predictor, "some/where.nii"); }),
            "the command reported: cannot open where.nii")
      << "results show no folders";
  EXPECT_EQ(read_text(told), fs::absolute("some/where.nii").string());
}

TEST_F(CommandTest, axes_that_run_otherwise_are_turned) {
  Grid flipped = grid;
  flipped.affine = {{{-1, 0, 0, 11}, {0, 2, 0, -7}, {0, 0, 3, 5}}};
  const auto predictor = program(copying(labels("a.nii", flipped, {0, 1, 2, 2, 1, 0})));
  EXPECT_THAT(predict(*predictor), ElementsAre(1, 0, 2, 2, 0, 1));
}

TEST_F(CommandTest, another_grid_is_refused_with_both_grids) {
  Grid moved = grid, larger = grid;
  moved.affine[0][3] += 0.2;
  larger.shape = {3, 3, 1};
  const auto a = program(copying(labels("a.nii", moved, {0, 1, 2, 2, 1, 0})));
  EXPECT_THAT(failure(*a), AllOf(StartsWith("what the command wrote: it is on another grid (2x3x1"),
                                 HasSubstr("than the image (2x3x1")));
  const auto b = program(copying(labels("b.nii", larger, std::vector<float>(9))));
  EXPECT_THAT(failure(*b), HasSubstr("it is on another grid (3x3x1"));
}

TEST_F(CommandTest, what_are_no_labels_is_refused) {
  const auto half = program(copying(labels("a.nii", grid, {0, 0.5F, 0, 0, 0, 0})));
  EXPECT_THAT(failure(*half), AllOf(StartsWith("what the command wrote: "), HasSubstr("0.5")));
  const auto third = program(copying(labels("b.nii", grid, {0, 3, 0, 0, 0, 0})));
  EXPECT_THAT(failure(*third), HasSubstr("it has the label 3; with 3 classes labels are 0 to 2"));
  const auto negative = program(copying(labels("c.nii", grid, {0, -1, 0, 0, 0, 0})));
  EXPECT_THAT(failure(*negative), HasSubstr("it has the label -1"));
  write_atomically(folder_ / "text.nii", "no image");
  const auto text = program(copying(folder_ / "text.nii"));
  EXPECT_THAT(failure(*text), StartsWith("what the command wrote: "));
}

TEST_F(CommandTest, an_output_that_is_missing_is_told) {
  const auto predictor = program(hello + R"(while read -r line; do echo '{"ok":true}'; done)");
  EXPECT_EQ(failure(*predictor),
            "the command said that it was done, but did not write its \"output\"");
}

TEST_F(CommandTest, a_program_that_dies_fails_its_case_and_the_next_gets_a_new_one) {
  const fs::path first = folder_ / "first";
  const auto predictor = program(
      "[ -e " + first.string() + " ] || dies=yes; " + hello + "if [ \"$dies\" ]; then : > " +
      first.string() + "; read -r line; echo 'out of memory' >&2; exit 9; fi; " +
      copying(labels("a.nii", grid, {0, 1, 2, 2, 1, 0})).substr(hello.size()));
  EXPECT_THAT(failure(*predictor),
              AllOf(HasSubstr("the program ended with status 9 instead of answering"),
                    EndsWith("standard error: out of memory")));
  EXPECT_THAT(predict(*predictor), ElementsAre(0, 1, 2, 2, 1, 0));
}

TEST_F(CommandTest, a_program_that_hangs_is_ended_in_time) {
  const auto predictor = program(hello + "sleep 60", 0.2);
  EXPECT_THAT(failure(*predictor), HasSubstr("did not answer within 0.2 s"));
}

TEST_F(CommandTest, answers_that_are_none_are_told_and_the_program_is_started_anew) {
  const fs::path file = labels("a.nii", grid, {0, 1, 2, 2, 1, 0});
  struct Case {
    std::string answer, message;
  };
  for (const auto& [answer, message] :
       {Case{"Loading model...", "not a JSON object: Loading model..."},
        Case{"[1]", "not a JSON object"}, Case{"{}", "it answered neither"},
        Case{R"({"ok":false})", "it answered neither"},
        Case{R"({"ok":true,"id":7})", "it answered for the id 7 when asked for 1"},
        Case{R"({"ok":true,"id":"1"})", "it answered for the id \"1\" when asked for 1"}}) {
    const auto predictor = program(copying(file, answer));
    EXPECT_THAT(failure(*predictor),
                AllOf(StartsWith("the command 'sh -c 'read hello"), HasSubstr(message)));
  }
  for (const std::string fine : {R"({"ok":true,"id":1})", R"({"ok":true,"error":null,"more":[1]})"})
    EXPECT_THAT(predict(*program(copying(file, fine))), ElementsAre(0, 1, 2, 2, 1, 0)) << fine;
  EXPECT_EQ(failure(*program(copying(file, R"({"ok":true,"error":" "})"))),
            "the command reported: an error without a message");
  EXPECT_EQ(failure(*program(copying(file, R"({"error":{"code":3}})"))),
            "the command reported: {\"code\":3}");
}

TEST_F(CommandTest, a_case_that_the_program_gives_up_leaves_it_running) {
  const auto predictor = program(
      hello + R"(n=0; while read -r line; do n=$((n+1)); echo "{\"error\":\"case $n\"}"; done)");
  EXPECT_EQ(failure(*predictor), "the command reported: case 1");
  EXPECT_EQ(failure(*predictor), "the command reported: case 2");
}

TEST_F(CommandTest, a_handshake_that_fails_is_told_at_once) {
  struct Case {
    std::string command, message;
  };
  for (const auto& [command, message] :
       {Case{"exit 3", "the program ended with status 3"},
        Case{"no-such-program-here", "no-such-program-here: not found"},
        Case{R"(read line; echo '{"protocol":2,"name":"t"}')", "\"protocol\": 1"},
        Case{R"(read line; echo '{"protocol":1}')", "must have a \"name\""},
        Case{R"(read line; echo '{"protocol":1,"name":5}')",
             "\"name\" in its handshake is not text"},
        Case{R"(read line; echo '{"protocol":1,"name":"t","classes":0}')", "must be 1 to 256"},
        Case{R"(read line; echo '{"protocol":1,"name":"t","classes":2.5}')", "must be 1 to 256"},
        Case{R"(read line; echo 'Python 3.11')", "not a JSON object: Python 3.11"}})
    EXPECT_THAT(refusal([&, words = command] { program(words); }), HasSubstr(message)) << command;
  EXPECT_THAT(refusal([&] { command_predictor({}); }), HasSubstr("the command is empty"));
  EXPECT_EQ(refusal([&] {
              command_predictor({.command = {"no-such program", "a b"}});
            }),
            "the command ''no-such program' 'a b'': the program 'no-such program' cannot be "
            "started: it is not in any folder of PATH");
  const std::string deep = "read line; head -c 120000 /dev/zero | tr '\\0' '['; echo";
  EXPECT_THAT(refusal([&] { program(deep); }),
              EndsWith("its answer: line 1, column 201: nested more than 200 levels deep, which is "
                       "the most that assay reads"));
}

TEST_F(CommandTest, a_new_start_must_be_the_same_model) {
  const std::string count = (folder_ / "count").string();
  const auto predictor =
      program("echo x >> " + count +
              R"(; read line; echo "{\"protocol\":1,\"name\":\"t\",\"version\":\"$(wc -l < )" +
              count + R"()\"}"; read line; exit 1)");
  EXPECT_THAT(failure(*predictor), HasSubstr("ended with status 1"));
  EXPECT_THAT(failure(*predictor), HasSubstr("now has another name, version"));
}

TEST_F(CommandTest, the_hash_is_of_command_name_and_version) {
  const auto hash = [&](const std::string& name, const std::string& version,
                        const std::string& tail = "") {
    return program("read hello; echo '{\"protocol\":1,\"name\":\"" + name + "\",\"version\":\"" +
                   version + "\"}'" + tail)
        ->sha256();
  };
  EXPECT_EQ(hash("t", "1"), hash("t", "1"));
  EXPECT_EQ(hash("t", "1").size(), 64U);
  EXPECT_NE(hash("t", "1"), hash("t", "2"));
  EXPECT_NE(hash("t", "1"), hash("t", "1", "; cat"));
  EXPECT_NE(hash("ab", "c"), hash("a", "bc"));
}

TEST_F(CommandTest, standard_error_is_kept_in_a_file_across_starts) {
  const fs::path log = folder_ / "log.txt";
  const auto predictor = command_predictor(
      {.command = {"sh", "-c",
                   "echo started >&2; " + hello + "read -r line; echo failed >&2; exit 1"},
       .timeout_s = 10,
       .error_file = log});
  EXPECT_THAT(failure(*predictor), HasSubstr("failed"));
  EXPECT_THAT(failure(*predictor), HasSubstr("failed"));
  EXPECT_EQ(read_text(log), "started\nfailed\nstarted\nfailed\n");
  EXPECT_THAT(refusal([&] {
                command_predictor({.command = {"cat"}, .error_file = folder_ / "none/log.txt"});
              }),
              HasSubstr("log.txt: cannot be opened"));
}

TEST_F(CommandTest, several_channels_are_a_list_and_never_a_single_image) {
  const fs::path told = folder_ / "told";
  const auto predictor = program(hello + "read -r line; printf '%s' \"$line\" > " + told.string() +
                                 R"(; echo '{"error":"seen"}')");
  const PredictorInput input = {.channels = {image_.view(), image_.view()},
                                .files = {"/data/a_0000.nii.gz", "/data/a_0001.nii.gz"}};
  EXPECT_EQ(predictor->channels(), 0U);
  EXPECT_THAT(refusal([&] { predictor->predict(input, {}); }), HasSubstr("seen"));
  const std::string line = read_text(told);
  EXPECT_THAT(line, HasSubstr(R"("images":["/data/a_0000.nii.gz","/data/a_0001.nii.gz"])"));
  EXPECT_THAT(line, ::testing::Not(HasSubstr(R"("image":)")));
}

TEST_F(CommandTest, a_program_may_say_how_many_channels_it_takes) {
  EXPECT_EQ(parse_greeting(R"({"protocol":1,"name":"a","channels":4})").channels, 4U);
  for (const char* wrong : {"0", "257", "1.5", "\"2\""})
    EXPECT_THAT(
        refusal([&] {
          parse_greeting(R"({"protocol":1,"name":"a","channels":)" + std::string(wrong) + "}");
        }),
        HasSubstr("\"channels\" in its handshake must be 1 to 256"));
  const auto predictor =
      program(R"(read line; echo '{"protocol":1,"name":"a","channels":2}'; cat)");
  EXPECT_THAT(refusal([&] { predictor->predict({.channels = {image_.view()}}, {}); }),
              HasSubstr("the image has 1 channel, but the model takes 2 channels"));
}

TEST_F(CommandTest, an_empty_image_is_refused) {
  const auto predictor = program(hello + "cat");
  const Volume<float> none(Grid{.shape = {0, 3, 1}});
  EXPECT_THAT(refusal([&] { predictor->predict({.channels = {none.view()}}, {}); }),
              HasSubstr("the image has no voxels"));
}

}  // namespace assay::model::command_predictor_test
