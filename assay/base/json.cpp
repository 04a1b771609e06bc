// SPDX-License-Identifier: Apache-2.0
#include "assay/base/json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "assay/base/json_append.hpp"
#include "assay/base/json_reader.hpp"
#include "assay/base/text.hpp"
#include "assay/base/unicode.hpp"

namespace assay {
namespace {

/// Whole where it is written so and fits into 64 bits; otherwise a double.
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

/// A key that comes again replaces what it had. Where there are many, they are found by a table.
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

/// Pieces of about this size go on: fewer calls, and nothing that counts in memory.
constexpr std::size_t most_waiting = std::size_t{1} << 16;

class Writer {
 public:
  Writer(const JsonStyle& style, std::string& out) : style_(style), out_(out) {}

  void write(const Json& value, int depth) {
    if (value.is_object()) {
      write_all(value, depth, "{}", false, [&](const auto& item) {
        write_text(item.key());
        out_ += style_.indent > 0 ? ": " : ":";
        write(item.value(), depth + 1);
      });
    } else if (value.is_array()) {
      const bool flat =
          std::ranges::none_of(value, [](const Json& e) { return e.is_structured(); });
      write_all(value, depth, "[]", flat,
                [&](const auto& item) { write(item.value(), depth + 1); });
    } else if (value.is_number_float()) {
      write_number(value.get<double>());
    } else {
      write_text(value);
    }
  }

  /// Names of files and columns need not be UTF-8; a results file is.
  void write_text(const Json& value) {
    out_ += value.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  void new_line(int depth) {
    if (style_.indent == 0) return;
    out_ += '\n';
    out_.append(static_cast<std::size_t>(depth) * static_cast<std::size_t>(style_.indent), ' ');
  }

 private:
  template <class Each>
  void write_all(const Json& value, int depth, const char* brackets, bool flat, Each each) {
    out_ += brackets[0];
    bool first = true;
    for (const auto& item : value.items()) {
      if (!first) out_ += flat && style_.indent > 0 ? ", " : ",";
      if (!flat) new_line(depth + 1);
      each(item);
      first = false;
    }
    if (!first && !flat) new_line(depth);
    out_ += brackets[1];
  }

  void write_number(double x) {
    if (std::isfinite(x))
      out_ += shortest(x);
    else if (!style_.python_tokens)
      out_ += "null";
    else
      out_ += std::isnan(x) ? "NaN" : (x > 0 ? "Infinity" : "-Infinity");
  }

  JsonStyle style_;
  std::string& out_;
};

}  // namespace

std::string shortest(double x) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), x).ptr;
  std::string text(digits.data(), end);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string to_text(const Json& value, const JsonStyle& style) {
  std::string out;
  Writer(style, out).write(value, 0);
  return out;
}

void JsonObjectWriter::begin_member(std::string_view key) {
  Writer writer(style_, waiting_);
  waiting_ += is_empty_ ? "{" : ",";
  is_empty_ = false;
  writer.new_line(1);
  writer.write_text(key);
  waiting_ += style_.indent > 0 ? ": " : ":";
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

void JsonObjectWriter::list(
    std::string_view key,
    const std::function<void(const std::function<void(const Json&)>& add)>& each) {
  begin_member(key);
  Writer writer(style_, waiting_);
  waiting_ += '[';
  bool first = true;
  each([&](const Json& element) {
    if (!first) waiting_ += ',';
    first = false;
    writer.new_line(2);
    writer.write(element, 2);
    pass_on(most_waiting);
  });
  if (!first) writer.new_line(1);
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
