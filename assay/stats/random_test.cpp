// SPDX-License-Identifier: Apache-2.0
#include "assay/stats/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include "assay/error.hpp"
#include "assay/stats/vectors_for_test.hpp"

using namespace assay;
using namespace assay::stats;

std::string decimal(Uint128 value) {
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
  } while ((value /= 10) != 0);
  return digits;
}

Generator seeded(const std::string& seed) {
  return Generator(SeedSequence(seed_words(seed)));
}

std::vector<std::uint64_t> drawn(Generator& generator, std::uint64_t n, std::size_t size) {
  std::vector<std::uint64_t> indices(size);
  std::generate(indices.begin(), indices.end(), [&] { return generator.below(n); });
  return indices;
}

template <class Source>
std::vector<std::size_t> permutation(Source&& source, std::size_t size) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  source.shuffle(std::span(order));
  return order;
}

void expect_head(std::span<const std::uint64_t> found, const vectors::Json& head) {
  for (std::size_t i = 0; i < head.size(); ++i) {
    const auto& entry = head[i];
    const auto wanted =
        entry.is_string() ? std::stoull(entry.get<std::string>()) : entry.get<std::uint64_t>();
    EXPECT_EQ(found[i], wanted) << i;
  }
}

TEST(Random, seed_42_is_numpys) {
  Generator generator(42);
  EXPECT_EQ(generator.uniform(), 0.7739560485559633);
  EXPECT_EQ(generator.uniform(), 0.4388784397520523);
  Generator again(42);
  EXPECT_EQ(drawn(again, 10, 5), (std::vector<std::uint64_t>{0, 7, 6, 4, 4}));
  EXPECT_EQ(again.uniform(), 0.6973680290593639);  // the waiting half is left alone
  EXPECT_EQ(drawn(again, 10, 3), (std::vector<std::uint64_t>{8, 2, 0}));
}

TEST(Random, seeds_of_any_size) {
  using Words = std::vector<std::uint32_t>;
  EXPECT_EQ(seed_words(0U), Words{0});
  EXPECT_EQ(seed_words("0"), Words{0});
  EXPECT_EQ(seed_words("4294967296"), (Words{0, 1}));
  EXPECT_EQ(seed_words(std::uint64_t{1} << 32), (Words{0, 1}));
  EXPECT_EQ(seed_words("340282366920938463463374607431768211456"), (Words{0, 0, 0, 0, 1}));
  EXPECT_THROW(seed_words("-1"), Error);
  EXPECT_THROW(seed_words(""), Error);
  EXPECT_THROW(seed_words("4x"), Error);
}

TEST(Random, one_item_consumes_nothing) {
  Generator generator(7), untouched(7);
  EXPECT_EQ(generator.below(1), 0U);
  EXPECT_EQ(generator.uniform(), untouched.uniform());
  EXPECT_THROW(default_rng_choice(seed_words(1U), 0, 1), Error);
}

TEST(Random, fill_is_the_same_stream_as_single_draws) {
  // Near 2^31 every other draw is rejected: all ways through the pairs are taken.
  for (const std::uint32_t bound : {1U, 2U, 934U, 0x80000001U, 0xFFFFFFFFU}) {
    Generator single(3), filled(3);
    for (const std::size_t size : {101U, 1U, 0U, 64U, 3U}) {
      std::vector<std::uint32_t> indices(size);
      filled.fill_below(bound, std::span(indices));
      for (const auto index : indices) EXPECT_EQ(index, single.below(bound));
      EXPECT_EQ(filled.bits().state() == single.bits().state(), true);
      EXPECT_EQ(filled.bits().buffered(), single.bits().buffered());
    }
  }
}

