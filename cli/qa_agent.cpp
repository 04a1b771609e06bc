// SPDX-License-Identifier: Apache-2.0
#include "cli/qa_agent.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <utility>

#include "assay/base/ascii.hpp"
#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/qa/values/prices.hpp"

namespace assay::cli {
namespace {

/// The JSON of --request-json, which is the name of a file or the object itself.
std::string request_json_of(const AgentOptions& o) {
  if (o.request_json.empty()) return "";
  const bool inline_text = o.request_json.starts_with('{');
  const std::string name = inline_text ? "--request-json" : o.request_json;
  // It becomes part of the journal's records, which must stay readable.
  const Json json = parse_json(inline_text ? o.request_json : read_text(o.request_json), name,
                               deepest_nesting / 2);
  if (!json.is_object())
    throw Error(Error::Kind::input, name, "must be one JSON object, such as {\"temperature\": 0}");
  return to_text(json, {.indent = 0});
}

/// What --request-json does to the most that an answer can cost.
struct OutputLimit {
  bool known = true;    ///< false: it removes the limit, or asks for more than one answer
  unsigned tokens = 0;  ///< 0: it does not set a limit
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
  return !text.empty() && !is_ascii_digit(text.front()) &&
         std::ranges::all_of(text, [](char c) { return is_ascii_word(c) || c == '_'; });
}

void refuse_secrets(const AgentOptions& o) {
  require(o.key_variable.empty() || is_variable_name(o.key_variable),
          "--api-key-env takes the name of an environment variable, not the key itself");
  const std::size_t host = o.base_url.find("://");
  const std::string place =
      host == std::string::npos
          ? ""
          : o.base_url.substr(host + 3, o.base_url.find('/', host + 3) - host - 3);
  require(
      place.find('@') == std::string::npos,
      "--base-url must not hold a user or a password, because it is written to the results; put "
      "the key into the variable that --api-key-env names");
  const std::size_t query = o.base_url.find('?');
  const std::string asked = query == std::string::npos ? "" : o.base_url.substr(query);
  for (const char* word : {"key=", "token=", "secret=", "password="})
    require(asked.find(word) == std::string::npos,
            "--base-url must not hold a key, because it is written to the results; put it into the "
            "variable that --api-key-env names");
}

// --header NAME=ENV_OR_VALUE: what every request carries besides the protocol's own headers.

using Headers = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view header_option = "--header";
constexpr std::array<std::string_view, 5> credentials = {
    "api-key", "authorization", "x-api-key", "x-goog-api-key", "ocp-apim-subscription-key"};
constexpr std::array<std::string_view, 3> harmless = {"anthropic-beta", "anthropic-version",
                                                      "openai-beta"};

bool is_among(const std::string& name, const auto& names) {
  return std::ranges::find(names, ascii_lowered(name)) != std::end(names);
}

/// RFC 9110's token.
bool is_header_name(std::string_view text) {
  constexpr std::string_view signs = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return is_ascii_word(c) || signs.find(c) != signs.npos;
  });
}

/// Whether the text looks like THE_NAME of a variable. It is then not a value, so a misspelt name
/// is not sent in place of a key.
bool looks_like_a_variable(std::string_view text) {
  return text.find('_') != text.npos && is_ascii_letter(text[0]) &&
         std::ranges::all_of(
             text, [](char c) { return is_ascii_upper(c) || is_ascii_digit(c) || c == '_'; });
}

std::pair<std::string, std::string> taken_apart(const std::string& typed) {
  const std::size_t equals = typed.find('=');
  std::string name = typed.substr(0, equals);
  if (equals == std::string::npos || !is_header_name(name))
    throw Error(Error::Kind::usage,
                "--header takes NAME=VALUE, such as --header api-key=AZURE_API_KEY, where the "
                "value may be the name of an environment variable");
  return {std::move(name), typed.substr(equals + 1)};
}

