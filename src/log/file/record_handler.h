// The results of reading a log: its records one after another, how far it has come, and the result.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fastjournal/record.h"
#include "fastjournal/status.h"
#include "log/file/format.h"

namespace fastjournal::log::file {

// A batch that passed its check, for tools that print it.
struct BatchView {
  BatchHeader header;
  std::string segment;      // file in which it begins
  std::uint64_t offset{0};  // in that file
  std::uint64_t records{0};
  std::span<std::byte const> bytes;  // of all of it; valid during the call
};

// The progress of reading, for people who wait for a start.
struct ReadProgress {
  bool catalogue{false};  // the first reading of the parts that are read twice
  std::uint64_t bytes{0};
  std::uint64_t bytes_total{0};  // at most
  std::uint64_t records{0};
  std::uint32_t segments{0};
  std::uint32_t segments_total{0};
};

class RecordHandler {
 public:
  // Before any record: whose log it is. Not called if there is none.
  virtual void on_store(std::uint64_t) {}
  // Every record at or above base, in the order of the log. Not ok stops the reading, and the start.
  virtual Status on_record(RecordView const& record, Lsn base) = 0;
  // This record follows soon: a hint, to fetch memory ahead.
  virtual void on_soon(RecordView const&) {}
  // After the records of each batch.
  virtual void on_batch(BatchView const&) {}
  // Called when a log was read and nothing is written yet. Not ok: the start ends without changes, so that repeated
  // starts of a computer whose clock is not set use no segments.
  virtual Status on_read() { return {}; }
  // Each MiB or so.
  virtual void on_progress(ReadProgress const&) {}
  // True: on_catalogue gets the needed records of table 0, in their order, before on_record gets any. Needed to make
  // tables from them, because compaction may have put a table's declaration after rows of it. The headers say
  // where these records are, and only those parts are read twice: reading the whole log twice took a third of a cold
  // start, and a catalogue kept in front would pin the base. on_catalogue may or may not get clocks and records that
  // are no longer needed.
  [[nodiscard]] virtual bool wants_catalogue_first() const { return false; }
  virtual Status on_catalogue(RecordView const&) { return {}; }

 protected:
  ~RecordHandler() = default;
};

// The result of a start or a `verify`.
struct RecoveryReport {
  std::uint64_t bytes_scanned{0};
  std::uint64_t batches{0};
  std::uint64_t records{0};
  std::uint32_t segments{0};
  std::uint64_t store_id{0};
  Lsn base{};         // nothing below is needed
  Lsn catalogue{};    // nor any record of table 0 below this
  Lsn described{};    // the last batch that has records of table 0, clocks apart, ends here or before
  Lsn end{};          // end of the last batch with records
  bool clean{false};  // the last batch is a clean-shutdown marker
  bool cut{false};    // something after `end` was not used
  Lsn cut_at{};
  std::uint64_t cut_bytes{0};      // bytes after it that looked like batches
  std::string cut_reason;          // for people; names file and offset
  std::uint32_t start{0};          // of this start once opened; of the last one when only read
  std::vector<std::string> notes;  // repaired or odd, not fatal
};

}  // namespace fastjournal::log::file
