// SPDX-License-Identifier: Apache-2.0
/// HTTP, one connection at a time, kept open between calls.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

struct HttpRequest {
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers{};
  std::optional<std::string> body{};  ///< posted when there is one
  double timeout_s = 600;
  double connect_timeout_s = 30;
};

struct HttpResponse {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers{};  ///< names in lower case
  std::string body{};

  /// "" when there is none.
  std::string header(const std::string& lower_case_name) const;
};

/// No whole response came: no connection, a broken one, or a time-out. `message` is a sentence
/// without the URL's query and without any header.
struct HttpFailure {
  std::string message;
  bool certificate = false;  ///< trying again cannot help
};

/// For one thread at a time. Proxies and certificates as libcurl finds them in the environment.
class HttpClient {
 public:
  HttpClient();
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;
  ~HttpClient();

  /// Fills `failure` and returns nothing when no whole response came. Redirects are followed for
  /// GET only, and authorisation does not travel to another host.
  std::optional<HttpResponse> send(const HttpRequest& request, HttpFailure& failure);

  /// Receives a body piece by piece, for downloads. `piece` returns false to stop. A status other
  /// than 200 and 206 gives no pieces; the body is then in the response.
  std::optional<HttpResponse> receive(
      const HttpRequest& request,
      const std::function<bool(const HttpResponse& head, std::string_view bytes)>& piece,
      HttpFailure& failure);

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace assay
