// SPDX-License-Identifier: Apache-2.0
#include "assay/base/json_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "assay/base/json.hpp"
#include "assay/base/test_files.hpp"
#include "assay/error.hpp"

namespace json_reader_test {

using namespace assay;
using testing::HasSubstr;

/// The tree of what the reader sees: compared with the tree of the library's parser.
Json tree(JsonReader& in) {
  Json out;
  switch (in.kind()) {
    case JsonReader::Kind::object:
      out = Json::object();
      in.object("", [&](std::string_view key) { out[std::string(key)] = tree(in); });
      return out;
    case JsonReader::Kind::list:
      out = Json::array();
      in.list("", [&] { out.push_back(tree(in)); });
      return out;
    case JsonReader::Kind::text: return in.text("");
    case JsonReader::Kind::number:
      if (const auto x = in.number("")) out = *x;
      return out;
    default: in.skip(); return out;
  }
}

bool accepts(std::string_view text) {
  try {
    JsonReader in(text, "t");
    in.skip();
    in.end();
    JsonReader again(text, "t");
    tree(again);
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool has_tree(std::string_view text) {
  try {
    parse_json(text, "t");
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::string message(std::string_view text) {
  return test::refusal([&] { JsonObject(text, "t.json"); });
}

/// Lists and objects in turn, `depth` of them.
std::string nested(int depth) {
  std::string text = "1";
  for (int i = 0; i < depth; ++i) text = i % 2 == 0 ? "[" + text + "]" : "{\"a\": " + text + "}";
  return text;
}

TEST(JsonReader, long_texts_end_where_their_quote_is) {
  for (std::size_t length = 0; length < 40; ++length)
    for (std::size_t at = 0; at < length; ++at)
      for (const std::string part : {"\\n", "\\\"", "\\\\", "\\u00e9", "\u00e9"}) {
        std::string text(length, 'x');
        text.insert(at, part);
        const std::string json = "[\"" + text + "\",7]";
        JsonReader in(json, "t");
        double last = 0;
        std::string read;
        in.list("l", [&] {
          if (in.kind() == JsonReader::Kind::text)
            read = in.text("l");
          else
            last = in.number("l").value();
        });
        EXPECT_EQ(last, 7) << json;
        EXPECT_EQ(read.substr(0, at), std::string(at, 'x')) << json;
        JsonReader(json, "t").skip();
        for (const std::string bad : {"\\x", "\\u12", "\n", ""}) {
          std::string wrong = "\"" + std::string(length, 'x') + "\"";
          wrong.insert(at + 1, bad.empty() ? std::string(1, '\0') : bad);
          EXPECT_THROW(JsonReader(wrong, "t").skip(), Error) << wrong;
          EXPECT_THROW(JsonReader(wrong, "t").text("t"), Error) << wrong;
        }
      }
}

TEST(JsonReader, sees_what_the_library_sees) {
  for (const char* text :
       {R"({"a": [1, -2.5e3, {"b": "x\"\\\/\b\f\n\r\t"}], "c": {}, "d": [], "e": ""})",
        R"(["\u0041\u00e9\u20ac\ud83d\ude00", 0, -0.0, 1E5, 123456789012345678901234567890])",
        R"( {"k\u0065y" : null , "x" : [ ] } )"}) {
    JsonReader in(text, "t");
    EXPECT_EQ(tree(in), Json::parse(text)) << text;
    in.end();
    EXPECT_EQ(parse_json(text, "t").dump(), Json::parse(text).dump());
  }
}

TEST(JsonReader, takes_and_refuses_what_the_library_does) {
  for (const char* text :
       {"1",    "[1,2]",   "{\"a\":1}", "[]",         "{}",        "\"x\"", "-0.5e-7", " 1 ",
        "[1,]", "[,1]",    "{,}",       "{\"a\":1,}", "{\"a\"}",   "{a:1}", "01",      "1.",
        ".5",   "+1",      "-",         "1e",         "tru",       "nul",   "nan",     "[1 2]",
        "\"a",  "\"\\x\"", "\"\\u12\"", "\"\x01\"",   "[",         "]",     "{",       "{\"a\":",
        "1 1",  "",        "-Inf",      "[1}",        "{\"a\":1]", "\"\\"}) {
    EXPECT_EQ(accepts(text), Json::accept(text)) << text;
    EXPECT_EQ(has_tree(text), Json::accept(text)) << text;
  }
}

TEST(JsonReader, one_grammar_reads_values_trees_and_what_is_skipped) {
  for (const char* text : {"NaN", "[-Infinity]", "{\"a\": Infinity}", R"("\ud83d")", "1e400"}) {
    EXPECT_TRUE(accepts(text)) << text;
    EXPECT_TRUE(has_tree(text)) << text;
  }
  for (const char* text : {"{NaN: 1}", "NaN1", "--Infinity", R"({"a": "\q"})", "[\"\\\n\"]"}) {
    EXPECT_FALSE(accepts(text)) << text;
    EXPECT_FALSE(has_tree(text)) << text;
  }
  EXPECT_FALSE(has_tree("\"\xE9\"")) << "trees are written again, as UTF-8";
  EXPECT_EQ(parse_json("\xEF\xBB\xBF[1]", "t"), Json::parse("[1]"));
}

TEST(JsonReader, places_are_counted_in_characters) {
  EXPECT_THAT(message("{\"é\": x}"), HasSubstr("line 1, column 7;"));
  EXPECT_THAT(message("{\"a\": \"b\nc\"}"), HasSubstr("line 1, column 9;"))
      << "a line break in a text";
  EXPECT_THAT(message("{\"a\": \"b\\qc\"}"), HasSubstr("line 1, column 10;")) << "an escape";
}

TEST(JsonReader, damaged_text_is_taken_or_refused_but_nothing_else) {
  const std::string whole = R"({"a": [1.5, "x\u00e9", {"b": null, "c": NaN}], "d": -Infinity})";
  std::mt19937 rng(5);
  for (int i = 0; i < 5000; ++i) {
    std::string text = whole.substr(0, rng() % (whole.size() + 1));
    for (unsigned k = 0; k < rng() % 3 && !text.empty(); ++k)
      text[rng() % text.size()] = "{}[],:\"\\0.eNx "[rng() % 15];
    accepts(text);
  }
}

TEST(JsonReader, numbers_and_what_python_writes) {
  JsonReader in("[0.1, NaN, Infinity, -Infinity, null, 1e400, -1e400, 1e-400]", "t");
  std::vector<std::optional<double>> values;
  in.list("", [&] { values.push_back(in.number("")); });
  EXPECT_EQ(values, (std::vector<std::optional<double>>{0.1, std::nullopt, INFINITY, -INFINITY,
                                                        std::nullopt, INFINITY, -INFINITY, 0.0}));
}

TEST(JsonReader, half_a_pair_becomes_the_replacement_character) {
  JsonReader in(R"(["\ud83dx", "\ude00"])", "t");
  std::vector<std::string> texts;
  in.list("", [&] { texts.push_back(in.text("")); });
  EXPECT_EQ(texts, (std::vector<std::string>{"\xEF\xBF\xBDx", "\xEF\xBF\xBD"}));
}

TEST(JsonReader, an_error_names_file_place_and_field) {
  EXPECT_EQ(message("{\n  \"a\": 1,\n"),
            "t.json: not valid JSON at line 3, column 1; the file may be cut short or not be JSON");
  JsonReader in("{\n\"a\": [true]}", "t.json");
  EXPECT_EQ(test::refusal([&] { in.object("", [&](std::string_view key) { in.number(key); }); }),
            "t.json: line 2, column 6: 'a' is a list, where a number is needed");
  EXPECT_THAT(message(std::string(100000, '[')), HasSubstr("is a list, where an object"));
  EXPECT_EQ(message("{\"a\": " + std::string(100000, '[')),
            "t.json: line 1, column 206: nested more than 200 levels deep, which is the most that "
            "assay reads");
}

TEST(JsonReader, has_the_same_limit_of_nesting_as_the_library) {
  EXPECT_TRUE(accepts(nested(200)));
  EXPECT_FALSE(accepts(nested(201)));
  EXPECT_NO_THROW(parse_json(nested(200), "t"));
  EXPECT_THROW(parse_json(nested(201), "t"), Error);
  EXPECT_THROW(parse_json(nested(11), "t", 10), Error);
  // Brackets in strings and brackets that were closed again do not count.
  const std::string many =
      "[\"" + std::string(300, '[') + "\\\"" + std::string(300, '{') + "\", [[]], [[]]]";
  EXPECT_NO_THROW(parse_json(many, "t", 3));
  EXPECT_EQ(too_deep_at("[\"[\", [{", 2), 7U);
  EXPECT_EQ(too_deep_at("]]]][[", 2), std::nullopt);
  EXPECT_EQ(too_deep_at("\"\\", 0), std::nullopt);
}

TEST(JsonObject, members_can_be_read_in_any_order) {
  const JsonObject file(R"({"a": 1, "b": "x", "c": {"a": 2}})", "t.json");
  EXPECT_EQ(file.at("b").text("b"), "x");
  EXPECT_EQ(file.at("a").number("a"), 1);
  EXPECT_TRUE(file.has("c", JsonReader::Kind::object));
  EXPECT_FALSE(file.has("c", JsonReader::Kind::text));
  EXPECT_FALSE(file.has("d"));
  EXPECT_THROW(file.at("d"), Error);
}

}  // namespace json_reader_test
