// SPDX-License-Identifier: Apache-2.0
#include "assay/base/http.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "assay/base/durable.hpp"
#include "assay/base/test_files.hpp"
#include "assay/demo/test_server.hpp"

namespace assay::http_test {

using test::address;
using test::failure_of;
using test::refusal;
using test::response_to;
using ::testing::HasSubstr;
using ::testing::Not;

std::string header_of(const demo::ServerRequest& request, const std::string& name) {
  for (const auto& [key, value] : request.headers)
    if (key == name) return value;
  return "";
}

TEST(Http, certificates_are_found_where_distributions_keep_them) {
  const test::TemporaryFolder root;
  EXPECT_EQ(certificate_file(nullptr, root.path()), "");
  for (const char* place :
       {"etc/ssl/cert.pem", "etc/ssl/ca-bundle.pem", "etc/pki/tls/certs/ca-bundle.crt",
        "etc/ssl/certs/ca-certificates.crt"}) {
    make_folder((root / place).parent_path());
    write_atomically(root / place, "");  // each goes before those of the earlier rounds
    EXPECT_EQ(certificate_file("", root.path()), root / place);
  }
  EXPECT_EQ(certificate_file("/mine.pem", root.path()), "/mine.pem");
}

TEST(Http, posts_a_large_body_without_waiting) {
  const demo::LoopbackServer server([](const demo::ServerRequest& request) {
    return demo::ServerResponse{.headers = {{"X-Expect", header_of(request, "expect")},
                                            {"X-Type", header_of(request, "content-type")}},
                                .body = request.body};
  });
  const std::string body(8 << 20, 'b');
  const HttpResponse response = response_to(
      {.url = address(server), .headers = {{"Content-Type", "application/json"}}, .body = body});
  EXPECT_EQ(response.body, body);
  EXPECT_EQ(response.header("x-expect"), "");
  EXPECT_EQ(response.header("x-type"), "application/json");
}

TEST(Http, an_error_status_is_a_response) {
  const demo::LoopbackServer server([](const demo::ServerRequest&) {
    return demo::ServerResponse{.status = 529, .headers = {{"Retry-After", "7"}}, .body = "busy"};
  });
  const HttpResponse response = response_to({.url = address(server), .body = ""});
  EXPECT_EQ(response.status, 529);
  EXPECT_EQ(response.header("retry-after"), "7");
  EXPECT_EQ(response.header("absent"), "");
  EXPECT_EQ(response.body, "busy");
}

TEST(Http, failures_are_sentences_without_query_password_or_header) {
  std::uint16_t free_port = 0;
  {
    const demo::LoopbackServer gone(
        [](const demo::ServerRequest&) { return demo::ServerResponse{}; });
    free_port = gone.port();
  }
  const std::string origin = "http://127.0.0.1:" + std::to_string(free_port);
  EXPECT_EQ(failure_of({.url = "http://me:secret@127.0.0.1:" + std::to_string(free_port) +
                               "/v1?key=secret",
                        .headers = {{"Authorization", "Bearer secret"}}}),
            origin + ": the connection was refused; check that a server listens there");
  ::unsetenv("http_proxy");  // a proxy would answer instead
  EXPECT_THAT(failure_of({.url = "http://no-such-host.invalid/"}), HasSubstr("resolved"));
}

TEST(Http, a_slow_server_times_out) {
  const demo::LoopbackServer server([](const demo::ServerRequest&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    return demo::ServerResponse{};
  });
  EXPECT_EQ(failure_of({.url = address(server), .timeout_s = 0.2}),
            "http://127.0.0.1:" + std::to_string(server.port()) + ": timed out after 0.2 s");
}

TEST(Http, a_set_stop_ends_a_call) {
  const demo::LoopbackServer server([](const demo::ServerRequest&) {
    std::this_thread::sleep_for(std::chrono::seconds(2));
    return demo::ServerResponse{};
  });
  const std::atomic<bool> stop = true;
  EXPECT_THAT(failure_of({.url = address(server), .stop = &stop}), HasSubstr("stopped"));
}

TEST(Http, a_cut_response_is_a_failure_and_a_body_is_never_sent_twice) {
  std::atomic<int> received = 0;
  const demo::LoopbackServer server([&](const demo::ServerRequest& request) {
    ++received;
    return demo::ServerResponse{.body = request.path == "/half" ? "abcdef" : "",
                                .cut = request.path != "/whole"};
  });
  HttpClient client;
  HttpFailure failure;
  const auto post = [&](const std::string& path) {
    return client.send({.url = address(server, path), .body = "once"}, failure).has_value();
  };
  EXPECT_TRUE(post("/whole"));  // the connection is kept: libcurl would repeat the next one
  EXPECT_FALSE(post("/none"));
  EXPECT_THAT(failure.message, HasSubstr("the connection broke"));
  EXPECT_EQ(received, 2);
  EXPECT_FALSE(post("/half"));
  EXPECT_EQ(received, 3);
  EXPECT_TRUE(post("/whole")) << "the client can be used after a failure";
}

TEST(Http, a_proxy_is_not_asked_for_this_machine) {
  const demo::LoopbackServer server(
      [](const demo::ServerRequest&) { return demo::ServerResponse{}; });
  ::setenv("http_proxy", "http://no-such-proxy.invalid:1", 1);
  EXPECT_EQ(response_to({.url = address(server)}).status, 200);
  EXPECT_THAT(failure_of({.url = "http://example.invalid/"}), HasSubstr("the proxy's name"));
  ::unsetenv("http_proxy");
}

TEST(Http, connections_are_kept_open) {
  std::mutex mutex;
  std::vector<std::thread::id> threads;  // the server has one for each connection
  const demo::LoopbackServer server([&](const demo::ServerRequest&) {
    const std::scoped_lock lock(mutex);
    threads.push_back(std::this_thread::get_id());
    return demo::ServerResponse{};
  });
  HttpClient client;
  HttpFailure failure;
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(client.send({.url = address(server), .body = "x"}, failure));
  EXPECT_EQ(threads, std::vector(3, threads.front()));
}

TEST(Http, authorisation_stays_with_its_host_and_posts_are_not_redirected) {
  std::vector<std::string> seen;
  const auto note = [&](const demo::ServerRequest& request) {
    seen.push_back(request.method + " " + header_of(request, "authorization") +
                   header_of(request, "x-api-key") + header_of(request, "x-plain"));
    return demo::ServerResponse{.body = "end"};
  };
  const demo::LoopbackServer other(note);
  const demo::LoopbackServer first([&](const demo::ServerRequest& request) {
    note(request);
    const std::string target = request.path == "/far" ? address(other, "/end") : "/end";
    if (request.path == "/end") return demo::ServerResponse{.body = "end"};
    return demo::ServerResponse{.status = 302,
                                .headers = {{"Location", target}, {"X-Linked-Etag", "\"tag\""}}};
  });
  const auto get = [&](const std::string& path) {
    seen.clear();
    return response_to({.url = address(first, path),
                        .headers = {{"Authorization", "A"}, {"X-Api-Key", "K"}, {"X-Plain", "P"}}});
  };
  const HttpResponse far = get("/far");
  EXPECT_EQ(far.body, "end");
  EXPECT_EQ(far.header("x-linked-etag"), "\"tag\"") << "headers of the way are kept";
  EXPECT_EQ(seen, (std::vector<std::string>{"GET AKP", "GET P"}));
  EXPECT_EQ(get("/near").body, "end");
  EXPECT_EQ(seen, (std::vector<std::string>{"GET AKP", "GET AKP"}));
  EXPECT_EQ(response_to({.url = address(first, "/far"), .body = "x"}).status, 302);
}

TEST(Http, a_ring_of_redirects_ends) {
  const demo::LoopbackServer server([](const demo::ServerRequest&) {
    return demo::ServerResponse{.status = 302, .headers = {{"Location", "/"}}};
  });
  EXPECT_THAT(failure_of({.url = address(server)}), HasSubstr("redirects too many times"));
}

TEST(Http, only_web_addresses_and_clean_headers_are_taken) {
  for (const char* url : {"", "file:///etc/passwd", "ftp://host/", "http://", "host/path"})
    EXPECT_THAT(refusal([&] { response_to({.url = url}); }), HasSubstr("is not a web address"))
        << url;
  const std::string said = refusal([] {
    response_to({.url = "http://127.0.0.1:1/", .headers = {{"X-Api-Key", "se\ncret"}}});
  });
  EXPECT_THAT(said, HasSubstr("X-Api-Key has a line break"));
  EXPECT_THAT(said, Not(HasSubstr("cret")));
}

TEST(Http, downloads_come_in_pieces_that_can_be_stopped) {
  const std::string content(1 << 20, 'z');
  const demo::LoopbackServer server([&](const demo::ServerRequest& request) {
    if (request.path == "/absent")
      return demo::ServerResponse{.status = 404, .body = "no such file"};
    return demo::ServerResponse{.body = content};
  });
  HttpClient client;
  HttpFailure failure;
  std::size_t received = 0;
  const auto keep = [&](const HttpResponse& head, std::string_view bytes) {
    EXPECT_EQ(head.status, 200);
    EXPECT_EQ(head.header("content-length"), "1048576");
    received += bytes.size();
    return true;
  };
  EXPECT_TRUE(client.receive({.url = address(server)}, keep, failure));
  EXPECT_EQ(received, content.size());
  received = 0;
  const auto absent = client.receive({.url = address(server, "/absent")}, keep, failure);
  ASSERT_TRUE(absent);
  EXPECT_EQ(absent->body, "no such file");
  EXPECT_EQ(received, 0U);
  const auto stop = [](const HttpResponse&, std::string_view) { return false; };
  EXPECT_FALSE(client.receive({.url = address(server)}, stop, failure));
  const auto fail = [](const HttpResponse&, std::string_view) -> bool {
    throw Error(Error::Kind::io, "the disk is full");
  };
  EXPECT_THROW(client.receive({.url = address(server)}, fail, failure), Error);
  received = 0;
  EXPECT_TRUE(client.receive({.url = address(server)}, keep, failure)) << "after an exception";
  EXPECT_EQ(received, content.size());
}

}  // namespace assay::http_test
