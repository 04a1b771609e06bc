// SPDX-License-Identifier: Apache-2.0
/// The three protocols of model servers: a conversation -> a request body; a response -> an answer
/// or a classified failure. No network here.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/base/http.hpp"
#include "assay/qa/values/chat.hpp"

namespace assay::qa {

/// What every request of a run shares.
struct ModelSettings {
  std::string model;
  unsigned max_output_tokens = 8192;
  /// A JSON object merged into every body (RFC 7386: null removes a key); "" for none.
  std::string request_json{};
  std::string image_detail{};  ///< of every picture, where the protocol has it; "": not sent
  /// Marks the end of the conversation for the server's cache, where the protocol asks for marks:
  /// worth its price when the next call repeats the conversation.
  bool marks_cache = false;
};

struct ModelApi {
  std::string_view name;   ///< chat, responses, messages
  std::string_view agent;  ///< openai, anthropic
  std::string_view default_base_url;
  std::string_view path;  ///< appended to the base URL
  std::string_view default_key_variable;
  bool has_image_detail;
  bool marks_cache;  ///< its server caches only what is marked
  /// What a token written to the cache costs, in input tokens, unless the price table says it.
  double cache_write_factor;
  std::vector<std::pair<std::string, std::string>> (*headers)(const std::string& key);
  std::string (*body)(const Chat& chat, const ModelSettings& settings);
  ModelOutcome (*outcome)(const HttpResponse& response);
};

std::span<const ModelApi> model_apis();

/// The API of an agent: by name, or its first when `name` is empty. Throws Error::usage.
const ModelApi& find_model_api(std::string_view agent, std::string_view name);

/// Where the calls go: "<base>/chat/completions". Accepts a base with or without a final slash, or
/// the whole address.
std::string endpoint(const ModelApi& api, std::string_view base_url);

/// A connection that broke as the failure that it is.
ModelFailure connection_failure(const HttpFailure& failure);

}  // namespace assay::qa
