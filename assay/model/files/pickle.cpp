// SPDX-License-Identifier: Apache-2.0
#include "assay/model/files/pickle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "assay/base/bytes.hpp"
#include "assay/error.hpp"

namespace assay::model {

using Kind = PickleValue::Kind;

namespace {

constexpr std::size_t most_values = std::size_t{1} << 22;  // far beyond any file of weights
constexpr std::size_t most_arguments = 8;
constexpr std::size_t most_memo = std::size_t{1} << 22;

constexpr std::array storages = {
    "torch.FloatStorage", "torch.DoubleStorage", "torch.HalfStorage",  "torch.BFloat16Storage",
    "torch.LongStorage",  "torch.IntStorage",    "torch.ShortStorage", "torch.CharStorage",
    "torch.ByteStorage",  "torch.BoolStorage"};

}  // namespace

/// The stack machine. Each instruction is a member function, found by the table in `step`.
class PickleMachine {
 public:
  PickleMachine(std::span<const std::byte> bytes, const std::string& name, Pickle& out)
      : bytes_(bytes), name_(name), out_(out) {}

  void run() {
    while (!stopped_) step();
  }

 private:
  using Instruction = void (PickleMachine::*)();
  using Call = std::size_t (PickleMachine::*)(const std::vector<std::size_t>& arguments);
  struct Row {
    char opcode;
    Instruction run;
  };
  struct Function {
    std::string_view name;
    Call call;
  };

  [[noreturn]] void fail(const std::string& why) const {
    throw Error(Error::Kind::input, name_, fmt::format("at byte {} of its pickle, {}", at_, why));
  }

  void step();

  std::span<const std::byte> take(std::size_t count) {
    if (bytes_.size() - at_ < count) fail("it is cut off");
    at_ += count;
    return bytes_.subspan(at_ - count, count);
  }
  template <class T>
  T take_number(bool is_big_endian = false) {
    return load<T>(take(sizeof(T)).data(),
                   is_big_endian == (std::endian::native == std::endian::little));
  }
  std::string take_text(std::size_t length) {
    const auto text = take(length);
    return {reinterpret_cast<const char*>(text.data()), text.size()};
  }
  std::string take_line() {
    const auto rest = bytes_.subspan(at_);
    const auto end = std::ranges::find(rest, std::byte{'\n'});
    if (end == rest.end()) fail("it is cut off");
    std::string line = take_text(static_cast<std::size_t>(end - rest.begin()));
    take(1);
    return line;
  }

  std::size_t made(PickleValue value) {
    if (out_.values_.size() == most_values) fail("it has too many values for a file of weights");
    out_.values_.push_back(std::move(value));
    return out_.values_.size() - 1;
  }
  void push(std::size_t value) { stack_.push_back(value); }
  void push(PickleValue value) { push(made(std::move(value))); }
  void push_integer(std::int64_t value, Kind kind = Kind::integer) {
    push({.kind = kind, .integer = value});
  }
  std::size_t pop() {
    if (stack_.size() == (marks_.empty() ? 0 : marks_.back())) fail("a value is missing");
    const std::size_t value = stack_.back();
    stack_.pop_back();
    return value;
  }
  std::vector<std::size_t> pop_to_mark() {
    if (marks_.empty()) fail("a mark is missing");
    const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<std::size_t> out(first, stack_.end());
    stack_.erase(first, stack_.end());
    marks_.pop_back();
    return out;
  }
  std::vector<std::size_t> popped(std::size_t count) {
    std::vector<std::size_t> out(count);
    for (std::size_t i = count; i-- > 0;) out[i] = pop();
    return out;
  }
  PickleValue& top(Kind kind) {
    if (stack_.empty() || out_.values_[stack_.back()].kind != kind) fail("a container is missing");
    return out_.values_[stack_.back()];
  }
  const PickleValue& value(std::size_t number) const { return out_.values_[number]; }

  void remember(std::size_t place) {
    if (stack_.empty() || place > most_memo) fail("it stores a value wrongly in its memo");
    if (place >= memo_.size()) memo_.resize(place + 1);
    memo_[place] = stack_.back();
  }
  void recall(std::size_t place) {
    if (place >= memo_.size() || !memo_[place]) fail("it reads a value that is not in its memo");
    push(*memo_[place]);
  }

