// Records into the index and the state, live and at a replay alike.
//
// A replay may begin behind the record that names the files: until one comes, they are those that the other records
// name, since any change of them is such a record. Keys that are not known are of pages that are stated whole later.
#pragma once

#include <cstdint>

#include "fastjournal/table.h"
#include "plugins/blob/records.h"
#include "plugins/blob/table_state.h"

namespace fastjournal::blob {

class Applier {
 public:
  explicit Applier(TableState& shared) : shared_(shared) {}

  [[nodiscard]] bool apply(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  [[nodiscard]] static std::uint8_t newest_version(std::uint8_t type);
  // Of a put: its place in the index is asked for.
  void prefetch(RecordView const& record) const;

 private:
  [[nodiscard]] bool apply_put(RecordView const& record, TableObserver& observer);
  [[nodiscard]] bool apply_page(RecordView const& record, TableObserver& observer);
  [[nodiscard]] bool apply_omit(RecordView const& record, TableObserver& observer);
  [[nodiscard]] bool apply_damaged(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  [[nodiscard]] bool apply_moved(RecordView const& record, TableObserver& observer);
  [[nodiscard]] bool apply_left(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  [[nodiscard]] bool apply_state(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  [[nodiscard]] bool apply_clock(RecordView const& record, TableObserver& observer);
  // False: the record cannot be of these files.
  [[nodiscard]] bool learn(Files const& files);

  TableState& shared_;
};

}  // namespace fastjournal::blob