TEST(Random, leaps_arrive_where_steps_do) {
  for (const std::uint64_t first : {0U, 1U, 2U, 7U})
    for (const std::uint64_t leap : {0U, 1U, 2U, 3U, 64U, 1001U}) {
      Pcg64 leaping{SeedSequence(seed_words(9U))}, walking = leaping, by_words = leaping;
      for (std::uint64_t i = 0; i < first; ++i) leaping.next32();
      leaping.skip32(leap);
      for (std::uint64_t i = 0; i < first + leap; ++i) walking.next32();
      EXPECT_TRUE(leaping.state() == walking.state()) << first << " + " << leap;
      EXPECT_EQ(leaping.buffered(), walking.buffered());
      EXPECT_EQ(leaping.next32(), walking.next32());
      Pcg64 words = by_words;
      for (std::uint64_t i = 0; i < leap; ++i) words.next64();
      by_words.advance(leap);
      EXPECT_TRUE(by_words.state() == words.state()) << leap;
      words.next64();
      EXPECT_TRUE((words.state() - words.increment()) * Pcg64::inverse == by_words.state());
    }
}

TEST(Random, vectors_of_states) {
  const auto cases = vectors::cases("rng_state");
  for (const auto& item : cases) {
    const auto& want = *vectors::expected(item, "all");
    const SeedSequence seed(seed_words(item.at("seed").get<std::string>()));
    EXPECT_EQ(vectors::Json(seed.pool()), want.at("pool"));
    const auto words = seed.words64(4);
    expect_head(words, want.at("generate_state4_u64"));
    Pcg64 bits(seed);
    EXPECT_EQ(decimal(bits.state()), want.at("state"));
    EXPECT_EQ(decimal(bits.increment()), want.at("inc"));
    std::vector<std::uint64_t> raw(want.at("first_uint64").size());
    std::generate(raw.begin(), raw.end(), [&] { return bits.next64(); });
    expect_head(raw, want.at("first_uint64"));
  }
}

TEST(Random, vectors_of_choices) {
  const auto cases = vectors::cases("rng_choice");
  for (const auto& item : cases) {
    SCOPED_TRACE(item.at("id"));
    const auto& want = *vectors::expected(item, "all");
    Generator generator = seeded(item.at("seed").get<std::string>());
    const auto& bound = item.at("n");
    const std::uint64_t n =
        bound.is_string() ? std::stoull(bound.get<std::string>()) : bound.get<std::uint64_t>();
    std::uint64_t hash = vectors::fnv1a<std::uint64_t>({});
    for (int rep = 0; rep < item.at("reps").get<int>(); ++rep) {
      const auto indices = drawn(generator, n, item.at("size").get<std::size_t>());
      hash = vectors::fnv1a(std::span(indices), hash);
      if (rep == 0) expect_head(indices, want.at("first_rep_head"));
      if (rep + 1 == item.at("reps").get<int>()) expect_head(indices, want.at("last_rep_head"));
    }
    EXPECT_EQ(std::to_string(hash), want.at("fnv1a_words"));
    EXPECT_EQ(generator.bits().buffered(), want.at("has_uint32").get<int>() != 0);
    EXPECT_EQ(generator.bits().buffer(), want.at("uinteger").get<std::uint32_t>());
  }
}

TEST(Random, vectors_of_doubles_and_mixed_draws) {
  const auto mixed = vectors::cases("rng_mixed");
  for (const auto& item : mixed) {
    const auto& want = *vectors::expected(item, "all");
    Generator generator = seeded(item.at("seed").get<std::string>());
    const auto n = item.at("n").get<std::uint64_t>();
    expect_head(drawn(generator, n, 5), want.at("int5"));
    EXPECT_EQ(generator.uniform(), want.at("double"));
    expect_head(drawn(generator, n, 3), want.at("int3"));
    EXPECT_EQ(generator.uniform(), want.at("double2"));
  }
  for (const auto& item : vectors::cases("rng_random")) {
    Generator generator = seeded(item.at("seed").get<std::string>());
    for (const auto& u : vectors::expected(item, "all")->at("u")) EXPECT_EQ(generator.uniform(), u);
  }
}

