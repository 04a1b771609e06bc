// SPDX-License-Identifier: Apache-2.0
#include "assay/demo/demo_qa.hpp"

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <limits>

#include "assay/base/csv.hpp"
#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/demo/demo_slide.hpp"

namespace assay::demo {
namespace {
namespace fs = std::filesystem;

constexpr std::size_t questions = 12;
constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
constexpr int input_tokens = 2000, output_tokens = 100;
constexpr double input_price = 1.25, output_price = 10;  // US dollars per million tokens
constexpr double call_usd = (input_tokens * input_price + output_tokens * output_price) / 1e6;

constexpr const char* stains[] = {"Low", "Medium", "High", "Cannot determine"};

/// The model's rule. It is right on most questions, so that the score is neither 0 nor 1.
std::size_t models_answer(std::size_t question) {
  return question % 4 + 1;
}

std::size_t truth_of(std::size_t question) {
  return question % 5 == 4 ? (question + 1) % 4 + 1 : question % 4 + 1;
}

std::string table_text() {
  std::string out =
      "benchmark_name,benchmark_id,image_path,answer,options,is_valid,metric_type,file_id,prompt\n";
  for (std::size_t i = 0; i < questions; ++i) {
    const std::string prompt = fmt::format(
        "Question {}: how dense are the nuclei in field {} of this slide?", i, i % 3 + 1);
    out += fmt::format("demo,{},demo.svs,{},{},True,accuracy,,{}\n", i, truth_of(i),
                       csv_field(R"(["Low", "Medium", "High", "Cannot determine"])"),
                       csv_field(prompt));
  }
  return out;
}

/// What the model says after `turns` turns of its own.
std::string words_of(std::size_t question, std::size_t turns) {
  if (turns < 2)
    return Json{{"reasoning", turns == 0 ? "The tissue fills the left half; I look closer."
                                         : "Nuclei are visible; one more field to be sure."},
                {"action",
                 {{"action_type", "crop"},
                  {"x", 200 + 300 * turns + 40 * question},
                  {"y", 300 + 200 * turns},
                  {"width", 800 - 300 * turns},
                  {"height", 600 - 200 * turns}}}}
        .dump();
  const std::size_t label = models_answer(question);
  return Json{
      {"reasoning", fmt::format("The density is best described as {}.", stains[label - 1])},
      {"action", {{"action_type", "answer"}, {"answer_text", Json{{"answer", label}}.dump()}}}}
      .dump();
}

/// The number after "Question " in the conversation.
std::size_t question_in(const std::string& body) {
  const std::size_t at = body.find("Question ");
  return at == body.npos
             ? 0
             : static_cast<std::size_t>(std::strtoull(body.c_str() + at + 9, nullptr, 10));
}

ServerResponse answer_to(const std::string& body) {
  const Json request = parse_json(body, "request");
  std::size_t turns = 0;
  for (const Json& message : request.at("messages")) turns += message.at("role") == "assistant";
  const Json response = {
      {"id", fmt::format("demo-{}-{}", question_in(body), turns)},
      {"model", "demo-1"},
      {"choices",
       {{{"index", 0},
         {"finish_reason", "stop"},
         {"message", {{"role", "assistant"}, {"content", words_of(question_in(body), turns)}}}}}},
      {"usage", {{"prompt_tokens", input_tokens}, {"completion_tokens", output_tokens}}}};
  return {
      .status = 200, .headers = {{"content-type", "application/json"}}, .body = response.dump()};
}

}  // namespace

DemoBenchmark write_demo_benchmark(const fs::path& folder) {
  DemoBenchmark out{.table = folder / "questions.csv",
                    .slides = folder / "slides",
                    .prices = folder / "prices.json",
                    .questions = questions};
  make_folder(out.slides);
  write_demo_slide(out.slides / "demo.svs", {.width = 2048, .height = 1536, .aperio = true});
  write_atomically(out.table, table_text());
  write_atomically(
      out.prices,
      to_text(Json{
          {"demo", {{"input", input_price}, {"output", output_price}, {"image_tokens", 2000}}}}) +
          "\n");
  return out;
}

DemoModel::DemoModel()
    : limit_(never), server_([this](const ServerRequest& request) { return respond(request); }) {}

DemoModel::~DemoModel() {
  release();
}

std::string DemoModel::base_url() const {
  return fmt::format("http://127.0.0.1:{}/v1", server_.port());
}

void DemoModel::hold_after(std::size_t answered) {
  const std::lock_guard lock(mutex_);
  limit_ = answered;
}

bool DemoModel::wait_until_held(std::size_t count) {
  constexpr std::chrono::seconds patience{20};
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [&] { return held_ >= count; });
}

void DemoModel::release() {
  const std::lock_guard lock(mutex_);
  limit_ = never;
  changed_.notify_all();
}

std::size_t DemoModel::answered() const {
  const std::lock_guard lock(mutex_);
  return answered_;
}

std::size_t DemoModel::answered_twice() const {
  const std::lock_guard lock(mutex_);
  return repeated_;
}

double DemoModel::paid_twice_usd() const {
  return static_cast<double>(answered_twice()) * call_usd;
}

ServerResponse DemoModel::respond(const ServerRequest& request) {
  std::unique_lock lock(mutex_);
  if (answered_ >= limit_) {
    ++held_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return answered_ < limit_; });
    --held_;
    return {.status = 503, .headers = {}, .body = "held", .cut = true};  // the client has gone
  }
  ++answered_;
  if (++times_[std::hash<std::string>{}(request.body)] > 1) ++repeated_;
  lock.unlock();
  return answer_to(request.body);
}

}  // namespace assay::demo
