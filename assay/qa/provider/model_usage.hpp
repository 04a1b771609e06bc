// SPDX-License-Identifier: Apache-2.0
/// Tokens and costs as servers report them. Included by .cpp files only.
///
/// Names and sums differ from server to server, whatever protocol they speak: prompt and completion
/// tokens, or input and output tokens; tokens of a cache included in the input or added to it;
/// reasoning included in the output (OpenAI) or added to it (xAI, Gemini, Perplexity). So there is
/// one reader for all of them, and where a report can be read in two ways it takes the more
/// expensive one: what is counted decides whether a budget holds.
#pragma once

#include "assay/base/http.hpp"
#include "assay/base/json.hpp"
#include "assay/qa/values/usage.hpp"

namespace assay::qa {

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