  void protocol() {
    const auto version = take_number<std::uint8_t>();
    if (version > 5) fail(fmt::format("it asks for protocol {}; 2 to 5 can be read", version));
  }
  void frame() { take(8); }
  void stop() {
    out_.root_ = pop();
    stopped_ = true;
  }
  void mark() { marks_.push_back(stack_.size()); }
  void none() { push(PickleValue{}); }
  void yes() { push_integer(1, Kind::boolean); }
  void no() { push_integer(0, Kind::boolean); }
  void integer_1() { push_integer(take_number<std::uint8_t>()); }
  void integer_2() { push_integer(take_number<std::uint16_t>()); }
  void integer_4() { push_integer(take_number<std::int32_t>()); }
  void long_integer() {
    const auto digits = take(take_number<std::uint8_t>());
    if (digits.size() > 8) fail("an integer has more than 64 bits");
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < digits.size(); ++i)
      bits |= std::to_integer<std::uint64_t>(digits[i]) << (8 * i);
    const auto unused = static_cast<unsigned>(64 - 8 * digits.size());
    push_integer(unused == 64 ? 0 : static_cast<std::int64_t>(bits << unused) >> unused);
  }
  void number() {
    take(8);  // learning rates and the like: nothing here needs their values
    push({.kind = Kind::number});
  }
  void text_1() { push({.kind = Kind::text, .text = take_text(take_number<std::uint8_t>())}); }
  void text_4() { push({.kind = Kind::text, .text = take_text(take_number<std::uint32_t>())}); }
  void empty_list() { push({.kind = Kind::list}); }
  void empty_tuple() { push({.kind = Kind::tuple}); }
  void empty_dictionary() { push({.kind = Kind::dictionary}); }
  void tuple() { push({.kind = Kind::tuple, .items = pop_to_mark()}); }
  void tuple_1() { push({.kind = Kind::tuple, .items = popped(1)}); }
  void tuple_2() { push({.kind = Kind::tuple, .items = popped(2)}); }
  void tuple_3() { push({.kind = Kind::tuple, .items = popped(3)}); }
  void append() {
    const std::size_t item = pop();
    top(Kind::list).items.push_back(item);
  }
  void appends() {
    const auto items = pop_to_mark();
    auto& list = top(Kind::list).items;
    list.insert(list.end(), items.begin(), items.end());
  }
  void set_item() {
    const auto pair = popped(2);
    top(Kind::dictionary).pairs.emplace_back(pair[0], pair[1]);
  }
  void set_items() {
    const auto items = pop_to_mark();
    auto& pairs = top(Kind::dictionary).pairs;
    if (items.size() % 2 != 0) fail("a key has no value");
    for (std::size_t i = 0; i < items.size(); i += 2) pairs.emplace_back(items[i], items[i + 1]);
  }
  void put_1() { remember(take_number<std::uint8_t>()); }
  void put_4() { remember(take_number<std::uint32_t>()); }
  void memoize() { remember(memo_.size()); }
  void get_1() { recall(take_number<std::uint8_t>()); }
  void get_4() { recall(take_number<std::uint32_t>()); }

  void push_name(const std::string& name);
  void global() {
    const std::string module = take_line();
    push_name(module + "." + take_line());
  }
  void stack_global() {
    const auto parts = popped(2);
    push_name(value(parts[0]).text + "." + value(parts[1]).text);
  }
  void reduce();
  /// Attributes of an object, such as the `_metadata` of a state dict. They hold no weights and are
  /// dropped.
  void build() {
    pop();
    top(Kind::dictionary);
  }
  /// ('storage', type, key, device, count), which torch.load looks up in the archive.
  void persistent() { top(Kind::tuple).text = "storage"; }

  std::size_t ordered_dictionary(const std::vector<std::size_t>& arguments) {
    if (!arguments.empty()) fail("an OrderedDict is created with arguments");
    return made({.kind = Kind::dictionary});
  }
  /// (storage, offset, size, stride, ...)
  std::size_t tensor(const std::vector<std::size_t>& arguments) {
    if (arguments.size() < 4) fail("a tensor has too few parts");
    return made({.kind = Kind::tensor, .items = arguments});
  }
  std::size_t parameter(const std::vector<std::size_t>& arguments) {
    if (arguments.empty() || value(arguments[0]).kind != Kind::tensor)
      fail("a parameter is not a tensor");
    return arguments[0];
  }
  static std::span<const Function> functions();

