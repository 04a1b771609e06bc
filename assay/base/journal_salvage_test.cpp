// SPDX-License-Identifier: Apache-2.0
#include "assay/base/journal_salvage.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace assay::journal_salvage_test {

const JournalHeader salvage_header = {"settings", "inputs", "0.1.0"};

std::vector<std::string> numbered(int count) {
  std::vector<std::string> out;
  for (int i = 0; i < count; ++i) out.push_back(R"({"n":)" + std::to_string(i) + R"(,"t":"x"})");
  return out;
}

std::string whole_journal(const std::vector<std::string>& records) {
  return journal_text(salvage_header,
                      std::vector<std::string_view>(records.begin(), records.end()));
}

TEST(JournalSalvage, an_intact_journal_is_kept) {
  const auto records = numbered(4);
  const std::string text = whole_journal(records);
  const SalvagedJournal found = salvaged_journal(text);
  EXPECT_FALSE(found.damaged());
  EXPECT_EQ(found.header, salvage_header);
  EXPECT_TRUE(std::ranges::equal(found.records, records));
  EXPECT_TRUE(found.lost.empty());
}

TEST(JournalSalvage, one_bad_byte_costs_at_most_its_own_line) {
  const auto records = numbered(4);
  const std::string whole = whole_journal(records);
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const char bad : {'\0', 'x', '\n', '"', '}', '{'}) {
      std::string text = whole;
      if (text[at] == bad) continue;
      text[at] = bad;
      const auto line = static_cast<std::size_t>(
          std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
      const SalvagedJournal found = salvaged_journal(text);
      std::vector<std::string> expected = records;
      const bool is_break = whole[at] == '\n';  // no record is lost with a line break
      if (line > 0 && !is_break)
        expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(line) - 1);
      EXPECT_TRUE(std::ranges::equal(found.records, expected)) << at << " " << int{bad};
      EXPECT_EQ(found.header.has_value(), line > 0 || is_break) << at << " " << int{bad};
      // A bad last line is torn, as far as anybody can tell, unless there is more to keep in it.
      const bool is_damage = line < 4 || is_break || bad == '\n';
      EXPECT_EQ(found.damaged(), is_damage) << at << " " << int{bad};
      if (!is_break && is_damage && bad != '\n') {
        EXPECT_EQ(found.lost.front().line, line + 1) << at;
      }
    }
}

TEST(JournalSalvage, a_lost_block_is_one_piece_or_two) {
  const auto records = numbered(9);
  std::string text = whole_journal(records);
  const std::size_t from = text.find(R"("n":3)"), to = text.find(R"("n":6)");
  std::fill(text.begin() + static_cast<std::ptrdiff_t>(from),
            text.begin() + static_cast<std::ptrdiff_t>(to), '\0');
  const SalvagedJournal found = salvaged_journal(text);
  EXPECT_EQ(found.records.size(), 5U);
  ASSERT_EQ(found.lost.size(), 1U);
  EXPECT_EQ(found.lost[0].line, 5U);
  EXPECT_FALSE(found.torn);
}

TEST(JournalSalvage, a_torn_end_is_not_damage) {
  const auto records = numbered(3);
  const std::string whole = whole_journal(records);
  for (std::size_t length = whole.find('\n') + 1; length < whole.size(); ++length) {
    const std::string text = whole.substr(0, length);
    EXPECT_FALSE(salvaged_journal(text).damaged()) << length;
  }
}

TEST(JournalSalvage, other_files_have_nothing_to_keep) {
  for (const std::string text : {"", "\n", "hello\nworld\n", "{}\n{}\n", "\0\0\0"}) {
    const SalvagedJournal found = salvaged_journal(text);
    EXPECT_TRUE(found.records.empty() && !found.header) << text;
  }
}

}  // namespace assay::journal_salvage_test
