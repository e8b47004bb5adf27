// A remote table: takes the datagrams of the change feed, notices missing records, says what to ask the daemon for, and
// applies everything to its own table with the plugin's own apply. The result has the daemon's digest.
//
// No socket, no clock: the caller delivers datagrams and answers.
//
//   replica.take_datagram(bytes)            in any order, possibly incomplete
//   while (replica.next_request(message))   FETCH; pass every message of the answer to take_answer
//
// Getting to the current state: pages of a snapshot, and between two pages the records decided meanwhile, applied to
// the part already there (Followed in capabilities.h). So after each page that part is exactly as it was at the page's
// LSN, and after the last page the table is complete. From then on it applies record by record.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/feed/snapshot.h"
#include "engine/types.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "fastjournal/table.h"
#include "wire/feed.h"

namespace fastjournal::replica {

struct Counters {
  std::uint64_t datagrams{0};
  std::uint64_t foreign{0};     // datagrams of other tables, or not of a feed
  std::uint64_t records{0};     // applied, including restated ones
  std::uint64_t duplicates{0};  // records already applied
  std::uint64_t gaps{0};        // times that records were missing
  std::uint64_t fetches{0};     // of ranges
  std::uint64_t snapshots{0};   // begun
  std::uint64_t damaged{0};     // records that did not fit; a new snapshot follows
};

class Replica {
 public:
  // `restated`: part of a snapshot; otherwise the record has its own LSN.
  using OnRecord = std::function<void(RecordView const& record, bool restated)>;

  // `types` must outlive it. `hash_seed`: as in TableContext, since clients chose the rows' keys here too.
  Replica(std::string table, engine::TableTypes const& types, std::uint64_t hash_seed = 0)
      : name_(std::move(table)), types_(types), hash_seed_(hash_seed) {}

  void on_record(OnRecord call) { on_record_ = std::move(call); }

  void take_datagram(std::string_view bytes);
  // The next request; false: none now. One at a time: the next follows after take_answer or abandon.
  [[nodiscard]] bool next_request(Message& out);
  // Not ok: the daemon refuses, or the table cannot be followed here; nothing more can be done.
  [[nodiscard]] Status take_answer(Message const& message);
  // The request will not be answered.
  void abandon();
  // Asks once for the table's current position, even if no datagram tells of missing records.
  void look() { look_ = true; }

  // The table is complete, as it was at some moment, and no later record is known.
  [[nodiscard]] bool is_up_to_date() const {
    return phase_ == Phase::following && heard_ < next_ && !look_ && !more_ && request_ == Request::none;
  }
  // All records below it are applied.
  [[nodiscard]] Lsn position() const { return next_; }
  // Null before the first page of a snapshot.
  [[nodiscard]] Table const* table() const { return table_.get(); }
  // 0 if there is no table.
  [[nodiscard]] std::uint64_t digest() const;
  // The destination of the daemon's datagrams; empty: not known yet.
  [[nodiscard]] std::string const& feed_address() const { return feed_address_; }
  [[nodiscard]] Counters const& counters() const { return counters_; }

 private:
  enum class Phase : std::uint8_t { empty, snapshot, following };
  enum class Request : std::uint8_t { none, page, range };
  struct Held {
    RecordView view;
    bool of_catalogue{false};
    std::string body;
  };

  void begin_again();
  [[nodiscard]] Status take_record(Message const& message);
  [[nodiscard]] Status end_of_page(Message const& message);
  [[nodiscard]] bool is_same_table(Message const& message);
  [[nodiscard]] Status apply_page();
  [[nodiscard]] Status state_schema(RecordView const& record);
  [[nodiscard]] Status create(Schema const& schema);
  [[nodiscard]] bool apply(RecordView const& record);
  void apply_following(RecordView const& record);

  std::string name_;
  engine::TableTypes const& types_;
  std::uint64_t hash_seed_;
  OnRecord on_record_;
  Counters counters_;

  Phase phase_{Phase::empty};
  std::unique_ptr<Table> table_;
  Capabilities can_;  // of the table
  std::string type_;
  std::string store_;
  std::uint64_t number_{0};
  std::string feed_address_;
  Lsn next_{};   // everything below it is applied
  Lsn heard_{};  // the last record known to exist
  bool look_{false};
  bool more_{false};  // the last range was incomplete
  Request request_{Request::none};

  feed::SnapshotPlace place_;  // the part of the table already there
  std::vector<Held> page_;     // the next page, until the records before it are applied
  feed::SnapshotPlace page_place_;
  Lsn page_lsn_{};
  bool page_waits_{false};

  protocol::FeedDatagram datagram_;
  std::string body_;
};

}  // namespace fastjournal::replica
