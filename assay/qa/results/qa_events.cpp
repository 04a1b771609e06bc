// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/results/qa_events.hpp"

#include <cmath>

#include "assay/base/whole.hpp"
#include "assay/qa/results/qa_events_json.hpp"

namespace assay::qa {
namespace {

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

}  // namespace

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

Json event_json(const QaEvent& event) {
  return std::visit([](const auto& each) { return members_of(each); }, event);
}

QaEvent event_of(const Json& json) {
  const auto& name = json.at("event").get_ref<const std::string&>();
  for (const EventKind& kind : event_kinds)
    if (kind.name == name) return kind.read(json);
  return OtherEvent{};
}

}  // namespace assay::qa
