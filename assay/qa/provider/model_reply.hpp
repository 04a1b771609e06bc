// SPDX-License-Identifier: Apache-2.0
/// What the three protocols share: bodies with images, parsed answers, classified errors. Included
/// by .cpp files only.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "assay/base/http.hpp"
#include "assay/base/json.hpp"
#include "assay/qa/provider/model_api.hpp"
#include "assay/qa/values/usage.hpp"

namespace assay::qa {

/// A body up to the position where the conversation follows as JSON text: images are megabytes, so
/// they never become part of a tree.
struct OpenBody {
  std::string text;
  bool whole = false;  ///< request_json has replaced the conversation: nothing follows
};

/// The members of `fields` with the settings' request_json merged over them, then `key`. There is
/// room for the conversation. Throws Error::usage when request_json is not an object.
OpenBody open_body(const Json& fields, std::string_view key, const Chat& chat,
                   const ModelSettings& settings);

/// A JSON string; bytes that are not UTF-8 are replaced.
std::string json_string(std::string_view text);

/// Appends `bytes` as base64.
void append_base64(std::string& text, std::string_view bytes);

/// A count; nothing for anything else.
std::optional<std::int64_t> count_of(const Json& value);

/// The body of a response, or the error that it is instead.
std::variant<Json, ModelOutcome> good_body(const HttpResponse& response);

/// A response that lacks what it must have: it may be whole the next time.
ModelFailure garbled(const HttpResponse& response, std::string_view what);

/// What an error means. `body` is the object that has a member `error`, or the error itself.
ModelOutcome error_outcome(const HttpResponse& response, const Json& body);

/// How a reply ends, when it does not end as an answer.
struct Ending {
  std::string_view reason;
  ModelReply::Kind kind;
};

/// An answer unless the table says otherwise.
ModelReply::Kind kind_of(std::string_view reason, std::span<const Ending> endings);

/// The reply with what the server reports: model, request id and cost.
ModelReply with_origin(ModelReply reply, const HttpResponse& response, const Json& body);

/// Server text that may be shown: printable, at most 200 characters, without keys.
std::string shown(std::string_view text);

/// Seconds to wait, from the response's headers or the error's message.
std::optional<double> retry_after(const HttpResponse& response, std::string_view message);

/// The id by which the provider finds the call.
std::string request_id(const HttpResponse& response);

std::string chat_body(const Chat& chat, const ModelSettings& settings);
ModelOutcome chat_outcome(const HttpResponse& response);
std::string responses_body(const Chat& chat, const ModelSettings& settings);
ModelOutcome responses_outcome(const HttpResponse& response);
std::string messages_body(const Chat& chat, const ModelSettings& settings);
ModelOutcome messages_outcome(const HttpResponse& response);

// Tokens and costs as servers report them. Included by .cpp files only.
//
// Names and sums differ from server to server, whatever protocol they speak: prompt and completion
// tokens, or input and output tokens; tokens of a cache included in the input or added to it;
// reasoning included in the output (OpenAI) or added to it (xAI, Gemini, Perplexity). So there is
// one reader for all of them, and where a report can be read in two ways it takes the more
// expensive one: what is counted decides whether a budget holds.

/// Whether a protocol counts tokens of the cache as input as well.
enum class CacheTokens { among_input, beside_input };

/// The object `usage` of a response. The output is the larger of what the server calls output and
/// what the total leaves after the input; reasoning that is more than that cannot be a part of it
/// and is added. A cache larger than the input cannot be a part of it either.
Usage reported_usage(const Json& usage, CacheTokens caches = CacheTokens::among_input);

/// From the same object: `cost`, and what a gateway says about the provider.
ReportedCost reported_cost(const Json& usage);

/// LiteLLM prices a call by its own table and says so in a header. Nothing when it knows no price:
/// then the header is missing or 0.
std::optional<double> estimated_cost(const HttpResponse& response);

}  // namespace assay::qa
