// The ledger alone, on storages that are counters.
#include "probe/core/ledger.h"

#include <gtest/gtest.h>

#include <thread>

#include "probe/core/state.h"

namespace deadgrad::probe {

struct FakeStorage {
  std::int64_t owners = 1;
};

static std::int64_t owners_of_fake(const void* storage) {
  return static_cast<const FakeStorage*>(storage)->owners;
}

static SiteSums site_of(Ledger& ledger, int site) {
  std::vector<SiteSums> sites;
  std::vector<DeviceSums> devices;
  ledger.sums(sites, devices);
  return sites.at(static_cast<std::size_t>(site + 1));
}

TEST(Ledger, CountsAStorageOnceForAllItsHooks) {
  Ledger ledger(owners_of_fake);
  FakeStorage storage{2};
  ledger.saved(&storage, 100, 0, false, 0);
  ledger.saved(&storage, 100, 0, false, 1);
  EXPECT_EQ(ledger.totals().saved, 100);
  EXPECT_EQ(ledger.totals().saved_only, 100);
  EXPECT_EQ(site_of(ledger, 0).bytes, 100);
  EXPECT_EQ(site_of(ledger, 1).bytes, 0);
  ledger.released(&storage, false, 0);
  EXPECT_EQ(ledger.totals().saved, 100);
  storage.owners = 1;
  ledger.released(&storage, false, 1);
  EXPECT_EQ(ledger.totals().saved, 0);
  EXPECT_EQ(ledger.totals().wasted, 100);
  EXPECT_EQ(ledger.totals().wasted_only, 100);
  EXPECT_EQ(ledger.totals().packs, 2);
}

TEST(Ledger, WhatAnotherOwnsIsWastedButNotOnlyAutograds) {
  Ledger ledger(owners_of_fake);
  FakeStorage storage{2};
  ledger.saved(&storage, 100, 0, false, 0);
  EXPECT_EQ(ledger.totals().saved_only, 0);
  ledger.released(&storage, false, 0);
  EXPECT_EQ(ledger.totals().wasted, 100);
  EXPECT_EQ(ledger.totals().wasted_only, 0);
}

TEST(Ledger, WhatBackwardReadIsUsed) {
  Ledger ledger(owners_of_fake);
  FakeStorage storage;
  ledger.saved(&storage, 100, 0, false, 3);
  ledger.read(&storage);
  ledger.released(&storage, true, 3);
  EXPECT_EQ(ledger.totals().used, 100);
  EXPECT_EQ(ledger.totals().wasted, 0);
  EXPECT_EQ(site_of(ledger, 3).unused, 0);
}

TEST(Ledger, ParametersCountAsPacksOnly) {
  Ledger ledger(owners_of_fake);
  FakeStorage storage;
  ledger.saved(&storage, 100, 0, true, 0);
  EXPECT_EQ(ledger.totals().saved, 0);
  EXPECT_EQ(ledger.totals().packs, 1);
  ledger.released(&storage, false, 0);
  EXPECT_EQ(ledger.totals().wasted, 0);
  EXPECT_EQ(site_of(ledger, 0).unused, 1);
}

TEST(Ledger, WhatIsThereAtTheEndIsWasted) {
  Ledger ledger(owners_of_fake);
  FakeStorage idle, read;
  ledger.saved(&idle, 10, 0, false, 0);
  ledger.saved(&read, 1, 0, false, 0);
  ledger.read(&read);
  EXPECT_EQ(ledger.totals().wasted, 10);
  EXPECT_EQ(site_of(ledger, 0).wasted, 10);
  EXPECT_EQ(site_of(ledger, 0).used, 1);
  EXPECT_EQ(site_of(ledger, 0).live, 11);
}

TEST(Ledger, ResetKeepsWhatIsSaved) {
  Ledger ledger(owners_of_fake);
  FakeStorage first, second;
  ledger.saved(&first, 10, 1, false, 0);
  ledger.saved(&second, 5, 1, false, 0);
  ledger.released(&second, false, 0);
  ledger.reset();
  EXPECT_EQ(ledger.totals().saved_peak, 10);
  EXPECT_EQ(ledger.totals().packs, 0);
  ledger.released(&first, false, 0);
  EXPECT_EQ(ledger.totals().saved, 0);
  EXPECT_EQ(ledger.totals().wasted, 10);
}

TEST(Ledger, AnAddressMayComeBackAfterItWasLetGo) {
  Ledger ledger(owners_of_fake);
  FakeStorage storage;
  ledger.saved(&storage, 10, 0, false, 0);
  ledger.released(&storage, false, 0);
  ledger.saved(&storage, 7, 0, false, 1);
  EXPECT_EQ(ledger.totals().saved, 7);
  EXPECT_EQ(site_of(ledger, 1).bytes, 7);
}

TEST(Ledger, AForkedChildForgetsTheParentsStorages) {
  Ledger ledger(owners_of_fake);
  FakeStorage storage;
  ledger.saved(&storage, 10, 0, false, 0);
  ledger.forget();
  ledger.released(&storage, false, 0);
  EXPECT_EQ(ledger.totals().wasted, 0);
  EXPECT_EQ(ledger.totals().saved, 0);
}

TEST(Ledger, ThreadsAddUp) {
  Ledger ledger(owners_of_fake);
  static constexpr int kThreads = 4, kEach = 5000;
  std::vector<std::thread> threads;
  std::vector<FakeStorage> storages(kThreads);
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kEach; ++i) {
        ledger.saved(&storages[thread], 3, 0, false, thread);
        ledger.released(&storages[thread], false, thread);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ledger.totals().wasted, 3 * kThreads * kEach);
  EXPECT_EQ(ledger.totals().saved, 0);
}

TEST(Series, ThinsItselfAtEqualDistances) {
  Series series;
  for (std::int64_t i = 0; i < 10000; ++i) series.add(series.wants_next() ? i : -1);
  EXPECT_EQ(series.seen, 10000);
  EXPECT_LT(series.points.size(), Series::kMostPoints);
  for (std::size_t i = 0; i < series.points.size(); ++i)
    ASSERT_EQ(series.points[i], static_cast<std::int64_t>(i) * series.stride);
}

}  // namespace deadgrad::probe
