// SPDX-License-Identifier: Apache-2.0
#include "assay/base/journal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "assay/base/file.hpp"
#include "assay/base/test_files.hpp"
#include "assay/error.hpp"

namespace journal_test {

using namespace assay;
using testing::HasSubstr;

namespace fs = std::filesystem;

const JournalHeader header = {"settings", "inputs", "0.1.0"};

/// A journal of its own for each test.
class JournalFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ =
        fs::path(testing::TempDir()) /
        (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".journal");
    fs::remove(path_);
  }
  void TearDown() override { fs::remove(path_); }

  void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }

  fs::path path_;
};

TEST_F(JournalFile, what_was_committed_is_read_back_in_order) {
  {
    Journal journal = Journal::create(path_, header);
    journal.commit({R"({"id":"a"})", R"({"id":"b"})"});
    journal.commit({R"({"id":"c"})"});
  }
  const auto content = read_journal(path_);
  ASSERT_TRUE(content);
  EXPECT_EQ(content->header, header);
  EXPECT_EQ(content->records,
            (std::vector<std::string>{R"({"id":"a"})", R"({"id":"b"})", R"({"id":"c"})"}));
  EXPECT_EQ(content->bytes, fs::file_size(path_));
}

TEST_F(JournalFile, an_absent_or_empty_journal_is_none) {
  EXPECT_FALSE(read_journal(path_));
  write("");
  EXPECT_FALSE(read_journal(path_));
}

TEST_F(JournalFile, cut_anywhere_it_reads_as_the_whole_lines_before) {
  { Journal::create(path_, header).commit({R"({"n":1})", R"({"n":2})"}); }
  const std::string whole = read_text(path_);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write(whole.substr(0, length));
    const auto lines = static_cast<std::size_t>(
        std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length), '\n'));
    const auto content = read_journal(path_);
    EXPECT_EQ(content ? content->records.size() + 1 : 0, lines) << length;
  }
}

TEST_F(JournalFile, resuming_drops_the_torn_end_and_writes_behind_it) {
  { Journal::create(path_, header).commit({R"({"n":1})"}); }
  write(read_text(path_) + R"({"crc32": "00000000", "rec)");
  {
    Journal journal = Journal::resume(path_, *read_journal(path_));
    journal.commit({R"({"n":2})"});
  }
  EXPECT_EQ(read_journal(path_)->records, (std::vector<std::string>{R"({"n":1})", R"({"n":2})"}));
}

TEST_F(JournalFile, damage_before_the_end_is_an_error_that_says_where) {
  { Journal::create(path_, header).commit({R"({"n":1})", R"({"n":2})"}); }
  std::string text = read_text(path_);
  text[text.find("\"n\":1") + 4] = '7';
  write(text);
  const std::string said = test::refusal([&] { read_journal(path_); });
  EXPECT_THAT(said, HasSubstr("line 2 is damaged"));
  EXPECT_THAT(said, HasSubstr("assay qa salvage " + path_.string()));
  EXPECT_THAT(said, HasSubstr("without --resume"));
}

TEST_F(JournalFile, never_goes_through_a_link) {
  const fs::path target = path_.string() + ".target";
  write("");
  { Journal::create(path_, header).commit({R"({"n":1})"}); }
  fs::rename(path_, target);
  const std::string before = read_text(target);
  fs::create_symlink(target, path_);
  EXPECT_EQ(test::refusal([&] { Journal::create(path_, header); }),
            path_.string() +
                ": is a symbolic link, which a journal must not be; remove it, or "
                "choose another --out");
  EXPECT_THROW(Journal::locked(path_), Error);
  EXPECT_THROW(Journal::resume(path_, *read_journal(path_)), Error);
  EXPECT_TRUE(fs::is_symlink(path_));
  EXPECT_EQ(read_text(target), before);
  fs::remove(target);
}

TEST_F(JournalFile, replaces_only_a_journal) {
  for (const std::string& other : {std::string("my notes"), std::string("{}"),
                                   std::string("\0x", 2), std::string("{\"crc\"}")}) {
    write(other);
    EXPECT_EQ(test::refusal([&] { Journal::create(path_, header); }),
              path_.string() + ": is not a journal; move it away")
        << other;
    EXPECT_EQ(read_text(path_), other);
  }
  { Journal::create(path_.string() + ".2", header).commit({R"({"n":1})"}); }
  const std::string whole = read_text(path_.string() + ".2");
  fs::remove(path_.string() + ".2");
  for (const std::string& ours : {std::string(), whole, whole.substr(0, 7), whole + "torn",
                                  std::string(600, '\0'), std::string(9, '\0')}) {
    write(ours);
    Journal::create(path_, header);
    EXPECT_TRUE(read_journal(path_)->records.empty());
  }
}

TEST_F(JournalFile, has_a_single_writer) {
  const Journal first = Journal::create(path_, header);
  EXPECT_THROW(Journal::create(path_, header), Error);
  EXPECT_TRUE(read_journal(path_));  // the refused writer has emptied nothing
}

}  // namespace journal_test
