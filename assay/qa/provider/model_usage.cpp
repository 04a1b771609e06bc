// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/provider/model_usage.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <string_view>

#include "assay/qa/provider/model_reply.hpp"

namespace assay::qa {
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
