// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/provider/model_reply.hpp"

#include <algorithm>
#include <array>

#include "assay/base/ascii.hpp"
#include "assay/base/json_reader.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/qa/provider/model_usage.hpp"

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

}  // namespace assay::qa
