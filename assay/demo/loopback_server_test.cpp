// SPDX-License-Identifier: Apache-2.0
#include "assay/demo/loopback_server.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "assay/base/test_files.hpp"
#include "assay/demo/test_server.hpp"

namespace assay::demo::loopback_server_test {

using test::address;
using test::refusal;
using test::response_to;
using ::testing::HasSubstr;
using ::testing::StartsWith;

ServerResponse echo(const ServerRequest& request) {
  return {.headers = {{"X-Method", request.method}, {"X-Path", request.path}},
          .body = request.body};
}

/// What the server answers to bytes; all of it, since each request here ends the connection.
std::string answer_to(const LoopbackServer& server, const std::string& bytes) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(server.port());
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&place), sizeof place), 0);
  ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  ::shutdown(socket, SHUT_WR);
  std::string out;
  std::array<char, 4096> piece{};
  for (ssize_t got = 1; got > 0;) {
    got = ::recv(socket, piece.data(), piece.size(), 0);
    if (got > 0) out.append(piece.data(), static_cast<std::size_t>(got));
  }
  ::close(socket);
  return out;
}

TEST(LoopbackServer, speaks_http) {
  const LoopbackServer server(echo);
  const HttpResponse response =
      response_to({.url = address(server, "/a/b?c=d"), .body = std::string(100000, 'x')});
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.header("x-method"), "POST");
  EXPECT_EQ(response.header("x-path"), "/a/b?c=d");
  EXPECT_EQ(response.body, std::string(100000, 'x'));
}

TEST(LoopbackServer, takes_chunked_bodies_and_several_requests_of_a_connection) {
  const LoopbackServer server(echo);
  EXPECT_THAT(answer_to(server,
                        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
                        "3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nTrailer: 1\r\n\r\n"),
              HasSubstr("\r\n\r\nabc0123456789"));
  const std::string both = answer_to(server,
                                     "POST /1 HTTP/1.1\r\nContent-Length: 3\r\n\r\none"
                                     "POST /2 HTTP/1.1\r\nContent-Length: 3\r\n\r\ntwo");
  EXPECT_THAT(both, HasSubstr("\r\n\r\noneHTTP/1.1 200 OK"));
  EXPECT_THAT(both, HasSubstr("\r\n\r\ntwo"));
}

TEST(LoopbackServer, a_client_that_waits_is_told_to_continue) {
  const LoopbackServer server(echo);
  EXPECT_THAT(
      answer_to(server, "POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx"),
      StartsWith("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK"));
}

TEST(LoopbackServer, what_is_no_request_is_refused) {
  const LoopbackServer server(echo);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"hello\r\n\r\n", "HTTP/1.1 400"},
      {"GET / FTP/1\r\n\r\n", "HTTP/1.1 400"},
      {"GET / HTTP/1.1\r\nno colon\r\n\r\n", "HTTP/1.1 400"},
      {"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 400"},
      {"POST / HTTP/1.1\r\nContent-Length: 1x\r\n\r\n", "HTTP/1.1 400"},
      {"POST / HTTP/1.1\r\nContent-Length: 268435457\r\n\r\n", "HTTP/1.1 413"},
      {"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", "HTTP/1.1 400"},
      {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "HTTP/1.1 400"},
      {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfffffff0\r\n", "HTTP/1.1 413"},
      {"GET / HTTP/1.1\r\nA: " + std::string(70000, 'x'), "HTTP/1.1 431"},
  };
  for (const auto& [bytes, answer] : cases)
    EXPECT_THAT(answer_to(server, bytes), StartsWith(answer)) << bytes.substr(0, 80);
  EXPECT_EQ(answer_to(server, "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nshort"), "");
}

TEST(LoopbackServer, an_exception_of_the_handler_is_an_answer) {
  const LoopbackServer server(
      [](const ServerRequest&) -> ServerResponse { throw std::runtime_error("broken"); });
  EXPECT_EQ(response_to({.url = address(server)}).status, 500);
}

TEST(LoopbackServer, ends_while_clients_are_connected_and_a_taken_port_is_named) {
  HttpClient client;
  HttpFailure failure;
  {
    const LoopbackServer server(echo);
    EXPECT_THAT(refusal([&] { const LoopbackServer second(echo, server.port()); }),
                HasSubstr("port " + std::to_string(server.port()) + " is taken"));
    EXPECT_TRUE(client.send({.url = address(server)}, failure)) << failure.message;
  }
}

TEST(LoopbackServer, many_clients_at_once_each_get_their_own_answer) {
  const LoopbackServer server(echo);
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      HttpClient client;
      HttpFailure failure;
      for (int j = 0; j < 50; ++j) {
        const std::string body = std::to_string(i * 1000 + j);
        const auto response = client.send({.url = address(server), .body = body}, failure);
        if (!response || response->body != body) ++wrong;
      }
    });
  threads.clear();
  EXPECT_EQ(wrong, 0);
}

}  // namespace assay::demo::loopback_server_test
