// SPDX-License-Identifier: Apache-2.0
#include "tests/qa/faults.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <stdexcept>

namespace assay::test_server {
namespace {

constexpr std::array table = {
    Fault{"429", 429, "rate_limit_exceeded", "Too many requests."},
    Fault{"quota", 429, "insufficient_quota", "You exceeded your current quota."},
    Fault{"500", 500, "server_error", "Something broke."},
    Fault{"529", 529, "overloaded_error", "Overloaded"},
    Fault{"401", 401, "invalid_api_key", "Incorrect API key provided."},
    Fault{"400", 400, "something_else", "This request is not liked."},
    Fault{"context", 400, "context_length_exceeded", "maximum context length is 10 tokens"},
    Fault{"policy", 400, "content_policy_violation", "Rejected by the safety system."},
    Fault{"parameter", 400, "unsupported_parameter", "Unsupported parameter: 'temperature'."},
    Fault{"model", 404, "model_not_found", "The model does not exist."},
    Fault{"escapes", 400, "invalid_request_error", "no \x1b[31m\xc2\x9b\x32J\xe2\x80\xae\r words"},
    Fault{"error200", 200, "server_error", "Provider returned error"},
    Fault{"cut", 0, "", ""},        // half of the reply, then the connection is closed
    Fault{"drop", 0, "", ""},       // no reply at all
    Fault{"slow", 0, "", ""},       // the reply, after --slow-ms
    Fault{"hang", 0, "", ""},       // no reply either, but the connection stays for --hang-ms
    Fault{"garbage", 0, "", ""},    // not JSON
    Fault{"nested", 0, "", ""},     // JSON that no stack is deep enough for
    Fault{"truncated", 0, "", ""},  // a reply that says so
    Fault{"refused", 0, "", ""},
    Fault{"no_usage", 0, "", ""},
};

const Fault* named(std::string_view name) {
  const auto* row = std::ranges::find(table, name, &Fault::name);
  if (row == table.end()) throw std::runtime_error("no such fault: " + std::string(name));
  return row;
}

/// "what=fault" taken apart.
std::pair<std::string, const Fault*> rule(const std::string& text) {
  const std::size_t sign = text.rfind('=');
  if (sign == std::string::npos) throw std::runtime_error("no rule: " + text);
  return {text.substr(0, sign), named(text.substr(sign + 1))};
}

const Fault* by_chance(const Settings& settings, std::uint64_t sequence) {
  const auto kinds = settings.list("fault-kinds");
  if (kinds.empty()) return nullptr;
  std::mt19937_64 random(static_cast<std::uint64_t>(settings.number("seed", 1)) * 1000003 +
                         sequence);
  const double draw = static_cast<double>(random() >> 11) * 0x1p-53;
  if (draw >= settings.number("fault-rate", 0)) return nullptr;
  return named(kinds[random() % kinds.size()]);
}

}  // namespace

std::span<const Fault> faults() {
  return table;
}

const Fault* fault_for(const Settings& settings, std::uint64_t sequence, std::string_view text) {
  if (settings.has("always")) return named(settings.text("always"));
  for (const std::string& each : settings.list("faults"))
    if (const auto [number, fault] = rule(each); number == std::to_string(sequence)) return fault;
  for (const std::string& each : settings.list("fault-on"))
    if (const auto [part, fault] = rule(each); text.find(part) != text.npos) return fault;
  return by_chance(settings, sequence);
}

}  // namespace assay::test_server
