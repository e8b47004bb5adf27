// From entries to records: what follows on each other is put together, and whole groups are handed out. The last group
// of an owner that ended in the middle of it is dropped when the next owner's first entry says where it cut the stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "fastjournal/status.h"
#include "log/etcd/entry.h"
#include "log/shared_log.h"

namespace fastjournal::log::etcd {

// The most bytes of one group: more than two of the largest bodies.
inline constexpr std::uint64_t kGroupBytesMax = 256U << 20U;

class Stream {
 public:
  // Empty; the entry of base.sequence is the first.
  void begin(Base const& base);
  // The next one, of next_sequence(). Not ok: it does not fit to those before, or is damaged; `entry`: for the text.
  [[nodiscard]] Status add(Entry const& entry, RecordSink& sink);

  [[nodiscard]] std::uint64_t next_sequence() const { return next_sequence_; }
  // Everything below was handed out; what comes next may be a part of a group.
  [[nodiscard]] Lsn applied() const { return applied_; }
  // Where the bytes that were added end.
  [[nodiscard]] Lsn end() const { return position_; }
  [[nodiscard]] std::uint64_t waiting_bytes() const { return pending_.size(); }
  // The highest number of an owner that was seen.
  [[nodiscard]] std::uint32_t start() const { return start_; }

 private:
  [[nodiscard]] Status hand_out(RecordSink& sink);

  std::uint64_t next_sequence_{1};
  Lsn skip_to_{};   // where reading begins in the first entry
  Lsn position_{};  // none: no entry so far
  Lsn applied_{};
  std::uint32_t start_{0};
  std::string pending_;       // from applied_ on
  std::size_t looked_at_{0};  // of these: records of a group that has no end so far
};

}  // namespace fastjournal::log::etcd
