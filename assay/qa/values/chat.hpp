// SPDX-License-Identifier: Apache-2.0
/// A conversation with a model, in no provider's format.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "assay/qa/values/usage.hpp"

namespace assay::qa {

/// A JPEG that is part of a conversation. Later calls of an item repeat it, so the bytes are
/// shared.
struct ChatImage {
  std::shared_ptr<const std::string> jpeg;
  std::string sha256;
  std::size_t width = 0, height = 0;
};

using ChatPart = std::variant<std::string, ChatImage>;

enum class Role { system, user, assistant };

struct ChatMessage {
  Role role = Role::user;
  std::vector<ChatPart> parts;
};

using Chat = std::vector<ChatMessage>;

/// What a model answered.
struct ModelReply {
  enum class Kind { answer, refused, truncated };

  Kind kind = Kind::answer;
  std::string text;
  Usage usage{};
  ReportedCost reported{};
  std::optional<double> cost_usd{};  ///< what counts, once it is known: see billed_usd
  std::string model{}, provider{}, request_id{}, finish_reason{};  ///< as the server says
};

/// Why there is no answer.
struct ModelFailure {
  enum class Kind {
    transient,  ///< the same call may go through later: 429, 5xx, 529, a broken connection
    item,       ///< this request cannot be answered, others can
    fatal,      ///< no call can go through before something is changed: key, quota, parameter
  };

  Kind kind = Kind::transient;
  std::string message;  ///< a sentence; says what to change when fatal
  std::optional<double> retry_after_s{};
  std::optional<unsigned> most_retries{};  ///< where more of them than these are of no use
  int status = 0;                          ///< of HTTP; 0: none came
  bool charged = false;  ///< perhaps: the server may have worked on it before it failed
  std::string request_id{};
};

using ModelOutcome = std::variant<ModelReply, ModelFailure>;

}  // namespace assay::qa
