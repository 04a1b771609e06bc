// SPDX-License-Identifier: Apache-2.0
/// A small HTTP/1.1 server on 127.0.0.1, for the demo and for tests. It never listens elsewhere.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace assay::demo {

struct ServerRequest {
  std::string method, path;                                    ///< path with its query
  std::vector<std::pair<std::string, std::string>> headers{};  ///< names in lower case
  std::string body{};
};

struct ServerResponse {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string body{};
  bool cut = false;  ///< close the connection in the middle of the body instead
};

/// Listens from construction to destruction. The handler is called from several threads.
class LoopbackServer {
 public:
  using Handler = std::function<ServerResponse(const ServerRequest&)>;

  /// Port 0 takes any free port.
  explicit LoopbackServer(Handler handler, std::uint16_t port = 0);
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;
  ~LoopbackServer();

  std::uint16_t port() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace assay::demo
