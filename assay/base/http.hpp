// SPDX-License-Identifier: Apache-2.0
/// HTTP, one connection at a time, kept open between calls.
#pragma once

#include <atomic>
#include <filesystem>
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
  double timeout_s = 600;             ///< of the whole call; of a download: time without any byte
  double connect_timeout_s = 30;
  /// Looked at about once a second; when it is set, the call ends with a failure.
  const std::atomic<bool>* stop = nullptr;
};

struct HttpResponse {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers{};  ///< names in lower case
  std::string body{};

  /// "" when there is none.
  std::string header(const std::string& lower_case_name) const;
};

/// No complete response was received: no connection, a broken one, or a time-out. `message` is a
/// sentence without the URL's query and without any header.
struct HttpFailure {
  std::string message;
  bool certificate = false;  ///< trying again cannot help
  bool connected = true;     ///< false: nothing can have reached the server
};

/// Throws Error::usage, naming `what` (an option), unless it is a whole http or https address.
void require_http_address(const std::string& url, std::string_view what);

/// "https://host:port" of an address: no path, no query, no password.
std::string origin_of(const std::string& url);

/// The file with the certificates to trust: `named` if it is given, else the first of the places
/// that distributions use and that exists under `root`. Empty when there is none.
std::filesystem::path certificate_file(const char* named, const std::filesystem::path& root = "/");

/// For one thread at a time. Throws Error::usage for an address that is not http or https and for a
/// header with a line break. Proxies are those that libcurl finds in the environment. Certificates
/// come from $SSL_CERT_FILE, or from where this distribution keeps them.
class HttpClient {
 public:
  HttpClient();
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;
  ~HttpClient();

  /// Fills `failure` and returns nothing when no whole response came. Redirects are followed for
  /// GET only, and authorisation is not sent to another host; x-... headers of the redirecting
  /// responses are kept. A posted body is sent at most once. A body above 256 MiB is a failure.
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
