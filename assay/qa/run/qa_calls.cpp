// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/run/qa_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>
#include <utility>

#include "assay/base/sha256.hpp"
#include "assay/error.hpp"

namespace assay::qa {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Clock::duration seconds(double count) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count));
}

/// Between half and all of a pause.
double random_share() {
  thread_local std::minstd_rand source{static_cast<std::minstd_rand::result_type>(
      std::hash<std::thread::id>{}(std::this_thread::get_id()))};
  return std::uniform_real_distribution<>(0.5, 1.0)(source);
}

std::string dollars(double usd) {
  return fmt::format("${:.4f}", usd);
}

/// "40 s", "15 min", "1.5 h".
std::string time_text(double seconds) {
  constexpr double minute = 60, hour = 3600;
  if (seconds < 2 * minute) return fmt::format("{:.0f} s", seconds);
  if (seconds < hour) return fmt::format("{:.0f} min", seconds / minute);
  return fmt::format("{:.1f} h", seconds / hour);
}

/// What to change when a reply costs more than its bound.
std::string remedy(const Usage& usage, const TokenBound& bound, std::size_t images) {
  const std::int64_t input =
      usage.input.value_or(0) + usage.cache_write.value_or(0) + usage.cache_read.value_or(0);
  const std::int64_t output = usage.output.value_or(0);
  if (output > bound.output)
    return fmt::format(
        "it had {} output tokens, but at most {} were requested, so the server does not apply this "
        "limit to its reasoning; give --max-output-tokens {} to allow for it",
        output, bound.output, output);
  const auto count = static_cast<std::int64_t>(images);
  if (input > bound.input && count > 0)
    return fmt::format(
        "it had {} input tokens, but at most {} were expected; set image_tokens of this model in "
        "--prices to {}",
        input, bound.input, (input + count - 1) / count);
  return "check this model's row in --prices: input, output, cache_write and image_tokens";
}

/// Whatever goes wrong before a request can be made goes wrong for all of them.
ModelOutcome asked(Answerer& answerer, const QaQuestion& question) try {
  return answerer.ask(question);
} catch (const Error& error) {
  return ModelFailure{.kind = ModelFailure::Kind::fatal, .message = error.what()};
}

}  // namespace

std::string request_sha256(const Chat& chat) {
  std::string text;
  for (const ChatMessage& message : chat) {
    text += "\x1e" + std::to_string(static_cast<int>(message.role));
    for (const ChatPart& part : message.parts) {
      text += '\x1f';
      if (const auto* words = std::get_if<std::string>(&part))
        text += *words;
      else
        text += "\x1d" + std::get<ChatImage>(part).sha256;
    }
  }
  return sha256(text);
}

template <class Write>
void QaCalls::guarded(Write write) {
  try {
    write();
  } catch (const Error& error) {
    parts_.stop.raise(error.what());
    throw RunStopping{};
  }
}

void QaCalls::record(const QaRecord& record) {
  guarded([&] { parts_.journal.add(qa_record_text(record)); });
}

ServedModels QaCalls::served() const {
  const std::lock_guard lock(mutex_);
  return served_;
}

ModelReply QaCalls::answer(Answerer& answerer, const QaQuestion& question, const Call& call) {
  for (Failures failures{.answers = outage_.answers()};;) {
    const bool scout = wait_for_turn();
    const Reservation reservation = leave(question, call);
    const auto start = Clock::now();
    ++made_;
    ModelOutcome outcome = asked(answerer, question);
    CallRecord record{.key = call.key,
                      .place = call.place,
                      .request_sha256 = call.request_sha256,
                      .seconds = std::round(seconds_since(start) * 1e3) / 1e3};
    if (auto* reply = std::get_if<ModelReply>(&outcome))
      return take(std::move(*reply), reservation, std::move(record));
    const auto& failure = std::get<ModelFailure>(outcome);
    take(failure, reservation, std::move(record));
    retry(failure, failures, scout);
  }
}

/// In an outage only one call at a time is tried. Whether this is the one.
bool QaCalls::wait_for_turn() {
  constexpr std::chrono::milliseconds glance{50};
  while (parts_.retry.patience_s > 0) {
    const Outage::Turn turn = outage_.turn(Clock::now());
    if (turn != Outage::Turn::wait) return turn == Outage::Turn::scout;
    if (!parts_.stop.sleep_until(Clock::now() + glance)) throw RunStopping{};
  }
  return false;
}

