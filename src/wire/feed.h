// The datagrams of a change feed: a table's records, numbered by their LSNs.
// Written here once, for the daemon and its followers (doc/feed.md shows the
// bytes). All numbers little endian.
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

#include "fastjournal/table.h"
#include "fastjournal/types.h"

namespace fastjournal::wire {

// Fits an Ethernet frame behind any usual tunnel.
inline constexpr std::size_t kFeedDatagramBytesMax = 1400;

struct FeedHead {
  std::uint64_t store_id{0};
  TableId table{};
  Lsn previous{};
  std::string_view name{};
};

// Fills one datagram after the other.
class FeedWriter {
 public:
  // `name` outlives the datagram; at most 64 bytes.
  void begin(FeedHead const& head);
  [[nodiscard]] bool is_empty() const { return records_ == 0; }
  // False: it is full; finish it and begin another. A record larger than a datagram is announced.
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
    bool announced{false};  // its body has to be fetched
  };
  FeedHead head;
  std::vector<Record> records;  // views of the bytes
};

// False: no feed's datagram, or a damaged one. Vectors are used again.
[[nodiscard]] bool read_feed(std::string_view bytes, FeedDatagram& out);

}  // namespace fastjournal::wire
