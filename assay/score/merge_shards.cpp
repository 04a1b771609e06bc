// SPDX-License-Identifier: Apache-2.0
#include "assay/score/merge_shards.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "assay/base/file.hpp"
#include "assay/base/own_threads.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/score/score_cohort.hpp"

namespace assay::score {
namespace {

namespace fs = std::filesystem;

using Facts = std::vector<std::pair<std::string, std::string>>;

/// A parsed shard file.
struct FoundShard {
  std::string name;
  results::ShardFile file;
  Facts facts;
};

/// Files whose names are those of shards, by number, and the journals of such files.
struct ShardNames {
  std::vector<fs::path> files;
  std::vector<fs::path> journals;
};

ShardNames shards_in(const fs::path& folder) {
  constexpr std::string_view journal = ".journal";
  constexpr const char* remedy = "give the folder that the shards wrote their files to";
  std::error_code trouble;
  const fs::file_status status = fs::status(folder, trouble);
  if (!fs::exists(status))
    throw Error(Error::Kind::io, folder, std::string("no such folder; ") + remedy);
  if (!fs::is_directory(status))
    throw Error(Error::Kind::usage, folder, std::string("is a file; ") + remedy);
  ShardNames out;
  for (fs::directory_iterator entry(folder, trouble), end; !trouble && entry != end;
       entry.increment(trouble)) {
    const std::string name = entry->path().filename().string();
    if (results::shard_in_name(name)) out.files.push_back(entry->path());
    if (name.ends_with(journal) &&
        results::shard_in_name(std::string_view(name).substr(0, name.size() - journal.size())))
      out.journals.push_back(entry->path());
  }
  if (trouble) throw Error(Error::Kind::io, folder, "cannot be read (" + trouble.message() + ")");
  std::ranges::sort(out.files, {}, [](const fs::path& path) {
    return std::pair(results::shard_in_name(path.filename().string())->number, path);
  });
  return out;
}

/// The intact files, in order. The others are listed in `unusable`.
std::vector<FoundShard> parse_files(const std::vector<fs::path>& files, const ShardReading& how,
                                    std::vector<Error>& unusable) {
  std::vector<FoundShard> found(files.size());
  std::vector<std::optional<Error>> troubles(files.size());
  each_on_own_threads(files.size(), how.jobs, [&](std::size_t i) {
    FoundShard& one = found[i];
    one.name = files[i].string();
    try {
      one.file = results::parse_shard_file(read_text(files[i]), one.name);
      one.facts = results::common_facts(one.file.header);
    } catch (const Error& e) {
      troubles[i] = e;
    }
  });
  for (const std::optional<Error>& trouble : troubles)
    if (trouble) unusable.push_back(*trouble);
  std::erase_if(found, [&](const FoundShard& one) {
    return one.facts.empty() ||
           (!how.model.empty() && one.file.header.settings.model_name != how.model);
  });
  return found;
}

/// The facts that most files agree on; in case of a tie, those of the lowest shard.
const Facts& most_common(const std::vector<FoundShard>& found) {
  std::map<Facts, std::size_t> counts;
  for (const FoundShard& one : found) ++counts[one.facts];
  const Facts* best = &found.front().facts;
  for (const FoundShard& one : found)
    if (counts[one.facts] > counts[*best]) best = &one.facts;
  return *best;
}

/// The sentence for a kind of difference. Its first part is about this file, its second about the
/// others.
struct Difference {
  std::string_view fact;
  const char *here, *others;
  bool shows_values;
};
constexpr Difference differences[] = {
    {"version", "was made by version", "the others by", true},
    {"model_name", "belongs to model", "the others to", true},
    {"shards", "belongs to a division into", "the others into", true},
    {"inputs_sha256",
     "was made from other cases: files, groups or ids were added, removed or changed between the "
     "runs",
     "", false},
    {"cases", "was made from other cases: their number is", "in the others", true},
    {"plan_sha256", "was made with another --plan", "", false},
};

/// How a file differs from the others, in a sentence.
std::string difference(const Facts& here, const Facts& others) {
  for (const Difference& kind : differences) {
    const auto mine = std::ranges::find(here, kind.fact, &Facts::value_type::first);
    const auto theirs = std::ranges::find(others, kind.fact, &Facts::value_type::first);
    if (mine->second == theirs->second) continue;
    std::string out = kind.here;
    if (kind.shows_values)
      out.append(" ")
          .append(mine->second)
          .append(", ")
          .append(kind.others)
          .append(" ")
          .append(theirs->second);
    return out;
  }
  std::string out;
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (here[i] == others[i]) continue;
    constexpr std::string_view prefix = "settings.";
    std::string_view setting = here[i].first;
    if (setting.starts_with(prefix)) setting.remove_prefix(prefix.size());
    out.append(out.empty() ? "" : "; ").append(setting).append(" is ");
    out.append(excerpt(here[i].second, 80)).append(", in the others ");
    out.append(excerpt(others[i].second, 80));
  }
  return "was made with other settings: " + out;
}

/// Keeps the files that agree with most, and adds a sentence about each of the others.
void keep_alike(std::vector<FoundShard>& found, std::vector<std::string>& conflicts) {
  const Facts common = most_common(found);
  std::erase_if(found, [&](const FoundShard& one) {
    if (one.facts == common) return false;
    conflicts.push_back(one.name + ": " + difference(one.facts, common) +
                        "; run this shard again, or remove the file");
    return true;
  });
}

/// Where a case is. Records are large, so their places are sorted instead.
struct CasePlace {
  std::size_t index;
  FoundShard* shard;
  std::size_t at;

