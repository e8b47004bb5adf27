// The optional abilities of a table type beyond Table (table.h), one interface each. A type implements those that fit
// it and names them in Table::capabilities. The rules of table.h hold here too: no clock, no I/O, no chance, no
// exception. Const members change nothing; the records they append are applied at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fastjournal/table.h"

namespace fastjournal {

// The passing of time changes it: rows become due, expire, time out.
class Timed {
 public:
  // The earliest date with work for advance or decide_timer; TimeMs::max() if there is none. May be early, never late.
  [[nodiscard]] virtual TimeMs next_due() const = 0;
  // Brings derived state to `now`: rows that have become due enter the order. Called before every decide. Bounded: at
  // most `budget` rows per call; true if more remain.
  virtual bool advance(TimeMs now, std::size_t budget, TableObserver& observer) = 0;
  // Ended leases, expired rows: appends effect records for at most one step. True if more remain once these are
  // applied.
  virtual bool decide_timer(Decision& decision) const = 0;
  // At a start, before Holder::decide_recovered. The administrator has confirmed that the clock was ahead, and with it
  // `from`, the last date of the log; decision.now is right. Past dates (arrivals, last uses) later than decision.now
  // are read as decision.now from here on. Leases end earlier by the difference. Future dates (process dates,
  // expirations) stay. One step, with one record that states only this; apply makes the changes. A replay contains the
  // old dates too.
  virtual void decide_clock_accepted(TimeMs from, Decision& decision) const = 0;

 protected:
  ~Timed() = default;
};

// Connections hold leases in it.
class Holder {
 public:
  // The connection is gone: its leases are given back after the grace. Same contract as Timed::decide_timer.
  virtual bool decide_connection_closed(ConnectionId connection, Decision& decision) const = 0;
  // After recovery, called until it returns false: extends leases to at least the grace.
  virtual bool decide_recovered(Decision& decision) const = 0;
  // Time passed that no worker could use: the wall clock was set forward, or the computer slept. Leases end later by
  // that time. Called until it returns false, before anything else sees the new `now`; otherwise as decide_recovered.
  // The cursor is Decision::carry, which is preserved from call to call here (zero at the first).
  virtual bool decide_time_lost(DurationMs lost, Decision& decision) const = 0;

 protected:
  ~Holder() = default;
};

// Clients can wait in it: LISTEN. A topic is the object of waiting; the empty topic is any.
class Topics {
 public:
  // Ok, or the reason why nobody can wait for this topic. Never called for the empty topic.
  [[nodiscard]] virtual Status check_topic(std::string_view topic) const = 0;
  // The topic of an existing object; empty if it has none.
  [[nodiscard]] virtual std::string_view topic_of(ObjectId object) const = 0;
  // Due objects (held back or not) with ids above `after`, in order of id. Looks at no more than `looks` objects, adds
  // the due ones to `found`, and returns the id to continue from; none: the end was reached.
  [[nodiscard]] virtual ObjectId find_available(std::string_view topic, ObjectId after, std::uint32_t looks,
                                                std::vector<ObjectId>& found) const = 0;
  // Adds an object's description for a listener (id, key, date) to the current message. False: the object is gone.
  [[nodiscard]] virtual bool announce(ObjectId object, Answer& answer) const = 0;

 protected:
  ~Topics() = default;
};

// Topics whose objects are work: a command hands each out to one worker at a time.
class Work : public Topics {
 public:
  // Number of objects that a NEXT of this topic (empty: of any) would find at this moment.
  [[nodiscard]] virtual std::uint64_t available(std::string_view topic) const = 0;

 protected:
  ~Work() = default;
};

// Its objects have the columns declared by the table.
class Columns {
 public:
  // Called before any record written with this schema.
  virtual void add_schema(Schema const& schema) = 0;

 protected:
  ~Columns() = default;
};

// Clients can watch its values by their keys: LISTEN, or commands that set Decision::watch. Each watcher is told of the
// newest state, whatever number of changes there was in between.
class Watched {
 public:
  // The wish in the parameters of a LISTEN or UNLISTEN; not ok: the reason why there is none.
  [[nodiscard]] virtual Status read_watch(Message const& message, WatchWish& wish) const = 0;
  // Adds the parameters that name it to the current message.
  virtual void name_watch(WatchWish const& wish, Answer& answer) const = 0;
  // Adds to the current message what is under this key now, or that nothing is there.
  virtual void tell_state(std::string_view key, TimeMs now, Answer& answer) const = 0;

 protected:
  ~Watched() = default;
};

// The position of a snapshot. Only the table knows the meaning of the numbers. All zero: nothing read yet.
struct SnapshotCursor {
  std::array<std::uint64_t, 3> at{};
  bool complete{false};

  bool operator==(SnapshotCursor const&) const = default;
};

// Can be followed over the network.
class Followed {
 public:
  // A snapshot is read in pages while the table changes. Each page restates objects behind the cursor, as they are at
  // that moment, in records of at most `budget_bytes`, and moves the cursor. A page has at least one object, or none
  // after a long search without one.
  virtual void snapshot(SnapshotCursor& cursor, std::size_t budget_bytes, Records& records) const = 0;
  // For a table that has exactly the pages up to `cursor`: applies the parts of the record that concern them. The rest
  // is ignored, since a later page states it as it is by then. False: damage.
  [[nodiscard]] virtual bool apply_to_part(SnapshotCursor const& cursor, RecordView const& record,
                                           TableObserver& observer) noexcept = 0;

 protected:
  ~Followed() = default;
};

}  // namespace fastjournal
