// SPDX-License-Identifier: Apache-2.0
#include "assay/base/json.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <random>

#include "assay/base/test_files.hpp"
#include "assay/error.hpp"
#include "assay/threads.hpp"

namespace json_test {

using namespace assay;

TEST(Json, doubles_are_short_and_read_back_equal) {
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(1), "1.0");
  EXPECT_EQ(shortest(-0.0), "-0.0");
  EXPECT_EQ(shortest(1e22), "1e+22");
  std::mt19937_64 rng(1);
  for (int i = 0; i < 10000; ++i) {
    const auto x = std::bit_cast<double>(rng());
    if (std::isfinite(x)) EXPECT_EQ(parse_json(shortest(x), "x").get<double>(), x);
  }
}

TEST(Json, what_json_lacks_is_null_or_the_token_of_python) {
  const Json value = {{"a", NAN}, {"b", INFINITY}, {"c", {1.5, -INFINITY}}};
  EXPECT_EQ(to_text(value, {.indent = 0}), R"({"a":null,"b":null,"c":[1.5,null]})");
  EXPECT_EQ(to_text(value, {.indent = 0, .python_tokens = true}),
            R"({"a":NaN,"b":Infinity,"c":[1.5,-Infinity]})");
}

TEST(Json, an_object_in_pieces_is_the_text_of_its_tree) {
  Json cases = Json::array();
  for (int i = 0; i < 5000; ++i)
    cases.push_back(
        {{"id", "sub-" + std::to_string(i)}, {"x", {0.5, i}}, {"none", Json::object()}});
  for (const Json& list : {Json(Json::array()), Json::array({Json::object()}), cases})
    for (const JsonStyle& style : {JsonStyle{}, JsonStyle{.indent = 0}, JsonStyle{.indent = 4}}) {
      std::string text;
      std::size_t pieces = 0, largest = 0;
      JsonObjectWriter out(
          [&](std::string_view piece) {
            text += piece;
            ++pieces;
            largest = std::max(largest, piece.size());
          },
          style);
      out.member("schema \"\xff", "x");
      out.list("cases", list.size(), [&](std::size_t i, JsonMembers& element) {
        for (const auto& [key, value] : list[i].items()) element.add(key, value);
      });
      out.member("values", {1.5, NAN});
      out.end();
      EXPECT_EQ(
          text,
          to_text({{"schema \"\xff", "x"}, {"cases", list}, {"values", {1.5, NAN}}}, style) + "\n");
      EXPECT_LT(largest, 100000U) << "more is held than one piece";
      EXPECT_EQ(pieces > 1, list.size() == 5000);
    }
  std::string empty;
  JsonObjectWriter([&](std::string_view piece) { empty += piece; }).end();
  EXPECT_EQ(empty, "{}\n");
}

TEST(Json, a_list_has_the_same_bytes_on_any_number_of_threads) {
  const auto text_with = [](const Executor& executor) {
    std::string text;
    JsonObjectWriter out([&](std::string_view piece) { text += piece; });
    out.list(
        "cases", 20'000,
        [](std::size_t i, JsonMembers& element) {
          element.add("id", std::string(i % 500, 'x'));
          element.add("third", static_cast<double>(i) / 3);
        },
        executor);
    out.end();
    return text;
  };
  const std::string alone = text_with({});
  EXPECT_GT(alone.size(), 5'000'000U);
  for (const unsigned threads : {2U, 3U, 8U}) EXPECT_EQ(text_with(thread_executor(threads)), alone);
}

TEST(Json, members_are_written_as_those_of_a_tree) {
  const Json inner = {
      {"empty", Json::object()}, {"list", {1, "a", nullptr}}, {"no", Json::array()}};
  const std::string texts[] = {"plain", "\"\\/\b\f\n\r\t\x01\x7f", "größe 🧠", "bad \xff\xc3",
                               ""};
  for (const JsonStyle& style : {JsonStyle{}, JsonStyle{.indent = 0}, JsonStyle{.indent = 4}}) {
    Json tree = {{"whole", -5}, {"large", UINT64_MAX}, {"yes", true}, {"x", 0.1}, {"tree", inner}};
    std::string text;
    JsonMembers out(text, style);
    for (const auto& [key, value] : tree.items()) out.add(key, value);
    for (const std::string& each : texts) {
      tree["of " + each] = each;
      out.add("of " + each, each);
    }
    tree["nested"] = {
        {"infinite", INFINITY}, {"list", std::vector{1, 2}}, {"none", Json::object()}};
    out.add_object("nested", [](JsonMembers& nested) {
      nested.add("infinite", INFINITY * 1.0);
      nested.add("list", std::vector{1, 2});
      nested.add_object("none", [](JsonMembers&) {});
    });
    const std::map<double, double> pairs = {{0.5, NAN}, {95, 2.25}};
    tree["counts"] = {1, -2};
    tree["pairs"] = {{0.5, NAN}, {95.0, 2.25}};
    tree["no pairs"] = Json::array();
    tree["no numbers"] = Json::array();
    out.add_list("counts", std::array{1, -2});
    out.add_list("pairs", pairs);
    out.add_list("no pairs", std::map<double, double>());
    out.add_list("no numbers", std::vector<double>());
    out.close();
    EXPECT_EQ(text, to_text(tree, style));
  }
}

