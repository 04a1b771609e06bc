// SPDX-License-Identifier: Apache-2.0
/// Numbers of a JSON file that may be missing, and why they are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/base/json.hpp"
#include "assay/error.hpp"
#include "assay/parity.hpp"
#include "assay/results/segmentation.hpp"

namespace assay::results {

/// The error for one of our files that lacks a member every such file has.
Error incomplete(const std::string& file, std::string_view kind);

/// The number that a file has at `place`. Infinity and NaN count as missing unless `raw`.
parity::NumberRead number_read(const ToldNumber& told, const std::string& place, bool raw = false);

/// The number at `key`; messages put `place` in front of the key.
parity::NumberRead number_at(const Json& object, const std::string& key, const std::string& place,
                             bool raw = false);

/// The mean and SD (ddof 0) of one number per entry; missing as soon as one entry lacks it.
struct Moments {
  parity::NumberRead mean, std;
};
Moments moments_of(const std::vector<parity::NumberRead>& readings, const std::string& place);

/// The finite numbers of an array; `left_out` counts the others.
std::vector<double> finite_numbers(const Json& array, std::size_t& left_out);

/// The description of a network, read from the usual places of `file`.
parity::NetworkDescription description_of(const Json& file, const std::string& name);

}  // namespace assay::results
