// SPDX-License-Identifier: Apache-2.0
/// --header NAME=ENV_OR_VALUE: what every request carries besides the protocol's own headers.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace assay::cli {

using Headers = std::vector<std::pair<std::string, std::string>>;

/// The headers as typed, with the values of the environment variables that they name. Throws
/// Error::usage for what is no header, and for a variable that is not set; values are in no
/// message.
Headers request_headers(const std::vector<std::string>& typed);

/// Whether one of them says who is calling, so that no other key is needed.
bool has_credential(const Headers& headers);

/// A command line as it may be written to a file: values of headers are left out, unless they are
/// names of variables or of no harm (anthropic-beta).
std::vector<std::string> without_header_values(std::vector<std::string> command);

}  // namespace assay::cli
