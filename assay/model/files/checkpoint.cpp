// SPDX-License-Identifier: Apache-2.0
/// PyTorch checkpoints: a zip file with a pickle and one entry for each storage.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "assay/base/zip.hpp"
#include "assay/error.hpp"
#include "assay/model/files/pickle.hpp"
#include "assay/model/files/tensors.hpp"
#include "assay/named.hpp"

namespace assay::model {
namespace {

constexpr Named<ElementType> storage_types[] = {{"torch.FloatStorage", ElementType::float32},
                                                {"torch.DoubleStorage", ElementType::float64},
                                                {"torch.HalfStorage", ElementType::float16},
                                                {"torch.BFloat16Storage", ElementType::bfloat16}};

/// Keys under which training programs store the weights, the most trusted first.
constexpr std::array state_keys = {"model_state_dict", "state_dict", "model", "net"};

/// The archive, its pickle, and the folder of its entries.
struct Checkpoint {
  const ZipFile& zip;
  const Pickle& pickle;
  std::string folder, name;
  std::map<std::string, std::span<const std::byte>> storages =
      {};  ///< cached, so that each is checked once

  std::span<const std::byte> storage(const std::string& key) {
    const auto found = storages.find(key);
    if (found != storages.end()) return found->second;
    return storages.emplace(key, zip.content(folder + "data/" + key)).first->second;
  }
};

std::vector<std::size_t> tuple_sizes(const Checkpoint& file, const PickleValue& tuple,
                                     const std::string& where) {
  std::vector<std::size_t> out;
  for (const std::size_t item : tuple.items) {
    const PickleValue& side = file.pickle.at(item);
    if (side.kind != PickleValue::Kind::integer || side.integer < 0)
      refuse_part(where, "its shape is not made of whole numbers of 0 or more");
    out.push_back(static_cast<std::size_t>(side.integer));
  }
  return out;
}

bool is_contiguous(std::span<const std::size_t> shape, std::span<const std::size_t> strides) {
  std::size_t expected = 1;
  for (std::size_t i = shape.size(); i-- > 0; expected *= shape[i])
    if (shape[i] != 1 && strides[i] != expected) return false;
  return true;
}

/// `tensor` holds (storage, offset, size, stride, ...); storage is ('storage', type, key, ...).
StoredTensor stored(Checkpoint& file, const std::string& key, const PickleValue& tensor) {
  const std::string where = "tensor '" + key + "'";
  const auto part = [&](std::size_t i) -> const PickleValue& {
    return file.pickle.at(tensor.items[i]);
  };
  const PickleValue& storage = part(0);
  if (storage.kind != PickleValue::Kind::tuple || storage.text != "storage" ||
      storage.items.size() < 3)
    refuse_part(where, "it has no storage");
  const PickleValue& type_name = file.pickle.at(storage.items[1]);
  const auto type = std::ranges::find(storage_types, type_name.text, &Named<ElementType>::name);
  StoredTensor out = {.name = key, .shape = tuple_sizes(file, part(2), where)};
  out.type = type != std::end(storage_types) ? type->value : ElementType::other;
  if (out.type == ElementType::other) return out;  // counters, which no layer needs
  const std::vector<std::size_t> strides = tuple_sizes(file, part(3), where);
  if (strides.size() != out.shape.size() || !is_contiguous(out.shape, strides))
    refuse_part(where, "its numbers are not contiguous in memory; save it with .contiguous()");
  const auto bytes = file.storage(file.pickle.at(storage.items[2]).text);
  const std::size_t size = element_bytes(out.type), count = element_count(out.shape);
  const auto offset = static_cast<std::size_t>(part(1).integer);
  const std::size_t there = bytes.size() / size;
  if (part(1).integer < 0 || offset > there || there - offset < count)
    refuse_part(where, fmt::format("of shape {} needs more numbers than the {} of its storage",
                                   shape_text(out.shape), there));
  out.bytes = bytes.subspan(offset * size, count * size);
  return out;
}

const PickleValue& state_dict(const Pickle& pickle, const std::string& name) {
  const PickleValue& root = pickle.root();
  if (root.kind != PickleValue::Kind::dictionary)
    refuse(name, "does not contain a dictionary of tensors");
  for (const char* key : state_keys)
    if (const PickleValue* found = pickle.find(root, key);
        found != nullptr && found->kind == PickleValue::Kind::dictionary)
      return *found;
  return root;
}

void require_readable(const ZipFile& zip, const std::string& folder, const std::string& name) {
  if (zip.has(folder + "constants.pkl"))
    refuse(name,
           "is a TorchScript program; save the weights with "
           "torch.save(model.state_dict(), FILE), export it to ONNX, or run it with --command and "
           "examples/torch_model.py");
  const std::string order = folder + "byteorder";
  if (!zip.has(order)) return;
  const auto text = zip.content(order);
  if (!text.empty() && text.front() == std::byte{'b'})
    refuse(name, "was written on a big-endian machine; save it again on another");
}

}  // namespace

std::vector<StoredTensor> checkpoint_tensors(std::span<const std::byte> bytes,
                                             const std::string& name) {
  const ZipFile zip(bytes, name);
  const std::string entry = zip.named("data.pkl");
  if (entry.empty()) refuse(name, "is a zip file, but not one of torch.save: it has no data.pkl");
  const std::string folder = entry.substr(0, entry.size() - std::string_view("data.pkl").size());
  require_readable(zip, folder, name);
  const Pickle pickle(zip.content(entry), name);
  Checkpoint file = {zip, pickle, folder, name};
  std::vector<StoredTensor> out;
  for (const auto& [key, value] : state_dict(pickle, name).pairs)
    if (pickle.at(key).kind == PickleValue::Kind::text &&
        pickle.at(value).kind == PickleValue::Kind::tensor)
      out.push_back(stored(file, pickle.at(key).text, pickle.at(value)));
  if (out.empty())
    refuse(name, "holds no tensors; looked for model_state_dict, state_dict and a bare state dict");
  return out;
}

}  // namespace assay::model
