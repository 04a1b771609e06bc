// SPDX-License-Identifier: Apache-2.0
#include "assay/base/http.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <string_view>

#include "assay/base/text.hpp"
#include "assay/error.hpp"

namespace assay {
namespace {

bool is_http(std::string_view url) {
  return url.starts_with("http://") || url.starts_with("https://");
}

using Url = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

/// Null for text that is not an address.
Url parsed(const std::string& text) {
  Url url(curl_url(), curl_url_cleanup);
  if (!url) throw std::bad_alloc();
  const CURLUcode code = curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0);
  if (code == CURLUE_OUT_OF_MEMORY) throw std::bad_alloc();
  if (code != CURLUE_OK) url.reset();
  return url;
}

std::string part(const Url& url, CURLUPart which, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url.get(), which, &text, flags) != CURLUE_OK) return "";
  const std::unique_ptr<char, decltype(&curl_free)> owned(text, curl_free);
  return text;
}

constexpr std::size_t largest_body = std::size_t{256} << 20;
constexpr std::size_t largest_head = std::size_t{1} << 20;
constexpr int most_redirects = 10;
constexpr long upload_piece = 512L << 10;

/// Why a transfer failed, in words; "{:g}" takes the time-out in seconds.
struct Reason {
  CURLcode code;
  std::string_view words;
};

constexpr std::array reasons = {
    Reason{CURLE_COULDNT_RESOLVE_HOST, "its name could not be resolved; check the address"},
    Reason{CURLE_COULDNT_RESOLVE_PROXY,
           "the proxy's name could not be resolved; check https_proxy"},
    Reason{CURLE_COULDNT_CONNECT, "the connection was refused; check that a server listens there"},
    Reason{CURLE_OPERATION_TIMEDOUT, "timed out after {:g} s"},
    Reason{CURLE_SSL_CONNECT_ERROR, "the encrypted connection could not be set up"},
    Reason{CURLE_TOO_MANY_REDIRECTS, "the address redirects too many times"},
    Reason{CURLE_FILESIZE_EXCEEDED, "the response is larger than 256 MiB"},
    Reason{CURLE_BAD_CONTENT_ENCODING, "the response is damaged"},
    Reason{CURLE_ABORTED_BY_CALLBACK, "stopped"},
    Reason{CURLE_WRITE_ERROR, "stopped"},
};
constexpr std::string_view broke = "the connection broke before the response was complete";

constexpr std::array certificate_errors = {
    CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,    CURLE_SSL_ISSUER_ERROR,
    CURLE_SSL_CERTPROBLEM,          CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
};

HttpFailure failure_of(CURLcode code, const HttpRequest& request, double timeout_s) {
  const std::string place = origin_of(request.url) + ": ";
  if (std::ranges::count(certificate_errors, code) != 0)
    return {place +
                "its certificate is not trusted; check the address, the clock, and the "
                "certificates of this machine (SSL_CERT_FILE)",
            true, false};
  const auto row = std::ranges::find(reasons, code, &Reason::code);
  const bool unconnected = code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_CONNECT ||
                           code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_SSL_CONNECT_ERROR;
  return {place + fmt::format(fmt::runtime(row != reasons.end() ? row->words : broke), timeout_s),
          false, !unconnected};
}

using HeaderList = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

