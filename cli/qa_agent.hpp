// SPDX-License-Identifier: Apache-2.0
/// The agent of a run, as chosen on the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/qa.hpp"
#include "assay/qa/run/qa_run.hpp"
#include "assay/qa/values/prices.hpp"
#include "cli/arguments.hpp"

namespace assay::cli {

/// The options that name an agent and what it is sent.
struct AgentOptions {
  qa::QaRunSettings settings{.agent = "openai"};
  std::string base_url, key_variable, request_json, predictions, prices;
  std::vector<std::string> headers;       ///< NAME=ENV_OR_VALUE
  std::optional<std::int64_t> crop_size;  ///< unset: what suits the agent
  double timeout_s = qa::HttpAgentSettings{}.timeout_s;
  bool only_estimate = false;  ///< nothing will be asked, so no key is needed
  bool no_cache = false;
  bool keeps_budget = false;  ///< every cost must have a bound
};

void declare_agent(Arguments& arguments, AgentOptions& options);

struct ChosenAgent {
  qa::QaAgent agent;
  qa::QaRunSettings settings;
  qa::PriceTable prices;
  unsigned most_output_tokens = 0;  ///< that --request-json allows
  double cache_write_factor = 1;    ///< what a token written to a cache costs in input tokens
};

/// Reads keys from the environment, and files. Throws Error::usage for options that do not go
/// together.
ChosenAgent choose_agent(const AgentOptions& options, const qa::ItemTable& table);

/// A command line that may be written to a file: values of headers are left out, unless they are
/// names of variables or belong to a harmless header (anthropic-beta).
std::vector<std::string> without_header_values(std::vector<std::string> command);

}  // namespace assay::cli
