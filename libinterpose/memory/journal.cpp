// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/memory/journal.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace mkmd {

void Versions::set(const ByteRanges& ranges, uint64_t version) {
  bytes_.change(ranges, [&](uint64_t& v) { v = version; });
}

void Versions::copy(const ByteRanges& ranges, const Versions& from) {
  for (const auto& [bytes, version] : from.bytes_.parts())
    set(bytes.intersection(ranges), version);
}

ByteRanges Versions::having(uint64_t version, const ByteRanges& among) const {
  for (const auto& [bytes, v] : bytes_.parts()) {
    if (v == version) return bytes.intersection(among);
  }
  return {};
}

ByteRanges Versions::like(const Versions& other, const ByteRanges& among) const {
  ByteRanges result;
  for (const auto& [bytes, version] : bytes_.parts()) {
    if (version != kNone) result.unite(other.having(version, bytes.intersection(among)));
  }
  return result;
}

History::History(uint64_t size, int domains, uint32_t of_home)
    : of_home(of_home), before(size, Versions::kOriginal), originals(size), fresh(0, size) {
  for (int d = 0; d < domains; ++d)
    held.emplace_back(size, d == 0 ? Versions::kOriginal : Versions::kNone);
}

void History::forget() {
  originals.drop(0, all());
  fresh = held[0].like(before, all());
  used = {};
}

void Journal::leave(const Deed& deed) {
  for (const Deed::Use& use : deed.uses) {
    if (use.buffer->deeds.fetch_sub(1, std::memory_order_relaxed) == 1) use.buffer->forget();
  }
}

void Journal::add(std::shared_ptr<Deed> deed) {
  for (const Deed::Use& use : deed->uses)
    use.buffer->deeds.fetch_add(1, std::memory_order_relaxed);
  const auto after = std::upper_bound(deeds_.begin(), deeds_.end(), deed->sequence,
                                      [](uint64_t s, const auto& d) { return s < d->sequence; });
  deeds_.insert(after, std::move(deed));
}

void Journal::complete(Deed& deed, int domain) {
  deed.complete = true;
  for (const Deed::Use& use : deed.uses)
    use.buffer->held_in(domain).set(use.writes, deed.sequence);
}

void Journal::fail(Deed& deed) {
  deed.complete = true;
  deed.repeatable = false;
}

void Journal::remove(const Deeds& deeds) {
  std::set<const Deed*> gone;
  for (const auto& deed : deeds)
    gone.insert(deed.get());
  std::erase_if(deeds_, [&](const auto& deed) {
    const bool goes = gone.count(deed.get()) > 0;
    if (goes) leave(*deed);
    return goes;
  });
}

void Journal::reopen(const Deeds& deeds) {
  for (const auto& deed : deeds)
    deed->complete = false;
}

Journal::Deeds Journal::take_incomplete(uint64_t sequence) {
  const auto first = std::lower_bound(deeds_.begin(), deeds_.end(), sequence,
                                      [](const auto& d, uint64_t s) { return d->sequence < s; });
  Deeds taken;
  for (auto it = first; it != deeds_.end() && (*it)->sequence == sequence; ++it) {
    if (!(*it)->complete) taken.push_back(*it);
  }
  if (!taken.empty()) remove(taken);
  return taken;
}

Journal::Deeds Journal::trim(size_t limit) {
  // All parts of a command, or none: what is left must say which part of it can be done again.
  size_t count = 0;
  for (size_t i = 0; i < deeds_.size() && deeds_[i]->complete; ++i) {
    if (i + 1 < deeds_.size() && deeds_[i + 1]->sequence == deeds_[i]->sequence) continue;
    if (deeds_.size() - count <= limit) break;
    count = i + 1;
  }
  for (size_t i = 0; i < count; ++i) {
    for (const Deed::Use& use : deeds_[i]->uses) {
      use.buffer->before.set(use.writes, deeds_[i]->sequence);
      use.buffer->originals.drop(0, use.writes);
      use.buffer->fresh.subtract(use.writes);
    }
    leave(*deeds_[i]);
  }
  const auto end = deeds_.begin() + static_cast<std::ptrdiff_t>(count);
  Deeds gone(std::make_move_iterator(deeds_.begin()), std::make_move_iterator(end));
  deeds_.erase(deeds_.begin(), end);
  return gone;
}

// Bytes are taken from where they lie in the version the deed is to see; what is nowhere is computed again.
bool Journal::choose_inputs(size_t of, Chosen& chosen, bool& changed) const {
  for (const Deed::Use& use : deeds_[of]->uses) {
    ByteRanges left = use.needed;
    for (size_t w = of; w-- > 0 && !left.empty();) {
      if (deeds_[w]->sequence == deeds_[of]->sequence) continue;
      for (const Deed::Use& written : deeds_[w]->uses) {
        if (written.buffer != use.buffer) continue;
        ByteRanges part = left.intersection(written.writes);
        left.subtract(part);
        if (chosen[w]) continue;
        for (const Versions& held : use.buffer->held)
          part.subtract(held.having(deeds_[w]->sequence, part));
        if (part.empty()) continue;
        if (!may_choose(w)) return false;
        chosen[w] = changed = true;
      }
    }
    for (const Versions& held : use.buffer->held)
      left.subtract(held.like(use.buffer->before, left));
    left.subtract(use.buffer->originals.held(0, left));
    if (!left.empty()) return false;
  }
  return true;
}