std::string value_of(const std::string& name, const std::string& typed) {
  const char* variable = typed.empty() ? nullptr : std::getenv(typed.c_str());
  if (variable == nullptr && looks_like_a_variable(typed))
    throw Error(Error::Kind::usage, "--header " + name + ": the environment variable " + typed +
                                        " is not set; put the value there");
  std::string value = variable == nullptr ? typed : variable;
  if (std::ranges::any_of(value, [](unsigned char c) { return std::iscntrl(c) != 0; }))
    throw Error(Error::Kind::usage, "--header " + name +
                                        ": the value has a line break or another control "
                                        "character; remove it");
  return value;
}

std::string without_value(const std::string& typed) {
  const std::size_t equals = typed.find('=');
  const std::string name = typed.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : typed.substr(equals + 1);
  const bool open = value.empty() || std::getenv(value.c_str()) != nullptr;
  return open || is_among(name, harmless) ? typed : name + "=[hidden]";
}

/// The headers as typed, with the values of the environment variables that they name. No message
/// contains a value.
Headers request_headers(const std::vector<std::string>& typed) {
  Headers out;
  for (const std::string& each : typed) {
    const auto [name, value] = taken_apart(each);
    out.emplace_back(name, value_of(name, value));
  }
  return out;
}

/// Whether one of the headers is a credential, so that no other key is needed.
bool has_credential(const Headers& headers) {
  return std::ranges::any_of(headers, [](const auto& header) {
    return is_among(header.first, credentials) && !header.second.empty();
  });
}

/// Puts the key into `http`. If a header is a credential, there is no key, unless its variable was
/// named as well.
void find_key(const AgentOptions& o, qa::HttpAgentSettings& http) {
  http.key_variable =
      o.key_variable.empty() ? std::string(http.api->default_key_variable) : o.key_variable;
  const bool elsewhere = o.key_variable.empty() && has_credential(http.headers);
  if (!elsewhere) http.key = environment(http.key_variable);
  // The user's own server may need no key; a provider always does.
  const bool needs_key = !elsewhere && (o.base_url.empty() || !o.key_variable.empty());
  require(!http.key.empty() || !needs_key || o.only_estimate,
          "the environment variable " + http.key_variable +
              " is not set; put the key there, or name another variable with --api-key-env");
  require(std::ranges::none_of(http.key, [](unsigned char c) { return std::iscntrl(c) != 0; }),
          "the key in " + http.key_variable +
              " holds a line break or another control character; remove it");
}

/// Whether a conversation has several calls, and is therefore worth caching on the server.
bool is_repeated(const qa::LoopSettings& loop) {
  return loop.mode == qa::AgentMode::giant && loop.max_steps > 1;
}

ChosenAgent http_choice(const AgentOptions& o, const qa::ItemTable&) {
  const qa::QaRunSettings& asked = o.settings;
  require(!asked.model.model.empty(),
          "--agent " + asked.agent + " needs --model, such as --model gpt-5");
  const qa::ModelApi& api = qa::find_model_api(asked.agent, asked.api);
  refuse_secrets(o);
  if (!o.base_url.empty()) require_http_address(o.base_url, "--base-url");
  require(asked.model.image_detail.empty() || api.has_image_detail,
          "--image-detail does not work with --api " + std::string(api.name) +
              "; use --thumbnail-size and --crop-size instead");
  qa::HttpAgentSettings http{.api = &api,
                             .base_url = o.base_url,
                             .model = asked.model,
                             .headers = request_headers(o.headers),
                             .timeout_s = o.timeout_s};
  find_key(o, http);
  http.model.request_json = request_json_of(o);
  http.model.marks_cache = api.marks_cache && !o.no_cache && is_repeated(asked.loop);
  const OutputLimit limit = output_limit(http.model.request_json);
  require(
      !o.keeps_budget || limit.known,
      "--budget-usd cannot be kept with this --request-json: it removes the limit of an answer, "
      "or adds to what is asked; leave out max_tokens, n, messages, input, system and "
      "instructions, or set a number of tokens");
  ChosenAgent out{.agent = qa::http_agent(http),
                  .settings = asked,
                  .prices = {},
                  .most_output_tokens = limit.tokens,
                  .cache_write_factor = api.cache_write_factor};
  out.settings.command.clear();
  out.settings.api = api.name;
  out.settings.model = http.model;
  return out;
}

