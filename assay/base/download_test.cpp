// SPDX-License-Identifier: Apache-2.0
#include "assay/base/download.hpp"

#include <gmock/gmock.h>

#include "assay/base/sha256.hpp"
#include "assay/base/test_files.hpp"
#include "assay/demo/test_server.hpp"

namespace assay::download_test {

using test::address;
using test::refusal;
using test::TemporaryFolder;
using ::testing::HasSubstr;

std::string some_content() {
  std::string content;
  for (int i = 0; i < 200000; ++i) content += static_cast<char>(i * 7 + i / 1000);
  return content;
}

/// Serves one file, with what may go wrong; notes the requests.
struct Hub {
  std::string content = some_content(), tag = '"' + sha256(content) + '"';
  bool ranges = true;
  int cuts = 0;  ///< of the next so many responses
  std::vector<std::string> asked{};

  demo::ServerResponse operator()(const demo::ServerRequest& request) {
    std::string range, if_range, authorisation;
    for (const auto& [name, value] : request.headers) {
      if (name == "range") range = value;
      if (name == "if-range") if_range = value;
      if (name == "authorization") authorisation = value;
    }
    asked.push_back(range + "|" + authorisation);
    demo::ServerResponse response = {.headers = {{"ETag", tag}}, .body = content};
    response.cut = cuts-- > 0;
    if (!ranges || range.empty() || if_range != tag) return response;
    const std::size_t from = std::stoul(range.substr(6));
    if (from >= content.size()) return {.status = 416};
    response.status = 206;
    response.headers.emplace_back("Content-Range", "bytes " + std::to_string(from) + "-" +
                                                       std::to_string(content.size() - 1) + "/" +
                                                       std::to_string(content.size()));
    response.body = content.substr(from);
    return response;
  }
};

class DownloadTest : public ::testing::Test {
 protected:
  std::variant<Downloaded, DownloadFailure> fetch(unsigned attempts = 1,
                                                  const std::string& sha = "") {
    return download({.url = address(server_),
                     .path = target_,
                     .sha256 = sha,
                     .attempts = attempts,
                     .patience_s = 0.01});
  }
  Downloaded fetched(unsigned attempts = 1) {
    const auto result = fetch(attempts);
    if (const auto* failure = std::get_if<DownloadFailure>(&result)) {
      ADD_FAILURE() << failure->message;
      return {};
    }
    EXPECT_EQ(read_text(target_), hub_.content);
    EXPECT_EQ(folder_.entries(), 1U) << "something is left beside the file";
    return std::get<Downloaded>(result);
  }

