// SPDX-License-Identifier: Apache-2.0
/// Numbers of a JSON file that may not be there, and the reasons.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/base/json.hpp"
#include "assay/error.hpp"
#include "assay/parity.hpp"
#include "assay/results/segmentation.hpp"

namespace assay::results {

/// The error for a file of ours without a member that every such file has.
Error incomplete(const std::string& file, std::string_view kind);

/// What a file says at `place`. Infinity and NaN are missing unless `raw`.
parity::NumberRead number_read(const ToldNumber& told, const std::string& place, bool raw = false);

/// The number at `key`; `place` is what comes before the key in messages.
parity::NumberRead number_at(const Json& object, const std::string& key, const std::string& place,
                             bool raw = false);

/// The mean and SD (ddof 0) of one number per entry; missing as soon as one entry lacks it.
struct Moments {
  parity::NumberRead mean, std;
};
Moments moments_of(const std::vector<parity::NumberRead>& readings, const std::string& place);

/// The finite numbers of an array; counts the others.
std::vector<double> finite_numbers(const Json& array, std::size_t& left_out);

/// What a description of a network says, looked for in the usual places of `file`.
parity::NetworkDescription description_of(const Json& file, const std::string& name);

}  // namespace assay::results
