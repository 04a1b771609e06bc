// SPDX-License-Identifier: Apache-2.0
#include "assay/base/journal_follower.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "assay/base/file.hpp"
#include "assay/base/journal_writer.hpp"
#include "assay/base/test_files.hpp"
#include "assay/error.hpp"

namespace assay::journal_follower_test {

using ::testing::ElementsAre;

class FollowedJournal : public ::testing::Test {
 protected:
  std::vector<std::string> news(JournalFollower& follower) {
    std::vector<std::string> out;
    EXPECT_TRUE(follower.read([&](std::string_view record) { out.emplace_back(record); }));
    return out;
  }
  void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }

  test::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "run.journal";
  const JournalHeader header_ = {"settings", "inputs", "0.2.0"};
};

TEST_F(FollowedJournal, goes_on_where_it_ended) {
  Journal journal = Journal::create(path_, header_);
  JournalFollower follower(path_);
  EXPECT_THAT(news(follower), ElementsAre());
  EXPECT_EQ(follower.header(), header_);
  journal.commit({"1", "2"});
  EXPECT_THAT(news(follower), ElementsAre("1", "2"));
  EXPECT_THAT(news(follower), ElementsAre());
  journal.append({"3"});
  EXPECT_THAT(news(follower), ElementsAre("3"));
}

TEST_F(FollowedJournal, cut_anywhere_the_rest_follows) {
  { Journal::create(path_, header_).commit({"1", "2", "3"}); }
  const std::string whole = read_text(path_);
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    write(whole.substr(0, length));
    JournalFollower follower(path_);
    std::vector<std::string> all = news(follower);
    write(whole);
    for (std::string& record : news(follower)) all.push_back(std::move(record));
    EXPECT_THAT(all, ElementsAre("1", "2", "3")) << length;
    EXPECT_TRUE(follower.damaged_lines().empty()) << length;
  }
}

TEST_F(FollowedJournal, lines_longer_than_a_block_are_whole) {
  const std::string record = '"' + std::string(3'000'000, 'x') + '"';
  { Journal::create(path_, header_).commit({record, "2", record}); }
  JournalFollower follower(path_);
  EXPECT_THAT(news(follower), ElementsAre(record, "2", record));
}

TEST_F(FollowedJournal, damaged_lines_are_left_out_and_noted) {
  { Journal::create(path_, header_).commit({"1", "2", "3"}); }
  std::string text = read_text(path_);
  text[text.find(": 2}") + 2] = '7';
  write(text);
  JournalFollower follower(path_);
  EXPECT_THAT(news(follower), ElementsAre("1", "3"));
  EXPECT_THAT(follower.damaged_lines(), ElementsAre(3U));
}

TEST_F(FollowedJournal, another_or_a_shorter_file_is_noticed) {
  { Journal::create(path_, header_).commit({"1", "2", "3"}); }
  const std::string whole = read_text(path_);
  JournalFollower shorter(path_), replaced(path_);
  news(shorter);
  news(replaced);
  write(whole.substr(0, whole.size() / 2));
  EXPECT_FALSE(shorter.read([](std::string_view) {}));
  write_atomically(path_, whole + whole);
  EXPECT_FALSE(replaced.read([](std::string_view) {}));
}

TEST_F(FollowedJournal, an_absent_file_is_an_error) {
  JournalFollower follower(path_);
  EXPECT_THROW(follower.read([](std::string_view) {}), Error);
}

TEST_F(FollowedJournal, the_lock_is_seen_without_touching_it) {
  EXPECT_FALSE(is_journal_locked(path_));
  {
    const Journal journal = Journal::create(path_, header_);
    EXPECT_TRUE(is_journal_locked(path_));
    EXPECT_TRUE(is_journal_locked(path_));
  }
  EXPECT_FALSE(is_journal_locked(path_));
  Journal::resume(path_, *read_journal(path_));
}

TEST_F(FollowedJournal, light_records_keep_their_place_among_others) {
  {
    JournalWriter writer(Journal::create(path_, header_), std::chrono::milliseconds(0));
    writer.add_lightly("1");
    writer.add("2");
    writer.add_lightly("3");
    writer.add_durably("4");
    EXPECT_EQ(read_journal(path_)->records, (std::vector<std::string>{"1", "2", "3", "4"}));
    writer.add_lightly("5");
    writer.finish();
  }
  EXPECT_EQ(read_journal(path_)->records, (std::vector<std::string>{"1", "2", "3", "4", "5"}));
}

}  // namespace assay::journal_follower_test
