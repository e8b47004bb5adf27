// Values of transactions that are not over: no record names them so far. Each stays at the place that its command names,
// also over starts, as what is prepared is in the log with that place. Copies that a maintenance of the table makes are
// known here alone: after an exchange of the files, a start makes them again.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "engine/files/data_files.h"

namespace fastjournal::storage {

class PromisedValues {
 public:
  PromisedValues(Context& context, DataFiles& files) : context_(context), files_(files) {}

  // As in engine::Outside.
  [[nodiscard]] Status add(Extent const& extent);
  [[nodiscard]] Extent place_of(Extent const& extent) const;
  void let_go(Extent const& extent);
  // The table was dropped.
  void clear();

  // As their commands name them.
  [[nodiscard]] std::vector<Extent> extents() const;
  // Values that were let go in this turn may go when all that is recorded in it, up to `end`, is durable.
  void turn_ended(Lsn end);
  void give_back_let_go(Lsn durable);
  [[nodiscard]] bool is_settled() const { return let_go_.empty(); }

  // -- files that are exchanged ---------------------------------------------
  // Those that have no copy in this file.
  void request_copies(std::uint32_t file, std::vector<CopyRequest>& requests) const;
  // A copy that a job made. Not ok: there is none, and the files cannot be exchanged.
  [[nodiscard]] Status add_copy(CopyJob::Copy const& copy, Extent const& to);
  // Those in other files than these.
  void drop_copies(std::set<std::uint32_t> const& wanted);
  void tell_table();

 private:
  struct Promised {
    Extent extent{};             // as its command names it
    std::vector<Extent> copies;  // in other files, which the table made later
  };
  struct LetGo {
    Extent extent{};
    Lsn lsn{};  // that must be durable before; none: known when the turn ends
  };

  [[nodiscard]] Status find_at_start(Extent const& extent);
  [[nodiscard]] Status copy_at_start(Promised& one);
  [[nodiscard]] static Extent const* in_file(Promised const& one, std::uint32_t file);

  Context& context_;
  DataFiles& files_;
  std::map<PlaceKey, Promised> promised_;
  std::set<std::uint32_t> copied_to_;  // files that may have copies of these
  std::deque<LetGo> let_go_;
};

}  // namespace fastjournal::storage
