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

}  // namespace assay::qa
