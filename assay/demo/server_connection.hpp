// SPDX-License-Identifier: Apache-2.0
/// The server's end of one HTTP/1.1 connection: bytes -> requests, responses -> bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "assay/demo/loopback_server.hpp"

namespace assay::demo {

/// Over a socket that the caller owns and closes.
class ServerConnection {
 public:
  explicit ServerConnection(int socket) : socket_(socket) {}

  /// The next request. Nothing when the other side is gone or sent HTTP that we do not accept; in
  /// that case an error was sent and the connection is over.
  std::optional<ServerRequest> next();

  /// False when the connection is over.
  bool answer(const ServerRequest& request, const ServerResponse& response);

 private:
  bool fill();
  std::optional<std::string_view> head();
  bool read_body(ServerRequest& request);
  bool read_chunks(std::string& body);
  std::optional<std::string> line();
  bool take(std::size_t count, std::string& to);
  bool refuse(int status);
  bool send_all(std::string_view bytes) const;

  int socket_;
  std::string buffer_;  ///< received, from at_ on not yet used
  std::size_t at_ = 0;
};

}  // namespace assay::demo
