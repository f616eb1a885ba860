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

History::History(uint64_t size, int domains) : before(size, Versions::kOriginal) {
  for (int d = 0; d < domains; ++d)
    held.emplace_back(size, d == 0 ? Versions::kOriginal : Versions::kNone);
}

void Journal::add(std::shared_ptr<Deed> deed) {
  const auto after = std::upper_bound(deeds_.begin(), deeds_.end(), deed->sequence,
                                      [](uint64_t s, const auto& d) { return s < d->sequence; });
  deeds_.insert(after, std::move(deed));
}

void Journal::complete(Deed& deed, int domain) {
  deed.complete = true;
  for (const Deed::Use& use : deed.uses)
    use.buffer->held[domain].set(use.writes, deed.sequence);
}

void Journal::fail(Deed& deed) {
  deed.complete = true;
  deed.repeatable = false;
}

void Journal::remove(const Deeds& deeds) {
  std::set<const Deed*> gone;
  for (const auto& deed : deeds)
    gone.insert(deed.get());
  std::erase_if(deeds_, [&](const auto& deed) { return gone.count(deed.get()) > 0; });
}

Journal::Deeds Journal::trim(size_t limit) {
  size_t count = 0;
  while (deeds_.size() - count > limit && deeds_[count]->complete) {
    for (const Deed::Use& use : deeds_[count]->uses)
      use.buffer->before.set(use.writes, deeds_[count]->sequence);
    ++count;
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
        if (!deeds_[w]->repeatable) return false;
        chosen[w] = changed = true;
      }
    }
    for (const Versions& held : use.buffer->held)
      left.subtract(held.like(use.buffer->before, left));
    if (!left.empty()) return false;
  }
  return true;
}

// Whoever wrote later what a chosen deed reads or writes is chosen, too: it finds the bytes as it found them
// before, and leaves them as the program expects.
bool Journal::close(Chosen& chosen) const {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < deeds_.size(); ++i) {
      if (!chosen[i]) continue;
      if (!choose_inputs(i, chosen, changed)) return false;
      for (size_t later = i + 1; later < deeds_.size(); ++later) {
        if (chosen[later] || deeds_[later]->sequence == deeds_[i]->sequence) continue;
        for (const Deed::Use& use : deeds_[i]->uses) {
          for (const Deed::Use& other : deeds_[later]->uses) {
            if (chosen[later] || other.buffer != use.buffer) continue;
            if (!other.writes.overlaps(use.needed) && !other.writes.overlaps(use.writes)) continue;
            if (!deeds_[later]->repeatable) return false;
            chosen[later] = changed = true;
          }
        }
      }
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

std::vector<ByteRanges> Journal::valid(const History& buffer, const Deeds& redone) const {
  std::set<const Deed*> out;
  for (const auto& deed : redone)
    out.insert(deed.get());
  Versions current = buffer.before;
  for (const auto& deed : deeds_) {
    if (out.count(deed.get()) > 0) continue;
    for (const Deed::Use& use : deed->uses) {
      if (use.buffer == &buffer) current.set(use.writes, deed->sequence);
    }
  }
  std::vector<ByteRanges> result;
  for (const Versions& held : buffer.held)
    result.push_back(held.like(current, buffer.all()));
  return result;
}

}  // namespace mkmd
