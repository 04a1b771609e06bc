// SPDX-License-Identifier: Apache-2.0
/// Reads the pooled subjects of `assay.folds/1`, so that cross-validations can be compared.
#include "assay/compare/result_builder.hpp"
#include "assay/io/detail/result_layouts.hpp"

namespace assay::detail {
namespace {

void read_case(JsonReader& in, ResultBuilder& out, std::size_t whole) {
  const std::size_t here = out.add_case();
  bool has_id = false;
  in.object("a case", [&](std::string_view key) {
    if (key == "id") {
      out.name_case(here, in.text(key));
      has_id = true;
    } else if (key == "outer_fold") {
      const auto fold = in.number(key);
      if (!fold || !(*fold >= 0 && *fold < 1e6)) in.fail("an outer fold is a small whole number");
      out.group(here, key, std::to_string(static_cast<int>(*fold)));
    } else {
      out.put({here, whole, out.metric(key)}, in.number(key));
    }
  });
  if (!has_id) in.fail("the case that ends here has no 'id'");
}

}  // namespace

std::vector<ResultTable> read_folds(const JsonObject& file) {
  ResultBuilder out(file.at("model_name").text("model_name"), std::string(file.name()));
  const std::size_t whole = out.label("");
  JsonReader in = file.at("cases");
  in.list("cases", [&] { read_case(in, out, whole); });
  std::vector<ResultTable> tables;
  tables.push_back(std::move(out).table());
  return tables;
}

}  // namespace assay::detail