  metrics::CaseRecord& record() const { return shard->file.cases[at].record; }
  /// "case sub-01 of shards/results.shard-1-of-2.jsonl".
  std::string shown() const { return "case " + record().id + " of " + shard->name; }
};

std::vector<CasePlace> sorted_places(std::vector<FoundShard>& found) {
  std::vector<CasePlace> out;
  for (FoundShard& one : found)
    for (std::size_t i = 0; i < one.file.cases.size(); ++i)
      out.push_back({one.file.cases[i].index, &one, i});
  std::ranges::stable_sort(out, {}, &CasePlace::index);
  return out;
}

/// Drops equal copies, and reports cases that two files have in different forms.
void drop_copies(std::vector<CasePlace>& cases, std::vector<std::string>& conflicts) {
  const auto repeats = [&](const CasePlace& first, const CasePlace& second) {
    if (first.index != second.index) return false;
    if (first.record() != second.record())
      conflicts.push_back("case " + first.record().id + " differs between " + first.shard->name +
                          " and " + second.shard->name +
                          "; remove the file that is wrong, or both, and run that shard again");
    return true;
  };
  cases.erase(std::unique(cases.begin(), cases.end(), repeats), cases.end());
}

/// Ids ascend strictly in a cohort, so records of other cases cannot be mistaken for these.
void check_order(const std::vector<CasePlace>& cases, std::vector<std::string>& conflicts) {
  for (std::size_t i = 1; i < cases.size(); ++i)
    if (!(cases[i - 1].record().id < cases[i].record().id))
      conflicts.push_back(cases[i].shown() + " does not follow " + cases[i - 1].shown() +
                          "; run both shards again");
}

void check_cover(const std::vector<CasePlace>& cases, ShardFolder& out) {
  if (out.missing.empty() && cases.size() != out.header.cases)
    out.conflicts.push_back(
        "every shard is there, but together they have " + counted(cases.size(), "case") + " of " +
        std::to_string(out.header.cases) + "; run all shards again with the same --plan");
}

std::vector<std::size_t> missing_shards(const std::vector<FoundShard>& found, std::size_t of) {
  std::set<std::size_t> there;
  for (const FoundShard& one : found) there.insert(one.file.header.shard.number);
  std::vector<std::size_t> out;
  for (std::size_t shard = 1; shard <= of; ++shard)
    if (!there.contains(shard)) out.push_back(shard);
  return out;
}

/// Reports missing shards that have a journal, which means that they have begun.
void tell_begun(const std::vector<fs::path>& journals, ShardFolder& out) {
  for (const fs::path& journal : journals) {
    const auto shard = results::shard_in_name(journal.stem().string());
    if (shard && shard->of == out.header.shard.of &&
        std::ranges::binary_search(out.missing, shard->number))
      out.unusable.emplace_back(Error::Kind::input, journal.string(),
                                "shard " + std::to_string(shard->number) +
                                    " has begun but is not finished; add --resume to its command");
  }
}

}  // namespace

std::vector<std::string> sentences_of(const std::vector<Error>& errors, const fs::path& folder) {
  const std::string root = folder.empty() ? "" : (folder / "").string();
  std::vector<std::string> out;
  out.reserve(errors.size());
  for (const Error& error : errors) out.emplace_back(error.relative_to(root).what());
  return out;
}

std::string listed_numbers(const std::vector<std::size_t>& numbers) {
  std::string out;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (!out.empty()) out += ", ";
    out += std::to_string(numbers[i]);
    if (last > i) out.append(last > i + 1 ? "-" : ", ").append(std::to_string(numbers[last]));
    i = last + 1;
  }
  return out;
}

ShardFolder read_shards(const fs::path& folder, const ShardReading& how) {
  const ShardNames names = shards_in(folder);
  ShardFolder out;
  out.paths = names.files;
  std::vector<FoundShard> found = parse_files(names.files, how, out.unusable);
  if (found.empty() && !out.unusable.empty()) return out;
  if (found.empty())
    throw Error(Error::Kind::input, folder,
                "has no shards" + (how.model.empty() ? "" : " of the model " + how.model) +
                    "; 'assay score … --shard K/N --out …' writes files such as "
                    "results.shard-1-of-4.jsonl");
  keep_alike(found, out.conflicts);
  out.files = found.size();
  out.header = found.front().file.header;
  out.missing = missing_shards(found, out.header.shard.of);
  tell_begun(names.journals, out);
  std::vector<CasePlace> cases = sorted_places(found);
  drop_copies(cases, out.conflicts);
  check_order(cases, out.conflicts);
  check_cover(cases, out);
  for (const CasePlace& place : cases) out.records.push_back(std::move(place.record()));
  return out;
}

Cohort cohort_of(const results::ShardHeader& header) {
  return {.settings = header.settings,
          .cases = {},
          .notes = {},
          .warnings = header.warnings,
          .labels_were_asked_for = header.labels_were_asked_for,
          .roots = header.roots};
}

metrics::SegmentationResult merge_shards(const fs::path& folder) {
  ShardFolder shards = read_shards(folder);
  std::vector<std::string> troubles = shards.conflicts;
  std::ranges::move(sentences_of(shards.unusable), std::back_inserter(troubles));
  if (!shards.missing.empty())
    troubles.push_back("shards " + listed_numbers(shards.missing) + " of " +
                       std::to_string(shards.header.shard.of) + " are missing");
  if (!troubles.empty()) throw Error(Error::Kind::input, folder, joined(troubles, "; "));
  return result_of(cohort_of(shards.header), std::move(shards.records));
}

}  // namespace assay::score
