// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/results/qa_journal.hpp"

#include <cmath>

#include "assay/base/json.hpp"
#include "assay/base/whole.hpp"
#include "assay/error.hpp"
#include "assay/qa/results/usage_json.hpp"

namespace assay::qa {
namespace {

Json settings_json(const SettingsRecord& settings) {
  Json out = Json::object();
  for (const auto& [name, value] : settings.values) out[name] = parse_json(value, name);
  return out;
}

SettingsRecord settings_in(const Json& json) {
  SettingsRecord out;
  for (const auto& [name, value] : json.items())
    out.values.emplace_back(name, to_text(value, {.indent = 0}));
  return out;
}

/// To the millisecond: short in the journal.
double to_millisecond(double seconds) {
  return std::round(seconds * 1e3) / 1e3;
}

Json event_start(const char* name, double at_s) {
  return {{"kind", "event"}, {"event", name}, {"at", to_millisecond(at_s)}};
}

Json members_of(const StartEvent& event) {
  Json json = event_start("start", event.at_s);
  json["timestamp"] = event.timestamp;
  json["host"] = event.host;
  json["rules"] = event.rules;
  json["runs"] = event.runs;
  json["attempts"] = event.attempts;
  json["done"] = event.done;
  if (event.budget_usd) json["budget_usd"] = *event.budget_usd;
  json["settings"] = settings_json(event.settings);
  return json;
}

Json members_of(const StopEvent& event) {
  Json json = event_start("stop", event.at_s);
  json["why"] = event.why;
  if (event.interrupted) json["interrupted"] = true;
  return json;
}

Json members_of(const PulseEvent& event) {
  return event_start("pulse", event.at_s);
}

Json members_of(const WaitEvent& event) {
  Json json = event_start("wait", event.at_s);
  json["until"] = to_millisecond(event.until_s);
  if (event.status != 0) json["status"] = event.status;
  return json;
}

Json members_of(const SalvageEvent& event) {
  Json json = event_start("salvage", event.at_s);
  json["lost"] = event.lost;
  if (event.possible_usd > 0) json["possible_usd"] = event.possible_usd;
  if (event.unknown_calls > 0) json["unknown_calls"] = event.unknown_calls;
  return json;
}

Json members_of(const OtherEvent&) {
  return {{"kind", "event"}, {"event", ""}};
}

QaEvent start_event_of(const Json& json) {
  StartEvent out{.at_s = json.at("at"),
                 .timestamp = json.at("timestamp"),
                 .host = json.at("host"),
                 .rules = json.at("rules"),
                 .runs = Whole(json.at("runs")),
                 .attempts = Whole(json.at("attempts")),
                 .done = Whole(json.at("done")),
                 .settings = settings_in(json.at("settings"))};
  if (json.contains("budget_usd")) out.budget_usd = json.at("budget_usd").get<double>();
  return out;
}

QaEvent stop_event_of(const Json& json) {
  return StopEvent{json.at("at"), json.at("why"), json.value("interrupted", false)};
}

QaEvent pulse_event_of(const Json& json) {
  return PulseEvent{json.at("at")};
}

QaEvent wait_event_of(const Json& json) {
  return WaitEvent{json.at("at"), json.at("until"),
                   json.contains("status") ? int{Whole(json.at("status"))} : 0};
}

QaEvent salvage_event_of(const Json& json) {
  SalvageEvent out{.at_s = json.at("at"),
                   .lost = Whole(json.at("lost")),
                   .possible_usd = json.value("possible_usd", 0.0)};
  if (json.contains("unknown_calls")) out.unknown_calls = Whole(json.at("unknown_calls"));
  return out;
}

struct EventKind {
  std::string_view name;
  QaEvent (*read)(const Json& json);
};

constexpr EventKind event_kinds[] = {{"start", start_event_of},
                                     {"stop", stop_event_of},
                                     {"pulse", pulse_event_of},
                                     {"wait", wait_event_of},
                                     {"salvage", salvage_event_of}};

QaRecord event_of(const Json& json) {
  const auto& name = json.at("event").get_ref<const std::string&>();
  for (const EventKind& kind : event_kinds)
    if (kind.name == name) return kind.read(json);
  return QaEvent{OtherEvent{}};
}

constexpr Named<ModelReply::Kind> reply_kind_rows[] = {
    {"answer", ModelReply::Kind::answer},
    {"refused", ModelReply::Kind::refused},
    {"truncated", ModelReply::Kind::truncated},
};
constexpr std::span<const Named<ModelReply::Kind>> reply_kinds = reply_kind_rows;

Json key_json(const char* kind, const AttemptKey& key) {
  return {{"kind", kind}, {"benchmark", key.benchmark}, {"item", key.item}, {"run", key.run}};
}

AttemptKey key_of(const Json& json) {
  return {json.at("benchmark"), json.at("item"), Whole(json.at("run"))};
}

CallPlace place_of(const Json& json) {
  return {Whole(json.at("step")), Whole(json.at("try"))};
}

Json json_of(const SettingsRecord& record) {
  return {{"kind", "settings"}, {"settings", settings_json(record)}};
}

Json json_of(const SentRecord& record) {
  Json json = key_json("sent", record.key);
  json["step"] = record.place.step;
  json["try"] = record.place.attempt;
  json["worst_usd"] = record.worst_usd;
  if (record.margin_usd > 0) json["margin_usd"] = record.margin_usd;
  return json;
}

Json json_of(const CallRecord& record) {
  Json json = key_json("call", record.key);
  json["step"] = record.place.step;
  json["try"] = record.place.attempt;
  json["request_sha256"] = record.request_sha256;
  json["seconds"] = record.seconds;
  if (record.possible_usd > 0) json["possible_usd"] = record.possible_usd;
  if (record.charged) json["perhaps_charged"] = true;
  if (!record.failure.empty()) {
    json["failure"] = record.failure;
    return json;
  }
  const ModelReply& reply = record.reply;
  json["reply"] = {{"kind", std::string(name_in(reply_kinds, reply.kind))}, {"text", reply.text}};
  json["finish_reason"] = reply.finish_reason;
  json["model"] = reply.model;
  json["provider"] = reply.provider;
  json["request_id"] = reply.request_id;
  json["usage"] = usage_json(reply.usage);
  json["cost_usd"] = or_null(reply.cost_usd);
  if (!record.asked_with.empty()) json["asked_with"] = parse_json(record.asked_with, "asked_with");
  return json;
}

Json json_of(const AttemptRecord& record) {
  Json json = key_json("attempt", record.key);
  json["outcome"] = name_in(outcomes(), record.outcome);
  json["prediction"] = record.prediction;
  json["error"] = record.error;
  json["trajectory_file"] = record.trajectory_file;
  if (record.resumable) json["resumable"] = true;
  return json;
}

Json json_of(const QaEvent& event) {
  return std::visit([](const auto& each) { return members_of(each); }, event);
}

QaRecord settings_of(const Json& json) {
  return settings_in(json.at("settings"));
}

QaRecord sent_of(const Json& json) {
  return SentRecord{key_of(json), place_of(json), json.at("worst_usd"),
                    json.value("margin_usd", 0.0)};
}

QaRecord call_of(const Json& json) {
  CallRecord record;
  record.key = key_of(json);
  record.place = place_of(json);
  record.request_sha256 = json.at("request_sha256");
  record.seconds = json.at("seconds");
  record.possible_usd = json.value("possible_usd", 0.0);
  record.charged = json.value("perhaps_charged", false);
  if (json.contains("failure")) {
    record.failure = json.at("failure");
    return record;
  }
  ModelReply& reply = record.reply;
  reply.kind = value_in(reply_kinds, json.at("reply").at("kind").get_ref<const std::string&>(),
                        "kind of reply");
  reply.text = json.at("reply").at("text");
  reply.finish_reason = json.at("finish_reason");
  reply.model = json.at("model");
  reply.provider = json.at("provider");
  reply.request_id = json.at("request_id");
  reply.usage = usage_of(json.at("usage"));
  if (!json.at("cost_usd").is_null()) reply.cost_usd = json.at("cost_usd").get<double>();
  if (const Json& with = member(json, "asked_with"); !with.is_null())
    record.asked_with = to_text(with, {.indent = 0});
  return record;
}

QaRecord attempt_of(const Json& json) {
  return AttemptRecord{
      .key = key_of(json),
      .outcome = value_in(outcomes(), json.at("outcome").get_ref<const std::string&>(), "outcome"),
      .prediction = json.at("prediction"),
      .error = json.at("error"),
      .trajectory_file = json.at("trajectory_file"),
      .resumable = json.value("resumable", false)};
}

struct RecordKind {
  std::string_view name;
  QaRecord (*read)(const Json& json);
};

constexpr RecordKind record_kinds[] = {{"settings", settings_of},
                                       {"sent", sent_of},
                                       {"call", call_of},
                                       {"attempt", attempt_of},
                                       {"event", event_of}};

}  // namespace

std::string qa_record_text(const QaRecord& record) {
  return std::visit([](const auto& each) { return to_text(json_of(each), {.indent = 0}); }, record);
}

QaRecord parse_qa_record(std::string_view text) try {
  const Json json = parse_json(text, "journal");
  const auto& name = json.at("kind").get_ref<const std::string&>();
  for (const RecordKind& kind : record_kinds)
    if (kind.name == name) return kind.read(json);
  throw Error(Error::Kind::input, "a record of another kind");
} catch (const std::exception&) {
  throw Error(Error::Kind::input, "holds a record that no question-answering run writes: " +
                                      std::string(text.substr(0, 80)));
}

}  // namespace assay::qa
