// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/capture/epoch.hpp"

namespace mkmd {

void Epoch::begin(Ref<Action> entry) {
  if (waits_for_entry()) entry->wait_for(*entry_);
  entry_ = std::move(entry);
}

// Commands that could not be done have waited for nothing: native ones may be under way still, and the next
// epoch comes after them, too.
void Epoch::end() {
  forget_actions();
  if (!waits_for_entry()) entry_ = nullptr;
  last_in_order_ = nullptr;
}

void Epoch::drop_waiting() {
  last_in_order_ = nullptr;
  forget_actions();
}

void Epoch::forget_actions() {
  ++number_;
  host_memory_.forget_actions();
}

void Epoch::join(Memory& root) {
  Storage& storage = *root.storage;
  if (std::exchange(storage.epoch, number_) == number_) return;
  storage.regions.forget_actions();
  if (losses_ != nullptr) losses_->tell(root);
  if (storage.regions.is_all_home() && losses_ == nullptr) return;  // everything is always at home
  storage.at_home.store(false, std::memory_order_release);
  storage.home_only.store(false, std::memory_order_release);
}

void Epoch::order(const Ref<Action>& action, bool one_at_a_time) {
  if (waits_for_entry()) action->wait_for(*entry_);
  if (last_in_order_) action->wait_for(*last_in_order_);
  if (one_at_a_time) last_in_order_ = action;
}

double Epoch::take_places(size_t count) {
  const double first = next_place_;
  next_place_ += static_cast<double>(count);
  return first;
}

}  // namespace mkmd
