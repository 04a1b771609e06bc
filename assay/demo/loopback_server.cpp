// SPDX-License-Identifier: Apache-2.0
#include "assay/demo/loopback_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "assay/base/text.hpp"
#include "assay/error.hpp"

namespace assay::demo {
namespace {

/// The server's end of one HTTP/1.1 connection: bytes -> requests, responses -> bytes. It works on
/// a socket that the caller owns and closes.
class ServerConnection {
 public:
  explicit ServerConnection(int socket) : socket_(socket) {}

  /// The next request. Nothing when the other side is gone or sent HTTP that we do not accept. In
  /// the latter case an error has been sent and the connection is over.
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
  std::string buffer_;  ///< received bytes; those from at_ on are unread
  std::size_t at_ = 0;
};

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

/// The head without its final blank line, which is consumed.
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

constexpr std::size_t most_connections = 1024;

[[noreturn]] void fail(const std::string& what) {
  throw Error(Error::Kind::io, "a server on 127.0.0.1 could not be started: " + what);
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int listening(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) fail("no socket; too many files are open");
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const sockaddr_in address = loopback(port);
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::listen(socket, 128) == 0)
    return socket;
  ::close(socket);
  fail("port " + std::to_string(port) + " is taken; choose another");
}

std::uint16_t port_of(int socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

/// An exception of a handler must not end the program under test.
ServerResponse answered(const LoopbackServer::Handler& handler, const ServerRequest& request) try {
  return handler(request);
} catch (const std::exception& e) {
  return {.status = 500, .body = e.what()};
}

}  // namespace

/// One thread accepts connections, and one thread serves each of them.
struct LoopbackServer::State {
  struct Client {
    explicit Client(int accepted) : socket(accepted) {}

    int socket;
    std::atomic<bool> done = false;
    std::thread thread{};
  };

  State(Handler given, std::uint16_t port)
      : handler(std::move(given)), socket(listening(port)), wake(::eventfd(0, EFD_CLOEXEC)) {
    if (wake < 0) {
      ::close(socket);
      fail("too many files are open");
    }
    try {
      acceptor = std::thread([this] { accept_clients(); });
    } catch (const std::system_error&) {
      ::close(wake);
      ::close(socket);
      fail("no thread can be started; raise the limit on processes (ulimit -u)");
    }
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    const std::uint64_t one = 1;
    while (::write(wake, &one, sizeof one) < 0 && errno == EINTR) {
    }
    acceptor.join();
    for (Client& client : clients) ::shutdown(client.socket, SHUT_RDWR);
    for (Client& client : clients) end(client);
    ::close(socket);
    ::close(wake);
  }

  void accept_clients() {
    std::array<pollfd, 2> watched = {pollfd{socket, POLLIN, 0}, pollfd{wake, POLLIN, 0}};
    for (;;) {
      if (::poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) return;
      if (watched[1].revents != 0) return;
      if (watched[0].revents == 0) continue;
      forget_the_gone();
      const int accepted = ::accept4(socket, nullptr, nullptr, SOCK_CLOEXEC);
      if (accepted >= 0) start(accepted);
    }
  }

  void start(int accepted) {
    if (clients.size() >= most_connections) {
      ::close(accepted);
      return;
    }
    const int yes = 1;
    ::setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    Client& client = clients.emplace_back(accepted);
    try {
      client.thread = std::thread([this, &client] { serve(client); });
    } catch (const std::system_error&) {  // the client sees a closed connection and tries again
      ::close(accepted);
      clients.pop_back();
    }
  }

  void serve(Client& client) const {
    ServerConnection connection(client.socket);
    for (auto request = connection.next(); request; request = connection.next())
      if (!connection.answer(*request, answered(handler, *request))) break;
    ::shutdown(client.socket,
               SHUT_RDWR);  // the owner closes it, so the number is not reused before
    client.done = true;
  }

  static void end(Client& client) {
    client.thread.join();
    ::close(client.socket);
  }

  void forget_the_gone() {
    for (auto client = clients.begin(); client != clients.end();) {
      if (client->done) end(*client);
      client = client->done ? clients.erase(client) : std::next(client);
    }
  }

  Handler handler;
  int socket, wake;
  std::list<Client> clients{};  ///< used only by the acceptor while it runs
  std::thread acceptor{};
};

LoopbackServer::LoopbackServer(Handler handler, std::uint16_t port)
    : state_(std::make_unique<State>(std::move(handler), port)) {}

LoopbackServer::~LoopbackServer() = default;

std::uint16_t LoopbackServer::port() const {
  return port_of(state_->socket);
}

}  // namespace assay::demo
