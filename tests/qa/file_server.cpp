// SPDX-License-Identifier: Apache-2.0
#include "tests/qa/file_server.hpp"

#include <filesystem>

#include "assay/base/file.hpp"
#include "assay/base/sha256.hpp"

namespace assay::test_server {
namespace {

std::string header_of(const demo::ServerRequest& request, const std::string& name) {
  for (const auto& [key, value] : request.headers)
    if (key == name) return value;
  return "";
}

demo::ServerResponse redirect(const Settings& settings, const demo::ServerRequest& request,
                              const std::string& content) {
  if (settings.has("token") &&
      header_of(request, "authorization") != "Bearer " + settings.text("token"))
    return {.status = 401, .body = "log in"};
  return {.status = 302,
          .headers = {{"Location", request.path.substr(request.path.rfind('/'))},
                      {"X-Linked-Etag", '"' + sha256(content) + '"'},
                      {"X-Linked-Size", std::to_string(content.size())}}};
}

}  // namespace

demo::ServerResponse serve_file(const Settings& settings, const demo::ServerRequest& request,
                                std::atomic<int>& served) {
  const std::string whole = request.path.substr(0, request.path.find('?'));
  const std::string name = whole.substr(whole.rfind('/') + 1);
  const auto path = std::filesystem::path(settings.text("files")) / name;
  if (name.empty() || name == ".." || !std::filesystem::is_regular_file(path))
    return {.status = 404, .body = "no such file"};
  const std::string content = read_text(path);
  if (request.path.starts_with("/datasets/")) return redirect(settings, request, content);
  demo::ServerResponse response = {
      .headers = {{"ETag", '"' + sha256(content) + '"'}, {"Accept-Ranges", "bytes"}},
      .body = content};
  response.cut = served++ < settings.number("cut-first", 0);
  const std::string range = header_of(request, "range");
  const std::string if_range = header_of(request, "if-range");
  const bool same = if_range.empty() || if_range == response.headers.front().second;
  if (settings.has("ignore-range") || !range.starts_with("bytes=") || !same) return response;
  const std::size_t from = std::stoul(range.substr(6));
  if (from >= content.size()) return {.status = 416};
  response.status = 206;
  response.headers.emplace_back("Content-Range", "bytes " + std::to_string(from) + "-" +
                                                     std::to_string(content.size() - 1) + "/" +
                                                     std::to_string(content.size()));
  response.body = content.substr(from);
  return response;
}

}  // namespace assay::test_server
