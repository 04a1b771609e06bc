// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/answers/answer_phrases.hpp"

namespace assay::qa::phrases {
namespace {

constexpr std::u32string_view link_words[] = {
    U"is",    U"was",  U"are",     U"be",     U"would", U"should", U"will", U"must",
    U"being", U"ist",  U"lautet",  U"wäre",   U"est",   U"serait", U"es",   U"sería",
    U"è",     U"é",    U"sarebbe", U"seria",  U"是",    U"为",     U"為",   U"は",
    U"が",    U"就是", U"应为",    U"应该是", U"應該是"};
constexpr std::u32string_view aside_words[] = {
    U"to this question", U"to the question", U"here",     U"choice",   U"option",
    U"number",           U"letter",          U"correcta", U"corretta", U"correta",
    U"correcte",         U"exacte",          U"giusta",   U"certa"};
constexpr std::u32string_view unsure_list[] = {U"not sure", U"unsure", U"cannot determine",
                                               U"don't know", U"uncertain"};
constexpr std::u32string_view filler_words[] = {U"the",
                                                U"option",
                                                U"number",
                                                U"choice",
                                                U"letter",
                                                U"clearly",
                                                U"most",
                                                U"likely",
                                                U"probably",
                                                U"therefore",
                                                U"thus",
                                                U"index",
                                                U"isup",
                                                U"grade",
                                                U"group",
                                                U"definitely",
                                                U"of",
                                                U"that",
                                                U"this",
                                                U"simply",
                                                U"with",
                                                U"it",
                                                U"is",
                                                U"my",
                                                U"label",
                                                U"answer",
                                                U"class",
                                                U"für",
                                                U"die",
                                                U"das",
                                                U"der",
                                                U"nummer",
                                                U"nr",
                                                U"buchstabe",
                                                U"la",
                                                U"le",
                                                U"el",
                                                U"il",
                                                U"l'option",
                                                U"numéro",
                                                U"número",
                                                U"numero",
                                                U"opción",
                                                U"opzione",
                                                U"opção",
                                                U"lettre",
                                                U"letra",
                                                U"lettera",
                                                U"correct",
                                                U"right",
                                                U"best",
                                                U"for",
                                                U"to",
                                                U"be",
                                                U"gg",
                                                U"probablement",
                                                U"wahrscheinlich",
                                                U"alternativa",
                                                U"l'opzione",
                                                U"第",
                                                U"选项",
                                                U"選項",
                                                U"選択肢",
                                                U"番号",
                                                U"no.",
                                                U"a letra",
                                                U"a opção",
                                                U"a alternativa",
                                                U"lettera",
                                                U"a resposta",
                                                U"réponse",
                                                U"antwort",
                                                U"respuesta",
                                                U"risposta",
                                                U"resposta",
                                                U"a"};
constexpr std::u32string_view comment_words[] = {
    U"because", U"since", U"as",     U"is",     U"based", U"due",    U"given",   U"which", U"or",
    U"and",     U"with",  U"for",    U"but",    U"not",   U"rather", U"instead", U"weil",  U"da",
    U"parce",   U"car",   U"porque", U"perché", U"pois",  U"in",     U"from",    U"over",  U"than",
    U"so",      U"to",    U"ist",    U"est",    U"es",    U"è",      U"é"};
constexpr std::u32string_view unit_words[] = {
    U"mm",        U"cm",     U"µm",      U"μm",      U"um",         U"nm",      U"x",
    U"years",     U"year",   U"months",  U"days",    U"weeks",      U"mitoses", U"mitotic",
    U"hpf",       U"hpfs",   U"fields",  U"pieces",  U"piece",      U"slides",  U"slide",
    U"nodes",     U"node",   U"lymph",   U"percent", U"times",      U"fold",    U"points",
    U"out",       U"of",     U"regions", U"region",  U"crops",      U"crop",    U"steps",
    U"step",      U"cells",  U"glands",  U"cores",   U"per",        U"options", U"foci",
    U"fragments", U"pixels", U"px",      U"to",      U"candidates", U"patches", U"samples",
    U"images",    U"types",  U"layers",  U"minutes", U"cases"};
constexpr std::u32string_view negator_words[] = {U"not",   U"nicht", U"pas",  U"no",   U"non",
                                                 U"não",   U"n'est", U"不是", U"并非", U"ではなく",
                                                 U"no es", U"não é", U"non è"};
constexpr std::u32string_view no_link_words[] = {U"n'est", U"不是",  U"并非",
                                                 U"no es", U"não é", U"non è"};
constexpr std::u32string_view contrast_words[] = {
    U"but",     U"however", U"whereas", U"while",     U"although", U"though", U"yet",   U"sondern",
    U"aber",    U"mais",    U"sino",    U"pero",      U"ma",       U"bensì",  U"mas",   U"而是",
    U"because", U"since",   U"so",      U"therefore", U"favour",   U"favor",  U"prefer"};
constexpr std::u32string_view correction_words[] = {U"wait",
                                                    U"actually",
                                                    U"on second thought",
                                                    U"on second thoughts",
                                                    U"scratch that",
                                                    U"correction",
                                                    U"i change my",
                                                    U"let me correct",
                                                    U"let me reconsider",
                                                    U"i misspoke",
                                                    U"i take that back",
                                                    U"upon reflection",
                                                    U"on reflection",
                                                    U"on closer look",
                                                    U"on closer inspection",
                                                    U"no, wait",
                                                    U"no wait",
                                                    U"sorry, i meant",
                                                    U"i meant",
                                                    U"revised answer",
                                                    U"corrected answer",
                                                    U"hold on",
                                                    U"hmm, no",
                                                    U"oops",
                                                    U"moment",
                                                    U"korrektur",
                                                    U"nein, doch",
                                                    U"en fait",
                                                    U"correction :",
                                                    U"perdón",
                                                    U"corrección",
                                                    U"correzione",
                                                    U"anzi",
                                                    U"correção",
                                                    U"更正",
                                                    U"不对",
                                                    U"不對",
                                                    U"訂正",
                                                    U"いや"};
constexpr std::u32string_view conclusion_words[] = {
    U"therefore",      U"thus",         U"hence", U"in conclusion", U"in summary",   U"overall",
    U"to conclude",    U"consequently", U"so",    U"in the end",    U"ultimately",   U"altogether",
    U"taken together", U"daher",        U"somit", U"donc",          U"por lo tanto", U"quindi",
    U"portanto",       U"因此",         U"所以",  U"综上",          U"したがって",   U"よって"};
constexpr std::u32string_view final_words[] = {
    U"final",   U"finally", U"corrected", U"correction", U"revised",   U"wait",  U"actually",
    U"updated", U"instead", U"最终",      U"最終",       U"endgültig", U"finale"};

constexpr std::u32string_view before_words[] = {
    U"not",      U"no",      U"never",    U"neither",   U"nor",       U"without",    U"cannot",
    U"can't",    U"isn't",   U"wasn't",   U"aren't",    U"doesn't",   U"don't",      U"didn't",
    U"won't",    U"exclude", U"excludes", U"excluding", U"excluded",  U"unlikely",   U"against",
    U"rules",    U"ruled",   U"ruling",   U"rule",      U"eliminate", U"eliminates", U"eliminated",
    U"lacks",    U"lack",    U"lacking",  U"absence",   U"negative",  U"nicht",      U"kein",
    U"keine",    U"pas",     U"non",      U"não",       U"sin",       U"sans",       U"senza",
    U"sem",      U"ohne",    U"wrong",    U"incorrect", U"less",      U"rejected",   U"reject",
    U"if",       U"whether", U"不是",     U"并非",      U"排除",      U"wouldn't",   U"shouldn't",
    U"couldn't", U"haven't"};
constexpr std::u32string_view close_words[] = {U"than",    U"unlike",  U"instead", U"except",
                                               U"besides", U"opposed", U"wie"};
constexpr std::u32string_view next_words[] = {U"over",          U"statt",       U"distinct",
                                              U"different",     U"distinguish", U"differentiate",
                                              U"distinguished", U"separate"};
constexpr std::u32string_view after_words[] = {
    U"not",      U"unlikely", U"excluded", U"incorrect", U"wrong",  U"eliminated", U"ruled",
    U"less",     U"isn't",    U"cannot",   U"can't",     U"wasn't", U"doesn't",    U"absent",
    U"rejected", U"nicht",    U"don't",    U"aren't",    U"lacks",  U"out"};
constexpr std::u32string_view hedge_before_words[] = {
    U"possible", U"possibly",  U"maybe",      U"perhaps",     U"could",        U"might",
    U"may",      U"consider",  U"considered", U"considering", U"differential", U"alternatively",
    U"mimic",    U"mimics",    U"mimicking",  U"resemble",    U"resembles",    U"resembling",
    U"like",     U"initially", U"thought",    U"suspected",   U"although",     U"though",
    U"despite",  U"besides",   U"includes",   U"include",     U"including",    U"similar",
    U"typical",  U"whereas",   U"while"};
constexpr std::u32string_view hedge_after_words[] = {
    U"would",    U"could",      U"might",   U"may",  U"typically",   U"usually", U"often",
    U"possible", U"considered", U"remains", U"also", U"conceivable", U"usual"};
constexpr std::u32string_view article_words[] = {
    U"the", U"a",   U"an",  U"with", U"of", U"in", U"option", U"choice", U"number",
    U"der", U"die", U"das", U"to",   U"is", U"be", U"grade",  U"from",   U"it"};

constexpr std::u32string_view level_list[] = {
    U"low",      U"medium",    U"high",      U"very high", U"intermediate", U"moderate", U"mild",
    U"none",     U"some",      U"most",      U"all",       U"few",          U"many",     U"normal",
    U"abnormal", U"increased", U"decreased", U"clear",     U"round",        U"marked",   U"severe",
    U"absent",   U"present",   U"small",     U"large",     U"positive",     U"negative", U"left",
    U"right",    U"focal",     U"diffuse",   U"zero"};
constexpr std::u32string_view optics_words[] = {U"power",          U"magnification", U"resolution",
                                                U"magnifications", U"powered",       U"quality"};
constexpr std::u32string_view prefix_words[] = {U"non",    U"pre",  U"intra", U"extra", U"peri",
                                                U"pseudo", U"anti", U"micro", U"sub",   U"inter"};
constexpr std::u32string_view prose_list[] = {U"no",  U"yes", U"not", U"may", U"can",
                                              U"the", U"and", U"any", U"due"};
constexpr std::u32string_view stage_list[] = {U"stage",    U"grade", U"type",    U"class",
                                              U"category", U"level", U"stadium", U"grad"};
constexpr std::u32string_view certainty_words[] = {
    U"sure",        U"certain", U"confident", U"confidence", U"certainty",
    U"probability", U"likely",  U"sicher",    U"sûr",        U"seguro"};

constexpr NumberWord ordinal_list[] = {
    {U"first", 1}, {U"second", 2},  {U"third", 3},  {U"fourth", 4}, {U"fifth", 5},
    {U"sixth", 6}, {U"seventh", 7}, {U"eighth", 8}, {U"ninth", 9},  {U"tenth", 10},
    {U"1st", 1},   {U"2nd", 2},     {U"3rd", 3},    {U"4th", 4}};
constexpr NumberWord cardinal_list[] = {
    {U"one", 1},      {U"two", 2},        {U"three", 3},     {U"four", 4},      {U"five", 5},
    {U"six", 6},      {U"seven", 7},      {U"eight", 8},     {U"nine", 9},      {U"ten", 10},
    {U"eleven", 11},  {U"twelve", 12},    {U"thirteen", 13}, {U"fourteen", 14}, {U"fifteen", 15},
    {U"sixteen", 16}, {U"seventeen", 17}, {U"eighteen", 18}, {U"nineteen", 19}, {U"twenty", 20},
    {U"zero", 0}};
constexpr NumberWord roman_list[] = {{U"i", 1},  {U"ii", 2},  {U"iii", 3},  {U"iv", 4}, {U"v", 5},
                                     {U"vi", 6}, {U"vii", 7}, {U"viii", 8}, {U"ix", 9}, {U"x", 10}};

}  // namespace

Phrases links() {
  return link_words;
}
Phrases asides() {
  return aside_words;
}
Phrases unsure() {
  return unsure_list;
}
Phrases fillers() {
  return filler_words;
}
Phrases comments() {
  return comment_words;
}
Phrases units() {
  return unit_words;
}
Phrases no_links() {
  return no_link_words;
}
Phrases negators() {
  return negator_words;
}
Phrases contrasts() {
  return contrast_words;
}
Phrases corrections() {
  return correction_words;
}
Phrases conclusions() {
  return conclusion_words;
}
Phrases finals() {
  return final_words;
}
Phrases deny_before() {
  return before_words;
}
Phrases deny_close() {
  return close_words;
}
Phrases deny_next() {
  return next_words;
}
Phrases deny_after() {
  return after_words;
}
Phrases hedge_before() {
  return hedge_before_words;
}
Phrases hedge_after() {
  return hedge_after_words;
}
Phrases articles() {
  return article_words;
}
Phrases level_words() {
  return level_list;
}
Phrases optics() {
  return optics_words;
}
Phrases prefixes() {
  return prefix_words;
}
Phrases prose_words() {
  return prose_list;
}
Phrases stage_nouns() {
  return stage_list;
}
Phrases certainty() {
  return certainty_words;
}
std::span<const NumberWord> ordinals() {
  return ordinal_list;
}
std::span<const NumberWord> cardinals() {
  return cardinal_list;
}
std::span<const NumberWord> romans() {
  return roman_list;
}

}  // namespace assay::qa::phrases