/// Waits before the next try, or gives up. A failure that all calls have in common is the
/// server's: with patience it counts by the time that it lasts. Others count one by one.
void QaCalls::retry(const ModelFailure& failure, Failures& failures, bool scout) {
  const auto now = Clock::now();
  const std::uint64_t answers = outage_.answers();
  const bool others_are_answered = std::exchange(failures.answers, answers) != answers;
  outage_.failed(now, scout, std::min(failure.retry_after_s.value_or(0), longest_asked_wait_s));
  const bool patient = parts_.retry.patience_s > 0 && !failure.most_retries && !others_are_answered;
  const unsigned retries = parts_.retry.retries;
  const double lasts_s = outage_.lasts_s(now);
  ++failures.all;
  if (!patient) ++failures.counted;
  const bool hopeless =
      patient ? lasts_s >= parts_.retry.patience_s
              : failures.counted > std::min(retries, failure.most_retries.value_or(retries));
  if (hopeless) give_up(failure.message + " (tried " + counted(failures.all, "time") + ")");
  ++retried_;
  if (!patient) return wait(failure, failures.counted);
  if (parts_.waits) parts_.waits(outage_.pause_s(now), failure.status);
  if (failures.all > 1) tell_outage(failure, lasts_s);  // wait_for_turn() waits
}

/// At once, and then once a minute.
void QaCalls::tell_outage(const ModelFailure& failure, double lasts_s) {
  constexpr std::chrono::seconds between{60};
  const auto now = Clock::now();
  {
    const std::lock_guard lock(mutex_);
    if (told_ && now - *told_ < between) return;
    told_ = now;
  }
  if (!parts_.waiting) return;
  parts_.waiting(fmt::format(
      "no call has been answered for {} ({}); waiting for up to {}, the next try is in {}",
      time_text(lasts_s), failure.message, time_text(parts_.retry.patience_s),
      time_text(outage_.pause_s(now))));
}

/// Waits for its turn and sets the money aside.
QaCalls::Reservation QaCalls::leave(const QaQuestion& question, const Call& call) {
  Reservation reservation;
  const Prices prices = parts_.prices == nullptr ? Prices{} : *parts_.prices;
  reservation.bound = worst_case(question.chat, parts_.most_output_tokens, prices);
  reservation.bound.input += parts_.extra_input_tokens;
  for (const ChatMessage& message : question.chat)
    reservation.images += static_cast<std::size_t>(std::ranges::count_if(
        message.parts, std::holds_alternative<ChatImage, std::string, ChatImage>));
  const double bound_usd = worst_cost_usd(reservation.bound, prices);
  const std::int64_t tokens = reservation.bound.input + reservation.bound.output;
  const auto stopping = [&] { return parts_.stop.raised(); };
  if (stopping() || !parts_.stop.sleep_until(parts_.limit.next(tokens, Clock::now())))
    throw RunStopping{};
  const auto money = parts_.budget.reserve(bound_usd, stopping);
  if (!money) {
    if (!stopping()) parts_.stop.raise(budget_sentence(bound_usd));
    throw RunStopping{};
  }
  reservation.money = *money;
  const SentRecord sent{call.key, call.place, money->set_aside_usd(), money->margin_usd};
  guarded([&] {
    if (parts_.budget.limited())
      parts_.journal.add_durably(qa_record_text(sent));
    else  // a later start may have a budget
      parts_.journal.add(qa_record_text(sent));
  });
  return reservation;
}

