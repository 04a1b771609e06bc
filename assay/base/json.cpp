// SPDX-License-Identifier: Apache-2.0
#include "assay/base/json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <unordered_map>
#include <utility>
#include <vector>

#include "assay/base/json_append.hpp"
#include "assay/base/json_reader.hpp"
#include "assay/base/text.hpp"
#include "assay/base/unicode.hpp"

namespace assay {
namespace {

/// A whole number if it is written as one and fits into 64 bits; otherwise a double.
Json number_of(std::string_view token) {
  const auto whole = [&](auto number) {
    const char* end = token.data() + token.size();
    const auto read = std::from_chars(token.data(), end, number);
    return read.ec == std::errc{} && read.ptr == end ? Json(number) : Json();
  };
  Json value = token.starts_with('-') ? whole(std::int64_t{}) : whole(std::uint64_t{});
  return value.is_null() ? Json(json_number(token)) : value;
}

Json value_of(JsonReader& in);

/// A repeated key replaces its earlier value. Where there are many keys, they are found by a hash
/// table.
void read_members(JsonReader& in, Json& object) {
  constexpr std::size_t many = 32;
  std::unordered_map<std::string, std::size_t> places;
  in.object("", [&](std::string_view name) {
    std::string key(name);
    Json member = value_of(in);
    if (object.size() < many) {
      object[key] = std::move(member);
      return;
    }
    Json::object_t::Container& members = *object.get_ptr<Json::object_t*>();
    if (places.empty())
      for (std::size_t i = 0; i < members.size(); ++i) places.emplace(members[i].first, i);
    const auto [found, is_new] = places.try_emplace(key, members.size());
    (is_new ? append_member(object, std::move(key)) : members[found->second].second) =
        std::move(member);
  });
}

Json value_of(JsonReader& in) {
  using Kind = JsonReader::Kind;
  Json value;
  switch (in.kind()) {
    case Kind::object:
      value = Json::object();
      read_members(in, value);
      break;
    case Kind::list:
      value = Json::array();
      in.list("", [&] { value.push_back(value_of(in)); });
      break;
    case Kind::text: value = in.text(""); break;
    case Kind::number: value = number_of(in.number_token()); break;
    case Kind::boolean: value = in.boolean(); break;
    case Kind::null: in.null();
  }
  return value;
}

/// Text is passed on in pieces of about this size: few calls, and a negligible amount of memory.
constexpr std::size_t most_waiting = std::size_t{1} << 16;

/// As many elements of a list are formatted together as give about this much text.
constexpr std::size_t most_together = std::size_t{1} << 22;

/// Enough for the shortest form of a double.
using Digits = std::array<char, 32>;

std::string_view shortest_in(Digits& digits, double x) {
  char* end = std::to_chars(digits.data(), digits.data() + digits.size(), x).ptr;
  const std::string_view text(digits.data(), static_cast<std::size_t>(end - digits.data()));
  if (text.find_first_of(".en") != text.npos) return text;
  *end++ = '.';
  *end++ = '0';
  return {digits.data(), static_cast<std::size_t>(end - digits.data())};
}

class Writer {
 public:
  Writer(const JsonStyle& style, std::string& out) : style_(style), out_(out) {}

  void write(const Json& value, int depth) {
    switch (value.type()) {
      case Json::value_t::object:
        return write_all(value.get_ref<const Json::object_t&>(), depth, "{}", false,
                         [&](const auto& member) {
                           write_key(member.first);
                           write(member.second, depth + 1);
                         });
      case Json::value_t::array: return write_list(value.get_ref<const Json::array_t&>(), depth);
      case Json::value_t::string: return write_text(value.get_ref<const std::string&>());
      case Json::value_t::number_float: return write_number(value.get<double>());
      case Json::value_t::number_integer: return write_whole(value.get<std::int64_t>());
      case Json::value_t::number_unsigned: return write_whole(value.get<std::uint64_t>());
      case Json::value_t::boolean: out_ += value.get<bool>() ? "true" : "false"; return;
      default: out_ += "null";
    }
  }

  void write_key(std::string_view key) {
    write_text(key);
    out_ += style_.indent > 0 ? ": " : ":";
  }

  void new_line(int depth) {
    if (style_.indent == 0) return;
    out_ += '\n';
    out_.append(static_cast<std::size_t>(depth) * static_cast<std::size_t>(style_.indent), ' ');
  }

