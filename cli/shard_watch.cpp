// SPDX-License-Identifier: Apache-2.0
#include "cli/shard_watch.hpp"

#include <numeric>

#include "assay/base/file.hpp"
#include "assay/error.hpp"
#include "assay/results/case_record.hpp"
#include "assay/results/shard.hpp"

namespace assay::cli {

namespace fs = std::filesystem;

ShardWatch::ShardWatch(const fs::path& out, const results::ShardPlan& plan)
    : cases_(plan.shard_of.size()), shards_(plan.shards) {
  for (std::size_t i = 0; i < shards_.size(); ++i)
    shards_[i].file =
        out.parent_path() /
        results::shard_file_name(out.filename().string(), {.number = i + 1, .of = plan.shards});
}

void ShardWatch::take(State& shard, const metrics::CaseRecord& record,
                      std::vector<std::string>& news) {
  shard.done.insert(record.id);
  if (results::is_whole(record))
    shard.failed.erase(record.id);  // it was tried again
  else if (shard.failed.insert(record.id).second)
    news.push_back("not scored: " + record.id + ": " +
                   (record.error.empty() ? "structures are missing" : record.error));
}

void ShardWatch::read_file(State& shard, std::vector<std::string>& news) try {
  for (const results::ShardCase& one :
       results::parse_shard_file(read_text(shard.file), shard.file.string()).cases)
    take(shard, one.record, news);
  shard.is_finished = true;
  shard.journal.reset();
} catch (const Error& e) {
  if (!shard.is_damaged) news.emplace_back(e.what());
  shard.is_damaged = true;
}

void ShardWatch::read_journal(State& shard, std::vector<std::string>& news) try {
  const fs::path journal = shard.file.string() + ".journal";
  if (!fs::exists(journal)) return;
  if (!shard.journal) shard.journal.emplace(journal);
  const auto each = [&](std::string_view record) {
    take(shard, results::parse_record(record), news);
  };
  if (!shard.journal->read(each)) shard.journal.reset();  // started again: next time read all of it
} catch (const Error&) {
  shard.journal.reset();  // the shard may just have finished and removed its journal
}

std::vector<std::string> ShardWatch::look() {
  std::vector<std::string> news;
  for (State& shard : shards_) {
    if (shard.is_finished) continue;
    fs::exists(shard.file) ? read_file(shard, news) : read_journal(shard, news);
  }
  return news;
}

std::size_t ShardWatch::done() const {
  return std::transform_reduce(shards_.begin(), shards_.end(), std::size_t{0}, std::plus<>(),
                               [](const State& shard) { return shard.done.size(); });
}

std::size_t ShardWatch::failed() const {
  return std::transform_reduce(shards_.begin(), shards_.end(), std::size_t{0}, std::plus<>(),
                               [](const State& shard) { return shard.failed.size(); });
}

std::vector<std::size_t> ShardWatch::unfinished() const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < shards_.size(); ++i)
    if (!shards_[i].is_finished) out.push_back(i + 1);
  return out;
}

}  // namespace assay::cli
