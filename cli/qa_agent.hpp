// SPDX-License-Identifier: Apache-2.0
/// The agent of a run, as it is chosen on the command line.
#pragma once

#include <string>

#include "assay/qa/run/qa_run.hpp"
#include "assay/qa/values/item.hpp"
#include "assay/qa/values/prices.hpp"
#include "cli/arguments.hpp"

namespace assay::cli {

/// The options that name an agent and what it is sent, as typed.
struct AgentOptions {
  std::string agent = "openai", api, model, base_url, key_variable, request_json, command;
  std::string predictions, mode = "giant", prices;
  unsigned max_steps = 20, max_output_tokens = 8192, thumbnail_size = 1024, crop_size = 0;
  unsigned patches = 30, seed = 42, jpeg_quality = 85;
  double timeout_s = 600;
  bool fixed_steps = false;
  bool only_estimate = false;  ///< nothing will be asked, so no key is needed
  bool keeps_budget = false;   ///< every cost must have a bound
};

void declare_agent(Arguments& arguments, AgentOptions& options);

struct ChosenAgent {
  qa::QaAgent agent;
  qa::QaRunSettings settings;
  qa::PriceTable prices;
  unsigned most_output_tokens = 0;  ///< that --request-json allows
};

/// Looks everything up: keys in the environment, files. Throws Error::usage for what does not go
/// together.
ChosenAgent chosen_agent(const AgentOptions& options, const qa::ItemTable& table);

}  // namespace assay::cli
