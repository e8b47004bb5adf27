// The bytes outside the log of one table, as the engine sees them: it passes on what records name. The owner of the
// files implements it (engine/files/byte_files.h).
#pragma once

#include <string_view>

#include "fastjournal/extent.h"
#include "fastjournal/status.h"
#include "fastjournal/table.h"
#include "fastjournal/types.h"

namespace fastjournal::engine {

struct HostedTable;

class Outside {
 public:
  // A record names these bytes from now on, live or in a replay. `carried`: they are to be written to their place at
  // once, and the record is needed until they are durable there.
  virtual void named(Extent const& extent, std::string_view carried) = 0;
  // No record names them once the log is durable up to `lsn`; none in a replay.
  virtual void freed(Extent const& extent, Lsn lsn) = 0;
  // Records from here on are needed, as they carry bytes that are not durable in their file; kNoLsn: none is.
  [[nodiscard]] virtual Lsn oldest_needed() const = 0;
  // A command that was promised has these bytes: they stay until let_go(). At a start, between the replay and the first
  // answer, of what is prepared; only there it can be not ok: they are not there any more.
  [[nodiscard]] virtual Status promised(Extent const& extent) = 0;
  // Where they are by now, for the command that is kept: a table may have exchanged its files since.
  [[nodiscard]] virtual Extent place_of(Extent const& extent) const = 0;
  // The transaction is over: what no record names is given back once all that is recorded in this turn is durable.
  virtual void let_go(Extent const& extent) = 0;
  // A record of the table was applied: what the table wishes (Stores) may have changed.
  virtual void table_changed() = 0;
  // For STATS, if it has any bytes.
  virtual void metrics(MetricSink& sink) const = 0;
  // The table was dropped: nothing is named once the log is durable up to `lsn`. The last call.
  virtual void dropped(Lsn lsn) = 0;

 protected:
  ~Outside() = default;
};

// Brings the files of tables that have any (Stores).
class OutsideMaker {
 public:
  // Called when the table is hosted, before its first record. Not ok: there can be none, and the table is not hosted.
  [[nodiscard]] virtual Result<Outside*> outside_of(HostedTable& table) = 0;

 protected:
  ~OutsideMaker() = default;
};

}  // namespace fastjournal::engine