/// A program has no protocol and no limit on the length of an answer.
qa::QaRunSettings without_server(qa::QaRunSettings settings) {
  settings.api.clear();
  settings.model = {.model = settings.model.model};
  return settings;
}

ChosenAgent command_choice(const AgentOptions& o, const qa::ItemTable&) {
  const std::string& command = o.settings.command;
  require(!command.empty(),
          "--agent command needs --command, such as --command 'python3 agent.py'");
  ChosenAgent out{.agent = qa::command_agent(command_words(command, "--command"), o.timeout_s),
                  .settings = without_server(o.settings),
                  .prices = {}};
  return out;
}

ChosenAgent replay_choice(const AgentOptions& o, const qa::ItemTable& table) {
  require(!o.predictions.empty(),
          "--agent replay needs --predictions: a run's folder, a results file, or a table of "
          "predictions");
  ChosenAgent out{.agent = qa::replay_agent(o.predictions, table),
                  .settings = without_server(o.settings),
                  .prices = {}};
  out.settings.command = "replay " + qa::replayed_sha256(o.predictions);
  return out;
}

struct AgentRow {
  std::string_view name;
  ChosenAgent (*choose)(const AgentOptions& o, const qa::ItemTable& table);
  std::int64_t crop_size = qa::LoopSettings{}.crop_size;  ///< what the published runs used
};

constexpr AgentRow agents[] = {
    {"openai", http_choice},
    {"anthropic", http_choice, 500},
    {"command", command_choice},
    {"replay", replay_choice},
};

void require_sound(const qa::QaRunSettings& s) {
  const auto within = [](std::int64_t value, std::int64_t least, std::int64_t most,
                         const char* option) {
    require(value >= least && value <= most, std::string(option) + " must be between " +
                                                 std::to_string(least) + " and " +
                                                 std::to_string(most));
  };
  within(s.loop.max_steps, 1, 1000, "--max-steps");
  within(s.loop.thumbnail_size, 64, 8192, "--thumbnail-size");
  within(s.loop.crop_size, 64, 8192, "--crop-size");
  within(static_cast<std::int64_t>(s.loop.patches.count), 1, 1000, "--patches");
  within(s.jpeg_quality, 1, 100, "--jpeg-quality");
  within(s.model.max_output_tokens, 1, 10'000'000, "--max-output-tokens");
}

/// "1000; for anthropic: 500"
std::string default_crop_size() {
  std::string text = std::to_string(qa::LoopSettings{}.crop_size);
  for (const AgentRow& row : agents)
    if (row.crop_size != qa::LoopSettings{}.crop_size)
      text.append("; for ").append(row.name).append(": ").append(std::to_string(row.crop_size));
  return text;
}

/// A property of the first protocol of each agent: "chat for openai, messages for anthropic".
std::string of_first_apis(std::string_view qa::ModelApi::*member) {
  std::string text, last;
  for (const qa::ModelApi& api : qa::model_apis())
    if (api.agent != last) {
      text.append(text.empty() ? "" : ", ").append(api.*member).append(" for ").append(api.agent);
      last = api.agent;
    }
  return text;
}