bool Journal::choose_others(size_t of, Chosen& chosen, bool& changed) const {
  for (size_t i = 0; i < deeds_.size(); ++i) {
    if (chosen[i] || deeds_[i]->sequence != deeds_[of]->sequence) continue;
    if (!may_choose(i)) return false;
    chosen[i] = changed = true;
  }
  return true;
}

// Later deeds that wrote bytes which a chosen deed reads or writes are chosen, too. They find the bytes as
// they found them before, and leave them as the program expects.
bool Journal::choose_later_writers(size_t of, Chosen& chosen, bool& changed) const {
  for (size_t later = of + 1; later < deeds_.size(); ++later) {
    if (chosen[later] || deeds_[later]->sequence == deeds_[of]->sequence) continue;
    for (const Deed::Use& use : deeds_[of]->uses) {
      for (const Deed::Use& other : deeds_[later]->uses) {
        if (chosen[later] || other.buffer != use.buffer) continue;
        if (!other.writes.overlaps(use.needed) && !other.writes.overlaps(use.writes)) continue;
        if (!may_choose(later)) return false;
        chosen[later] = changed = true;
      }
    }
  }
  return true;
}

// Inputs lie before what needs them, and later writers behind it: each pass goes that way, so that few are
// enough for a long chain.
bool Journal::close(Chosen& chosen) const {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = deeds_.size(); i-- > 0;) {
      if (!chosen[i]) continue;
      if (deeds_[i]->together && !choose_others(i, chosen, changed)) return false;
      if (!choose_inputs(i, chosen, changed)) return false;
    }
    for (size_t i = 0; i < deeds_.size(); ++i) {
      if (chosen[i] && !choose_later_writers(i, chosen, changed)) return false;
    }
  }
  return true;
}

std::optional<Journal::Deeds> Journal::to_redo() const {
  Chosen chosen(deeds_.size());
  for (size_t i = 0; i < deeds_.size(); ++i)
    chosen[i] = !deeds_[i]->complete;
  if (!close(chosen)) return std::nullopt;

  // From the last on: computing a later one again may take computing an earlier one along.
  std::map<const History*, ByteRanges> seen;  // bytes with a later writer
  for (size_t i = deeds_.size(); i-- > 0;) {
    for (const Deed::Use& use : deeds_[i]->uses) {
      ByteRanges lost = use.writes;
      lost.subtract(seen[use.buffer]);
      seen[use.buffer].unite(use.writes);
      if (chosen[i] || !deeds_[i]->repeatable) continue;
      for (const Versions& held : use.buffer->held)
        lost.subtract(held.having(deeds_[i]->sequence, lost));
      if (lost.empty()) continue;
      Chosen more = chosen;
      more[i] = true;
      if (close(more)) chosen = std::move(more);
    }
  }
  Deeds result;
  for (size_t i = 0; i < deeds_.size(); ++i) {
    if (chosen[i]) result.push_back(deeds_[i]);
  }
  return result;
}

Journal::Deeds Journal::hopeless() const {
  Deeds result;
  Chosen chosen(deeds_.size());
  for (size_t i = 0; i < deeds_.size(); ++i) {
    if (deeds_[i]->complete) continue;
    Chosen more = chosen;
    more[i] = true;
    if (close(more)) {
      chosen = std::move(more);
    } else {
      result.push_back(deeds_[i]);
    }
  }
  return result;
}

Versions Journal::current(const History& buffer) const {
  Versions current = buffer.before;
  for (const auto& deed : deeds_) {
    if (!deed->complete) continue;
    for (const Deed::Use& use : deed->uses) {
      if (use.buffer == &buffer) current.set(use.writes, deed->sequence);
    }
  }
  return current;
}

std::vector<ByteRanges> Journal::valid(const History& buffer) const {
  const Versions wanted = current(buffer);
  std::vector<ByteRanges> result;
  for (const Versions& held : buffer.held)
    result.push_back(held.like(wanted, buffer.all()));
  return result;
}

ByteRanges Journal::to_restore(const History& buffer) const {
  const Versions wanted = current(buffer);
  ByteRanges left = wanted.like(buffer.before, buffer.originals.held(0, buffer.all()));
  for (const Versions& held : buffer.held)
    left.subtract(held.like(wanted, left));
  return left;
}

void Journal::begin_anew(History& buffer) const {
  buffer.fresh = buffer.held[0].like(buffer.before, buffer.all());
  buffer.used = {};
  for (const auto& deed : deeds_) {
    for (const Deed::Use& use : deed->uses) {
      if (use.buffer == &buffer) buffer.used.unite(use.needed);
    }
  }
}

}  // namespace mkmd
