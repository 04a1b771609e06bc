// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/run/qa_probe.hpp"

#include <algorithm>
#include <chrono>

#include "assay/qa/agent/prompt.hpp"
#include "assay/qa/run/qa_pictures.hpp"

namespace assay::qa {
namespace {

/// The middle of the slide, at half its size.
slide::SlideRegion middle(const slide::SlideInfo& slide) {
  const std::int64_t width = std::max<std::int64_t>(1, slide.width / 2);
  const std::int64_t height = std::max<std::int64_t>(1, slide.height / 2);
  return {(slide.width - width) / 2, (slide.height - height) / 2, width, height};
}

std::string crop_reply(const slide::SlideRegion& r) {
  return R"({"reasoning": "I look at the middle.", "action": {"action_type": "crop", "x": )" +
         std::to_string(r.x) + R"(, "y": )" + std::to_string(r.y) + R"(, "width": )" +
         std::to_string(r.width) + R"(, "height": )" + std::to_string(r.height) + "}}";
}

Chat two_pictures(const Item& item, const LoopSettings& loop, SlidePictures& pictures) {
  const slide::SlideRegion crop = middle(pictures.info());
  const ChatImage whole = pictures.image({.kind = ImageWish::Kind::guided_thumbnail,
                                          .region = {},
                                          .regions = {},
                                          .longest = loop.thumbnail_size});
  const ChatImage part = pictures.image(
      {.kind = ImageWish::Kind::crop, .region = crop, .regions = {}, .longest = loop.crop_size});
  return {
      {Role::system, {navigation_rules(2)}},
      {Role::user, {question_text(item.prompt, pictures.info()), whole, step_text(1, 2, false)}},
      {Role::assistant, {crop_reply(crop)}},
      {Role::user, {crop_text(crop), part, step_text(2, 2, false)}}};
}

}  // namespace

ProbeResult probed(const Item& item, const std::filesystem::path& slide, const QaAgent& agent,
                   const QaRunSettings& settings, const Prices* prices) {
  PictureShelf shelf({}, settings.jpeg_quality);
  SlidePictures pictures(slide, shelf);
  const Chat chat = agent.converses ? two_pictures(item, settings.loop, pictures) : Chat{};
  ProbeResult out;
  if (prices != nullptr && agent.converses)
    out.worst_usd =
        worst_cost_usd(worst_case(chat, settings.model.max_output_tokens, *prices), *prices);
  const auto start = std::chrono::steady_clock::now();
  out.outcome = agent.make_answerer()->ask({item, 0, slide, chat});
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (auto* reply = std::get_if<ModelReply>(&out.outcome))
    reply->cost_usd = billed_usd(reply->reported, reply->usage, prices);
  return out;
}

}  // namespace assay::qa