void declare_requests(Arguments& a, AgentOptions& o) {
  qa::QaRunSettings& s = o.settings;
  a.heading("What the agent sees");
  a.choice("--mode", s.loop.mode, qa::agent_modes(),
           "How the slide is shown; giant is the navigating agent");
  a.option("--max-steps N", s.loop.max_steps, "Number of calls of a navigating agent");
  a.flag("--fixed-steps", s.loop.fixed_steps, "Accept no answer before the last step");
  a.option("--thumbnail-size PX", s.loop.thumbnail_size,
           "Longer side of the picture of the whole slide");
  a.option("--crop-size PX", o.crop_size,
           with_default("Longer side of a crop", default_crop_size()));
  a.option("--patches N", s.loop.patches.count, "Number of patches in modes patch and patch_vote");
  a.option("--seed N", s.loop.patches.seed, "Seed for choosing the patches");
  a.option("--jpeg-quality N", s.jpeg_quality, "Quality of the pictures, from 1 to 100");
  a.choice("--image-detail", s.model.image_detail, {"auto", "low", "high", "original"},
           "Level of detail at which OpenAI's servers read pictures (default: the server's)");
}

}  // namespace

void declare_agent(Arguments& a, AgentOptions& o) {
  qa::QaRunSettings& s = o.settings;
  a.heading("Agent");
  a.choice("--agent", s.agent, names_in(agents),
           "Source of the answers: a model server, a program, or an earlier run");
  a.option("--model NAME", s.model.model, "Model to ask; also its name in the results");
  a.choice("--api", s.api, names_in(qa::model_apis()),
           with_default("Protocol of the server", of_first_apis(&qa::ModelApi::name)));
  a.option("--base-url URL", o.base_url,
           "Address of another server, such as http://127.0.0.1:8000/v1");
  a.option("--api-key-env VAR", o.key_variable,
           with_default("Environment variable that holds the key",
                        of_first_apis(&qa::ModelApi::default_key_variable)));
  a.option("--request-json FILE|JSON", o.request_json,
           "JSON object merged into every request; null removes a key");
  a.repeatable(
      "--header NAME=ENV_OR_VALUE", o.headers,
      "Header to add to every request, such as api-key=AZURE_API_KEY; the name of an environment "
      "variable is replaced by its value; repeatable");
  a.option("--max-output-tokens N", s.model.max_output_tokens,
           "Maximum number of tokens in one answer");
  a.option("--timeout S", o.timeout_s, "Seconds to wait for one answer");
  a.option("--command COMMAND", s.command,
           "Program for --agent command, started without a shell; it reads and writes lines of "
           "JSON");
  a.option("--predictions PATH", o.predictions,
           "Answers for --agent replay: a run's folder, a results file, or a table of predictions");
  a.flag("--no-cache", o.no_cache, "Do not ask Anthropic's servers to cache conversations");
  a.option("--prices FILE", o.prices, "US dollars per million tokens, as JSON");
  declare_requests(a, o);
}

ChosenAgent choose_agent(const AgentOptions& o, const qa::ItemTable& table) {
  require(o.timeout_s > 0 && std::isfinite(o.timeout_s), "--timeout must be above 0 seconds");
  const AgentRow& row = *std::ranges::find(agents, o.settings.agent, &AgentRow::name);
  AgentOptions complete = o;
  complete.settings.loop.crop_size = o.crop_size.value_or(row.crop_size);
  require_sound(complete.settings);
  ChosenAgent out = row.choose(complete, table);
  if (out.settings.model.model.empty()) out.settings.model.model = o.settings.agent;
  if (!o.prices.empty()) out.prices = qa::read_prices(o.prices);
  for (qa::PriceTable::Row& each : out.prices.rows)
    if (!each.prices.cache_write)
      each.prices.cache_write = each.prices.input * out.cache_write_factor;
  return out;
}

std::vector<std::string> without_header_values(std::vector<std::string> command) {
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::string prefix = std::string(header_option) + "=";
    if (command[i].starts_with(prefix))
      command[i] = prefix + without_value(command[i].substr(prefix.size()));
    else if (command[i] == header_option && i + 1 < command.size())
      command[i + 1] = without_value(command[i + 1]);
  }
  return command;
}

}  // namespace assay::cli