  /// Names of files and columns need not be UTF-8, but a results file must be.
  void write_text(std::string_view text) {
    if (plain_end(text, 0) == text.size() && !invalid_utf8_at(text))
      out_.append("\"").append(text).append("\"");
    else
      out_ += Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  void write_number(double x) {
    Digits digits;
    if (std::isfinite(x))
      out_ += shortest_in(digits, x);
    else if (!style_.python_tokens)
      out_ += "null";
    else
      out_ += std::isnan(x) ? "NaN" : (x > 0 ? "Infinity" : "-Infinity");
  }

  /// Before a part of a list or an object.
  void begin_part(bool is_first, bool is_flat, int depth, char bracket) {
    if (is_first)
      out_ += bracket;
    else
      out_ += is_flat && style_.indent > 0 ? ", " : ",";
    if (!is_flat) new_line(depth + 1);
  }

  void end_parts(bool is_empty, bool is_flat, int depth, const char* brackets) {
    if (is_empty) out_ += brackets[0];
    if (!is_empty && !is_flat) new_line(depth);
    out_ += brackets[1];
  }

 private:
  void write_list(const Json::array_t& list, int depth) {
    const bool flat = std::ranges::none_of(list, [](const Json& e) { return e.is_structured(); });
    write_all(list, depth, "[]", flat, [&](const Json& element) { write(element, depth + 1); });
  }

  template <class Parts, class Each>
  void write_all(const Parts& parts, int depth, const char* brackets, bool flat, Each each) {
    bool first = true;
    for (const auto& part : parts) {
      begin_part(std::exchange(first, false), flat, depth, brackets[0]);
      each(part);
    }
    end_parts(first, flat, depth, brackets);
  }

  template <class Whole>
  void write_whole(Whole x) {
    Digits digits;
    out_.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), x).ptr);
  }

  JsonStyle style_;
  std::string& out_;
};

}  // namespace

std::string shortest(double x) {
  Digits digits;
  return std::string(shortest_in(digits, x));
}

std::string to_text(const Json& value, const JsonStyle& style) {
  std::string out;
  Writer(style, out).write(value, 0);
  return out;
}

JsonMembers::JsonMembers(std::string& out, const JsonStyle& style, int depth)
    : out_(out), style_(style), depth_(depth) {
  out_ += '{';
}

void JsonMembers::begin_member(std::string_view key) {
  Writer writer(style_, out_);
  if (!is_empty_) out_ += ',';
  is_empty_ = false;
  writer.new_line(depth_ + 1);
  writer.write_key(key);
}

void JsonMembers::write(const Json& tree) {
  Writer(style_, out_).write(tree, depth_ + 1);
}

void JsonMembers::write_text(std::string_view text) {
  Writer(style_, out_).write_text(text);
}

void JsonMembers::write_number(double number) {
  Writer(style_, out_).write_number(number);
}

void JsonMembers::begin_element(bool is_first, bool is_flat, int depth) {
  Writer(style_, out_).begin_part(is_first, is_flat, depth, '[');
}

void JsonMembers::end_elements(bool is_empty, bool is_flat, int depth) {
  Writer(style_, out_).end_parts(is_empty, is_flat, depth, "[]");
}

void JsonMembers::close() {
  if (!is_empty_) Writer(style_, out_).new_line(depth_);
  out_ += '}';
}

void JsonObjectWriter::begin_member(std::string_view key) {
  Writer writer(style_, waiting_);
  waiting_ += is_empty_ ? "{" : ",";
  is_empty_ = false;
  writer.new_line(1);
  writer.write_key(key);
}

void JsonObjectWriter::pass_on(std::size_t least) {
  if (waiting_.size() < least) return;
  sink_(waiting_);
  waiting_.clear();
}

void JsonObjectWriter::member(std::string_view key, const Json& value) {
  begin_member(key);
  Writer(style_, waiting_).write(value, 1);
  pass_on(most_waiting);
}

void JsonObjectWriter::list(std::string_view key, std::size_t count, const ElementWriter& element,
                            const Executor& executor) {
  constexpr std::size_t least = 16, most = 4096, most_blocks = 32;
  begin_member(key);
  waiting_ += '[';
  std::array<std::string, most_blocks> texts;
  for (std::size_t begin = 0, next = least, size = 0; begin < count; begin += size) {
    size = std::min(next, count - begin);
    const std::size_t blocks = std::min(size, most_blocks);
    run_tasks(executor, blocks, [&](std::size_t block) {
      Writer writer(style_, texts[block]);
      for (std::size_t i = size * block / blocks; i < size * (block + 1) / blocks; ++i) {
        if (begin + i != 0) texts[block] += ',';
        writer.new_line(2);
        JsonMembers members(texts[block], style_, 2);
        element(begin + i, members);
        members.close();
      }
    });
    std::size_t bytes = 0;
    for (std::string& text : texts) {
      bytes += text.size();
      waiting_ += text;
      text.clear();
      pass_on(most_waiting);
    }
    next = std::clamp(size * most_together / bytes, least, most);
  }
  if (count != 0) Writer(style_, waiting_).new_line(1);
  waiting_ += ']';
}

void JsonObjectWriter::end() {
  if (is_empty_) waiting_ += '{';
  if (!is_empty_) Writer(style_, waiting_).new_line(0);
  waiting_ += "}\n";
  pass_on(0);
}

Json parse_json(std::string_view text, std::string_view name, int most) {
  text = without_mark(text);
  JsonReader in(text, name, 0, most);
  Json value = value_of(in);
  in.end();
  if (const auto at = invalid_utf8_at(text)) throw invalid_json(name, text, *at);
  return value;
}

Json or_null(std::string_view text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : "";
}

const Json& member(const Json& value, std::string_view key) {
  static const Json none;
  if (!value.is_object()) return none;
  const auto found = value.find(std::string(key));
  return found == value.end() ? none : *found;
}

const std::vector<Json>& elements(const Json& value) {
  static const std::vector<Json> none;
  return value.is_array() ? value.get_ref<const Json::array_t&>() : none;
}

}  // namespace assay
