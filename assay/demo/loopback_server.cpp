// SPDX-License-Identifier: Apache-2.0
#include "assay/demo/loopback_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <list>
#include <thread>

#include "assay/demo/server_connection.hpp"
#include "assay/error.hpp"

namespace assay::demo {
namespace {

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

/// An exception of a handler must not end the program that is being tested.
ServerResponse answered(const LoopbackServer::Handler& handler, const ServerRequest& request) try {
  return handler(request);
} catch (const std::exception& e) {
  return {.status = 500, .body = e.what()};
}

}  // namespace

/// One thread accepts, one serves each connection.
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
    acceptor = std::thread([this] { accept_clients(); });
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
    client.thread = std::thread([this, &client] { serve(client); });
  }

  void serve(Client& client) const {
    ServerConnection connection(client.socket);
    for (auto request = connection.next(); request; request = connection.next())
      if (!connection.answer(*request, answered(handler, *request))) break;
    ::shutdown(client.socket, SHUT_RDWR);  // closed by its owner; the number is not reused before
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
  std::list<Client> clients{};  ///< touched by the acceptor only, while it runs
  std::thread acceptor{};
};

LoopbackServer::LoopbackServer(Handler handler, std::uint16_t port)
    : state_(std::make_unique<State>(std::move(handler), port)) {}

LoopbackServer::~LoopbackServer() = default;

std::uint16_t LoopbackServer::port() const {
  return port_of(state_->socket);
}

}  // namespace assay::demo
