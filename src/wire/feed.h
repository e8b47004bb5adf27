// The datagrams of a change feed: a table's records, numbered by their LSNs. One codec for the daemon and its followers
// (doc/feed.md describes the bytes). All numbers little endian.
//
//   u32 magic     "FJF" and the version 1
//   u64 checksum  XXH3-64 of everything behind it
//   u64 store id  of the table's log
//   u32 table
//   u64 previous  LSN of the table's record before the first one here; 0: not known. Without
//                 records (a heartbeat): of the last one
//   u16 records   0: a heartbeat
//   u8  length, the table's name
//   then each record:
//     u64 LSN
//     u64 object    0: it begins one, whose id is the LSN
//     u8  type
//     u8  version
//     u8  flags     1: of the catalogue (a schema); 2: announced only, as it is larger than a datagram: no body follows
//     u32 length    of the body
//     body
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/record.h"
#include "fastjournal/types.h"

namespace fastjournal::protocol {

// Fits into an Ethernet frame, with room for the headers of any usual tunnel.
inline constexpr std::size_t kFeedDatagramBytesMax = 1400;

struct FeedHead {
  std::uint64_t store_id{0};
  TableId table{};
  Lsn previous{};
  std::string_view name{};
};

// Fills one datagram after another.
class FeedWriter {
 public:
  // `name` must outlive the datagram; at most 64 bytes.
  void begin(FeedHead const& head);
  [[nodiscard]] bool is_empty() const { return records_ == 0; }
  // False: full; finish this datagram and begin another. A record larger than a datagram is only announced.
  [[nodiscard]] bool add(RecordView const& record);
  // Valid until the next begin.
  [[nodiscard]] std::string_view finish();

 private:
  std::string bytes_;
  std::uint16_t records_{0};
};

struct FeedDatagram {
  struct Record {
    RecordView view;        // table 0: of the catalogue
    bool announced{false};  // without its body, which must be fetched
  };
  FeedHead head;
  std::vector<Record> records;  // views of the bytes
};

// False: not a feed's datagram, or a damaged one. Reuses the vectors of `out`.
[[nodiscard]] bool read_feed(std::string_view bytes, FeedDatagram& out);

}  // namespace fastjournal::protocol
