// SPDX-License-Identifier: Apache-2.0
#include "assay/demo/server_connection.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

#include "assay/base/text.hpp"

namespace assay::demo {
namespace {

constexpr std::size_t largest_head = std::size_t{64} << 10;
constexpr std::size_t largest_body = std::size_t{256} << 20;
constexpr std::size_t read_size = std::size_t{64} << 10;

struct StatusWords {
  int status;
  std::string_view words;
};

constexpr std::array status_words = {
    StatusWords{200, "OK"},
    StatusWords{206, "Partial Content"},
    StatusWords{302, "Found"},
    StatusWords{400, "Bad Request"},
    StatusWords{401, "Unauthorized"},
    StatusWords{404, "Not Found"},
    StatusWords{413, "Content Too Large"},
    StatusWords{416, "Range Not Satisfiable"},
    StatusWords{429, "Too Many Requests"},
    StatusWords{431, "Request Header Fields Too Large"},
    StatusWords{500, "Internal Server Error"},
};

std::string_view words_of(int status) {
  const auto row = std::ranges::find(status_words, status, &StatusWords::status);
  return row != status_words.end() ? row->words : "Status";
}

/// A whole number and nothing else.
std::optional<std::size_t> number(std::string_view text, int base = 10) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::string header_of(const ServerRequest& request, std::string_view name) {
  for (const auto& [key, value] : request.headers)
    if (key == name) return value;
  return "";
}

/// Request line and headers; nothing when they are not valid.
std::optional<ServerRequest> parse_head(std::string_view head) {
  const std::string_view first = head.substr(0, head.find("\r\n"));
  const std::size_t one = first.find(' '), two = first.rfind(' ');
  if (one == first.npos || two == one || !first.substr(two + 1).starts_with("HTTP/1."))
    return std::nullopt;
  ServerRequest request = {.method = std::string(first.substr(0, one)),
                           .path = std::string(first.substr(one + 1, two - one - 1))};
  for (std::size_t at = first.size() + 2; at < head.size();) {
    const std::size_t end = std::min(head.find("\r\n", at), head.size());
    const std::string_view line = head.substr(at, end - at);
    const std::size_t colon = line.find(':');
    if (colon == line.npos || colon == 0) return std::nullopt;
    request.headers.emplace_back(ascii_lowered(line.substr(0, colon)),
                                 trimmed(line.substr(colon + 1)));
    at = end + 2;
  }
  return request;
}

}  // namespace

bool ServerConnection::send_all(std::string_view bytes) const {
  while (!bytes.empty()) {
    const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool ServerConnection::fill() {
  if (at_ == buffer_.size()) {
    buffer_.clear();
    at_ = 0;
  }
  std::array<char, read_size> piece;
  ssize_t got = 0;
  do got = ::recv(socket_, piece.data(), piece.size(), 0);
  while (got < 0 && errno == EINTR);
  if (got <= 0) return false;
  buffer_.append(piece.data(), static_cast<std::size_t>(got));
  return true;
}

bool ServerConnection::refuse(int status) {
  send_all("HTTP/1.1 " + std::to_string(status) + " " + std::string(words_of(status)) +
           "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  return false;
}

/// The head without its final blank line, which is used up.
std::optional<std::string_view> ServerConnection::head() {
  for (std::size_t searched = at_;;) {
    const std::size_t end = buffer_.find("\r\n\r\n", searched);
    if (end != buffer_.npos && end - at_ <= largest_head) {
      const auto found = std::string_view(buffer_).substr(at_, end - at_);
      at_ = end + 4;
      return found;
    }
    if (buffer_.size() - at_ > largest_head) {
      refuse(431);
      return std::nullopt;
    }
    const std::size_t back = std::min<std::size_t>(3, buffer_.size() - at_);
    const std::size_t unsearched = buffer_.size() - back - at_;
    if (!fill()) return std::nullopt;
    searched = at_ + unsearched;
  }
}

bool ServerConnection::take(std::size_t count, std::string& to) {
  while (count > 0) {
    if (at_ == buffer_.size() && !fill()) return false;
    const std::size_t now = std::min(count, buffer_.size() - at_);
    to.append(buffer_, at_, now);
    at_ += now;
    count -= now;
  }
  return true;
}

std::optional<std::string> ServerConnection::line() {
  std::string out;
  while (!out.ends_with("\r\n")) {
    if (out.size() > largest_head || !take(1, out)) return std::nullopt;
  }
  out.resize(out.size() - 2);
  return out;
}

bool ServerConnection::read_chunks(std::string& body) {
  for (;;) {
    const auto head = line();
    if (!head) return false;
    const auto size = number(trimmed(std::string_view(*head).substr(0, head->find(';'))), 16);
    if (!size) return refuse(400);
    if (*size == 0) break;
    if (*size > largest_body - body.size()) return refuse(413);
    if (!take(*size, body)) return false;
    if (const auto end = line(); !end || !end->empty()) return false;
  }
  for (auto trailer = line(); trailer; trailer = line())
    if (trailer->empty()) return true;
  return false;
}

bool ServerConnection::read_body(ServerRequest& request) {
  const bool chunked = ascii_lowered(header_of(request, "transfer-encoding")) == "chunked";
  const std::string length = header_of(request, "content-length");
  const auto size = length.empty() ? 0 : number(length);
  if (!size) return refuse(400);
  if (*size > largest_body) return refuse(413);
  if (ascii_lowered(header_of(request, "expect")) == "100-continue" &&
      !send_all("HTTP/1.1 100 Continue\r\n\r\n"))
    return false;
  if (chunked) return read_chunks(request.body);
  request.body.reserve(*size);
  return take(*size, request.body);
}

std::optional<ServerRequest> ServerConnection::next() {
  const auto found = head();
  if (!found) return std::nullopt;
  auto request = parse_head(*found);
  if (!request) {
    refuse(400);
    return std::nullopt;
  }
  if (!read_body(*request)) return std::nullopt;
  return request;
}

bool ServerConnection::answer(const ServerRequest& request, const ServerResponse& response) {
  if (response.cut && response.body.empty()) return false;
  const bool last = response.cut || ascii_lowered(header_of(request, "connection")) == "close";
  std::string bytes = "HTTP/1.1 " + std::to_string(response.status) + " " +
                      std::string(words_of(response.status)) + "\r\n";
  for (const auto& [name, value] : response.headers)
    bytes.append(name).append(": ").append(value).append("\r\n");
  bytes += "Content-Length: " + std::to_string(response.body.size()) +
           "\r\nConnection: " + (last ? "close" : "keep-alive") + "\r\n\r\n";
  if (request.method != "HEAD")
    bytes.append(response.body, 0, response.cut ? response.body.size() / 2 : std::string::npos);
  return send_all(bytes) && !last;
}

}  // namespace assay::demo