TEST(Random, vectors_of_shuffles_and_children) {
  const auto shuffles = vectors::cases("rng_shuffle");
  for (const auto& item : shuffles) {
    const auto& want = *vectors::expected(item, "all");
    const auto order = permutation(seeded(item.at("seed").get<std::string>()), item.at("n"));
    EXPECT_EQ(std::to_string(vectors::fnv1a(std::span(order))), want.at("fnv1a_words"));
  }
  for (const auto& item : vectors::cases("rng_spawn")) {
    SCOPED_TRACE(item.at("id"));
    const auto& want = *vectors::expected(item, "all");
    const std::uint32_t key = item.at("child");
    Generator child(SeedSequence(seed_words(item.at("seed").get<std::string>()), {{key}}));
    const auto n = item.at("n").get<std::size_t>();
    expect_head(drawn(child, n, want.at("head").size()), want.at("head"));
  }
}

TEST(Random, vectors_of_the_specifications_draws) {
  const auto section = vectors::reference("numpy_rng");
  for (const auto& [n, calls] : section.at("choice_first_two_calls").items()) {
    Generator generator(42);
    for (const auto& call : calls) expect_head(drawn(generator, std::stoull(n), call.size()), call);
  }
}

TEST(RandomState, equals_numpys_legacy_generator) {
  // RandomState(42).permutation(10), and a second call on the same state
  RandomState state(42);
  EXPECT_EQ(permutation(state, 10), (std::vector<std::size_t>{8, 1, 5, 0, 7, 2, 9, 4, 3, 6}));
  EXPECT_EQ(permutation(state, 5), (std::vector<std::size_t>{1, 0, 3, 4, 2}));
}

namespace assay::stats::random_test {

using Lists = std::vector<std::vector<std::uint32_t>>;

TEST(Subsets, in_the_order_of_a_dictionary) {
  EXPECT_EQ(subsets(4, 2, 100, 1).members, (Lists{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}));
  EXPECT_EQ(subsets(3, 3, 100, 1).members, (Lists{{0, 1, 2}}));
  EXPECT_EQ(subsets(2, 0, 100, 1).members, (Lists{{}}));
  EXPECT_THROW(subsets(2, 3, 100, 1), Error);
}

TEST(Subsets, equal_every_pattern_of_bits) {
  for (std::uint32_t count = 0; count <= 10; ++count)
    for (std::uint32_t size = 0; size <= count; ++size) {
      std::set<std::vector<std::uint32_t>> want;
      for (std::uint32_t bits = 0; bits < 1U << count; ++bits) {
        std::vector<std::uint32_t> members;
        for (std::uint32_t i = 0; i < count; ++i)
          if (((bits >> i) & 1U) != 0) members.push_back(i);
        if (members.size() == size) want.insert(members);
      }
      const Subsets got = subsets(count, size, 1000, 1);
      EXPECT_TRUE(got.all);
      EXPECT_EQ(got.members, Lists(want.begin(), want.end())) << count << " " << size;
    }
}

TEST(Subsets, many_are_drawn_evenly) {
  const Subsets drawn = subsets(30, 10, 3000, 7);  // of 30,045,015
  EXPECT_FALSE(drawn.all);
  ASSERT_EQ(drawn.members.size(), 3000U);
  std::vector<int> uses(30);
  for (const auto& subset : drawn.members) {
    ASSERT_EQ(subset.size(), 10U);
    ASSERT_TRUE(std::ranges::is_sorted(subset, std::less_equal<>{}));
    for (const std::uint32_t i : subset) ++uses[i];
  }
  for (const int count : uses) EXPECT_NEAR(count, 1000, 160);  // six standard deviations
  EXPECT_EQ(subsets(30, 10, 3000, 7).members, drawn.members);
  EXPECT_NE(subsets(30, 10, 3000, 8).members, drawn.members);
}

}  // namespace assay::stats::random_test
