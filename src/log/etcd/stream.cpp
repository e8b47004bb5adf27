#include "log/etcd/stream.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "log/record_format.h"

namespace fastjournal::log::etcd {
namespace {

Status damaged(Entry const& entry, std::string_view what) {
  return {Code::damaged, fmt::format("entry {} of token {}: {}", entry.sequence, entry.token, what)};
}

}  // namespace

void Stream::begin(Base const& base) {
  *this = Stream{};
  next_sequence_ = base.sequence;
  skip_to_ = base.lsn;
}

Status Stream::add(Entry const& entry, RecordSink& sink) {
  if (entry.sequence != next_sequence_)
    return damaged(entry, fmt::format("it is not the next one, which is {}", next_sequence_));
  if (entry.lsn.value % kLsnAlign != 0) return damaged(entry, fmt::format("it begins at {}", entry.lsn.value));
  std::string_view bytes = entry.bytes;
  if (position_.is_none()) {
    // What is below is not needed.
    Lsn const from = skip_to_.is_none() ? entry.lsn : skip_to_;
    if (from < entry.lsn || from > entry.end())
      return damaged(entry, fmt::format("it is to be read from {} on, and has {} to {}", from.value, entry.lsn.value,
                                        entry.end().value));
    bytes.remove_prefix(from.value - entry.lsn.value);
    applied_ = from;
  } else if (entry.is_first) {
    if (entry.cut != applied_)
      return damaged(entry,
                     fmt::format("it cuts at {}, and the last group ended at {}", entry.cut.value, applied_.value));
    if (entry.lsn < position_)
      return damaged(entry, fmt::format("it begins at {}, which was there before", entry.lsn.value));
    pending_.clear();
    looked_at_ = 0;
    applied_ = entry.lsn;
  } else if (entry.lsn != position_) {
    return damaged(entry,
                   fmt::format("it begins at {}, and the one before ended at {}", entry.lsn.value, position_.value));
  }
  if (pending_.size() + bytes.size() > kGroupBytesMax)
    return damaged(entry, fmt::format("a group has more than {} bytes", kGroupBytesMax));
  if (entry.is_first) start_ = std::max(start_, entry.start);
  pending_.append(bytes);
  position_ = entry.end();
  ++next_sequence_;
  Status status = hand_out(sink);
  return status.code() == Code::damaged ? damaged(entry, status.message()) : status;
}

// Groups that are whole. A record is looked at once, when its group ends.
Status Stream::hand_out(RecordSink& sink) {
  std::span<std::byte const> const all = as_bytes(pending_);
  std::size_t group = 0;
  std::size_t at = looked_at_;
  for (;;) {
    std::optional<std::size_t> const bytes = record_bytes_at(all.subspan(at));
    if (!bytes || at + *bytes > all.size()) break;
    std::optional<DecodedRecord> const record = decode_record(all.subspan(at), Lsn{applied_.value + at});
    if (!record) return {Code::damaged, fmt::format("the record at {} is malformed", applied_.value + at)};
    at += record->bytes;
    if (!record->last_of_group) continue;
    for (std::size_t from = group; from < at;) {
      std::optional<DecodedRecord> const one = decode_record(all.subspan(from), Lsn{applied_.value + from});
      if (Status status = sink.on_record(one->view); !status.ok()) return status;
      from += one->bytes;
    }
    group = at;
  }
  looked_at_ = at - group;
  applied_ = Lsn{applied_.value + group};
  pending_.erase(0, group);
  return {};
}

}  // namespace fastjournal::log::etcd
