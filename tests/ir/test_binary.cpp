#include "analyzer/ir/binary.h"

#include <gtest/gtest.h>

#include "analyzer/ir/text.h"
#include "analyzer/ir/verify.h"
#include "tests/ir/random_module.h"

namespace deadgrad::ir {

using Bytes = std::vector<std::uint8_t>;

// An error, or a module that is sound and can be printed. True if it loaded.
static bool load(const Bytes& bytes) {
  Result<Module> module = from_binary(bytes);
  if (!module) {
    EXPECT_FALSE(module.error().message.empty());
    return false;
  }
  EXPECT_EQ(verify(*module), std::vector<std::string>());
  print(*module);
  return true;
}

TEST(Binary, RoundTripIsTheIdentity) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const Module module = random_module(seed);
    const Bytes bytes = to_binary(module);
    Result<Module> again = from_binary(bytes);
    ASSERT_TRUE(again) << again.error().message;
    ASSERT_EQ(to_binary(*again), bytes);
    ASSERT_EQ(print(*again), print(module));
  }
}

TEST(Binary, BytesDependOnTheModuleOnly) {
  EXPECT_EQ(to_binary(random_module(3)), to_binary(random_module(3)));
  EXPECT_NE(to_binary(random_module(3)), to_binary(random_module(4)));
}

TEST(Binary, LoadsFromAnyAlignment) {
  Bytes bytes = to_binary(random_module(5));
  bytes.insert(bytes.begin(), 0);
  EXPECT_TRUE(from_binary(std::span(bytes).subspan(1)));
}

TEST(Binary, RefusesOtherVersionsAndOtherFiles) {
  const Bytes bytes = to_binary(random_module(1));
  auto message = [](const Bytes& damaged) {
    Result<Module> module = from_binary(damaged);
    return module ? std::string("loaded") : module.error().message;
  };
  Bytes other = bytes;
  other[4] += 1;
  EXPECT_EQ(message(other), "a binary module of another version of deadgrad");
  other = bytes;
  other[6] += 1;
  EXPECT_EQ(message(other), "a binary module of another version of deadgrad");
  other = bytes;
  other[0] = 'X';
  EXPECT_EQ(message(other), "not a binary deadgrad module");
  EXPECT_EQ(message({}), "not a binary deadgrad module");
  EXPECT_EQ(message(Bytes(bytes.begin(), bytes.begin() + 16)), "a binary module is damaged");
}

TEST(Binary, SurvivesTruncation) {
  const Bytes bytes = to_binary(random_module(2));
  for (std::size_t size = 0; size < bytes.size(); ++size) load(Bytes(bytes.begin(), bytes.begin() + size));
}

TEST(Binary, SurvivesEveryDamagedByte) {
  const Bytes bytes = to_binary(random_module(8));
  std::size_t loaded = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (std::uint8_t damage : {0x01, 0x80, 0xff}) {
      Bytes damaged = bytes;
      damaged[i] ^= damage;
      loaded += load(damaged);
    }
  }
  EXPECT_GT(loaded, 0u);  // a changed name or offset is still a module
}

TEST(Binary, SurvivesRandomDamage) {
  Random random(11);
  for (std::uint32_t round = 0; round < 5000; ++round) {
    Bytes bytes = to_binary(random_module(round % 20));
    const auto size = static_cast<std::uint32_t>(bytes.size());
    // Half of the damage goes to the end, where the map's offsets, types and root lie.
    for (std::uint32_t hits = 1 + random.below(8); hits > 0; --hits) {
      const std::uint32_t reach = random.chance(50) ? size : std::min(size, 600u);
      bytes[size - 1 - random.below(reach)] = static_cast<std::uint8_t>(random.below(256));
    }
    load(bytes);
  }
}

}  // namespace deadgrad::ir
