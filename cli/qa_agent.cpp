// SPDX-License-Identifier: Apache-2.0
#include "cli/qa_agent.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "assay/base/error.hpp"
#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/qa/results/prices.hpp"

namespace assay::cli {
namespace {

/// A file's name, or the object itself.
std::string request_json_of(const AgentOptions& o) {
  if (o.request_json.empty()) return "";
  const bool inline_text = o.request_json.starts_with('{');
  const std::string name = inline_text ? "--request-json" : o.request_json;
  // It becomes a part of the journal's records, which must stay readable themselves.
  const Json json = parse_json(inline_text ? o.request_json : read_text(o.request_json), name,
                               deepest_nesting / 2);
  if (!json.is_object())
    throw Error(Error::Kind::input,
                name + ": must be one JSON object, such as {\"temperature\": 0}");
  return to_text(json, {.indent = 0});
}

/// What --request-json does to the most that an answer can cost.
struct OutputLimit {
  bool known = true;    ///< false: it takes the limit away, or asks for more than one answer
  unsigned tokens = 0;  ///< 0: it says nothing
};

OutputLimit output_limit(const std::string& request_json) {
  OutputLimit out;
  if (request_json.empty()) return out;
  const Json json = parse_json(request_json, "--request-json");
  bool removed = false;
  for (const char* key : {"max_tokens", "max_completion_tokens", "max_output_tokens"}) {
    const auto found = json.find(key);
    if (found == json.end()) continue;
    constexpr std::uint64_t most = std::numeric_limits<unsigned>::max();
    if (found->is_number_unsigned())
      out.tokens =
          std::max(out.tokens, static_cast<unsigned>(std::min(found->get<std::uint64_t>(), most)));
    else
      removed = true;
  }
  out.known = !(removed && out.tokens == 0);
  for (const char* key : {"n", "messages", "input", "system", "instructions"})
    out.known = out.known && !json.contains(key);
  return out;
}

std::string environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

void require(bool given, const std::string& sentence) {
  if (!given) throw Error(Error::Kind::usage, sentence);
}

/// A key that was typed where its variable belongs must not be repeated in a message.
bool is_variable_name(const std::string& text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::ranges::all_of(text,
                             [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

void refuse_secrets(const AgentOptions& o) {
  require(o.key_variable.empty() || is_variable_name(o.key_variable),
          "--api-key-env takes the name of an environment variable, not the key itself");
  const std::size_t host = o.base_url.find("://");
  const std::string place =
      host == std::string::npos
          ? ""
          : o.base_url.substr(host + 3, o.base_url.find('/', host + 3) - host - 3);
  require(place.find('@') == std::string::npos,
          "--base-url must hold no user and no password: it stands in the results; put the key "
          "into the variable that --api-key-env names");
  const std::size_t query = o.base_url.find('?');
  const std::string asked = query == std::string::npos ? "" : o.base_url.substr(query);
  for (const char* word : {"key=", "token=", "secret=", "password="})
    require(asked.find(word) == std::string::npos,
            "--base-url must hold no key: it stands in the results; put it into the variable that "
            "--api-key-env names");
}

ChosenAgent http_choice(const AgentOptions& o, const qa::ItemTable&) {
  require(!o.model.empty(), "--agent " + o.agent + " needs --model, such as --model gpt-5");
  const qa::ModelApi& api = qa::find_model_api(o.agent, o.api);
  refuse_secrets(o);
  if (!o.base_url.empty()) require_http_address(o.base_url, "--base-url");
  const std::string variable =
      o.key_variable.empty() ? std::string(api.default_key_variable) : o.key_variable;
  qa::HttpAgentSettings http{.api = &api,
                             .base_url = o.base_url,
                             .model = {.model = o.model,
                                       .max_output_tokens = o.max_output_tokens,
                                       .request_json = request_json_of(o)},
                             .key = environment(variable),
                             .key_variable = variable,
                             .timeout_s = o.timeout_s};
  // A server of one's own may need no key; a provider always does.
  const bool needs_key = o.base_url.empty() || !o.key_variable.empty();
  if (http.key.empty() && needs_key && !o.only_estimate)
    throw Error(Error::Kind::usage, "the environment variable " + variable +
                                        " is not set; put the key there, or name another variable "
                                        "by --api-key-env");
  require(std::ranges::none_of(http.key, [](unsigned char c) { return std::iscntrl(c) != 0; }),
          "the key in " + variable + " holds a line break or another control character; mend it");
  const OutputLimit limit = output_limit(http.model.request_json);
  require(!o.keeps_budget || limit.known,
          "--budget-usd cannot be kept with this --request-json: it takes away the limit of an "
          "answer, or adds to what is asked; leave max_tokens, n, messages, input, system and "
          "instructions alone, or set a number of tokens");
  ChosenAgent out{.agent = qa::http_agent(http),
                  .settings = {},
                  .prices = {},
                  .most_output_tokens = limit.tokens};
  out.settings.api = api.name;
  out.settings.model = http.model;
  return out;
}

ChosenAgent command_choice(const AgentOptions& o, const qa::ItemTable&) {
  require(!o.command.empty(),
          "--agent command needs --command, such as --command 'python3 agent.py'");
  ChosenAgent out{.agent = qa::command_agent(command_words(o.command, "--command"), o.timeout_s),
                  .settings = {},
                  .prices = {}};
  out.settings.command = o.command;
  return out;
}

ChosenAgent replay_choice(const AgentOptions& o, const qa::ItemTable& table) {
  require(!o.predictions.empty(),
          "--agent replay needs --predictions: a run's folder, a results file, or a table of "
          "predictions");
  ChosenAgent out{.agent = qa::replay_agent(o.predictions, table), .settings = {}, .prices = {}};
  out.settings.command = "replay " + qa::replayed_sha256(o.predictions);
  return out;
}

struct AgentRow {
  std::string_view name;
  ChosenAgent (*choose)(const AgentOptions& o, const qa::ItemTable& table);
  unsigned crop_size;  ///< what the published runs used
};

constexpr AgentRow agents[] = {
    {"openai", http_choice, 1000},
    {"anthropic", http_choice, 500},
    {"command", command_choice, 1000},
    {"replay", replay_choice, 1000},
};

qa::LoopSettings loop_of(const AgentOptions& o, unsigned default_crop) {
  const auto within = [](unsigned value, unsigned least, unsigned most, const char* name) {
    require(value >= least && value <= most, std::string(name) + " must lie between " +
                                                 std::to_string(least) + " and " +
                                                 std::to_string(most));
    return value;
  };
  qa::LoopSettings loop;
  loop.mode = value_in(qa::agent_modes(), o.mode, "mode");
  loop.max_steps = within(o.max_steps, 1, 1000, "--max-steps");
  loop.fixed_steps = o.fixed_steps;
  loop.thumbnail_size = within(o.thumbnail_size, 64, 8192, "--thumbnail-size");
  loop.crop_size = within(o.crop_size == 0 ? default_crop : o.crop_size, 64, 8192, "--crop-size");
  loop.patches.count = within(o.patches, 1, 1000, "--patches");
  loop.patches.seed = o.seed;
  within(o.jpeg_quality, 1, 100, "--jpeg-quality");
  within(o.max_output_tokens, 1, 10'000'000, "--max-output-tokens");
  return loop;
}

}  // namespace

void declare_agent(Arguments& a, AgentOptions& o) {
  a.choice("--agent", o.agent, {"openai", "anthropic", "command", "replay"},
           "Who answers: a model server, a program, or an earlier run (default: openai)");
  a.choice("--api", o.api, {"chat", "responses", "messages"},
           "Protocol (default: chat for openai, messages for anthropic)");
  a.option("--model NAME", o.model, "Model to ask; also its name in the results");
  a.option("--base-url URL", o.base_url, "Another server, such as http://127.0.0.1:8000/v1");
  a.option("--api-key-env VAR", o.key_variable,
           "Variable that holds the key (default: OPENAI_API_KEY or ANTHROPIC_API_KEY)");
  a.option("--request-json FILE|JSON", o.request_json,
           "A JSON object merged into every request; null removes a key");
  a.option(
      "--command COMMAND", o.command,
      "Program for --agent command, started without a shell; it reads and writes lines of JSON");
  a.option("--predictions PATH", o.predictions,
           "Of --agent replay: a run's folder, a results file, or a table of predictions");
  a.choice("--mode", o.mode, {"giant", "thumbnail", "patch", "patch_vote"},
           "How the slide is shown (default: giant, the navigating agent)");
  a.option("--max-steps N", o.max_steps, "Calls of a navigating agent (default: 20)");
  a.flag("--fixed-steps", o.fixed_steps, "No answer is accepted before the last step");
  a.option("--max-output-tokens N", o.max_output_tokens, "Of one answer (default: 8192)");
  a.option("--thumbnail-size PX", o.thumbnail_size, "Longer side of the whole slide (1024)");
  a.option("--crop-size PX", o.crop_size, "Longer side of a crop (1000; anthropic: 500)");
  a.option("--patches N", o.patches, "Of the modes patch and patch_vote (default: 30)");
  a.option("--seed N", o.seed, "Places of patches (default: 42)");
  a.option("--jpeg-quality N", o.jpeg_quality, "Of the pictures (default: 85)");
  a.option("--timeout S", o.timeout_s, "Seconds for one answer (default: 600)");
  a.option("--prices FILE", o.prices, "US dollars per million tokens, as JSON");
}

ChosenAgent chosen_agent(const AgentOptions& o, const qa::ItemTable& table) {
  require(o.timeout_s > 0 && std::isfinite(o.timeout_s), "--timeout must be above 0 seconds");
  for (const AgentRow& row : agents) {
    if (row.name != o.agent) continue;
    const qa::LoopSettings loop = loop_of(o, row.crop_size);
    ChosenAgent out = row.choose(o, table);
    out.settings.agent = o.agent;
    out.settings.loop = loop;
    out.settings.jpeg_quality = static_cast<int>(o.jpeg_quality);
    if (out.settings.model.model.empty())
      out.settings.model.model = o.model.empty() ? o.agent : o.model;
    if (!o.prices.empty()) out.prices = qa::read_prices(o.prices);
    return out;
  }
  throw Error(Error::Kind::usage, "there is no agent '" + o.agent + "'");
}

}  // namespace assay::cli
