// SPDX-License-Identifier: Apache-2.0
/// A model server on loopback that answers by rule and fails on request. Prints its port, then
/// serves until it is killed or its standard input, if that is a pipe, ends. See faults.hpp,
/// answers.hpp, file_server.hpp; also: --port N, --delay-ms N, --key K (wanted of every call, in
/// the protocol's header or in --key-header),
/// --cost USD (reported per call), --usage JSON (in place of each reply's own),
/// --no-usage, --retry-after-ms N (of a 429; 10), --slow-ms N, --hang-ms N (of those faults),
/// --log FILE (one line for each received request).
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <mutex>
#include <thread>

#include "assay/base/sha256.hpp"
#include "assay/demo/loopback_server.hpp"
#include "tests/qa/answers.hpp"
#include "tests/qa/faults.hpp"
#include "tests/qa/file_server.hpp"

namespace assay::test_server {
namespace {

using nlohmann::json;

/// Lines that are on their way to the disk before the answer is on its way to the client.
class Log {
 public:
  explicit Log(const std::string& path) {
    if (path.empty()) return;
    file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file_ < 0) throw std::runtime_error("the log cannot be written: " + path);
  }
  void add(const json& line) {
    if (file_ < 0) return;
    const std::string text = line.dump() + "\n";
    const std::scoped_lock lock(mutex_);
    if (::write(file_, text.data(), text.size()) < 0) throw std::runtime_error("the log is full");
  }

 private:
  std::mutex mutex_;
  int file_ = -1;
};

class Server {
 public:
  explicit Server(Settings given) : settings_(std::move(given)), log_(settings_.text("log")) {}

  demo::ServerResponse answer(const demo::ServerRequest& request);

 private:
  demo::ServerResponse call(const Protocol& protocol, const demo::ServerRequest& request);
  demo::ServerResponse failed(const Protocol& protocol, const Fault& fault) const;
  demo::ServerResponse replied(const Protocol& protocol, const Question& question,
                               const Fault* fault, std::string text) const;
  bool may_call(const Protocol& protocol, const demo::ServerRequest& request) const;

  Settings settings_;
  Log log_;
  std::atomic<std::uint64_t> sequence_ = 0;
  std::atomic<int> files_served_ = 0;
};

std::string header_of(const demo::ServerRequest& request, std::string_view name) {
  for (const auto& [key, value] : request.headers)
    if (key == name) return value;
  return "";
}

/// The most tokens that an answer may have, by any protocol's name.
json first_limit(const json& body) {
  for (const char* name : {"max_completion_tokens", "max_output_tokens", "max_tokens"})
    if (body.contains(name)) return body.at(name);
  return nullptr;
}

/// Before a reply.
void pause_for(const Settings& settings, const Fault* fault) {
  const std::string_view name = fault != nullptr ? fault->name : std::string_view();
  const char* which = name == "slow" ? "slow-ms" : name == "hang" ? "hang-ms" : "delay-ms";
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(settings.number(which, 0)));
}

/// The first `"name":"value"` of a body, wherever it is; "" for none.
std::string first_value(const std::string& body, const std::string& name) {
  const std::string start = '"' + name + "\":\"";
  const std::size_t at = body.find(start);
  if (at == std::string::npos) return "";
  const std::size_t value = at + start.size();
  return body.substr(value, body.find('"', value) - value);
}

/// Anthropic's own client sends its key as a bearer token (2.9), not as x-api-key.
bool Server::may_call(const Protocol& protocol, const demo::ServerRequest& request) const {
  const std::string name = settings_.text("key-header", std::string(protocol.key_header));
  const std::string key = header_of(request, name);
  return !settings_.has("key") || key == settings_.text("key") ||
         header_of(request, "authorization") == "Bearer " + settings_.text("key");
}

demo::ServerResponse Server::failed(const Protocol& protocol, const Fault& fault) const {
  demo::ServerResponse response = {
      .status = fault.status,
      .body = protocol.error(std::string(fault.code), std::string(fault.message)).dump()};
  if (fault.name == "429")
    response.headers.emplace_back("retry-after-ms", settings_.text("retry-after-ms", "10"));
  return response;
}

