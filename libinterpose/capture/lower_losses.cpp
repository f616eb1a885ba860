// SPDX-License-Identifier: Apache-2.0
// What lowering does where a device may be lost. It adds to the journal. It keeps bytes that repeated
// commands would need.
#include "libinterpose/capture/lowering.hpp"
#include "libinterpose/commands/careful.hpp"

#include <algorithm>

namespace mkmd {

Lane& reader(const Domains& domains, Executor& executor, int domain) {
  return domains.separate() ? *domains[domain].transfer : executor.lanes().home();
}

// What all pieces need is known before those at home overwrite something.
void Lowering::will_use(const std::vector<planning::Piece>& pieces) {
  if (!losses_) return;
  for (const planning::Piece& piece : pieces)
    Losses::will_use(piece.uses);
  for (const planning::Piece& piece : pieces) {
    const int domain = session_.configuration.lane_domain(piece.device);
    order_ = order_of(piece.order);
    for (const BufferUse& use : piece.uses) {
      if (use.root->storage->regions.is_home(domain)) overwrite_home(*use.root, use.writes);
    }
  }
}

void Lowering::overwrite_home(Memory& root, const ByteRanges& ranges) {
  if (!losses_) return;
  const ByteRanges originals = Losses::will_overwrite(root, ranges);
  if (originals.empty()) return;
  Lane& lane = reader(domains_, executor_, 0);
  const Ref<Action> action = new_action(lane, nullptr,
                                        [&devices = executor_.devices(), &storage = *root.storage, &lane,
                                         memory = root.native.get(), originals](const auto&) {
                                          const cl_int status =
                                              keep_originals(devices, storage, lane, memory, originals);
                                          return Action::Outcome{status, {}};
                                        });
  action->origin.what = "keeping what a device may need again";
  action->transfer.memory = Ref<Memory>(&root);
  root.storage->regions.read(0, originals, *action);
  executor_.push(action);
}

// False: it has ended with an error. Bytes the command needs went with a device, or may have, or there is no
// code to do the missing parts of it with. What it should have written is not to be had either.
bool Lowering::may_begin(planning::PlannedTask& of, Command& c) {
  if (const cl_int failed = executor_.failed(); failed < 0) {
    c.status = failed;
    return false;
  }
  if (!losses_) return true;
  if (auto before = losses_->replan(c); !before.empty())
    executor_.graveyard().let_go_later(std::make_shared<Journal::Deeds>(std::move(before)));
  if (const auto* const read = std::get_if<ReadCommand>(&c.what); read != nullptr && !read->redo.empty())
    of.whole.front().reads = of.whole.front().needed = read->redo;
  const KernelCommand* const kernel = c.kernel();
  const bool has_no_code = kernel != nullptr && !kernel->redo.empty() && !of.task.kernel.understood;
  if (!has_no_code && std::all_of(of.whole.begin(), of.whole.end(), [](const BufferUse& use) {
        return use.root->storage->regions.nowhere(use.needed).empty();
      }))
    return true;
  c.status = CL_OUT_OF_RESOURCES;
  c.started = c.ended = executor_.devices().now();
  losses_->doom(c, of.whole);
  return false;
}

}  // namespace mkmd
