// Records into pairs, live and at a replay alike.
#pragma once

#include <cstdint>
#include <string_view>

#include "fastjournal/table.h"
#include "plugins/keyvalue/records.h"
#include "plugins/keyvalue/table_state.h"

namespace fastjournal::keyvalue {

class Applier {
 public:
  explicit Applier(TableState& shared) : shared_(shared) {}

  [[nodiscard]] bool apply(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  [[nodiscard]] static std::uint8_t newest_version(std::uint8_t type);

 private:
  enum class Known : std::uint8_t { yes, dropped, no };
  // The pair of the record's object under this key.
  [[nodiscard]] Known look(RecordView const& record, ApplyContext const& context, std::string_view key,
                           Handle& handle) const;
  [[nodiscard]] bool apply_pair(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  [[nodiscard]] bool apply_deleted(RecordView const& record, TableObserver& observer);
  [[nodiscard]] bool apply_gone(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  [[nodiscard]] bool apply_value(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  [[nodiscard]] bool apply_size(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  [[nodiscard]] bool apply_alias(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  [[nodiscard]] bool apply_rename(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  [[nodiscard]] bool apply_dates(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  [[nodiscard]] bool apply_lock(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  void tell(Handle handle, TableObserver& observer) const;
  void put_tombstone(std::string_view key, Stamp const& stamp, bool persist, Lsn lsn, TableObserver& observer);

  TableState& shared_;
};

}  // namespace fastjournal::keyvalue
