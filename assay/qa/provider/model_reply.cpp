// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/provider/model_reply.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <string_view>

#include "assay/base/ascii.hpp"
#include "assay/base/json_reader.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"

namespace assay::qa {
namespace {

/// How keys and tokens begin.
constexpr std::array<std::string_view, 8> key_prefixes = {"sk-",  "sk_",  "hf_",   "gsk_",
                                                          "xai-", "AIza", "pplx-", "Bearer "};
constexpr std::size_t shortest_key = 6;  ///< behind the prefix
constexpr std::size_t most_shown = 200;

bool is_key_character(char c) {
  return is_ascii_word(c) || c == '-' || c == '_' || c == '*' || c == '.' || c == '=';
}

/// The length of a key that begins there; 0 when none does.
std::size_t key_length(std::string_view text) {
  const auto begins = [&](std::string_view prefix) { return text.starts_with(prefix); };
  const auto prefix = std::ranges::find_if(key_prefixes, begins);
  if (prefix == key_prefixes.end()) return 0;
  std::size_t end = prefix->size();
  while (end < text.size() && is_key_character(text[end])) ++end;
  return end - prefix->size() >= shortest_key ? end : 0;
}

}  // namespace

std::string shown(std::string_view text) {
  std::string out;
  bool blank = true;  // runs of white space and control characters become one blank
  for (std::size_t at = 0; at < text.size() && out.size() <= most_shown;) {
    const bool word_begins = at == 0 || !is_key_character(text[at - 1]);
    if (const std::size_t key = word_begins ? key_length(text.substr(at)) : 0; key > 0) {
      out += "[key]";
      at += key;
      blank = false;
      continue;
    }
    const auto c = static_cast<unsigned char>(text[at++]);
    const bool space = c <= ' ' || c == 0x7F;
    if (!space) out += static_cast<char>(c);
    if (space && !blank) out += ' ';
    blank = space;
  }
  while (out.ends_with(' ')) out.pop_back();
  const std::string whole = Json(out).dump(-1, ' ', false, Json::error_handler_t::replace);
  out = parse_json(whole, "text").get<std::string>();  // valid UTF-8, whatever came
  return out.size() <= most_shown ? out : std::string(beginning(out, most_shown)) + " …";
}

std::optional<std::int64_t> count_of(const Json& value) {
  constexpr double most = 1e15;  // whole in a double, and more tokens than there are
  if (!value.is_number()) return std::nullopt;
  const auto number = value.get<double>();
  if (!(number >= 0 && number <= most)) return std::nullopt;
  const auto count = static_cast<std::int64_t>(number);
  return static_cast<double>(count) == number ? std::optional(count) : std::nullopt;
}

std::string request_id(const HttpResponse& response) {
  for (const char* name : {"x-request-id", "request-id"})
    if (std::string id = response.header(name); !id.empty()) return id;
  return "";
}

ModelFailure garbled(const HttpResponse& response, std::string_view what) {
  return {.kind = ModelFailure::Kind::transient,
          .message = "the server's response " + std::string(what) + ": \"" + shown(response.body) +
                     "\"; check that --base-url and --api fit the server",
          .status = response.status,
          .request_id = request_id(response)};
}

std::variant<Json, ModelOutcome> good_body(const HttpResponse& response) {
  const bool good = response.status >= 200 && response.status < 300;
  Json body;
  try {
    body = parse_json(response.body, "response");
  } catch (const Error&) {
    if (good && too_deep_at(response.body))
      return garbled(response, nested_too_deeply("cannot be read"));
    if (good) return garbled(response, "is not JSON");
    body = response.body;  // a proxy's page, for example
  }
  if (!good || !member(body, "error").is_null()) return error_outcome(response, body);
  return body;
}

ModelReply::Kind kind_of(std::string_view reason, std::span<const Ending> endings) {
  const auto row = std::ranges::find(endings, reason, &Ending::reason);
  return row == endings.end() ? ModelReply::Kind::answer : row->kind;
}

ModelReply with_origin(ModelReply reply, const HttpResponse& response, const Json& body) {
  reply.model = text_of(member(body, "model"));
  reply.reported = reported_cost(member(body, "usage"));
  reply.reported.estimate = estimated_cost(response);
  reply.request_id = request_id(response);
  if (reply.request_id.empty()) reply.request_id = text_of(member(body, "id"));
  return reply;
}

namespace {

using Count = std::optional<std::int64_t>;

/// A member of a member; the first name may be "" for none.
struct Path {
  std::string_view object, key;
};

/// The first count that is there.
Count first_count(const Json& usage, std::initializer_list<Path> paths) {
  for (const Path& path : paths) {
    const Json& object = path.object.empty() ? usage : member(usage, path.object);
    if (const Count found = count_of(member(object, path.key))) return found;
  }
  return std::nullopt;
}

/// Tokens that were read from or written to a cache.
struct Caches {
  Count read, write;
  bool among_input = true;
};

/// Anthropic's names mean tokens in addition to the input, unless the details that OpenAI has say
/// otherwise.
Caches caches_of(const Json& usage, CacheTokens caches) {
  Caches out = {.read = first_count(usage, {{"prompt_tokens_details", "cached_tokens"},
                                            {"input_tokens_details", "cached_tokens"},
                                            {"", "prompt_cache_hit_tokens"}}),
                .write = first_count(usage, {{"prompt_tokens_details", "cache_write_tokens"},
                                             {"prompt_tokens_details", "cache_creation_tokens"},
                                             {"input_tokens_details", "cache_write_tokens"}})};
  const bool detailed = out.read || out.write;
  if (!out.read) out.read = count_of(member(usage, "cache_read_input_tokens"));
  if (!out.write) out.write = count_of(member(usage, "cache_creation_input_tokens"));
  out.among_input = caches == CacheTokens::among_input && detailed;
  return out;
}

Count reasoning(const Json& usage) {
  return first_count(usage, {{"completion_tokens_details", "reasoning_tokens"},
                             {"output_tokens_details", "reasoning_tokens"},
                             {"", "reasoning_tokens"}});
}

/// `input` is all of it, caches included.
Count output(Count completion, Count reasoning, Count total, Count input) {
  if (!completion && !(total && input)) return std::nullopt;
  const std::int64_t said = completion.value_or(0);
  const std::int64_t left = total && input ? *total - *input : 0;
  const std::int64_t most = std::max(said, left);
  return reasoning.value_or(0) > most ? said + *reasoning : most;
}

std::optional<double> dollars(const Json& value) {
  if (!value.is_number()) return std::nullopt;
  const auto usd = value.get<double>();
  return std::isfinite(usd) && usd >= 0 ? std::optional(usd) : std::nullopt;
}

}  // namespace

Usage reported_usage(const Json& usage, CacheTokens caches) {
  const Caches cache = caches_of(usage, caches);
  const std::int64_t cached = cache.read.value_or(0) + cache.write.value_or(0);
  Usage out = {.input = first_count(usage, {{"", "prompt_tokens"}, {"", "input_tokens"}}),
               .cache_write = cache.write,
               .cache_read = cache.read,
               .output = std::nullopt,
               .reasoning = reasoning(usage)};
  if (out.input && cache.among_input && cached <= *out.input) *out.input -= cached;
  out.output = output(first_count(usage, {{"", "completion_tokens"}, {"", "output_tokens"}}),
                      out.reasoning, count_of(member(usage, "total_tokens")),
                      out.input ? Count(*out.input + cached) : out.input);
  return out;
}

ReportedCost reported_cost(const Json& usage) {
  const Json& own_key = member(usage, "is_byok");
  return {.charged = dollars(member(usage, "cost")),
          .upstream = dollars(member(member(usage, "cost_details"), "upstream_inference_cost")),
          .own_key = own_key.is_boolean() && own_key.get<bool>()};
}

std::optional<double> estimated_cost(const HttpResponse& response) {
  const std::string text = response.header("x-litellm-response-cost");
  double usd = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), usd);
  const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  return whole && usd > 0 ? dollars(Json(usd)) : std::nullopt;
}

}  // namespace assay::qa
