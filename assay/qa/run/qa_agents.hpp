// SPDX-License-Identifier: Apache-2.0
/// Who answers: a model over HTTP, a program, or an earlier run.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "assay/base/command_line.hpp"
#include "assay/qa.hpp"
#include "assay/qa/provider/model_api.hpp"
#include "assay/qa/values/chat.hpp"

namespace assay::qa {

/// One question to the agent.
struct QaQuestion {
  const Item& item;
  unsigned run = 0;
  const std::filesystem::path& slide;
  const Chat& chat;  ///< empty for those who take the item as a whole
};

/// Used by one worker.
class Answerer {
 public:
  virtual ~Answerer() = default;
  virtual ModelOutcome ask(const QaQuestion& question) = 0;
};

/// What the driver must know about an agent.
struct QaAgent {
  bool converses = true;  ///< runs our loop; otherwise it takes an item as a whole
  bool needs_slides = true;
  std::function<std::unique_ptr<Answerer>()> make_answerer;  ///< called once per worker
};

struct HttpAgentSettings {
  const ModelApi* api = nullptr;
  std::string base_url{};  ///< "": the API's own
  ModelSettings model{};
  std::string key{};  ///< "": none is sent
  std::string key_variable{};
  /// Besides the protocol's own, or in place of those with the same name; "" takes one away. Their
  /// values are as secret as the key.
  std::vector<std::pair<std::string, std::string>> headers{};
  double timeout_s = 600;
};

QaAgent http_agent(const HttpAgentSettings& settings);

/// A program that reads a line of JSON per item and answers with one. docs/qa-agents.md.
QaAgent command_agent(const CommandWords& command, double timeout_s);

/// The answer that such a program's line is, or what is wrong with it.
ModelOutcome agent_outcome(const std::string& line, const Item& item);

/// The answers of a run's folder, of results files, or of a table of predictions (CSV or JSON:
/// benchmark_name, benchmark_id, prediction, and run from 0 if there are several). Throws Error.
QaAgent replay_agent(const std::filesystem::path& source, const ItemTable& table);

/// The hash of everything that `source` holds: other answers are another run.
std::string replayed_sha256(const std::filesystem::path& source);

}  // namespace assay::qa
