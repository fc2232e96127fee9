#include "probe/core/ledger.h"

#include <algorithm>

namespace deadgrad::probe {

SiteSums& Ledger::site(int id) {
  const auto index = static_cast<std::size_t>(id + 1);  // the first is kNoSite
  if (index >= sites_.size()) sites_.resize(index + 1);
  return sites_[index];
}

DeviceSums& Ledger::device(int id) {
  const auto index = static_cast<std::size_t>(id);
  if (index >= devices_.size()) devices_.resize(index + 1);
  return devices_[index];
}

void Ledger::saved(const void* storage, std::int64_t bytes, int device_id, bool parameter, int site_id) {
  std::lock_guard lock(mutex_);
  ++totals_.packs;
  ++site(site_id).packs;
  Entry& entry = entries_[storage];
  if (entry.hooks++ > 0) return;
  entry.bytes = bytes;
  entry.site = site_id;
  entry.device = device_id;
  entry.parameter = parameter;
  if (parameter) return;
  SiteSums& at = site(site_id);
  ++at.storages;
  at.bytes += bytes;
  at.live += bytes;
  at.peak = std::max(at.peak, at.live);
  DeviceSums& on = device(device_id);
  on.saved += bytes;
  on.peak = std::max(on.peak, on.saved);
  totals_.saved += bytes;
  totals_.saved_peak = std::max(totals_.saved_peak, totals_.saved);
  if (totals_.saved > next_look_) {
    look_for_owners();
    next_look_ = totals_.saved + totals_.saved / 20;
  }
}

void Ledger::read(const void* storage) {
  std::lock_guard lock(mutex_);
  auto found = entries_.find(storage);
  if (found != entries_.end()) found->second.read = true;
}

void Ledger::let_go(const Entry& entry) {
  SiteSums& at = site(entry.site);
  DeviceSums& on = device(entry.device);
  at.live -= entry.bytes;
  on.saved -= entry.bytes;
  totals_.saved -= entry.bytes;
  (entry.read ? at.used : at.wasted) += entry.bytes;
  (entry.read ? on.used : on.wasted) += entry.bytes;
  (entry.read ? totals_.used : totals_.wasted) += entry.bytes;
  if (entry.read || !entry.alone) return;
  at.wasted_only += entry.bytes;
  totals_.wasted_only += entry.bytes;
}

void Ledger::released(const void* storage, bool was_read, int site_id) {
  std::lock_guard lock(mutex_);
  auto found = entries_.find(storage);
  if (found == entries_.end()) return;  // from before a fork
  if (!was_read) ++site(site_id).unused;
  Entry& entry = found->second;
  if (--entry.hooks > 0) return;
  if (!entry.parameter) {
    entry.alone = entry.alone || owners_(storage) == 1;
    let_go(entry);
  }
  entries_.erase(found);
}

void Ledger::user_hooked() {
  std::lock_guard lock(mutex_);
  ++totals_.user_hooked;
}

std::int64_t Ledger::look_for_owners() {
  std::int64_t bytes = 0;
  for (auto& [storage, entry] : entries_) {
    if (entry.parameter || owners_(storage) != entry.hooks) continue;
    entry.alone = true;
    bytes += entry.bytes;
  }
  totals_.saved_only_peak = std::max(totals_.saved_only_peak, bytes);
  return bytes;
}

std::int64_t Ledger::saved_only() {
  std::lock_guard lock(mutex_);
  return look_for_owners();
}

std::int64_t Ledger::saved_now() {
  std::lock_guard lock(mutex_);
  return totals_.saved;
}

deadgrad_probe_totals Ledger::totals() {
  std::lock_guard lock(mutex_);
  deadgrad_probe_totals totals = totals_;
  totals.saved_only = look_for_owners();
  totals.saved_only_peak = totals_.saved_only_peak;
  for (const auto& [storage, entry] : entries_) {
    if (entry.parameter || entry.read) continue;
    totals.wasted += entry.bytes;
    if (entry.alone) totals.wasted_only += entry.bytes;
  }
  return totals;
}

std::int64_t Ledger::live_at(const std::vector<int>& sites) {
  std::lock_guard lock(mutex_);
  std::int64_t bytes = 0;
  for (int id : sites) bytes += site(id).live;
  return bytes;
}

void Ledger::sums(std::vector<SiteSums>& sites, std::vector<DeviceSums>& devices) {
  std::lock_guard lock(mutex_);
  look_for_owners();
  sites = sites_;
  devices = devices_;
  for (const auto& [storage, entry] : entries_) {
    if (entry.parameter) continue;
    SiteSums& at = sites[static_cast<std::size_t>(entry.site + 1)];
    at.unused += entry.read ? 0 : entry.hooks;
    (entry.read ? at.used : at.wasted) += entry.bytes;
    if (!entry.read && entry.alone) at.wasted_only += entry.bytes;
    DeviceSums& on = devices[static_cast<std::size_t>(entry.device)];
    (entry.read ? on.used : on.wasted) += entry.bytes;
  }
}

void Ledger::reset() {
  std::lock_guard lock(mutex_);
  const std::int64_t saved = totals_.saved;
  totals_ = {};
  totals_.saved = totals_.saved_peak = next_look_ = saved;
  for (SiteSums& at : sites_) {
    const std::int64_t live = at.live;
    at = {};
    at.live = at.peak = live;
  }
  for (DeviceSums& on : devices_) on = {on.saved, on.saved, 0, 0};
}

void Ledger::forget() {
  entries_.clear();
  sites_.clear();
  devices_.clear();
  totals_ = {};
  next_look_ = 0;
}

}  // namespace deadgrad::probe
