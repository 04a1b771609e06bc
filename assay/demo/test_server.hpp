// SPDX-License-Identifier: Apache-2.0
/// For tests: addresses of a loopback server, and what clients receive from it.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "assay/base/http.hpp"
#include "assay/demo/loopback_server.hpp"

namespace assay::test {

inline std::string address(const demo::LoopbackServer& server, const std::string& path = "/") {
  return "http://127.0.0.1:" + std::to_string(server.port()) + path;
}

/// The response to a request that must succeed.
inline HttpResponse response_to(const HttpRequest& request) {
  HttpClient client;
  HttpFailure failure;
  const auto response = client.send(request, failure);
  EXPECT_TRUE(response) << failure.message;
  return response.value_or(HttpResponse{});
}

/// The error message of a request that must fail.
inline std::string failure_of(const HttpRequest& request) {
  HttpClient client;
  HttpFailure failure;
  const auto response = client.send(request, failure);
  EXPECT_FALSE(response) << "status " << response->status;
  return failure.message;
}

}  // namespace assay::test