demo::ServerResponse Server::replied(const Protocol& protocol, const Question& question,
                                     const Fault* fault, std::string text) const {
  const std::string_view name = fault != nullptr ? fault->name : std::string_view();
  if (name == "garbage") return {.body = "<html>not what you expect</html>"};
  if (name == "nested") return {.body = std::string(240'000, '[')};
  if (name == "drop" || name == "hang") return {.cut = true};
  Reply reply = {.text = std::move(text)};
  if (name == "truncated") reply = {.text = reply.text.substr(0, 5), .end = Reply::End::truncated};
  if (name == "refused") reply = {.text = "I cannot help.", .end = Reply::End::refused};
  reply.with_usage = name != "no_usage" && !settings_.has("no-usage");
  if (settings_.has("cost")) reply.cost_usd = settings_.number("cost", 0);
  json body = protocol.reply(question, reply);
  if (settings_.has("usage")) body["usage"] = json::parse(settings_.text("usage"));
  return {.body = body.dump(), .cut = name == "cut"};
}

demo::ServerResponse Server::call(const Protocol& protocol, const demo::ServerRequest& request) {
  const std::uint64_t number = ++sequence_;
  const json body = json::parse(request.body);  // keys are sorted: its text is canonical
  const Question question = protocol.question(body);
  const Fault* fault = fault_for(settings_, number, question.first_text);
  std::string text = answer_to(settings_, question);
  log_.add({{"sequence", number},
            {"path", request.path},
            {"sha256", sha256(body.dump())},
            {"id", header_of(request, "x-client-request-id")},
            {"turns", question.assistant_turns},
            {"images", question.images},
            {"limit", first_limit(body)},
            {"detail", first_value(request.body, "detail")},
            {"cache_marked", request.body.find("cache_control") != std::string::npos},
            {"beta", header_of(request, "anthropic-beta")},
            {"bearer", !header_of(request, "authorization").empty()},
            {"fault", fault != nullptr ? json(fault->name) : json()},
            {"answer", text}});
  pause_for(settings_, fault);
  demo::ServerResponse response = fault != nullptr && fault->status != 0
                                      ? failed(protocol, *fault)
                                      : replied(protocol, question, fault, std::move(text));
  response.headers.emplace_back("x-request-id", "req-" + std::to_string(number));
  return response;
}

demo::ServerResponse Server::answer(const demo::ServerRequest& request) {
  if (request.method == "GET" && settings_.has("files"))
    return serve_file(settings_, request, files_served_);
  const std::string path = request.path.substr(0, request.path.find('?'));
  const auto found = std::ranges::find_if(
      protocols(), [&](const Protocol& each) { return path.ends_with(each.path); });
  if (found == protocols().end() || request.method != "POST")
    return {.status = 404, .body = R"({"detail": "Not Found"})"};
  if (!may_call(*found, request))
    return {.status = 401, .body = found->error("invalid_api_key", "Incorrect API key.").dump()};
  try {
    return call(*found, request);
  } catch (const std::exception& e) {
    return {.status = 400, .body = found->error("invalid_request_error", e.what()).dump()};
  }
}

}  // namespace

/// A pipe ends with the test that holds its other end; anything else says nothing.
void wait_for_the_end() {
  struct stat status {};
  if (::fstat(STDIN_FILENO, &status) != 0 || !S_ISFIFO(status.st_mode))
    for (;;) ::pause();
  while (std::cin.get() != std::char_traits<char>::eof()) {
  }
}

}  // namespace assay::test_server

int main(int count, char** words) try {
  using assay::test_server::Server;
  const assay::test_server::Settings settings(count, words);
  Server server(settings);
  const assay::demo::LoopbackServer listening(
      [&](const assay::demo::ServerRequest& request) { return server.answer(request); },
      static_cast<std::uint16_t>(settings.number("port", 0)));
  std::cout << listening.port() << std::endl;
  assay::test_server::wait_for_the_end();
  return 0;
} catch (const std::exception& e) {
  std::cerr << "model_server: " << e.what() << '\n';
  return 2;
}
