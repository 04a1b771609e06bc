// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/run/qa_salvage.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "assay/base/journal_salvage.hpp"
#include "assay/base/json.hpp"
#include "assay/base/sha256.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/qa/results/qa_journal.hpp"

namespace assay::qa {
namespace {

constexpr std::array<std::string_view, 7> record_names = {"header",  "settings", "sent", "call",
                                                          "attempt", "event",    "case"};

/// What follows `before` up to `end`; "" when either is not there.
std::string_view text_between(std::string_view text, std::string_view before,
                              std::string_view ends) {
  const std::size_t at = text.find(before);
  if (at == text.npos) return "";
  const std::string_view rest = text.substr(at + before.size());
  const std::size_t end = rest.find_first_of(ends);
  return end == rest.npos ? "" : rest.substr(0, end);
}

/// The kind of a damaged record, if its beginning is sound enough to tell.
std::string kind_of_piece(std::string_view piece) {
  constexpr std::size_t crc_digits = 8;
  const std::size_t at = journal_line_start.size() + crc_digits;
  constexpr std::string_view expected = R"(", "record": {"kind":")";
  if (!piece.starts_with(journal_line_start) || piece.size() < at ||
      !piece.substr(at).starts_with(expected) || piece.find('\0') != piece.npos)
    return "";
  const std::string_view name = text_between(piece.substr(at), expected, "\"");
  const bool known = std::ranges::find(record_names, name) != record_names.end();
  return known ? std::string(name) : "";
}

/// Read from damaged text, so it is only as good as that.
std::string place_of_piece(std::string_view piece) {
  const std::string_view benchmark = text_between(piece, R"("benchmark":")", "\"");
  const std::string_view item = text_between(piece, R"("item":")", "\"");
  if (benchmark.empty() || item.empty()) return "";
  std::string out = std::string(benchmark) + "/" + std::string(item);
  const std::string_view run = text_between(piece, R"("run":)", ",}"),
                         step = text_between(piece, R"("step":)", ",}");
  if (!run.empty()) out.append(", run ").append(run);
  if (!step.empty()) out.append(", step ").append(step);
  return excerpt(out, 80);
}

/// What the intact records say about those that are lost.
struct Intact {
  std::optional<SettingsRecord> settings{};
  std::optional<SettingsRecord> settings_of_a_start{};
  bool is_qa = false;
  double largest_usd = 0;           ///< that was set aside for a call
  std::size_t shortest_call = 300;  ///< bytes; how many calls can a lost block have held?
  bool has_call = false;

  void take(std::string_view text) try {
    const QaRecord record = parse_qa_record(text);
    is_qa = true;
    if (const auto* all = std::get_if<SettingsRecord>(&record)) settings = *all;
    if (const auto* sent = std::get_if<SentRecord>(&record))
      largest_usd = std::max(largest_usd, sent->worst_usd);
    if (std::holds_alternative<CallRecord>(record)) {
      shortest_call = has_call ? std::min(shortest_call, text.size()) : text.size();
      has_call = true;
    }
    if (const auto* event = std::get_if<QaEvent>(&record))
      if (const auto* start = std::get_if<StartEvent>(event)) settings_of_a_start = start->settings;
  } catch (const Error&) {  // of another command, or of a later version: kept as it is
  }
};

/// How many calls of unknown cost a lost piece may have been. The cost of a lost `call` is bounded
/// by its `sent`, where that has a price.
std::size_t unknown_calls_in(const LostRecord& lost, const Intact& intact) {
  if (lost.kind == "call") return intact.largest_usd > 0 ? 0 : 1;
  if (lost.kind == "sent") return 1;
  if (!lost.kind.empty()) return 0;
  return std::max<std::size_t>(1, lost.bytes / std::max<std::size_t>(1, intact.shortest_call));
}

void add_costs(QaSalvage& out, const Intact& intact) {
  std::size_t calls = 0;
  for (const LostRecord& lost : out.lost) calls += unknown_calls_in(lost, intact);
  if (intact.largest_usd > 0)
    out.possible_usd = intact.largest_usd * static_cast<double>(calls);
  else
    out.unknown_calls = calls;
}

JournalHeader header_for(const SettingsRecord& settings, const std::string& version) {
  JournalHeader out{
      .settings_sha256 = sha256(qa_record_text(settings)), .inputs_sha256 = "", .version = version};
  for (const auto& [name, value] : settings.values)
    if (name == "table_sha256") out.inputs_sha256 = text_of(parse_json(value, name));
  return out;
}

void refuse_worthless(const SalvagedJournal& found, const Intact& intact, const std::string& name) {
  if (found.records.empty() && !found.header)
    throw Error(Error::Kind::input, name,
                "has no intact record, so nothing can be kept; it is not a journal, or "
                "all of it is lost. Move it away to start over");
  if (!found.header && !intact.is_qa)
    throw Error(Error::Kind::input, name,
                "its header is damaged, so the cases and settings of its " +
                    counted(found.records.size(), "intact record") +
                    " are unknown; run without --resume to start over");
}

}  // namespace

QaSalvage salvaged_run(std::string_view text, const std::string& name, double now_s,
                       const std::string& version) {
  const SalvagedJournal found = salvaged_journal(text);
  QaSalvage out{.damaged = found.damaged(), .torn = found.torn, .kept = found.records.size()};
  Intact intact;
  for (const std::string_view record : found.records) intact.take(record);
  if (!out.damaged && (found.header || !found.records.empty())) return out;
  refuse_worthless(found, intact, name);
  out.is_qa = intact.is_qa;
  const std::size_t real = found.lost.size() - (found.torn ? 1 : 0);
  for (const LostPart& part : std::span(found.lost).first(real))
    out.lost.push_back({.line = part.line,
                        .bytes = part.text.size(),
                        .kind = kind_of_piece(part.text),
                        .of = place_of_piece(part.text)});
  std::vector<std::string_view> records = found.records;
  std::vector<std::string> made;
  made.reserve(2);
  if (out.is_qa) {
    add_costs(out, intact);
    if (!intact.settings && intact.settings_of_a_start) {
      intact.settings = intact.settings_of_a_start;
      records.insert(records.begin(), made.emplace_back(qa_record_text(*intact.settings)));
    }
    out.lost_settings = !intact.settings;
    records.push_back(made.emplace_back(
        qa_record_text(QaEvent(SalvageEvent{.at_s = now_s,
                                            .lost = out.lost.size(),
                                            .possible_usd = out.possible_usd,
                                            .unknown_calls = out.unknown_calls}))));
  }
  const JournalHeader header =
      found.header ? *found.header
                   : header_for(intact.settings.value_or(SettingsRecord{}), version);
  out.text = journal_text(header, records);
  return out;
}

}  // namespace assay::qa
