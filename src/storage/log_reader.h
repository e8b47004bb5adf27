// Reads a log: finds its containers, orders them, checks every batch and hands out the records. Starts and the
// read-only `verify` and `dump` share this code, so that their results agree. Nothing here changes anything on disk.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "env/disk.h"
#include "env/workers.h"
#include "fastjournal/status.h"
#include "fastjournal/table.h"
#include "storage/format.h"
#include "storage/newest.h"
#include "storage/read_ahead.h"
#include "storage/segment.h"

namespace fastjournal::storage {

// A batch that passed its check, for tools that print it.
struct BatchView {
  BatchHeader header;
  std::string container;    // file in which it begins
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
  std::uint32_t containers{0};
  std::uint32_t containers_total{0};
};

class RecordHandler {
 public:
  // Every record at or above base, in the order of the log. Not ok stops the reading, and the start.
  virtual Status on_record(RecordView const& record, Lsn base) = 0;
  // This record follows soon: a hint, to fetch memory ahead.
  virtual void on_soon(RecordView const&) {}
  // After the records of each batch.
  virtual void on_batch(BatchView const&) {}
  // Called when a log was read and nothing is written yet. Not ok: the start ends without changes, so that repeated
  // starts of a computer whose clock is not set use no containers.
  virtual Status on_read() { return {}; }
  // Each MiB or so.
  virtual void on_progress(ReadProgress const&) {}
  // True: on_catalogue gets the needed records of table 0, in their order, before on_record gets any. Needed to make
  // tables from them, because copying forward may have put a table's declaration after rows of it. The headers say
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
  std::uint32_t containers{0};
  std::uint64_t store_id{0};
  Lsn base{};         // nothing below is needed
  Lsn catalogue{};    // nor any record of table 0 below this
  Lsn described{};    // the last batch that has records of table 0, clocks apart, ends here or before
  Lsn end{};          // end of the last batch with records
  bool clean{false};  // the last batch is a seal
  bool cut{false};    // something after `end` was not used
  Lsn cut_at{};
  std::uint64_t cut_bytes{0};      // bytes after it that looked like batches
  std::string cut_reason;          // for people; names file and offset
  std::uint32_t start{0};          // of this start once opened; of the last one when only read
  std::vector<std::string> notes;  // repaired or odd, not fatal
};

class LogReader {
 public:
  using Container = FoundContainer;

  // Reads the headers. ok with no containers: there is no log yet.
  [[nodiscard]] static Result<LogReader> open(env::Disk& disk, std::string folder);
  // Once. damaged: names container and offset.
  // `workers` check what is read while this thread hands out records; without them it does everything itself.
  [[nodiscard]] Status read(RecordHandler& handler, RecoveryReport& report, env::Workers* workers = nullptr);

  // The contents of `newest`.
  [[nodiscard]] FoundNewest const& newest() const { return newest_; }
  // All containers, by index.
  [[nodiscard]] std::vector<Container>& containers() { return containers_; }
  // After read: those that hold the stream from base to the end, in its order.
  [[nodiscard]] std::vector<Container*> const& chain() const { return chain_; }
  // After read: nothing at or above base was found, so no container is needed.
  [[nodiscard]] bool is_empty() const { return end_.is_none(); }
  [[nodiscard]] Lsn end() const { return end_; }
  struct Range {
    Lsn begin;
    Lsn end;
  };
  // Batches that count although nothing on disk says that they are durable:
  // the kernel may hold them only.
  [[nodiscard]] std::vector<Range> const& unproved() const { return unproved_; }

 private:
  LogReader(env::Disk& disk, std::string folder) : disk_(&disk), folder_(std::move(folder)) {}
  struct Found {
    bool plausible{false};  // something that looks like the batch's header is there
    bool intact{false};     // and everything is right
    BatchHeader header;
    std::span<std::byte const> bytes;  // valid until the next look
  };

  Status read_headers(std::string const& name, std::uint32_t index);
  Status check_alike() const;
  Status check_newest() const;
  Status order();
  Status make_segments();
  // The begin of the batch with the wanted LSN, or of the first one after it; none: the stream ends there.
  Result<Lsn> find_batch(Segment const& segment, Lsn wanted, RecoveryReport& report);
  Status read_catalogue(RecordHandler& handler, RecoveryReport& report);
  // From the batch with the begin of the range to the last one that begins in it.
  Status read_range(Range range, RecordHandler& handler, bool catalogue, RecoveryReport& report);
  // From the batch that begins there.
  Status read_segment(Segment const& segment, Range range, RecordHandler& handler, RecoveryReport& report);
  Status deliver(Segment const& segment, ReadAhead::Batch const& batch, RecordHandler& handler, RecoveryReport& report);
  void note_batch(Segment const& segment, BatchHeader const& header);
  void begin_progress(bool catalogue, Range range);
  void tell_progress(RecordHandler& handler, RecoveryReport const& report, Segment const& segment,
                     BatchHeader const& header);
  // Decides between damage and a torn tail.
  Status judge(Segment const& segment, Lsn lsn, bool plausible, RecoveryReport& report);
  Result<Found> batch_at(Segment const& segment, Lsn lsn);
  Result<std::span<std::byte const>> view(Segment const& segment, Lsn lsn, std::uint64_t bytes);
  void count_batch(Segment const& segment, BatchHeader const& header);

  env::Disk* disk_;
  std::string folder_;
  std::uint64_t bytes_read_{0};
  FoundNewest newest_;
  std::vector<Container> containers_;
  std::vector<Container*> chain_;
  std::vector<Segment> segments_;
  std::vector<std::string> notes_;
  Lsn base_{};        // the largest base that a header names: records are given from here
  Lsn batch_base_{};  // and that a batch names
  Lsn header_durable_{};
  Lsn end_{};
  std::vector<Range> unproved_;
  std::uint32_t last_flags_{0};
  env::Workers* workers_{nullptr};  // during read()
  ReadProgress progress_;
  // A window of the stream, to read single places.
  std::vector<std::byte> window_;
  Lsn window_at_{};
  std::uint64_t window_bytes_{0};
};

}  // namespace fastjournal::storage