  TemporaryFolder folder_;
  std::filesystem::path target_ = folder_ / "table.csv";
  Hub hub_;
  demo::LoopbackServer server_{
      [this](const demo::ServerRequest& request) { return hub_(request); }};
};

TEST_F(DownloadTest, a_file_comes_whole_and_checked) {
  const Downloaded result = fetched();
  EXPECT_EQ(result.size, hub_.content.size());
  EXPECT_EQ(result.sha256, sha256(hub_.content));
  EXPECT_EQ(result.checked_by, "sha256");
  EXPECT_FALSE(result.already_there);
  EXPECT_FALSE(result.resumed);
}

TEST_F(DownloadTest, what_is_there_is_not_fetched_again) {
  fetched();
  EXPECT_TRUE(fetched().already_there);
  hub_.content += "a new version";
  hub_.tag = '"' + sha256(hub_.content) + '"';
  EXPECT_FALSE(fetched().already_there);
  hub_.asked.clear();
  const auto known = fetch(1, sha256(hub_.content));
  EXPECT_TRUE(std::get<Downloaded>(known).already_there);
  EXPECT_TRUE(hub_.asked.empty()) << "a known checksum needs no connection";
}

TEST_F(DownloadTest, a_broken_download_goes_on_where_it_broke) {
  hub_.cuts = 1;
  const auto broken = fetch();
  ASSERT_TRUE(std::holds_alternative<Downloaded>(broken)) << "bytes came, so it went on at once";
  EXPECT_EQ(read_text(target_), hub_.content);
  EXPECT_EQ(hub_.asked[1], "bytes=" + std::to_string(hub_.content.size() / 2) + "-|");
  EXPECT_TRUE(std::get<Downloaded>(broken).resumed);
}

TEST_F(DownloadTest, a_later_process_goes_on_too) {
  const std::size_t have = 12345;
  write_atomically(folder_ / "table.csv.part", hub_.content.substr(0, have));
  write_atomically(folder_ / "table.csv.part.tag", hub_.tag);
  EXPECT_TRUE(fetched().resumed);
  EXPECT_EQ(hub_.asked, std::vector<std::string>{"bytes=12345-|"});
}

TEST_F(DownloadTest, a_part_of_another_version_or_without_tag_is_dropped) {
  write_atomically(folder_ / "table.csv.part", "other content");
  write_atomically(folder_ / "table.csv.part.tag", "\"other\"");
  EXPECT_FALSE(fetched().resumed);
  write_atomically(folder_ / "table.csv.part", "other content");
  std::filesystem::remove(target_);
  EXPECT_FALSE(fetched().resumed);
}

TEST_F(DownloadTest, what_was_not_on_disk_for_certain_is_fetched_again) {
  const std::size_t have = 100;
  ASSERT_GT(hub_.content.size(), 2 * have);
  hub_.tag = "\"opaque\"";  // nobody knows a checksum
  write_atomically(folder_ / "table.csv.part",
                   hub_.content.substr(0, have) + std::string(have, '\0'));
  write_atomically(folder_ / "table.csv.part.tag", hub_.tag + "\n100\n");
  EXPECT_TRUE(fetched().resumed);
  EXPECT_EQ(read_text(folder_ / "table.csv"), hub_.content);
  EXPECT_EQ(folder_.entries(), 1U);
}

TEST_F(DownloadTest, a_part_that_is_too_long_is_dropped) {
  write_atomically(folder_ / "table.csv.part", hub_.content + "more");
  write_atomically(folder_ / "table.csv.part.tag", hub_.tag);
  EXPECT_FALSE(fetched(3).resumed);
}

TEST_F(DownloadTest, a_server_without_ranges_starts_over) {
  hub_.ranges = false;
  hub_.cuts = 2;
  EXPECT_FALSE(fetched().resumed);
  EXPECT_EQ(hub_.asked.size(), 3U);
}

TEST_F(DownloadTest, a_wrong_checksum_leaves_nothing) {
  hub_.tag = '"' + std::string(64, 'a') + '"';
  EXPECT_THAT(refusal([&] { fetch(); }), HasSubstr("the checksum is wrong: expected aaaa"));
  EXPECT_EQ(folder_.entries(), 0U);
  hub_.tag = "\"opaque\"";
  EXPECT_THAT(refusal([&] { fetch(1, std::string(64, 'b')); }), HasSubstr("expected bbbb"));
  EXPECT_EQ(folder_.entries(), 0U);
}

TEST_F(DownloadTest, git_names_are_checked_and_opaque_tags_are_not) {
  const test::TemporaryFolder other;
  write_atomically(other / "content", hub_.content);
  hub_.tag = '"' + git_blob_id(other / "content") + '"';
  EXPECT_EQ(fetched().checked_by, "git");
  EXPECT_TRUE(fetched().already_there);
  hub_.tag = "W/\"weak\"";
  const Downloaded weak = fetched();
  EXPECT_EQ(weak.checked_by, "");
  EXPECT_FALSE(weak.already_there);
}

TEST_F(DownloadTest, an_empty_file_is_a_file) {
  hub_.content = "";
  hub_.tag = "\"opaque\"";
  EXPECT_EQ(fetched().size, 0U);
}

TEST_F(DownloadTest, refusals_of_the_server_keep_nothing_and_tell_the_status) {
  const demo::LoopbackServer closed(
      [](const demo::ServerRequest&) { return demo::ServerResponse{.status = 401}; });
  const auto result = download({.url = address(closed), .path = target_});
  ASSERT_TRUE(std::holds_alternative<DownloadFailure>(result));
  EXPECT_EQ(std::get<DownloadFailure>(result).status, 401);
  EXPECT_EQ(folder_.entries(), 0U);
}

TEST_F(DownloadTest, the_token_stays_with_the_first_host_and_its_checksum_is_used) {
  const demo::LoopbackServer first([&](const demo::ServerRequest& request) {
    EXPECT_EQ(std::ranges::count(request.headers, std::pair<std::string, std::string>(
                                                      "authorization", "Bearer secret")),
              1);
    return demo::ServerResponse{.status = 302,
                                .headers = {{"Location", address(server_, "/bytes")},
                                            {"X-Linked-Etag", '"' + sha256(hub_.content) + '"'}}};
  });
  hub_.tag = "\"opaque\"";
  const auto result = download(
      {.url = address(first), .path = target_, .headers = {{"Authorization", "Bearer secret"}}});
  ASSERT_TRUE(std::holds_alternative<Downloaded>(result));
  EXPECT_EQ(std::get<Downloaded>(result).checked_by, "sha256");
  EXPECT_EQ(hub_.asked, std::vector<std::string>{"|"});
}

TEST_F(DownloadTest, a_stop_keeps_what_has_come) {
  std::atomic<bool> stop = false;
  const auto result = download({.url = address(server_), .path = target_, .stop = &stop},
                               [&](std::uint64_t, std::uint64_t total) {
                                 EXPECT_EQ(total, hub_.content.size());
                                 stop = true;
                               });
  ASSERT_TRUE(std::holds_alternative<DownloadFailure>(result));
  EXPECT_TRUE(std::get<DownloadFailure>(result).stopped);
  EXPECT_FALSE(std::filesystem::exists(target_));
  EXPECT_TRUE(fetched().resumed);
}

TEST_F(DownloadTest, a_second_process_is_told_to_wait) {
  const auto result =
      download({.url = address(server_), .path = target_}, [&](std::uint64_t, std::uint64_t) {
        EXPECT_THAT(refusal([&] { fetch(); }), HasSubstr("is being fetched by another process"));
      });
  EXPECT_TRUE(std::holds_alternative<Downloaded>(result));
}

TEST(Download, room_is_checked_before) {
  EXPECT_EQ(refusal([] { require_room("/data", 2500000, 1000000); }),
            "/data: has 1.0 MB free, but 2.5 MB are needed; make room or choose another folder");
  EXPECT_EQ(refusal([] { require_room("/data", 10, 10); }), "");
}

}  // namespace assay::download_test