  std::span<const std::byte> bytes_;
  const std::string& name_;
  Pickle& out_;
  std::size_t at_ = 0;
  bool stopped_ = false;
  std::vector<std::size_t> stack_, marks_;
  std::vector<std::optional<std::size_t>> memo_;
};

std::span<const PickleMachine::Function> PickleMachine::functions() {
  static constexpr Function table[] = {
      {"collections.OrderedDict", &PickleMachine::ordered_dictionary},
      {"torch._utils._rebuild_tensor_v2", &PickleMachine::tensor},
      {"torch._utils._rebuild_parameter", &PickleMachine::parameter}};
  return table;
}

void PickleMachine::push_name(const std::string& name) {
  const bool is_allowed = std::ranges::count(storages, name) != 0 ||
                          std::ranges::count(functions(), name, &Function::name) != 0;
  if (!is_allowed)
    fail(
        fmt::format("it names {}, which no file of weights needs and which could run any code; "
                    "save only the weights: torch.save(model.state_dict(), FILE)",
                    name));
  push({.kind = Kind::name, .text = name});
}

void PickleMachine::reduce() {
  const auto parts = popped(2);
  const PickleValue& callee = value(parts[0]);
  const auto function = std::ranges::find(functions(), callee.text, &Function::name);
  if (callee.kind != Kind::name || function == functions().end() ||
      value(parts[1]).kind != Kind::tuple)
    fail("it calls something that is not a function");
  if (value(parts[1]).items.size() > most_arguments) fail("a function has too many arguments");
  const std::vector<std::size_t> arguments = value(parts[1]).items;
  push((this->*function->call)(arguments));
}

void PickleMachine::step() {
  using M = PickleMachine;
  static constexpr Row rows[] = {{'\x80', &M::protocol},
                                 {'\x95', &M::frame},
                                 {'.', &M::stop},
                                 {'(', &M::mark},
                                 {'N', &M::none},
                                 {'\x88', &M::yes},
                                 {'\x89', &M::no},
                                 {'K', &M::integer_1},
                                 {'M', &M::integer_2},
                                 {'J', &M::integer_4},
                                 {'\x8a', &M::long_integer},
                                 {'G', &M::number},
                                 {'\x8c', &M::text_1},
                                 {'X', &M::text_4},
                                 {']', &M::empty_list},
                                 {')', &M::empty_tuple},
                                 {'}', &M::empty_dictionary},
                                 {'t', &M::tuple},
                                 {'\x85', &M::tuple_1},
                                 {'\x86', &M::tuple_2},
                                 {'\x87', &M::tuple_3},
                                 {'a', &M::append},
                                 {'e', &M::appends},
                                 {'s', &M::set_item},
                                 {'u', &M::set_items},
                                 {'q', &M::put_1},
                                 {'r', &M::put_4},
                                 {'\x94', &M::memoize},
                                 {'h', &M::get_1},
                                 {'j', &M::get_4},
                                 {'c', &M::global},
                                 {'\x93', &M::stack_global},
                                 {'R', &M::reduce},
                                 {'b', &M::build},
                                 {'Q', &M::persistent}};
  const auto opcode = static_cast<char>(take_number<std::uint8_t>());
  const auto row = std::ranges::find(rows, opcode, &Row::opcode);
  if (row == std::end(rows))
    fail(fmt::format("the instruction 0x{:02x} does not belong in a file of weights",
                     static_cast<unsigned char>(opcode)));
  (this->*row->run)();
}

Pickle::Pickle(std::span<const std::byte> bytes, const std::string& name) {
  PickleMachine(bytes, name, *this).run();
}

const PickleValue* Pickle::find(const PickleValue& dictionary, std::string_view key) const {
  for (const auto& [name, value] : dictionary.pairs)
    if (at(name).kind == Kind::text && at(name).text == key) return &at(value);
  return nullptr;
}

}  // namespace assay::model
