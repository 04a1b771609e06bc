// SPDX-License-Identifier: Apache-2.0
/// The three protocols, seen from the server: written apart from the client's code, so that a
/// mistake in one shows in the other.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace assay::test_server {

/// A conversation as a server sees it.
struct Question {
  std::string model;
  std::string first_text;  ///< all text of the first user message
  std::string last_text;   ///< of the last
  std::size_t text_bytes = 0, images = 0, image_bytes = 0, assistant_turns = 0;
};

/// What is sent back.
struct Reply {
  enum class End { stop, truncated, refused };

  std::string text;
  End end = End::stop;
  bool with_usage = true;
  std::optional<double> cost_usd{};
};

struct Protocol {
  std::string_view path;  ///< how the request's path ends
  std::string_view key_header;
  Question (*question)(const nlohmann::json& body);
  nlohmann::json (*reply)(const Question& question, const Reply& reply);
  nlohmann::json (*error)(const std::string& code, const std::string& message);
};

std::span<const Protocol> protocols();

}  // namespace assay::test_server
