// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/values/options.hpp"

#include <gmock/gmock.h>

#include "assay/base/test_files.hpp"
#include "assay/qa/agent/prompt.hpp"
#include "assay/qa/values/truth.hpp"
#include "assay/stats/vectors_for_test.hpp"

namespace assay::qa::options_test {

using test::refusal;
using ::testing::HasSubstr;
using Strings = std::vector<std::string>;

TEST(Options, lists) {
  const std::pair<std::string, Strings> cases[] = {
      {"", {}},
      {"  ", {}},
      {"[]", {}},
      {"()", {}},
      {R"(["Lung", "Breast"])", {"Lung", "Breast"}},
      {R"(["a", 2, 2.50, ""])", {"a", "2", "2.50", ""}},
      {"['Lung', 'Breast']", {"Lung", "Breast"}},
      {"('a', 'b')", {"a", "b"}},
      {"('a',)", {"a"}},
      {"['a', 'b',]", {"a", "b"}},
      {R"(["O'Brien", 'say "x"', 'it\'s'])", {"O'Brien", "say \"x\"", "it's"}},
      {R"(['\x41\u00e9\U0001F600\101\n\\', r'\n', u'x'])", {"Aé😀A\n\\", "\\n", "x"}},
      {R"(['a' 'b', '''c
d''', 3, -1.5])",
       {"ab", "c\nd", "3", "-1.5"}},
      {R"(['unknown \escape'])", {"unknown \\escape"}},
      {"['', ' ', 'x']", {"", " ", "x"}},
      {" A | B ", {"A", "B"}},
      {"A||B", {"A", "", "B"}},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(parse_options(text), expected) << text;
}

TEST(Options, refusals) {
  for (const char* text :
       {R"({"a": 1})", "3", "\"x\"", "Lung", "['a'", "['a' 3]", "[a, b]", "['a'] x", "('a')",
        "[b'x']", "[['a']]", "[null]", "{'a', 'b'}", "['\\N{DASH}']", "['a\n']", "[,]", "['a',,]"})
    EXPECT_THAT(refusal([&] { parse_options(text); }), HasSubstr("options ")) << text;
}

TEST(Prompt, options_and_braces) {
  const Strings organs = {"Lung", "Breast"};
  EXPECT_EQ(injected_prompt("Choose: {options}", organs), "Choose: 1. Lung\n2. Breast");
  EXPECT_EQ(injected_prompt("Q?", organs),
            "Q?\n\nSelect from the following options:\n1. Lung\n2. Breast\n\nPlease respond with "
            "the option number (1-based index).");
  EXPECT_EQ(injected_prompt("{options}\n{{\"answer\": X}}", organs),
            "1. Lung\n2. Breast\n{\"answer\": X}");
  EXPECT_EQ(injected_prompt("{\"answer\": X}", {}), "{\"answer\": X}");
  EXPECT_EQ(injected_prompt("{{\n\"isup_grade\": N\n}}", {}), "{\n\"isup_grade\": N\n}");
  EXPECT_EQ(injected_prompt("{options}", Strings{"a {{b}}", "{options}"}),
            "1. a {{b}}\n2. {options}");
}

TEST(Truth, labels) {
  EXPECT_EQ(truth_label("LiVeR", "gtex", Strings{"heart", "liver"}), 2);
  EXPECT_EQ(truth_label("b", "gtex", Strings{"B", "b"}), 2);
  EXPECT_EQ(truth_label(" 2 ", "tcga", Strings{"A", "B"}), 2);
  EXPECT_EQ(truth_label("3", "tcga_slidebench", Strings{"2", "3", "4", "5"}), 3);
  EXPECT_EQ(truth_label("0", "PANDA", {}), 0);
  EXPECT_EQ(truth_label("30", "tcga", {}), 30);
  EXPECT_EQ(truth_label("900", "unknown", {}), 900);
  const std::tuple<const char*, const char*, Strings, const char*> refused[] = {
      {"0", "tcga", {"A", "B"}, "out of range; it must be 1 to 2"},
      {"3", "tcga", {"A", "B"}, "out of range"},
      {"31", "tcga", {}, "out of range; it must be 1 to 30"},
      {"6", "panda", {}, "an ISUP grade is 0 to 5"},
      {"-1", "unknown", {}, "must not be negative"},
      {"  ", "tcga", {}, "Empty truth label"},
      {"??x", "tcga", {}, "Could not parse truth label '??x'"},
      {"2.0", "tcga", {}, "Could not parse truth label"},
      {"99999999999999999999", "x", {}, "Could not parse truth label"},
      {"C", "tcga", {"A", "B"}, "neither a number nor one of the options"},
  };
  for (const auto& [answer, benchmark, options, message] : refused)
    EXPECT_THAT(refusal([&, a = answer, b = benchmark, o = options] { truth_label(a, b, o); }),
                HasSubstr(message));
}

/// What the original project expects; its prompt that keeps doubled braces is a known trap.
TEST(Items, cases_of_the_original_project) {
  const auto all = vectors::file("specification-cases.json");
  std::size_t seen = 0;
  for (const auto& item : all.at("cases")) {
    const std::string category = item.at("category"), id = item.at("id");
    const auto& in = item.at("input");
    const auto& want = item.at("expected");
    const auto options = [&] {
      return in.at("options").is_null() ? Strings() : in.at("options").get<Strings>();
    };
    if (category == "options_parsing") {
      const auto text = in.at("text").get<std::string>();
      if (want.is_object())
        EXPECT_NE(refusal([&] { parse_options(text); }), "") << id;
      else
        EXPECT_EQ(parse_options(text), want.get<Strings>()) << id;
    } else if (category == "option_injection" && !id.ends_with("doubled_braces_not_unescaped")) {
      EXPECT_EQ(injected_prompt(in.at("prompt").get<std::string>(), options()), want) << id;
    } else if (category == "truth_label") {
      const std::string answer = in.at("answer"), benchmark = in.at("benchmark");
      if (want.is_object())
        EXPECT_THAT(refusal([&] { truth_label(answer, benchmark, options()); }),
                    HasSubstr(want.at("message_contains").get<std::string>()))
            << id;
      else
        EXPECT_EQ(truth_label(answer, benchmark, options()), want) << id;
    } else {
      continue;
    }
    ++seen;
  }
  EXPECT_GE(seen, 16U);
}

}  // namespace assay::qa::options_test