HeaderList header_list(const HttpRequest& request) {
  HeaderList list(nullptr, curl_slist_free_all);
  const auto add = [&](const std::string& line) {
    curl_slist* longer = curl_slist_append(list.get(), line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    static_cast<void>(list.release());
    list.reset(longer);
  };
  add("Expect:");  // waiting for "100 Continue" would cost a second with servers that never say so
  for (const auto& [name, value] : request.headers) {
    if ((name + value).find_first_of("\r\n\0", 0, 3) != std::string::npos)
      throw Error(Error::Kind::usage,
                  "the value for the header " + name + " has a line break; remove it");
    add(fmt::format("{}: {}", name, value));
  }
  return list;
}

void keep_headers_of_the_way(HttpResponse& response, const HttpResponse& earlier) {
  for (const auto& [name, value] : earlier.headers)
    if (name.starts_with("x-") && response.header(name).empty())
      response.headers.emplace_back(name, value);
}

/// What one transfer reads and writes.
struct Transfer {
  const HttpRequest& request;
  const std::function<bool(const HttpResponse&, std::string_view)>* piece = nullptr;
  std::size_t sent = 0;
  std::size_t head_bytes = 0;
  HttpResponse response{};
  CURL* handle = nullptr;
  const HttpResponse* way = nullptr;  ///< the response that redirected to this one
  bool too_large = false;
  std::exception_ptr trouble{};  ///< thrown in a function that libcurl called

  bool wants_pieces() const {
    return piece != nullptr && (response.status == 200 || response.status == 206);
  }

  void complete_head() {
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    response.status = static_cast<int>(status);
    keep_headers_of_the_way(response, *way);
  }
};

std::size_t give_body(char* to, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::string& body = *transfer.request.body;
  const std::size_t now = std::min(size * count, body.size() - transfer.sent);
  std::copy_n(body.data() + transfer.sent, now, to);
  transfer.sent += now;
  return now;
}

/// libcurl would silently send a body again when a kept connection breaks. A call may cost money
/// and cannot be taken back, so the caller decides whether to repeat it.
int refuse_rewind(void* user, curl_off_t offset, int /*origin*/) {
  const auto& transfer = *static_cast<const Transfer*>(user);
  return transfer.sent == 0 && offset == 0 ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL;
}

/// Calls take(transfer, bytes), which returns how much it took. An exception must not pass through
/// libcurl, which is written in C, so it is kept and the transfer ends.
template <auto take>
std::size_t guarded(const char* bytes, std::size_t size, std::size_t count, void* user) noexcept {
  auto& transfer = *static_cast<Transfer*>(user);
  try {
    return take(transfer, std::string_view(bytes, size * count));
  } catch (...) {
    transfer.trouble = std::current_exception();
    return 0;
  }
}

std::size_t take_body(Transfer& transfer, std::string_view text) {
  if (transfer.response.status == 0) transfer.complete_head();
  if (transfer.wants_pieces()) return (*transfer.piece)(transfer.response, text) ? text.size() : 0;
  transfer.too_large = transfer.response.body.size() + text.size() > largest_body;
  if (transfer.too_large) return 0;
  transfer.response.body += text;
  return text.size();
}

std::size_t take_header(Transfer& transfer, std::string_view line) {
  transfer.head_bytes += line.size();
  if (transfer.head_bytes > largest_head) return 0;
  if (line.starts_with("HTTP/")) transfer.response.headers.clear();  // the last of several heads
  const std::size_t colon = line.find(':');
  if (colon == line.npos) return line.size();
  transfer.response.headers.emplace_back(ascii_lowered(trimmed(line.substr(0, colon))),
                                         trimmed(line.substr(colon + 1)));
  return line.size();
}

int look_for_stop(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  const auto* stop = static_cast<const Transfer*>(user)->request.stop;
  return stop != nullptr && stop->load() ? 1 : 0;
}

long milliseconds(double seconds) {
  return static_cast<long>(std::clamp(seconds, 0.001, 1e6) * 1000);
}

/// libcurl copies texts. Options that this version of it does not know are left alone.
template <class Value>
void set(CURL* handle, CURLoption option, Value value) {
  if (curl_easy_setopt(handle, option, value) == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
}

void set_limits(CURL* handle, const HttpRequest& request, bool download) {
  set(handle, CURLOPT_NOSIGNAL, 1L);
  set(handle, CURLOPT_TCP_NODELAY, 1L);
  set(handle, CURLOPT_TCP_KEEPALIVE, 1L);
  set(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  set(handle, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(request.connect_timeout_s));
  if (!download) {
    set(handle, CURLOPT_TIMEOUT_MS, milliseconds(request.timeout_s));
    set(handle, CURLOPT_ACCEPT_ENCODING, "");  // all that libcurl can unpack
    return;
  }
  set(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
  set(handle, CURLOPT_LOW_SPEED_TIME, std::max(1L, static_cast<long>(request.timeout_s)));
}

/// A proxy cannot reach this machine's own servers, and few people think of no_proxy.
bool is_this_machine(const std::string& url) {
  const std::string origin = origin_of(url);
  const std::string_view host = std::string_view(origin).substr(origin.find("//") + 2);
  return host.starts_with("127.") || host.starts_with("localhost:") || host.starts_with("[::1]:");
}

void set_transfer(CURL* handle, const HttpRequest& request, Transfer& transfer) {
  set(handle, CURLOPT_URL, request.url.c_str());
  if (is_this_machine(request.url)) set(handle, CURLOPT_NOPROXY, "*");
  set(handle, CURLOPT_WRITEFUNCTION, guarded<take_body>);
  set(handle, CURLOPT_WRITEDATA, &transfer);
  set(handle, CURLOPT_HEADERFUNCTION, guarded<take_header>);
  set(handle, CURLOPT_HEADERDATA, &transfer);
  set(handle, CURLOPT_NOPROGRESS, 0L);
  set(handle, CURLOPT_XFERINFOFUNCTION, look_for_stop);
  set(handle, CURLOPT_XFERINFODATA, &transfer);
  if (!request.body) return;
  set(handle, CURLOPT_POST, 1L);
  set(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body->size()));
  set(handle, CURLOPT_READFUNCTION, give_body);
  set(handle, CURLOPT_READDATA, &transfer);
  set(handle, CURLOPT_SEEKFUNCTION, refuse_rewind);
  set(handle, CURLOPT_SEEKDATA, &transfer);
  set(handle, CURLOPT_UPLOAD_BUFFERSIZE, upload_piece);
}

/// libcurl knows only one place, that of the machine on which it was compiled.
void set_certificates(CURL* handle) {
  const std::filesystem::path file = certificate_file(std::getenv("SSL_CERT_FILE"));
  if (!file.empty()) set(handle, CURLOPT_CAINFO, file.c_str());
}

constexpr std::array secret_headers = {"authorization", "cookie", "proxy-authorization",
                                       "x-api-key"};

bool is_secret(const std::pair<std::string, std::string>& header) {
  return std::ranges::count(secret_headers, ascii_lowered(header.first)) != 0;
}

/// Where a GET is redirected, without the headers that only the first host may see. Nothing if it
/// is not redirected.
std::optional<HttpRequest> redirected(CURL* handle, const HttpRequest& request) {
  char* address = nullptr;
  curl_easy_getinfo(handle, CURLINFO_REDIRECT_URL, &address);
  if (address == nullptr || request.body) return std::nullopt;
  HttpRequest next = request;
  next.url = address;
  const bool safe = next.url.starts_with("https://") || request.url.starts_with("http://");
  if (!is_http(next.url) || !safe) return std::nullopt;
  if (origin_of(next.url) != origin_of(request.url)) std::erase_if(next.headers, is_secret);
  return next;
}

}  // namespace

void require_http_address(const std::string& url, std::string_view what) {
  if (is_http(url) && parsed(url)) return;
  throw Error(Error::Kind::usage,
              std::string(what) +
                  " is not a web address; it must begin with http:// or https:// "
                  "and name a host");
}

std::filesystem::path certificate_file(const char* named, const std::filesystem::path& root) {
  constexpr std::array places = {
      "etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Arch, Gentoo
      "etc/pki/tls/certs/ca-bundle.crt",    // Red Hat, Rocky, Fedora
      "etc/ssl/ca-bundle.pem",              // openSUSE
      "etc/ssl/cert.pem",                   // Alpine
  };
  if (named != nullptr && *named != '\0') return named;
  std::error_code error;
  for (const char* place : places)
    if (std::filesystem::exists(root / place, error)) return root / place;
  return {};
}

std::string origin_of(const std::string& url) {
  const Url whole = parsed(url);
  if (!whole) return "the address";
  return part(whole, CURLUPART_SCHEME) + "://" + part(whole, CURLUPART_HOST) + ":" +
         part(whole, CURLUPART_PORT, CURLU_DEFAULT_PORT);
}

std::string HttpResponse::header(const std::string& lower_case_name) const {
  for (const auto& [name, value] : headers)
    if (name == lower_case_name) return value;
  return "";
}

struct HttpClient::Handle {
  CURL* curl = nullptr;

  Handle() {
    static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
    if (ready == CURLE_OK) curl = curl_easy_init();
    if (curl == nullptr)
      throw Error(Error::Kind::unsupported, "libcurl could not be started; check its installation");
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { curl_easy_cleanup(curl); }

  using Piece = std::function<bool(const HttpResponse&, std::string_view)>;

  std::optional<HttpResponse> run(const HttpRequest& first, const Piece* piece,
                                  HttpFailure& failure) const {
    HttpResponse way;
    std::optional<HttpRequest> next;  // a request is copied only when it is redirected
    for (int redirects = 0; redirects <= most_redirects; ++redirects) {
      const HttpRequest request = next ? std::move(*next) : HttpRequest{};
      const HttpRequest& now = redirects == 0 ? first : request;
      Transfer transfer{.request = now, .piece = piece, .handle = curl, .way = &way};
      if (!perform(transfer, failure)) return std::nullopt;
      next = redirected(curl, now);
      if (!next) return std::move(transfer.response);
      way = std::move(transfer.response);
    }
    failure = failure_of(CURLE_TOO_MANY_REDIRECTS, first, 0);
    return std::nullopt;
  }

  /// One request, one response.
  bool perform(Transfer& transfer, HttpFailure& failure) const {
    const HttpRequest& request = transfer.request;
    require_http_address(request.url, "the address");
    const HeaderList headers = header_list(request);
    curl_easy_reset(curl);  // connections stay open
    set_limits(curl, request, transfer.piece != nullptr);
    set_transfer(curl, request, transfer);
    set_certificates(curl);
    set(curl, CURLOPT_HTTPHEADER, headers.get());
    CURLcode code = curl_easy_perform(curl);
    if (transfer.trouble) std::rethrow_exception(transfer.trouble);
    if (code == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
    transfer.complete_head();
    if (transfer.too_large) code = CURLE_FILESIZE_EXCEEDED;
    if (code == CURLE_OK) return true;
    double connected = 0;
    curl_easy_getinfo(curl, CURLINFO_CONNECT_TIME, &connected);
    failure = failure_of(
        code, request,
        connected > 0 ? request.timeout_s : std::min(request.connect_timeout_s, request.timeout_s));
    return false;
  }
};

HttpClient::HttpClient() : handle_(std::make_unique<Handle>()) {}
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;
HttpClient::~HttpClient() = default;

std::optional<HttpResponse> HttpClient::send(const HttpRequest& request, HttpFailure& failure) {
  return handle_->run(request, nullptr, failure);
}

std::optional<HttpResponse> HttpClient::receive(
    const HttpRequest& request,
    const std::function<bool(const HttpResponse& head, std::string_view bytes)>& piece,
    HttpFailure& failure) {
  return handle_->run(request, &piece, failure);
}

}  // namespace assay
