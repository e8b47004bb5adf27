// A table followed from afar: takes what the change feed brings, sees when
// something is missing, says what to ask the daemon for, and applies it all to
// a table of its own by the plugin's own apply. Ends with the daemon's digest.
//
// No socket, no clock: whoever has these hands over datagrams and answers.
//
//   replica.take_datagram(bytes)            as they come, in any order, some never
//   while (replica.next_request(message))   FETCH; every message of the answer goes to take_answer
//
// How it comes to the state: pages of a snapshot, and between two pages the
// records that came meanwhile, applied to what is there (table.h, "followers").
// So after each page it has a part of the table exactly as it was at that
// page's LSN, and after the last all of it. From there on record after record.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/snapshot.h"
#include "core/types.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "fastjournal/table.h"
#include "wire/feed.h"

namespace fastjournal::replica {

struct Counters {
  std::uint64_t datagrams{0};
  std::uint64_t foreign{0};     // datagrams of other tables, or none of a feed
  std::uint64_t records{0};     // applied, restated ones too
  std::uint64_t duplicates{0};  // records that were there already
  std::uint64_t gaps{0};        // found missing
  std::uint64_t fetches{0};     // ranges asked for
  std::uint64_t snapshots{0};   // begun
  std::uint64_t damaged{0};     // records that did not fit: a new snapshot follows
};

class Replica {
 public:
  // `restated`: of a snapshot; otherwise it stands at its LSN.
  using OnRecord = std::function<void(RecordView const& record, bool restated)>;

  // `types` outlives it. `hash_seed`: TableContext's, as the rows' keys were chosen by clients here too.
  Replica(std::string table, core::TableTypes const& types, std::uint64_t hash_seed = 0)
      : name_(std::move(table)), types_(types), hash_seed_(hash_seed) {}

  void on_record(OnRecord call) { on_record_ = std::move(call); }

  void take_datagram(std::string_view bytes);
  // The next thing to ask for; false: nothing now. One at a time: the next comes once it is answered or abandoned.
  [[nodiscard]] bool next_request(Message& out);
  // Not ok: the daemon refuses, or its table cannot be followed here. Nothing more is to be done then.
  [[nodiscard]] Status take_answer(Message const& message);
  // No answer will come.
  void abandon();
  // Asks once how far the table is, also if no datagram says that anything is missing.
  void look() { look_ = true; }

  // It has the whole table, as it was at some moment, and knows of nothing later.
  [[nodiscard]] bool is_up_to_date() const {
    return phase_ == Phase::following && heard_ < next_ && !look_ && !more_ && request_ == Request::none;
  }
  // All records below it are applied.
  [[nodiscard]] Lsn position() const { return next_; }
  // Null before the first page of a snapshot.
  [[nodiscard]] Table const* table() const { return table_.get(); }
  // 0 without a table.
  [[nodiscard]] std::uint64_t digest() const;
  // Where the daemon says that its datagrams go; empty: it has said nothing yet.
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
  core::TableTypes const& types_;
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
  Lsn heard_{};  // the last record that is known to be there
  bool look_{false};
  bool more_{false};  // the last range was not all
  Request request_{Request::none};

  core::SnapshotPlace place_;  // the part of the table that is there
  std::vector<Held> page_;     // the next one, until what came before it is applied
  core::SnapshotPlace page_place_;
  Lsn page_lsn_{};
  bool page_waits_{false};

  wire::FeedDatagram datagram_;
  std::string body_;
};

}  // namespace fastjournal::replica