ModelReply QaCalls::take(ModelReply reply, const Reservation& reservation, CallRecord record) {
  in_vain_ = 0;
  answered_ = true;
  if (outage_.answered()) tell_answered();
  const Budget::Reserve& money = reservation.money;
  reply.cost_usd = billed_usd(reply.reported, reply.usage, parts_.prices);
  // A refusal may come without usage; it is not a reason to stop, but it may have been charged.
  const bool bounded = !reply.cost_usd && reply.kind == ModelReply::Kind::refused;
  record.possible_usd = bounded ? money.set_aside_usd() : 0;
  record.reply = reply;
  record.asked_with = parts_.asked_with;
  guarded([&] { parts_.journal.add_durably(qa_record_text(record)); });
  {
    const std::lock_guard lock(mutex_);
    ++served_[{reply.model, reply.provider}];
  }
  const auto total = reply.usage.total();
  if (total)
    parts_.limit.give_back(
        std::max<std::int64_t>(0, reservation.bound.input + reservation.bound.output - *total));
  parts_.budget.settle(money, reply.cost_usd.value_or(0),
                       reply.cost_usd ? 0 : money.set_aside_usd());
  check_reserve(reply, reservation);
  if (const std::string useless = parts_.first_answers.take(reply); !useless.empty())
    parts_.stop.raise(useless);
  if (parts_.budget.limited() && !reply.cost_usd && !bounded)
    parts_.stop.raise(
        "the server reports neither cost nor usage, so a budget cannot be kept; "
        "run without --budget-usd, or ask the server for usage with --request-json");
  return reply;
}

/// Said once: the next ones cost what their margin allows, or tell the same.
void QaCalls::check_reserve(const ModelReply& reply, const Reservation& reservation) {
  constexpr double rounding = 1e-9;
  const Budget::Reserve& money = reservation.money;
  const double cost = reply.cost_usd.value_or(0), set_aside = money.set_aside_usd();
  if (money.bound_usd <= 0 || cost <= set_aside + rounding) return;
  if (above_reserve_++ > 0 || !parts_.warn) return;
  parts_.warn(fmt::format(
      "a reply cost {}, but {} was the most that it should cost, so from now on {} more is set "
      "aside for every call; {}",
      dollars(cost), dollars(set_aside), dollars(parts_.budget.largest_excess()),
      remedy(reply.usage, reservation.bound, reservation.images)));
}

void QaCalls::tell_answered() {
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(told_, std::nullopt)) return;
  }
  if (parts_.waiting) parts_.waiting("");
}

void QaCalls::take(const ModelFailure& failure, const Reservation& reservation, CallRecord record) {
  record.failure = failure.message;
  record.charged = failure.charged;
  record.possible_usd = failure.charged ? reservation.money.set_aside_usd() : 0;
  parts_.budget.settle(reservation.money, 0, record.possible_usd);
  this->record(record);
  switch (failure.kind) {
    case ModelFailure::Kind::fatal: parts_.stop.raise(failure.message); throw RunStopping{};
    case ModelFailure::Kind::item:
      if (outage_.answered()) tell_answered();  // whoever refuses is there
      // A failure of one item, unless no item has ever been answered.
      if (!parts_.gives_up || answered_) throw AttemptFailed{failure.message};
      give_up(failure.message);
    case ModelFailure::Kind::transient: break;
  }
}

/// If a server never answers, it makes no sense to go through all questions.
void QaCalls::give_up(const std::string& error) {
  if (++in_vain_ >= parts_.hopeless)
    parts_.stop.raise("the last " + std::to_string(parts_.hopeless) +
                      " attempts got no answer, so the run stopped; fix the cause and start again "
                      "with --retry-errors (the last: " +
                      error + ")");
  throw AttemptFailed{error};
}

std::string QaCalls::budget_sentence(double bound_usd) const {
  const Budget& budget = parts_.budget;
  const double left = budget.limit().value_or(0) - budget.spent() - budget.possible();
  const double excess = budget.largest_excess();
  return fmt::format(
      "the next call could cost {}{}, but {} of the budget of {} is left ({} spent, {} perhaps "
      "charged for calls that broke off); raise --budget-usd, or start over with a lower "
      "--max-output-tokens",
      dollars(bound_usd + excess),
      excess > 0 ? fmt::format(" ({} of it because a reply cost that much more than expected)",
                               dollars(excess))
                 : "",
      dollars(std::max(0.0, left)), dollars(budget.limit().value_or(0)), dollars(budget.spent()),
      dollars(budget.possible()));
}

void QaCalls::wait(const ModelFailure& failure, unsigned failures) {
  const double wait_s = backoff_s(parts_.retry, failures, random_share(), failure.retry_after_s);
  const auto until = Clock::now() + seconds(wait_s);
  if (parts_.waits) parts_.waits(wait_s, failure.status);
  if (failure.retry_after_s) parts_.limit.pause_until(until);  // it applies to all workers
  if (!parts_.stop.sleep_until(until)) throw RunStopping{};
}

}  // namespace assay::qa
