// SPDX-License-Identifier: Apache-2.0
/// What an error of a model server means for the run: one table, read from the top.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "assay/base/text.hpp"
#include "assay/qa/provider/model_reply.hpp"

namespace assay::qa {
namespace {

/// An error in no provider's format. Codes and message in lower case; status 0 when the error was
/// in a response with a good status and had none of its own.
struct ErrorFacts {
  int status = 0;
  std::vector<std::string> codes{};
  std::string code{}, param{}, message{}, lower_message{};
};

enum class Verdict { refused, fatal, item, transient };

/// Matches when the status is in the range and, if words are given, one of the codes equals or the
/// message contains one of them; words are separated by '|'. "{}" in the advice is the JSON that
/// drops the parameter.
struct Rule {
  int first_status, last_status;
  std::string_view codes, phrases;
  Verdict verdict;
  std::string_view advice;
};

constexpr std::string_view no_credit =
    "the account has no credit or quota left; add some, or use another key";
constexpr std::string_view check_key = "check the key, and that it belongs to this server";
constexpr std::string_view too_long =
    "the conversation is longer than the model accepts; use fewer --max-steps, smaller pictures "
    "(--crop-size, --thumbnail-size), a lower --max-output-tokens, or a model that accepts more";
constexpr std::string_view check_model = "check --model, and that the key may use it";

constexpr std::array error_rules = {
    Rule{0, 499,
         "content_policy_violation|content_filter|invalid_prompt|responsibleaipolicyviolation|"
         "moderation_blocked|image_content_policy_violation",
         "content management policy|flagged as potentially violating|input was flagged|"
         "violates our content policy",
         Verdict::refused, ""},
    Rule{0, 499,
         "insufficient_quota|billing_hard_limit_reached|billing_not_active|billing_error|"
         "insufficient_credits",
         "credit balance is too low|insufficient credit|insufficient balance|requires more credits",
         Verdict::fatal, no_credit},
    Rule{402, 402, "", "", Verdict::fatal, no_credit},
    // Gemini answers 400 to a wrong key, and so does LiteLLM when it has no database of keys.
    Rule{0, 499, "authentication_error|invalid_api_key|invalid_authentication|no_db_connection",
         "api key not valid|api key expired", Verdict::fatal, check_key},
    Rule{401, 401, "", "", Verdict::fatal, check_key},
    Rule{0, 599, "",
         "image input is not supported|does not support image|that support image input|"
         "not a multimodal model|image_url is only supported by|does not support vision",
         Verdict::fatal, "the model does not accept images; choose one that does with --model"},
    Rule{0, 499, "", "image(s) may be provided", Verdict::fatal,
         "let the server accept more images per request (vLLM: --limit-mm-per-prompt)"},
    Rule{403, 403, "", "", Verdict::fatal, "check the rights of the key, and --model"},
    Rule{407, 407, "", "", Verdict::fatal, "the proxy requires a password; check https_proxy"},
    Rule{429, 429, "", "request too large", Verdict::item,
         "this request alone is above the limit of tokens per minute"},
    Rule{0, 599, "context_length_exceeded|exceed_context_size_error|string_above_max_length",
         "maximum context length|context window|context size|context limit|prompt is too long|"
         "input is too long|input token count",
         Verdict::item, too_long},
    Rule{0, 599,
         "request_too_large|image_too_large|image_too_small|invalid_image|invalid_image_format|"
         "invalid_base64_image|image_parse_error|image_file_too_large|unsupported_image_media_type",
         "image exceeds|image dimensions exceed|too many images|could not process image",
         Verdict::item,
         "use smaller pictures (--crop-size, --thumbnail-size) or fewer --max-steps"},
    Rule{413, 413, "", "", Verdict::item, "the request is too large for the server"},
    Rule{0, 422, "", "thinking.budget_tokens|thinking budget", Verdict::fatal,
         "--max-output-tokens must be larger than the thinking budget; raise it, or lower the "
         "budget in --request-json"},
    Rule{0, 422, "", "when thinking is enabled|when thinking is adaptive", Verdict::fatal,
         "temperature, top_p and top_k cannot be set while the model thinks; remove them from "
         "--request-json, or switch thinking off there"},
    Rule{0, 422, "", "maximum allowed number of output tokens|completion tokens", Verdict::fatal,
         "ask for fewer output tokens with --max-output-tokens"},
    Rule{0, 422,
         "unsupported_parameter|unsupported_value|unknown_parameter|extra_forbidden|"
         "invalid_parameter_error",
         "unsupported parameter|unsupported value|unrecognized request argument|"
         "unknown parameter|unknown name|extra inputs are not permitted|extra fields not permitted|"
         "is not supported with this model|is not supported by this model|"
         "is deprecated for this model",
         Verdict::fatal, "change or drop the parameter with --request-json '{}'"},
    Rule{0, 422, "model_not_found|not_found_error",
         "not a valid model|model not found|unknown model|no endpoints found|invalid model",
         Verdict::fatal, check_model},
    Rule{404, 405, "", "", Verdict::fatal, "check --base-url, --api and --model"},
    Rule{300, 399, "", "", Verdict::fatal,
         "the server redirects requests; give the final address as --base-url"},
    Rule{408, 409, "", "", Verdict::transient, ""},
    Rule{425, 425, "", "", Verdict::transient, ""},
    Rule{429, 429, "", "", Verdict::transient, ""},
    Rule{400, 499, "rate_limit_exceeded|rate_limit_error|overloaded_error|server_error|api_error",
         "", Verdict::transient, ""},
    Rule{400, 499, "", "", Verdict::item, ""},
    // Whatever the status is: the last rule matches always.
    Rule{std::numeric_limits<int>::min(), std::numeric_limits<int>::max(), "", "",
         Verdict::transient, ""},
};

template <class Test>
bool any_word(std::string_view words, Test test) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find('|'), words.size());
    if (test(words.substr(0, end))) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

bool matches(const Rule& rule, const ErrorFacts& error) {
  if (error.status < rule.first_status || error.status > rule.last_status) return false;
  if (rule.codes.empty() && rule.phrases.empty()) return true;
  return any_word(
             rule.codes,
             [&](std::string_view word) { return std::ranges::count(error.codes, word) > 0; }) ||
         any_word(rule.phrases, [&](std::string_view word) {
           return error.lower_message.find(word) != std::string::npos;
         });
}

/// The object that describes the error: OpenAI and Anthropic put it into `error`, vLLM does not,
/// Google wraps both into a list.
const Json& error_object(const Json& body) {
  const Json& inner = body.is_array() && !body.empty() ? body.front() : body;
  const Json& error = member(inner, "error");
  return error.is_null() ? inner : error;
}

std::string message_of(const Json& error) {
  if (error.is_string()) return error.get<std::string>();
  for (const char* key : {"message", "detail"}) {
    const Json& found = member(error, key);
    if (found.is_null()) continue;
    std::string text = found.is_string() ? found.get<std::string>() : to_text(found, {.indent = 0});
    // OpenRouter: the message is "Provider returned error", and this is what the provider said.
    const std::string raw = text_of(member(member(error, "metadata"), "raw"));
    if (!raw.empty()) text.append(" ").append(raw);
    return text;
  }
  return "";
}

ErrorFacts facts_of(const HttpResponse& response, const Json& body) {
  const Json& error = error_object(body);
  ErrorFacts facts = {.status = response.status, .param = text_of(member(error, "param"))};
  for (const char* key : {"code", "type", "status"})
    if (std::string code = text_of(member(error, key)); !code.empty())
      facts.codes.push_back(ascii_lowered(code));
  if (!facts.codes.empty()) facts.code = facts.codes.front();
  facts.message = message_of(error);
  facts.lower_message = ascii_lowered(facts.message);
  if (response.status < 200 || response.status >= 300) return facts;
  const auto own = count_of(member(error, "code")).value_or(0);
  facts.status = own >= 300 && own < 600 ? static_cast<int>(own) : 0;
  return facts;
}

/// The value of --request-json that drops the parameter at fault.
std::string patch_without(const ErrorFacts& error) {
  constexpr std::string_view ours = "max_completion_tokens";  // servers that are older than it
  if (error.param == ours || (error.param.empty() && error.message.find(ours) != std::string::npos))
    return R"({"max_completion_tokens": null, "max_tokens": N})";
  return fmt::format(R"({{"{}": null}})", error.param.empty() ? "NAME" : shown(error.param));
}

std::string sentence(const ErrorFacts& error, const Rule& rule) {
  std::string text = error.status != 0
                         ? fmt::format("the server answered with status {}", error.status)
                         : std::string("the server answered with an error");
  if (!error.code.empty()) text += " (" + shown(error.code) + ")";
  // Servers like to repeat a key that they do not accept.
  const std::string said = rule.advice == check_key ? "" : shown(error.message);
  if (!said.empty()) text += ": \"" + said + '"';
  if (rule.advice.empty()) return text;
  return text + "; " + fmt::format(fmt::runtime(rule.advice), patch_without(error));
}

constexpr std::array error_kinds = {ModelFailure::Kind::transient, ModelFailure::Kind::fatal,
                                    ModelFailure::Kind::item, ModelFailure::Kind::transient};

}  // namespace

ModelOutcome error_outcome(const HttpResponse& response, const Json& body) {
  const ErrorFacts error = facts_of(response, body);
  const auto* rule =
      std::ranges::find_if(error_rules, [&](const Rule& each) { return matches(each, error); });
  if (rule->verdict == Verdict::refused)
    return ModelReply{.kind = ModelReply::Kind::refused,
                      .text = shown(error.message),
                      .request_id = request_id(response),
                      .finish_reason = error.code};
  ModelFailure failure = {.kind = error_kinds[static_cast<std::size_t>(rule->verdict)],
                          .message = sentence(error, *rule),
                          .status = error.status,
                          .request_id = request_id(response)};
  if (failure.kind == ModelFailure::Kind::transient)
    failure.retry_after_s = retry_after(response, error.lower_message);
  return failure;
}

}  // namespace assay::qa
