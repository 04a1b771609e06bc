// SPDX-License-Identifier: Apache-2.0
/// Files as a hub serves them: entity tags, ranges, a redirect to where the bytes are.
#pragma once

#include <atomic>

#include "assay/demo/loopback_server.hpp"
#include "tests/qa/settings.hpp"

namespace assay::test_server {

/// GET of --files DIR/<path>.
///   /datasets/<repo>/resolve/<revision>/<name>   302 to /<name>, with X-Linked-Etag and -Size
///   --token T          wanted by paths below /datasets
///   --ignore-range     whole files only
///   --cut-first N      the first N files end in the middle
demo::ServerResponse serve_file(const Settings& settings, const demo::ServerRequest& request,
                                std::atomic<int>& served);

}  // namespace assay::test_server
