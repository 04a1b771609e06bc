// SPDX-License-Identifier: Apache-2.0
/// `assay.shard/1`: the cases of one shard, and everything that is needed to compute the results of
/// the cohort once all shards are there. docs/formats/shard.md describes it and `assay.plan/1`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/base/text.hpp"
#include "assay/cohort.hpp"
#include "assay/results.hpp"
#include "assay/shard_plan.hpp"

namespace assay::results {

inline constexpr std::string_view shard_schema = "assay.shard/1", plan_schema = "assay.plan/1";

/// A larger number is a mistake and would give a long list of missing shards.
inline constexpr std::size_t most_shards = 1'000'000;

/// What a shard says about itself and about the cohort.
struct ShardHeader {
  Shard shard{};
  std::size_t cases = 0;  ///< in the whole cohort
  std::string inputs_sha256{}, version{};
  std::optional<std::string> plan_sha256{};
  metrics::ScoreSettings settings{};
  std::vector<std::string> warnings{};  ///< of the cohort
  bool labels_were_asked_for = false;
  std::string results{};  ///< name of the results file
  bool nnunet = false, anonymous = false;
  // What may differ between shards:
  CaseRoots roots{};
  std::vector<std::string> command{};  ///< that created the shard
};

struct ShardCase {
  std::size_t index = 0;  ///< in the cohort
  metrics::CaseRecord record{};
};

struct ShardFile {
  ShardHeader header{};
  std::vector<ShardCase> cases{};
};

/// Name and text of every member that is the same in all shards of a cohort.
std::vector<std::pair<std::string, std::string>> common_facts(const ShardHeader& header);

/// The text of such a file, piece by piece: header, cases, end.
class ShardWriter {
 public:
  ShardWriter(const ShardHeader& header, TextSink sink);
  void add(std::size_t index, const metrics::CaseRecord& record);
  void end();

 private:
  TextSink sink_;
  std::size_t cases_ = 0, failed_ = 0;
};

/// Throws an Error::input that names `name` and the faulty line. A file without its end is not a
/// shard.
ShardFile parse_shard_file(std::string_view text, const std::string& name);

/// "results.json" -> "results.shard-3-of-16.jsonl".
std::string shard_file_name(std::string_view results, const Shard& shard);

/// The shard that a file's name states; nothing for any other name.
std::optional<Shard> shard_in_name(std::string_view name);

/// Whether everything of a case was scored.
bool is_whole(const metrics::CaseRecord& record);

}  // namespace assay::results
