// SPDX-License-Identifier: Apache-2.0
/// Field numbers of onnx.proto, which never change.
#pragma once

namespace assay::model::onnx_field {

enum Model { graph = 7 };
enum Graph { node = 1, initializer = 5, input = 11, output = 12 };
enum Node { node_input = 1, node_output = 2, node_name = 3, operation = 4, attribute = 5 };
enum Attribute {
  attribute_name = 1,
  number = 2,
  integer = 3,
  text = 4,
  tensor = 5,
  subgraph = 6,
  integers = 8
};
enum Tensor {
  dims = 1,
  data_type = 2,
  float_data = 4,
  tensor_name = 8,
  raw_data = 9,
  external = 13
};
enum Entry { key = 1, value = 2 };

}  // namespace assay::model::onnx_field
