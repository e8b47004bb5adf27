// State shared by the command handlers of one table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "fastjournal/table.h"
#include "plugins/blob/index.h"
#include "plugins/blob/options.h"
#include "plugins/blob/state.h"
#include "plugins/blob/statistics.h"
#include "plugins/blob/survey.h"
#include "plugins/rows/clients.h"
#include "plugins/rows/holds.h"

namespace fastjournal::blob {

// Readers that open the data file by its name, and do not see which file it is (version 1 of the packets). A place in
// an answer is good for a minute (doc/blob.md), so the name leads to the same file for so long after the last answer:
// before an exchange they are not answered for a minute, if any came of late; and then not until the name leads to the
// new file. Nothing of it is recorded: after a start any client may have been answered a moment ago.
//
// A reader on a stream opens a file once. So streams are ended (take_detached) when a link that was there leads
// elsewhere or is gone; in the modes online and offline already when that is about to happen.
class NamedReads {
 public:
  void see(std::int64_t now) { now_ = now; }
  [[nodiscard]] std::int64_t now() const { return now_; }
  // After a start.
  void began(std::int64_t now) { last_ = now; }
  void note_read(std::int64_t now) { last_ = std::max(last_, now); }
  void time_lost(std::int64_t lost) { last_ += lost; }
  // Everything else is ready for an exchange.
  void close(bool detaches) {
    detaches_ = detaches_ || (detaches && !is_closed_);
    is_closed_ = true;
  }
  void open() { is_closed_ = false; }
  [[nodiscard]] std::int64_t quiet_from() const { return last_ == 0 ? 0 : last_ + kOldFileMs; }
  [[nodiscard]] bool is_quiet() const { return quiet_from() <= now_; }
  // The links, as they are; 0: gone.
  void leads_to(std::uint32_t file) { lead(file_, file); }
  void newer_leads_to(std::uint32_t file) { lead(newer_, file); }
  [[nodiscard]] bool may_read(std::uint32_t current) const { return !is_closed_ && file_ == current; }
  [[nodiscard]] bool has_newer(std::uint32_t next) const { return next != 0 && newer_ == next; }
  [[nodiscard]] bool take_detached() { return std::exchange(detaches_, false); }

 private:
  void lead(std::uint32_t& link, std::uint32_t file) {
    detaches_ = detaches_ || (link != 0 && link != file);
    link = file;
  }

  std::int64_t last_{0};  // answer
  std::int64_t now_{0};
  std::uint32_t file_{0};
  std::uint32_t newer_{0};
  bool is_closed_{false};
  bool detaches_{false};
};

struct TableState : rows::Declared<Options> {
  TableState(std::shared_ptr<TableDeclaration const> table_declaration, std::uint64_t hash_seed)
      : Declared(std::move(table_declaration)), clients(hash_seed), holds(hash_seed) {}

  // The contents of the current data file, without its holes: with blobs that are on their way; and before this place.
  [[nodiscard]] std::uint64_t taken_bytes() const {
    return knows_places() ? places.end - places.hollow : index.file_end();
  }
  [[nodiscard]] std::uint64_t taken_before(Extent const& place) const {
    return knows_places() ? place.begin - std::min(places.hollow, place.begin) : index.file_end();
  }
  [[nodiscard]] bool knows_places() const { return places.file != 0 && places.file == index.files().current; }
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return index.memory_bytes() + survey.memory_bytes() + clients.windows().memory_bytes() + holds.memory_bytes();
  }
  // Under which a transaction holds a key.
  [[nodiscard]] static std::string held(Key const& key) { return bcdb::digits_of(key); }
  // Not ok: a transaction holds it, and the command may not change it in this phase.
  [[nodiscard]] Status check_hold(Key const& key, Decision const& decision) const {
    if (holds.empty()) return {};
    TransactionId const holder = holds.holder_of(held(key));
    if (holder == TransactionId::none) return {};
    return rows::Holds::check(holder, decision, "this key of table " + table()).with("parameter", "key");
  }
  // Values of open transactions, which would not be in the file that is being built.
  [[nodiscard]] bool awaits_promised() const { return promised.count != 0 && promised.copied_to != state.files.next; }
  // Never 0, which stands for none.
  [[nodiscard]] static std::uint32_t seconds(TimeMs date) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(date.value / 1000, 1, UINT32_MAX));
  }
  void see(TimeMs now) const {
    if (start_s == 0) start_s = seconds(now);
    names.see(now.value);
  }

  Index index;
  State state;
  Lsn state_lsn{};          // of the record that states it; none: the table has not begun
  bool knows_files{false};  // a record named them
  rows::Clients clients;
  rows::Holds holds;
  // Derived.
  Survey survey;
  TimeMs work_due{};  // when pages are settled and entries surveyed, if any are to be
  // As the owner of the files tells it (Stores::file_has); it has not of the file after an exchange.
  struct Places {
    std::uint32_t file{0};
    std::uint64_t end{0};
    std::uint64_t hollow{0};
  };
  Places places;
  // The same: the last of those that were built, and are there. Before that files are not exchanged, as new bytes would
  // have no place.
  std::uint32_t made{0};
  // The same (Stores::has_promised).
  struct Promised {
    std::uint64_t count{0};
    std::uint32_t copied_to{0};
  };
  Promised promised;
  std::uint32_t damaged{0};          // blobs of this maintenance
  mutable std::uint32_t start_s{0};  // reads are noted from then on; 0: nothing was decided so far
  mutable NamedReads names;
  mutable std::size_t one_by_one{0};  // copies to be asked for alone, to find the damaged one
  mutable Statistics statistics;
};

}  // namespace fastjournal::blob
