// SPDX-License-Identifier: Apache-2.0
/// Keys that a server repeats. Some quote the key that they refuse, whole or in part, and a proxy
/// may echo every header; what a server says goes into the journal, trajectories and messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "assay/qa/values/chat.hpp"

namespace assay::qa {

/// What is sent with every request and must not come back.
class Secrets {
 public:
  using Headers = std::vector<std::pair<std::string, std::string>>;

  /// The key, and the headers as they are sent. Values of headers that are made for credentials,
  /// and others that look like keys, are as secret as the key.
  Secrets(const std::string& key, const Headers& headers);

  /// The text with "[key]" in place of every part of a secret that is 8 characters or longer, also
  /// when it was encoded for an address or in base64, and of shorter ends of it beside a row of
  /// asterisks or dots ("sk-ab****yz").
  std::string redacted(std::string text) const;

  /// Every text of a reply or a failure. In errors, which quote requests, headers that are no
  /// credentials are taken out as well, where they appear whole.
  void redact(ModelOutcome& outcome) const;

 private:
  void add(const std::string& secret);
  void add_pieces(std::string_view form);
  std::string without_values(std::string text) const;

  std::vector<std::string> secrets_, other_values_;
  std::unordered_set<std::uint64_t> pieces_;  ///< eight characters of a secret, as bytes
};

}  // namespace assay::qa
