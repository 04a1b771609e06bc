// SPDX-License-Identifier: Apache-2.0
#include "assay/results/shard.hpp"

#include <charconv>

#include "assay/base/file.hpp"
#include "assay/base/journal.hpp"
#include "assay/base/json.hpp"
#include "assay/base/sha256.hpp"
#include "assay/base/whole.hpp"
#include "assay/error.hpp"
#include "assay/results/case_record.hpp"
#include "assay/results/score_settings.hpp"

namespace assay::results {
namespace {

constexpr std::string_view before_numbers = ".shard-", between_numbers = "-of-",
                           shard_ending = ".jsonl", results_ending = ".json";
constexpr std::string_view before_index = R"({"kind":"case","index":)", before_case = R"(,"case":)";

/// Members that are equal in all shards.
Json common_json(const ShardHeader& h) {
  const Json settings = score_settings_json(h.settings);
  return {{"shards", h.shard.of},
          {"cases", h.cases},
          {"version", h.version},
          {"model_name", h.settings.model_name},
          {"settings_sha256", sha256(to_text(settings, {.indent = 0}))},
          {"inputs_sha256", h.inputs_sha256},
          {"plan_sha256", or_null(h.plan_sha256)},
          {"settings", settings},
          {"labels_were_asked_for", h.labels_were_asked_for},
          {"warnings", h.warnings},
          {"results", h.results},
          {"format", h.nnunet ? "nnunet" : "json"},
          {"anonymous", h.anonymous}};
}

std::string shard_header_text(const ShardHeader& h) {
  Json out = {{"kind", "header"}, {"schema", shard_schema}, {"shard", h.shard.number}};
  out.update(common_json(h));
  Json roots = Json::object();
  for (const auto& [key, member] : root_members)
    if (!(h.roots.*member).empty()) roots[std::string(key)] = (h.roots.*member).string();
  out["roots"] = roots;
  out["command"] = h.command;
  return to_text(out, {.indent = 0});
}

void require_shard(bool is_sound, const std::string& what) {
  if (!is_sound) throw Error(Error::Kind::input, what);
}

Shard checked(Shard shard) {
  require_shard(
      shard.of >= 1 && shard.of <= most_shards && shard.number >= 1 && shard.number <= shard.of,
      "there is no shard " + std::to_string(shard.number) + " of " + std::to_string(shard.of));
  return shard;
}

/// The merge writes a file of this name next to the shards, so it must not lead anywhere else.
std::string checked_name(const std::string& results) {
  const std::filesystem::path name = results;
  require_shard(!results.empty() && name == name.filename() && name != "." && name != ".." &&
                    results.find('\0') == results.npos,
                "'results' must be the name of a file, without a folder");
  return results;
}

ShardHeader parse_shard_header(std::string_view record) {
  const Json json = parse_json(record, "header");
  if (json.value("kind", "") != "header" || json.value("schema", "") != shard_schema)
    throw Error(Error::Kind::input,
                "this is not the header of a shard (" + std::string(shard_schema) + ")");
  ShardHeader out;
  out.shard = checked({Whole(json.at("shard")), Whole(json.at("shards"))});
  out.cases = Whole(json.at("cases"));
  out.version = json.at("version");
  out.inputs_sha256 = json.at("inputs_sha256");
  if (const Json& plan = json.at("plan_sha256"); !plan.is_null())
    out.plan_sha256 = plan.get<std::string>();
  out.settings = parse_score_settings(json.at("settings"));
  out.settings.model_name = json.at("model_name");
  out.labels_were_asked_for = json.at("labels_were_asked_for");
  out.warnings = json.at("warnings").get<std::vector<std::string>>();
  out.results = checked_name(json.at("results"));
  out.nnunet = json.at("format") == "nnunet";
  out.anonymous = json.at("anonymous");
  for (const auto& [key, member] : root_members)
    out.roots.*member = json.at("roots").value(std::string(key), "");
  out.command = json.at("command").get<std::vector<std::string>>();
  return out;
}

/// Removes `start` from the front of the text; false when the text does not start with it.
bool take_start(std::string_view& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
}

bool take_whole(std::string_view& text, std::size_t& number) {
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end.ptr - text.data()));
  return true;
}

/// Does not build a tree of the line, so that the record inside is parsed only once.
ShardCase parse_shard_case(std::string_view record) {
  ShardCase out;
  require_shard(take_start(record, before_index) && take_whole(record, out.index) &&
                    take_start(record, before_case) && record.ends_with('}'),
                "this is not a case of a shard");
  record.remove_suffix(1);
  out.record = parse_record(record);
  return out;
}

/// The number of cases, if the record is the end of a shard.
std::optional<std::size_t> shard_end(std::string_view record) {
  if (!record.starts_with(R"({"kind":"end")")) return std::nullopt;
  return static_cast<std::size_t>(Whole(parse_json(record, "end").at("cases")));
}

void check_case(const ShardCase& one, const ShardHeader& h) {
  require_shard(one.index < h.cases, "a case has a number that the cohort does not have");
  require_shard(h.plan_sha256 || one.index % h.shard.of == h.shard.number % h.shard.of,
                "case " + one.record.id + " belongs to another shard");
}

