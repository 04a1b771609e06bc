// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "assay/qa.hpp"
#include "assay/stats/vectors_for_test.hpp"

namespace assay::qa::extract_test {

using Label = std::optional<std::int64_t>;
using Strings = std::vector<std::string>;

const Strings organs = {"Lung", "Breast", "Colon", "Liver"};
const Strings levels = {"Low", "Medium", "High", "Cannot determine"};
const Strings eleven = {"Alveoli", "Bronchus", "Capsule", "Duct",     "Epithelium", "Fat",
                        "Gland",   "Hilum",    "Infarct", "Juncture", "Keratin"};
const Strings kidney = {"Clear cell renal cell carcinoma", "Renal cell carcinoma", "No", "Yes"};
const Strings grades = {"2", "3", "4", "5"};

struct Case {
  std::string text;
  Label label;
  std::string rule;
};

void expect(const std::vector<Case>& cases, const std::string& benchmark, const Strings& options) {
  for (const Case& c : cases) {
    const ExtractedAnswer found = extract_label(c.text, benchmark, options);
    EXPECT_EQ(found.label, c.label) << c.text << " by " << found.rule;
    EXPECT_EQ(found.rule, c.rule) << c.text;
    EXPECT_LE(found.span.first, found.span.second) << c.text;
    EXPECT_LE(found.span.second, found.raw.size()) << c.text;
  }
}

std::string spanned(const std::string& text, const std::string& benchmark, const Strings& options) {
  const ExtractedAnswer found = extract_label(text, benchmark, options);
  return found.raw.substr(found.span.first, found.span.second - found.span.first);
}

TEST(Extract, json_that_the_prompt_asks_for) {
  expect(
      {
          {R"({"answer": 3})", 3, "json"},
          {"```json\n{\"answer\": 2}\n```", 2, "json"},
          {R"({{"answer": 4}})", 4, "json"},
          {R"({"Answer": "3"})", 3, "json"},
          {R"({"ANSWER": "C"})", 3, "json"},
          {R"({"answer": "Liver"})", 4, "json"},
          {R"({"answer": "Option 2"})", 2, "json"},
          {R"({"answer": "2. Breast"})", 2, "json"},
          {R"({"answer": [3]})", 3, "json"},
          {R"({"answer": 3.0})", 3, "json"},
          {R"({"final_answer": 1})", 1, "json"},
          {R"({"step": 1} then {"result": {"answer": 2}})", 2, "json"},
          {R"({"answer": 1, "alternatives": [{"answer": 2}]})", 1, "json"},
          {R"(Between 2 candidates I chose {"answer": 4})", 4, "json"},
          {R"(Lung and Breast are possible. {"answer": 4})", 4, "json"},
          {R"({"answer": 1} or again {"answer": 1})", 1, "json"},
          {R"({"answer": 1} or {"answer": 2})", {}, "contradiction"},
          {R"({"answer": [1, 2]})", {}, "contradiction"},
          {R"({"answer": "1. Liver"})", {}, "unreadable"},
          {R"({"answer": 5})", {}, "out_of_range"},
          {R"({"answer": 0})", {}, "out_of_range"},
          {R"({"answer": -1})", {}, "out_of_range"},
          {R"({"answer": 1e300})", {}, "out_of_range"},
          {R"({"answer": 2.5})", {}, "unreadable"},
          {R"({"answer": NaN})", {}, "unreadable"},
          {R"({"answer": true})", {}, "unreadable"},
          {R"({"answer": null})", {}, "unreadable"},
          {R"({"answer": "unsure"} Lung)", {}, "unreadable"},
          {R"({'answer': 3})", 3, "json"},
          {R"({"answer": 3,})", 3, "json"},
          {R"({{"a": {{"b": 1}}, "answer": "B"}})", 2, "json"},
      },
      "tcga", organs);
}

TEST(Extract, response_blocks) {
  expect(
      {
          {"<report>3 regions examined</report><response>{\"answer\": 2}</response>", 2, "json"},
          {"{\"answer\": 1} <response>{\"answer\": 2}</response>", 2, "json"},
          {"<report>Lung, Breast</report><response>3</response>", 3, "response"},
          {"<response>Liver</response>", 4, "response"},
          {"<RESPONSE>(B)", 2, "response"},
          {"<answer>2</answer>", 2, "response"},
          {"Breast <response>1 or 2</response>", {}, "contradiction"},
          {"<response>unclear</response> The answer is 2", 2, "answer"},
      },
      "gtex", organs);
}

TEST(Extract, statements) {
  expect(
      {
          {"The answer is A.", 1, "answer"},
          {"My answer is b.", 2, "answer"},
          {"I believe the answer is D", 4, "answer"},
          {"**Answer:** C", 3, "answer"},
          {"Answer: **(3)**", 3, "answer"},
          {"The correct option is 4.", 4, "answer"},
          {"The answer would be option 2", 2, "answer"},
          {"The answer is most likely Liver.", 4, "answer"},
          {"The answer is Lung rather than Breast", 1, "answer"},
          {"The answer is not Lung but Breast", 2, "answer"},
          {"Final answer: 3. Colon", 3, "final_answer"},
          {"Final answer: 3. Lung", {}, "contradiction"},
          {"The answer is 2. Wait. Final answer: 3", 3, "final_answer"},
          {"The answer is 2. No, the answer is 3.", {}, "contradiction"},
          {"The answer is 3. Yes, the answer is 3.", 3, "answer"},
          {"The answer is 3 or 4", {}, "contradiction"},
          {"The answer is B/C", {}, "contradiction"},
          {"The answer is 7", {}, "out_of_range"},
          {"The answer is 2.5", {}, "none"},
          {"Option 2, a typical case", 2, "option"},
          {"Option 2 is correct", 2, "option"},
          {"Vitamin D deficiency; option 2", 2, "option"},
          {"Option 2 is wrong, option 3 fits", 3, "option"},
          {"It is not option 2", {}, "none"},
          {"Option 1 and option 4 both fit", {}, "contradiction"},
          {"I'd say C", 3, "option"},
          {"I would choose option B because of the glands", 2, "option"},
          {"The answer is a high-grade lesion", {}, "none"},
          {"The answer is B cell lymphoma", {}, "none"},
          {"To answer question 2 I looked twice", {}, "none"},
      },
      "tcga", organs);
  expect({{"This is a high-grade lesion; answer 3.", 3, "option"},
          {"high-grade", 3, "option_text"},
          {"The answer is cannot determine", 4, "answer"}},
         "tcga_expert_vqa", levels);
}

TEST(Extract, lone_tokens_and_letters) {
  expect(
      {
          {"K", 11, "lone_token"},
          {"k.", 11, "lone_token"},
          {"**7**", 7, "lone_token"},
          {"(11)", 11, "lone_token"},
          {"12", {}, "out_of_range"},
          {"L", {}, "none"},
          {"0", {}, "out_of_range"},
          {"-1", {}, "none"},
          {"1.5", {}, "none"},
          {"30%", {}, "none"},
          {"Glands are seen.\n\nG", 7, "lone_token"},
          {"(K) Keratin", 11, "numbered_option"},
          {"11. Keratin", 11, "numbered_option"},
          {"10. Keratin", {}, "contradiction"},
          {"I looked twice and take (J)", 10, "letter"},
          {"Diagnosis: F", 6, "letter"},
          {"Clearly *F* here", 6, "letter"},
          {"(A) or (B)", {}, "contradiction"},
          {"Vitamin D is low", {}, "none"},
          {"A or B", {}, "contradiction"},
          {"A lesion of I. Newton", {}, "none"},
          {"", {}, "none"},
      },
      "tcga_slidebench", eleven);
}

TEST(Extract, option_texts) {
  expect(
      {
          {"LUNG", 1, "option_text"},
          {"This is Breast tissue", 2, "option_text"},
          {"Lung, as in all lung tissue", 1, "option_text"},
          {"Lungs", 1, "spelling"},
          {"Lung or Breast", {}, "contradiction"},
          {"Not Lung; Breast", 2, "option_text"},
          {"Lung is unlikely. Breast", 2, "option_text"},
          {"Most consistent with Lung, although Liver is possible.", 1, "option_text"},
          {"Liver\nmetastasis", 4, "option_text"},
      },
      "gtex", organs);
  expect({{"Clear cell renal cell carcinoma", 1, "option_text"},
          {"A renal cell carcinoma.", 2, "option_text"},
          {"There is no invasion and yes it is large", {}, "none"},
          {"No.", 3, "option_text"},
          {"Yes, clearly", 4, "option_text"}},
         "tcga_slidebench", kidney);
  expect({{"Don't know", 2, "option_text"}, {"both invasive and in situ", 3, "option_text"}}, "x",
         {"Clear", "Don’t know", "Both  invasive and in situ."});
}

TEST(Extract, numeric_options_are_positions) {
  expect({{"4", 4, "lone_token"},
          {"5", 4, "lone_token"},
          {"{\"answer\": 4}", 4, "json"},
          {"{\"answer\": 5}", {}, "out_of_range"},
          {"The answer is 2", 2, "answer"},
          {"The pattern is 3 here", 3, "option_text"},
          {"6", {}, "out_of_range"}},
         "tcga_slidebench", grades);
}

TEST(Extract, panda) {
  expect(
      {
          {"{\"isup_grade\": 4}", 4, "json"},
          {"{\"primary_pattern\": 3, \"total_score\": 7, \"isup_grade\": 2}", 2, "json"},
          {"{{\n\"primary_pattern\": 4,\n\"isup_grade\": 3\n}}", 3, "json"},
          {"{\"x\": 1} {\"isup_grade\": 3}", 3, "json"},
          {"{\"report\": {\"isup_grade\": 5}}", 5, "json"},
          {"{\"ISUP_grade\": 3}", 3, "json"},
          {"{\"ISUP Grade\": \"Grade 3\"}", 3, "json"},
          {"{\"isup_grade\": \"Grade Group 2\"}", 2, "json"},
          {"{\"isup_grade\": \"2\"}", 2, "json"},
          {"{\"isup_grade\": null}", 0, "json"},
          {"{'isup_grade': None}", 0, "json"},
          {"{\"isup_grade\": 6}", {}, "out_of_range"},
          {"{\"isup_grade\": -1}", {}, "out_of_range"},
          {"{\"isup_grade\": 3.7}", {}, "unreadable"},
          {"{\"isup_grade\": true}", {}, "unreadable"},
          {"{\"isup_grade\": 1} {\"isup_grade\": 2}", {}, "contradiction"},
          {"{\"answer\": 3}", 3, "json"},
          {"ISUP grade 3", 3, "isup_grade"},
          {"The ISUP grade is 2", 2, "isup_grade"},
          {"**ISUP Grade:** 4", 4, "isup_grade"},
          {"ISUP Grade Group 1", 1, "isup_grade"},
          {"Grade Group 5 (Gleason 9)", 5, "isup_grade"},
          {"Gleason 4+3=7, ISUP grade 3", 3, "isup_grade"},
          {"ISUP grade 2 or 3", {}, "contradiction"},
          {"ISUP grade 3, Grade Group 4", {}, "contradiction"},
          {"ISUP grade 7", {}, "out_of_range"},
          {"The grade is 3", 3, "grade"},
          {"Gleason grade 4", {}, "none"},
          {"Gleason score 7", {}, "none"},
          {"Final answer: ISUP grade 1", 1, "final_answer"},
          {"3", 3, "lone_token"},
          {"No cancer seen.", {}, "none"},
          {"At (15000, 20000) there are glands", {}, "none"},
      },
      "PANDA", {});
}

TEST(Extract, reasoning_is_not_an_answer) {
  expect({{"<think>The answer is 1.</think>The answer is 2.", 2, "answer"},
          {"The answer is 1.</think> {\"answer\": 3}", 3, "json"},
          {"<think>The answer is 1.", {}, "none"},
          {"<THINK>{\"answer\": 1}</THINK> B", 2, "lone_token"}},
         "tcga", organs);
}

TEST(Extract, without_options) {
  expect({{"2", 2, "lone_token"},
          {"31", {}, "out_of_range"},
          {"I count 12.", 12, "only_number"},
          {"2 of 3", {}, "contradiction"}},
         "tcga", {});
  expect({{"I count 31 of them", 31, "only_number"}}, "unknown", {});
}

TEST(Extract, spans_are_bytes_of_the_answer) {
  EXPECT_EQ(spanned("  Schön: {\"answer\": 3}  ", "tcga", organs), "3");
  EXPECT_EQ(spanned("ä ö <response> Breast </response>", "tcga", organs), "Breast");
  EXPECT_EQ(spanned("<think>ü 1</think>The  answer  is  4.", "tcga", organs), "4");
  EXPECT_EQ(spanned("é — invasive, both  invasive and\nin situ", "x",
                    {"Clear", "both invasive and in situ"}),
            "both  invasive and\nin situ");
}

/// Whatever the text, no rules may run long or fail.
TEST(Extract, hostile_texts) {
  Strings texts = {std::string(20000, '{'), std::string(1000, '[') + "1",     "\xff\xfe{\"answer\"",
                   std::string(20000, '9'), "<think></think></think><think>", "{\"answer\":"};
  std::string nested, open;
  for (int i = 0; i < 4000; ++i) {
    nested += "{\"answer\":";
    open += "<response>";
  }
  texts.insert(texts.end(), {nested, open, nested + "1" + std::string(4000, '}')});
  for (const std::string& text : texts)
    for (const auto& rules : extraction_rules())
      for (const std::string benchmark : {"panda", "tcga"})
        EXPECT_LE(extract_label(text, benchmark, organs, rules.value).span.second, text.size());
}

Strings options_of(const vectors::Json& value) {
  return value.is_null() ? Strings() : value.get<Strings>();
}

Label label_of(const vectors::Json& value) {
  return value.is_null() ? Label() : Label(value.get<std::int64_t>());
}

TEST(Extract, reference_vectors) {
  const auto all = vectors::reference("answer_extraction");
  for (const auto& item : all.at("cases")) {
    const auto text = item.at("prediction").get<std::string>();
    const auto benchmark = item.at("benchmark").get<std::string>();
    const Strings options = options_of(item.at("options"));
    const auto label = [&](ExtractionRules rules) {
      return extract_label(text, benchmark, options, rules).label;
    };
    EXPECT_EQ(label(ExtractionRules::spec), label_of(item.at("spec_label"))) << text;
    EXPECT_EQ(label(ExtractionRules::giant), label_of(item.at("giant_label"))) << text;
    const ExtractedAnswer ours = extract_label(text, benchmark, options);
    const bool silent = text == "No cancer seen." || text == R"({"isup_grade": null})";
    if (!silent) EXPECT_EQ(ours.label, label_of(item.at("intended"))) << text;
  }
}

/// Answers as models and doctors give them, with the label that a reader gives them.
TEST(Extract, natural_answers) {
  const auto all = vectors::file("qa_answers.json");
  std::size_t seen = 0;
  for (const auto& item : all.at("cases")) {
    const auto& question = all.at("questions").at(item.at("question").get<std::string>());
    const auto text = item.at("prediction").get<std::string>();
    const auto rule = item.at("rule").get<std::string>();
    const Label wanted = label_of(item.at("label"));
    const ExtractedAnswer found = extract_label(text, question.at("benchmark").get<std::string>(),
                                                question.at("options").get<Strings>());
    ++seen;
    if (rule == "missed") {  // not read yet; it must never become another label
      EXPECT_TRUE(!found.label || found.label == wanted) << text << " by " << found.rule;
      continue;
    }
    EXPECT_EQ(found.label, wanted) << text << " by " << found.rule;
    EXPECT_EQ(found.rule, rule) << text;
    EXPECT_LE(found.span.second, found.raw.size()) << text;
  }
  EXPECT_GT(seen, 600U);
}

TEST(Extract, cases_of_the_original_project) {
  const auto all = vectors::file("specification-cases.json");
  std::size_t seen = 0;
  for (const auto& item : all.at("cases")) {
    const auto category = item.at("category").get<std::string>();
    if (!category.starts_with("answer_extraction")) continue;
    ++seen;
    const auto& in = item.at("input");
    const auto text = in.at("prediction").get<std::string>();
    const ExtractedAnswer found =
        extract_label(text, in.at("benchmark").get<std::string>(), options_of(in.at("options")),
                      ExtractionRules::giant);
    EXPECT_EQ(found.label, label_of(item.at("expected").at("label"))) << item.at("id");
    if (item.at("expected").contains("raw")) EXPECT_EQ(found.raw, item.at("expected").at("raw"));
    if (category == "answer_extraction")
      EXPECT_EQ(
          extract_label(text, in.at("benchmark").get<std::string>(), options_of(in.at("options")))
              .label,
          label_of(item.at("expected").at("label")))
          << item.at("id");
  }
  EXPECT_GT(seen, 30U);
}

}  // namespace assay::qa::extract_test
