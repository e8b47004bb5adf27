#include "engine/feed/feed.h"

#include "base/bytes.h"

namespace fastjournal::feed {

void Feed::note(RecordView const& record) {
  entries_.push_back(
      {record.lsn, last_, record.table, record.type, record.version, record.object, std::string{as_text(record.body)}});
  last_ = record.lsn;
  bytes_ += sizeof(Entry) + record.body.size();
  drop_old();
}

void Feed::begin(Lsn from) {
  unsent_ = entries_.size();
  sent_to_ = last_;
  kept_from_ = std::max(kept_from_, from);
}

void Feed::keep(std::uint64_t bytes) {
  keep_bytes_ = bytes;
  drop_old();
}

// The last one is kept, whatever its size, because it is to be sent.
void Feed::drop_old() {
  while (bytes_ > keep_bytes_ && entries_.size() > 1) {
    Entry const& oldest = entries_.front();
    bytes_ -= sizeof(Entry) + oldest.body.size();
    kept_from_ = Lsn{oldest.lsn.value + 1};
    if (unsent_ > 0) {
      --unsent_;
    } else {
      sent_to_ = oldest.lsn;
      ++forgotten_;
    }
    entries_.pop_front();
  }
}

}  // namespace fastjournal::feed