/// Reads line by line; `line` is the current one, for messages.
ShardFile parse_lines(std::string_view text, std::size_t& line) {
  ShardFile out;
  std::optional<std::size_t> end;
  for (line = 1; !text.empty(); ++line) {
    const std::size_t size = text.find('\n');
    const auto record = size == text.npos ? std::nullopt : journal_record(text.substr(0, size));
    require_shard(record.has_value(), "it is damaged or torn; run this shard again");
    require_shard(!end, "it follows the end of the shard; run this shard again");
    if (line == 1)
      out.header = parse_shard_header(*record);
    else if (!(end = shard_end(*record)))
      check_case(out.cases.emplace_back(parse_shard_case(*record)), out.header);
    text.remove_prefix(size + 1);
  }
  require_shard(end.has_value(),
                "the end is missing: the shard has not finished, or the file was cut off; run this "
                "shard again");
  require_shard(
      *end == out.cases.size(),
      "the end is wrong: the shard has a different number of cases; run this shard again");
  return out;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> common_facts(const ShardHeader& header) {
  std::vector<std::pair<std::string, std::string>> out;
  const Json common = common_json(header);
  for (const auto& item : common.items()) {
    if (item.key() == "settings_sha256")
      continue;  // the settings themselves are compared, and say more
    if (item.key() != "settings") {
      out.emplace_back(item.key(), to_text(item.value(), {.indent = 0}));
      continue;
    }
    for (const auto& setting : item.value().items())
      out.emplace_back("settings." + setting.key(), to_text(setting.value(), {.indent = 0}));
  }
  return out;
}

ShardWriter::ShardWriter(const ShardHeader& header, TextSink sink) : sink_(std::move(sink)) {
  sink_(journal_line(shard_header_text(header)));
}

void ShardWriter::add(std::size_t index, const metrics::CaseRecord& record) {
  ++cases_;
  if (!is_whole(record)) ++failed_;
  std::string text(before_index);
  sink_(journal_line(text.append(std::to_string(index))
                         .append(before_case)
                         .append(record_text(record))
                         .append("}")));
}

void ShardWriter::end() {
  sink_(journal_line(to_text(
      Json{{"kind", "end"}, {"cases", cases_}, {"failed", failed_}, {"exit", failed_ == 0 ? 0 : 3}},
      {.indent = 0})));
}

ShardFile parse_shard_file(std::string_view text, const std::string& name) {
  std::size_t line = 1;
  try {
    return parse_lines(text, line);
  } catch (const Error& e) {
    throw Error(Error::Kind::input, name, "line " + std::to_string(line) + ": " + e.sentence());
  } catch (const Json::exception&) {
    throw Error(Error::Kind::input, name,
                "line " + std::to_string(line) +
                    ": a member is missing or has the wrong type; run this shard again");
  }
}

std::string shard_file_name(std::string_view results, const Shard& shard) {
  if (results.ends_with(results_ending)) results.remove_suffix(results_ending.size());
  std::string out(results);
  out.append(before_numbers).append(std::to_string(shard.number));
  out.append(between_numbers).append(std::to_string(shard.of));
  return out.append(shard_ending);
}

std::optional<Shard> shard_in_name(std::string_view name) {
  const std::size_t at = name.rfind(before_numbers);
  if (at == name.npos || at == 0) return std::nullopt;
  name.remove_prefix(at + before_numbers.size());
  Shard out;
  const bool fits = take_whole(name, out.number) && take_start(name, between_numbers) &&
                    take_whole(name, out.of) && name == shard_ending;
  return fits ? std::optional(out) : std::nullopt;
}

bool is_whole(const metrics::CaseRecord& record) {
  return record.fate == metrics::Fate::scored && record.without_prediction.empty() &&
         record.without_reference.empty() && metrics::failed_own_values(record) == 0;
}

std::string shard_plan_text(const ShardPlan& plan) {
  return to_text(Json{{"schema", plan_schema},
                      {"shards", plan.shards},
                      {"inputs_sha256", plan.inputs_sha256},
                      {"shard_of", plan.shard_of}}) +
         "\n";
}

ShardPlan parse_shard_plan(std::string_view text, const std::string& name) {
  try {
    const Json json = parse_json(text, name);
    if (json.value("schema", "") != plan_schema)
      throw Error(Error::Kind::input, "this is not a plan (" + std::string(plan_schema) + ")");
    ShardPlan out = {.shards = Whole(json.at("shards")),
                     .inputs_sha256 = json.at("inputs_sha256"),
                     .sha256 = assay::sha256(text)};
    for (const Json& shard : json.at("shard_of"))
      out.shard_of.push_back(checked({Whole(shard), out.shards}).number);
    return out;
  } catch (const Error& e) {
    throw Error(Error::Kind::input, name, e.sentence());
  } catch (const Json::exception&) {
    throw Error(Error::Kind::input, name,
                "a member is missing or has the wrong type; make the plan again with --make-plan");
  }
}

ShardPlan read_shard_plan(const std::filesystem::path& path) {
  return parse_shard_plan(read_text(path), path.string());
}

}  // namespace assay::results
