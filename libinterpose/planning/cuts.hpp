// SPDX-License-Identifier: Apache-2.0
// Along which dimension a launch is split, and where.
#pragma once

#include "libinterpose/planning/plan.hpp"

#include <nlohmann/json_fwd.hpp>

namespace mkmd::planning {

// Sets of more blocks are handled as their hulls.
inline constexpr size_t kFewBlocks = 16;

// Of a part of a long piece (Rule 18).
inline constexpr double kShortestPart = 1e-3;  // seconds

// Along which dimension a launch may be split, if along any, and what its first half there does.
struct Cut {
  int dimension = -1;
  BufferUses first_half;
};
Cut best_cut(const std::array<uint64_t, 3>& groups,
             const std::function<BufferUses(const compiler::GroupBox& box, size_t most_blocks)>& uses_of,
             bool (*may_be_apart)(const BufferUses&, const BufferUses&) = independent);

// How the launches before were cut: what a planner remembers from window to window.
class CutMemory {
public:
  // The dimension last used for the kernel among those with several work-groups, or -1.
  int dimension(const Task& task) const;
  void set_dimension(const Task& task, int dimension);

  // Shares follow measured times, which are noisy, and each move of a cut moves data. So a cut moves only if
  // that changes a share by more than 2 % (Rule 15).
  void keep_cuts(PlannedTask& task);

  // Takes over what `from` remembers of such a task.
  void copy_of(const Task& task, const CutMemory& from, bool with_dimension);

  friend nlohmann::json to_json(const CutMemory& cuts);
  friend CutMemory cuts_from_json(const nlohmann::json& json);  // throws what the JSON library throws

private:
  // A program that makes kernels, or changes a scalar on every launch, must not grow us.
  static constexpr size_t kMost = 4096;
  struct Dimension {
    int dimension = -1;
    unsigned among = 0;  // a bit each
  };
  struct End {
    int device;
    int cut;       // the dimension
    uint64_t end;  // work-groups along it
  };
  std::map<uint64_t, Dimension> dimensions_;                        // by kernel
  std::map<std::pair<uint64_t, uint64_t>, std::vector<End>> ends_;  // by kernel and shape
};

nlohmann::json to_json(const CutMemory& cuts);
CutMemory cuts_from_json(const nlohmann::json& json);

// A long piece is launched in parts (Rule 18). A part that has not started can still move to an idle device.
// Copies of the first part's results do not wait for the last part. Where the policy itself has given a
// device several pieces, those are the parts.
void cut_in_parts(PlannedTask& task);

// Into pieces no larger than one that has run, as equal as can be: there may be no code for a small rest.
void cut_as_before(PlannedTask& task);

// No piece writes what another one touches, but by updates that commute on devices that may do so together.
bool split_is_safe(const PlannedTask& task, const Machine& machine);

// Byte sets of very many blocks cost more to keep, and narrow rows more to move, than they save: their hulls
// are taken. Where sets only order commands, the hull orders enough. Otherwise reading a hull brings a few
// bytes too many, and writing one needs what lies between to be valid first. Says whether more is written
// now.
bool coarsen(BufferUses& uses, const Machine& machine, const BufferOf& buffer_of);
// False: the hulls of split pieces overlap.
bool coarsen_pieces(PlannedTask& task, const Machine& machine, const BufferOf& buffer_of);

}  // namespace mkmd::planning
