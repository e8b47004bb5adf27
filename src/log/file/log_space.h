// The space of an open log: room for what is appended, segments prepared before they are needed, and given back when
// nothing in them is. It gives each segment its generation, and writes the headers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/env/disk.h"
#include "fastjournal/status.h"
#include "log/file/base_mark.h"
#include "log/file/chain.h"
#include "log/file/durable_marks.h"
#include "log/file/log_options.h"
#include "log/file/newest_file.h"
#include "log/file/opened_log.h"
#include "log/file/segment.h"
#include "log/file/space_policy.h"
#include "log/file/spares.h"
#include "log/log.h"

namespace fastjournal::log::file {

// Owned by the log's writer, whose marks it reads when it writes a header. Invariant: each segment is in the
// chain or spare; it is reused only when a base above its records is in effect, and overwritten or removed only when
// that base is also in a durable header, since a start reads down to the base of the headers.
//
// `at` is the begin of the open batch throughout.
class LogSpace {
 public:
  // `options`, `newest`, `base` and `durable` outlive this.
  LogSpace(env::Disk& disk, std::string const& folder, LogOptions const& options, AdoptedSegments found,
           NewestFile& newest, BaseMark const& base, DurableMarks& durable);

  // A start: the stream goes on at `first`, in a fresh segment; what was read ends at `read_end`.
  [[nodiscard]] Status begin(Lsn first, Lsn read_end);
  // The stream goes on in a fresh segment, at LSNs that were never given, as at a start, and that are not below `wish`.
  // Requires can_leave().
  [[nodiscard]] Status leave(Lsn at, Lsn wish);
  // Something is in the current segment, and there is another one.
  [[nodiscard]] bool can_leave() const { return !chain_.current().live_until.is_none() && spares() > 0; }

  [[nodiscard]] Chain& chain() { return chain_; }
  [[nodiscard]] Chain const& chain() const { return chain_; }
  [[nodiscard]] SpacePolicy& policy() { return policy_; }

  [[nodiscard]] SpacePolicy::Kept beside_additions() const { return policy_.beside_additions(chain_.size()); }
  // True: there is room for a batch of `bytes` in the current segment, and what is kept remains. The usual case, so
  // it is short; otherwise find_room() decides.
  [[nodiscard]] bool has_room(Lsn at, std::uint64_t bytes, SpacePolicy::Kept kept) const {
    SegmentHeader const& current = chain_.current().header;
    std::uint64_t const left = current.end().value - at.value;
    // A segment that is being created counts as part of the reserve: otherwise every turn would wait for it.
    std::uint64_t const spare = spares() + (spares_.is_coming() ? 1 : 0);
    return bytes <= left && spare >= kept.segments && left + spare * current.payload_bytes() >= bytes + kept.bytes;
  }
  // Makes segments where there are too few; gives up the pin if that is not possible. Not ok: why there is no room.
  [[nodiscard]] Status find_room(Lsn at, std::uint64_t bytes, SpacePolicy::Kept kept);
  // Prepares the segments that a batch of `bytes` goes on in. After find_room(). Not ok: fatal.
  [[nodiscard]] Status prepare(Lsn at, std::uint64_t bytes);

  // The base in effect may have moved: segments below it are spare from here on.
  void free_below_base();
  // The base that a header may name now: one that holds after a power cut at this moment, and is in the first segment
  // that is needed. Recovery would not read that one otherwise: the batch with the base may begin in an earlier one.
  [[nodiscard]] Lsn base_for_header() const;
  // The highest base in a durable header.
  [[nodiscard]] Lsn base_on_disk() const { return base_on_disk_; }
  [[nodiscard]] Status put_base_on_disk();

  // Segments that leave the chain are kept for a backup, up to the current segment.
  void pin();
  // False: there is no pin any more.
  bool unpin();

  // Null: nothing is to be done, or a chore is out. Not ok: fatal.
  [[nodiscard]] Result<std::unique_ptr<Chore>> take_chore(Lsn at);
  void finish_chore(Chore const& chore) { spares_.finish(chore); }
  [[nodiscard]] bool is_chore_out() const { return spares_.is_chore_out(); }

  [[nodiscard]] log::LogUsage usage(Lsn at) const;

 private:
  // Segments without records.
  [[nodiscard]] std::uint64_t spares() const { return spares_.count() + chain_.prepared(); }
  [[nodiscard]] std::uint64_t total() const { return chain_.size() + spares(); }
  // Segments that a batch of `bytes` needs beside the current one.
  [[nodiscard]] std::uint64_t needed_for(Lsn at, std::uint64_t bytes) const;
  // From the begin of the open batch to the end of the last spare segment.
  [[nodiscard]] std::uint64_t room_bytes(Lsn at) const;
  // A spare segment with a generation and the place that it gets.
  [[nodiscard]] Segment take_spare(Lsn first, Lsn cut);
  // The fields that every header gets when it is written.
  void tell(SegmentHeader& header) const;
  [[nodiscard]] Status write_header(Segment& segment);
  // Nothing of it is read by a start.
  [[nodiscard]] bool is_below_base_on_disk(Segment const& segment) const;
  // Writes a base above it to the disk, if there is one.
  [[nodiscard]] Status raise_base_on_disk(Segment const& segment);

  env::Disk& disk_;
  std::string folder_;
  LogOptions const& options_;
  NewestFile& newest_;
  BaseMark const& base_;
  DurableMarks& durable_;
  std::uint32_t start_;
  std::uint64_t generation_;  // the highest given
  Lsn base_on_disk_;
  Chain chain_;
  Spares spares_;
  SpacePolicy policy_;
};

}  // namespace fastjournal::log::file