TEST(Json, texts_are_escaped_as_the_standard_says) {
  EXPECT_EQ(to_text("a\"b\\c/\b\f\n\r\t\x01\x1f\x7f", {.indent = 0}),
            "\"a\\\"b\\\\c/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\"");
  EXPECT_EQ(to_text("größe 🧠", {.indent = 0}), "\"größe 🧠\"");
  EXPECT_EQ(to_text("1234567\xff!", {.indent = 0}), "\"1234567\xEF\xBF\xBD!\"");
}

TEST(Json, reads_what_python_writes) {
  const Json value = parse_json(R"({"NaN \" Infinity": [NaN, -Infinity, Infinity, "NaN"]})", "p");
  const Json& list = value["NaN \" Infinity"];
  EXPECT_TRUE(std::isnan(list[0].get<double>()));
  EXPECT_EQ(list[1].get<double>(), -INFINITY);
  EXPECT_EQ(list[2].get<double>(), INFINITY);
  EXPECT_EQ(list[3].get<std::string>(), "NaN");
}

TEST(Json, an_error_names_file_and_place_in_our_words) {
  EXPECT_EQ(test::refusal([&] { parse_json("{\n  \"a\": 1,\n", "r.json"); }),
            "r.json: not valid JSON at line 3, column 1; the file may be cut short or not be JSON");
}

std::string place_of_mistake(std::string_view text) {
  try {
    parse_json(text, "r.json");
  } catch (const Error& e) {
    const std::string said = e.what();
    const std::size_t from = said.find("line ");
    return said.substr(from, said.find(';') - from);
  }
  return "none";
}

TEST(Json, the_place_of_a_mistake_does_not_depend_on_tokens_of_python) {
  EXPECT_EQ(place_of_mistake(R"({"a": [NaN, -Infinity, NaN], x})"), "line 1, column 30");
  EXPECT_EQ(place_of_mistake(R"({"a": [123, -12345678, 123], x})"), "line 1, column 30");
  EXPECT_EQ(place_of_mistake("{\"a\": NaN,\n\"b\": [NaN, NaN], x}"), "line 2, column 18");
  EXPECT_EQ(place_of_mistake("{\"a\": [1, NaN NaN]}"), "line 1, column 15");
  EXPECT_EQ(place_of_mistake("{\"a\": \"NaN\", \"b\": NaN"), "line 1, column 21");
  EXPECT_EQ(place_of_mistake("{\"a\": [NaN, Infinity]}"), "none");
}

TEST(Json, text_that_is_not_utf8_is_replaced_in_values_and_keys) {
  EXPECT_EQ(to_text(Json{{"gr\xF6", "\xE4"}}, {.indent = 0}),
            "{\"gr\xEF\xBF\xBD\":\"\xEF\xBF\xBD\"}");
}

TEST(Json, indented_text_keeps_short_lists_on_one_line) {
  EXPECT_EQ(to_text({{"a", {1, 2}}, {"b", Json::array()}, {"c", Json::object()}}),
            "{\n  \"a\": [1, 2],\n  \"b\": [],\n  \"c\": {}\n}");
}

TEST(Json, objects_of_many_members_keep_their_order_and_the_last_of_equal_keys) {
  std::string text = "{", expected = "{";
  for (int i = 0; i < 100; ++i) text += "\"k" + std::to_string(i) + "\":" + std::to_string(i) + ",";
  text += "\"k3\":\"new\",\"k77\":\"new\",\"end\":0}";
  for (int i = 0; i < 100; ++i)
    expected += "\"k" + std::to_string(i) +
                "\":" + (i == 3 || i == 77 ? "\"new\"" : std::to_string(i)) + ",";
  EXPECT_EQ(to_text(parse_json(text, "x"), {.indent = 0}), expected + "\"end\":0}");
}

}  // namespace json_test
